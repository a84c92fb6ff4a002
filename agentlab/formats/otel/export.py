"""Traces as OTLP JSON by OpenTelemetry's GenAI conventions, so that they open in any viewer of spans.

One `TracesData` a trace, on one line: https://opentelemetry.io/docs/specs/otel/protocol/file-exporter. Attributes after
https://github.com/open-telemetry/semantic-conventions-genai. In OTLP JSON ids are hex, and 64-bit integers are text.

A span cannot say all that a trace says: who wrote an item of a context, why a call was refused, what became of a
rejected reply. So each span also carries the events that it stands for, as they are in a journal, and our own reader
restores the trace from them exactly. How much of a context a `chat` span shows is told in
`agentlab.formats.otel.inputs`.

An agent that another one started stands below the execution that was running when it first acted, if one was.

Ids are those of the foreign record, where it gave ids of spans: the trace's from the attempt's source, a span's from
that of the event that begins it. Of several traces that would have one id, as copies of a file do, those after the
first get ids of their own, and `agentlab.copy` of their resource counts them from 1.

Where no times were recorded, events stand one millisecond apart from 1970 on, which keeps their order; the resource
then says `agentlab.times` = `not_recorded`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agentlab.formats.otel.inputs import Messages, inputs
from agentlab.formats.otel.messages import output_messages, tool_definitions
from agentlab.formats.otel.values import Attributes, attributes, nanoseconds
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.codec import encode
from agentlab.trace.events import (
    AttemptFinished,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.model import Trace
from agentlab.version import VERSION

__all__ = ["otlp_lines"]

_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_TICK = 1_000_000
"""Nanoseconds between events whose times nobody recorded."""
_OWN_ID = re.compile(r"attempt_([0-9a-f]{32})")
_HEX = re.compile(r"(?!0*\Z)[0-9a-f]+")
"""An id in hex; one of zeros alone is no id."""


def otlp_lines(traces: Iterable[Trace], *, messages: Messages = "auto") -> Iterator[bytes]:
    """Each trace as one line of OTLP JSON, newline included.

    Args:
        traces: taken one at a time.
        messages: which messages of a context stand in the span of its request.

    Raises:
        StrictJSONError: if a trace holds what JSON cannot.
    """
    copies: Counter[str] = Counter()
    for trace in traces:
        name = _trace_id(trace)
        yield _line(trace, name, copies[name], messages)
        copies[name] += 1


def _line(trace: Trace, name: str, copy: int, messages: Messages) -> bytes:
    spans = _Spans(trace, _hash(f"{name} copy {copy}", 32) if copy else name, inputs(trace, messages))
    resource = attributes(
        {
            "service.name": trace.started.agent or trace.started.format or "agentlab",
            "agentlab.trace": trace.id,
            "agentlab.copy": copy or None,
            "agentlab.times": trace.evidence.times,
        }
    )
    data: JSONValue = {
        "resourceSpans": [
            {
                "resource": {"attributes": resource},
                "scopeSpans": [{"scope": {"name": "agentlab", "version": VERSION}, "spans": spans.all()}],
            }
        ]
    }
    return dumps(data).encode() + b"\n"


def _trace_id(trace: Trace) -> str:
    given = trace.started.source.lower()
    own = _OWN_ID.fullmatch(trace.id)
    return given if len(given) == 32 and _HEX.fullmatch(given) else own[1] if own else _hash(trace.id, 32)


@dataclass(eq=False)
class _Span:
    """A span under construction, and the events that it carries."""

    id: str
    parent: str
    name: str
    kind: int
    begin: int
    end: int
    attributes: Attributes = field(default_factory=dict)
    events: list[JSONValue] = field(default_factory=list)
    error: str = ""

    def written(self, trace_id: str) -> JSONValue:
        status: JSONValue = {"code": _ERROR, "message": self.error} if self.error else {}
        return {
            "traceId": trace_id,
            "spanId": self.id,
            **({"parentSpanId": self.parent} if self.parent else {}),
            "name": self.name,
            "kind": self.kind,
            "startTimeUnixNano": str(self.begin),
            "endTimeUnixNano": str(max(self.begin, self.end)),
            "attributes": attributes(self.attributes),
            "events": self.events,
            "status": status,
        }


class _Spans:
    """The spans of one trace: one for each agent in it, each reply and each execution."""

    def __init__(self, trace: Trace, trace_id: str, inputs: Mapping[str, Attributes]) -> None:
        self._trace = trace
        self._trace_id = trace_id
        self._inputs = inputs
        self._agents: dict[str, _Span] = {}
        self._spans: list[_Span] = []
        """Those of requests and executions, in the order in which they began."""
        self._taken: set[str] = set()
        self._asked: dict[str, _Span] = {}
        """By request: those whose reply is still to come."""
        self._replied: dict[str, _Span] = {}
        """By reply."""
        self._running: dict[str, _Span] = {}
        """By execution: the last that began under that id."""
        self._open: dict[str, _Span] = {}
        """Executions that have not ended."""

    def all(self) -> list[JSONValue]:
        """Every span, agents before what they did."""
        for position, event in enumerate(self._trace):
            span = self._place(position, event)
            span.end = max(span.end, self._times[position])
            agent = self._agent(event.agent_name, position)
            agent.end = max(agent.end, span.end)
            self._root.end = max(self._root.end, span.end)
            span.events += self._carried(position, event)
        return [span.written(self._trace_id) for span in (*self._agents.values(), *self._spans)]

    @cached_property
    def _root(self) -> _Span:
        return self._agent("", 0)

    @cached_property
    def _times(self) -> Sequence[int]:
        """Nanoseconds since 1970 of each event; those without one stand with the event before."""
        known = next((event.time for event in self._trace if event.time is not None), None)
        if known is None or self._trace.evidence.times != "present":
            return [(place + 1) * _TICK for place in range(len(self._trace))]
        found = []
        for event in self._trace:
            known = event.time if event.time is not None else known
            found.append(nanoseconds(known))
        return found

    def _place(self, position: int, event: Event) -> _Span:
        """The span that an event belongs to, begun where the event begins one."""
        if isinstance(event, Request):
            span = self._asked[event.id] = self._chat(position, event, event.id)
            return span
        if isinstance(event, CompletionEvent):
            return self._reply(position, event)
        if isinstance(event, ExecutionStarted):
            return self._execution(position, event)
        if isinstance(event, ExecutionFinished) and event.execution in self._running:
            return self._ended(self._running[event.execution], event)
        agent = self._agent(event.agent_name, position)
        if isinstance(event, ProtocolErrorEvent):
            span = self._replied.get(event.completion, agent)
            span.attributes["error.type"], span.error = event.code or "refused", event.reason
            return span
        if isinstance(event, AttemptFinished) and event.reason == "provider_error":
            agent.attributes["error.type"], agent.error = event.reason, event.detail
        return agent

    def _begin(self, position: int, event: Event, name: str, kind: int) -> _Span:
        parent = self._agent(event.agent_name, position)
        begin = self._times[position]
        span = _Span(self._id(f"event {event.id}", event.source), parent.id, name, kind, begin, begin)
        self._spans.append(span)
        return span

    def _id(self, what: str, given: str = "") -> str:
        """An id that no span has yet: the one given if it is one, else the same for the same part of the same trace."""
        found = given if len(given) == 16 and _HEX.fullmatch(given) else _hash(f"{self._trace.id} {what}", 16)
        while found in self._taken:
            found = _hash(f"{self._trace.id} {what} {found}", 16)
        self._taken.add(found)
        return found

    def _agent(self, name: str, position: int) -> _Span:
        if name not in self._agents:
            start = self._trace.started
            shown = name or start.agent
            begin = self._times[position]
            below = next(reversed(self._open.values()), self._root).id if name else ""
            span = _Span(self._id(f"agent {name}"), below, "invoke_agent", _INTERNAL, begin, begin)
            span.name = f"invoke_agent {shown}".strip()
            span.attributes = {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.provider.name": start.provider or "unknown",
                "gen_ai.agent.name": shown or None,
                "gen_ai.request.model": start.model or None,
                "gen_ai.tool.definitions": tool_definitions(start.tools) or None,
            }
            self._agents[name] = span
        return self._agents[name]

    def _chat(self, position: int, event: Event, request: str) -> _Span:
        """The span of a request, whose reply may not be on record."""
        start = self._trace.started
        span = self._begin(position, event, f"chat {start.model}".strip(), _CLIENT)
        span.attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": start.provider or "unknown",
            "gen_ai.request.model": start.model or None,
            **self._inputs.get(request, {}),
        }
        return span

    def _reply(self, position: int, event: CompletionEvent) -> _Span:
        span = self._asked.pop(event.request, None) or self._chat(position, event, event.request)
        self._replied[event.id] = span
        model = self._trace.started.model or event.model
        span.name = f"chat {model}".strip()
        span.attributes |= {
            "gen_ai.request.model": model or None,
            "gen_ai.response.model": event.model or None,
            "gen_ai.response.finish_reasons": () if event.finish_reason == "unknown" else (event.finish_reason,),
            "gen_ai.usage.input_tokens": event.usage.input_tokens,
            "gen_ai.usage.output_tokens": event.usage.output_tokens,
            "gen_ai.output.messages": output_messages(event) or None,
        }
        return span

    def _execution(self, position: int, event: ExecutionStarted) -> _Span:
        span = self._begin(position, event, f"execute_tool {event.tool}", _INTERNAL)
        self._running[event.execution] = self._open[event.execution] = span
        given = event.arguments
        arguments = given if given is None or isinstance(given, str) else dumps(dict(given))
        span.attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": event.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": event.call or None,
            "gen_ai.tool.call.arguments": arguments,
        }
        return span

    def _ended(self, span: _Span, event: ExecutionFinished) -> _Span:
        self._open.pop(event.execution, None)
        span.attributes["gen_ai.tool.call.result"] = event.result
        if event.status == "failed":
            span.error = event.error or "the tool failed"
            span.attributes["error.type"] = event.error_kind or "tool_error"
        return span

    def _carried(self, position: int, event: Event) -> Iterator[JSONValue]:
        """The event as in a journal; of a rejected reply also its text, which the journal does not hold."""
        yield self._event("agentlab.event", position, {"agentlab.event": encode(event).decode().rstrip("\n")})
        if isinstance(event, CompletionEvent) and event.text is None:
            text = self._trace.quarantine.get(event.digest)
            if text is not None:
                yield self._event("agentlab.quarantine", position, {"agentlab.text": text})

    def _event(self, name: str, position: int, held: Mapping[str, str]) -> JSONValue:
        shown = attributes({"agentlab.position": position, **held})
        return {"timeUnixNano": str(self._times[position]), "name": name, "attributes": shown}


def _hash(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
