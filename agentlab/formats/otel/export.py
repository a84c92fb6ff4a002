"""Traces as OTLP JSON by OpenTelemetry's GenAI conventions, so that they open in any viewer of spans.

One `TracesData` a trace, on one line: https://opentelemetry.io/docs/specs/otel/protocol/file-exporter. Attributes after
https://github.com/open-telemetry/semantic-conventions-genai. In OTLP JSON ids are hex, and 64-bit integers are text.

A span cannot say all that a trace says: who wrote an item of a context, why a call was refused, what became of a
rejected reply. So each span also carries the events that it stands for, as they are in a journal, and our own reader
restores the trace from them exactly. A context is written out in each `chat` span, as the conventions have it, so such
a file grows with the square of the attempt.

Where no times were recorded, events stand one millisecond apart from 1970 on, which keeps their order; the resource
then says `agentlab.times` = `not_recorded`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agentlab.formats.otel.messages import input_messages, output_messages, tool_definitions
from agentlab.formats.otel.values import Attributes, attributes
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

__all__ = ["otlp_line"]

_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_TICK = 1_000_000
"""Nanoseconds between events whose times nobody recorded."""
_TRACE_ID = re.compile(r"attempt_([0-9a-f]{32})")


def otlp_line(trace: Trace) -> bytes:
    """One trace as one line of OTLP JSON, newline included.

    Raises:
        StrictJSONError: if the trace holds what JSON cannot.
    """
    spans = _Spans(trace)
    resource = attributes(
        {
            "service.name": trace.started.agent or trace.started.format or "agentlab",
            "agentlab.trace": trace.id,
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

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        named = _TRACE_ID.fullmatch(trace.id)
        self._trace_id = named[1] if named else _hash(trace.id, 32)
        self._agents: dict[str, _Span] = {}
        self._span_of: dict[str, _Span] = {}
        """By request, reply or execution."""

    def all(self) -> list[JSONValue]:
        """Every span, agents before what they did."""
        for position, event in enumerate(self._trace):
            span = self._place(position, event)
            span.end = max(span.end, self._times[position])
            agent = self._agent(event.agent_name, position)
            agent.end = max(agent.end, span.end)
            self._root.end = max(self._root.end, span.end)
            span.events += self._carried(position, event)
        spans = (*self._agents.values(), *dict.fromkeys(self._span_of.values()))
        return [span.written(self._trace_id) for span in spans]

    @cached_property
    def _root(self) -> _Span:
        return self._agent("", 0)

    @cached_property
    def _times(self) -> Sequence[int]:
        """Nanoseconds since 1970 of each event; those without one stand with the event before."""
        if self._trace.evidence.times != "present":
            return [(place + 1) * _TICK for place in range(len(self._trace))]
        known = next(event.time for event in self._trace if event.time is not None)
        found = []
        for event in self._trace:
            known = event.time if event.time is not None else known
            found.append(max(0, round(known * 1e9)))
        return found

    def _place(self, position: int, event: Event) -> _Span:
        """The span that an event belongs to, begun where the event begins one."""
        if isinstance(event, Request):
            return self._chat(event.id, position, event, event.id)
        if isinstance(event, CompletionEvent):
            return self._reply(position, event)
        if isinstance(event, ExecutionStarted):
            return self._execution(position, event)
        if isinstance(event, ExecutionFinished) and event.execution in self._span_of:
            return self._ended(self._span_of[event.execution], event)
        agent = self._agent(event.agent_name, position)
        if isinstance(event, ProtocolErrorEvent):
            span = self._span_of.get(event.completion, agent)
            span.attributes["error.type"], span.error = event.code, event.reason
            return span
        if isinstance(event, AttemptFinished) and event.reason == "provider_error":
            agent.attributes["error.type"], agent.error = event.reason, event.detail
        return agent

    def _begin(self, key: str, position: int, event: Event, name: str, kind: int) -> _Span:
        parent = self._agent(event.agent_name, position)
        begin = self._times[position]
        span = _Span(_hash(f"{self._trace.id} {event.id}", 16), parent.id, name, kind, begin, begin)
        self._span_of[key] = span
        return span

    def _agent(self, name: str, position: int) -> _Span:
        if name not in self._agents:
            start = self._trace.started
            shown = name or start.agent
            begin = self._times[position]
            parent = self._root.id if name else ""
            span = _Span(_hash(f"{self._trace.id} agent {name}", 16), parent, "invoke_agent", _INTERNAL, begin, begin)
            span.name = f"invoke_agent {shown}".strip()
            span.attributes = {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.provider.name": start.provider or "unknown",
                "gen_ai.agent.name": shown,
                "gen_ai.request.model": start.model,
                "gen_ai.tool.definitions": tool_definitions(start.tools),
            }
            self._agents[name] = span
        return self._agents[name]

    def _chat(self, key: str, position: int, event: Event, request: str) -> _Span:
        """The span of a request, whose reply may not be on record."""
        start = self._trace.started
        span = self._begin(key, position, event, f"chat {start.model}".strip(), _CLIENT)
        span.attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": start.provider or "unknown",
            "gen_ai.request.model": start.model,
            "gen_ai.input.messages": input_messages(self._trace.contexts.get(request, ()), self._trace.by_id),
        }
        return span

    def _reply(self, position: int, event: CompletionEvent) -> _Span:
        span = self._span_of.get(event.request) or self._chat(event.id, position, event, event.request)
        self._span_of[event.id] = span
        model = self._trace.started.model or event.model
        span.name = f"chat {model}".strip()
        span.attributes |= {
            "gen_ai.request.model": model,
            "gen_ai.response.model": event.model,
            "gen_ai.response.finish_reasons": () if event.finish_reason == "unknown" else (event.finish_reason,),
            "gen_ai.usage.input_tokens": event.usage.input_tokens,
            "gen_ai.usage.output_tokens": event.usage.output_tokens,
            "gen_ai.output.messages": output_messages(event),
        }
        return span

    def _execution(self, position: int, event: ExecutionStarted) -> _Span:
        span = self._begin(event.execution, position, event, f"execute_tool {event.tool}", _INTERNAL)
        arguments = event.arguments if isinstance(event.arguments, str) else dumps(dict(event.arguments))
        span.attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": event.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": event.call,
            "gen_ai.tool.call.arguments": arguments,
        }
        return span

    def _ended(self, span: _Span, event: ExecutionFinished) -> _Span:
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
