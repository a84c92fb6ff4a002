"""The events of one Langfuse trace, in the order in which they happened.

A model call stands at the time it began, request and reply together; an execution begins and ends at its own times, so
that what happened in it stands between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.langfuse.observation import Observation
from agentlab.formats.langfuse.tree import Above, above, model_calls
from agentlab.formats.said.memory import Memory
from agentlab.formats.said.model import Said, decoded
from agentlab.formats.said.refusals import refusal_in
from agentlab.formats.said.requests import parameters_of, replied, requested
from agentlab.formats.said.telling import OpenCalls, tell_reply
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, ShapeError, listing, text
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller

__all__ = ["Run", "structured_tools"]

_PHASE_END, _PHASE_CALL, _PHASE_BEGIN, _PHASE_AT_ONCE = range(4)
"""At one instant: what ran before ends, the model is called, what it asked for begins, and may end in no time."""


@dataclass
class Run:
    """One trace while it is told."""

    builder: TraceBuilder
    observations: Mapping[str, Observation]
    structured: frozenset[str]
    defects: list[str] = field(default_factory=list)
    """What could not be read."""
    told: set[str] = field(default_factory=set)
    """Observations that became events."""
    replies: int = 0
    shaped: int = 0
    """Replies in a shape that would show calls; a bare text may stand for a reply whose calls were left out."""
    asked: int = 0
    """Calls that the model asked for."""
    executions: int = 0
    refused: int = 0
    failure: str = ""
    """Why the last model call failed; empty where it did not."""
    last: tuple[str, str] | None = None
    """The main agent's last reply and its text, where it asked for no call."""
    _around: Mapping[str, Above] = field(default_factory=dict)
    _open: dict[str, OpenCalls] = field(default_factory=dict)
    _memories: dict[str, Memory] = field(default_factory=dict)
    _begun: dict[str, str] = field(default_factory=dict)
    _seats: dict[str, str] = field(default_factory=dict)
    """Name of the agent that each execution of a tool started."""
    _named: Counter[str] = field(default_factory=Counter)

    def tell(self) -> None:
        """Record everything that can be read."""
        self._around = above(self.observations)
        for name, moment in self._moments():
            try:
                moment()
            except ShapeError as error:
                self.defects.append(f"observation {name}: {error}")

    def _moments(self) -> list[tuple[str, Callable[[], None]]]:
        calls = model_calls(self.observations, self._around)
        answered = {each.call for each in self.observations.values() if each.tool and each.call}
        moments: list[tuple[float, int, int, str, Callable[[], None]]] = []

        def add(time: float, phase: int, name: str, moment: Callable[[], None]) -> None:
            moments.append((time, phase, len(moments), name, moment))

        for each in self.observations.values():
            start = self._around[each.id].start if each.start is None else each.start
            end = start if each.end is None else each.end
            ending = (end, _PHASE_END) if end > start else (start, _PHASE_AT_ONCE)
            if each.calls_model:
                self.told.add(each.id)  # one that is no call of its own is a copy of those in it
                if each.id in calls:
                    content = self.observations[calls[each.id]]
                    add(start, _PHASE_CALL, each.id, partial(self._model, each, content))
            elif each.tool:
                add(start, _PHASE_BEGIN, each.id, partial(self._begin, each))
                add(*ending, each.id, partial(self._end, each))
            else:
                for message in each.node_answers:
                    if text(message, "tool_call_id") not in answered:
                        add(*ending, each.id, partial(self._node, each, message))
        return [(name, moment) for *_, name, moment in sorted(moments, key=lambda each: each[:3])]

    # --- model calls

    def _model(self, call: Observation, content: Observation) -> None:
        """One call; its content may stand in another record of it, which is then the one that is named."""
        seat, by = self._sit(call)
        builder, koog = self.builder, call.scope == "ai.koog"
        given = call.given if isinstance(call.given, list) else content.given
        memory = self._memories.setdefault(seat, Memory())
        said = requested(given, calls_in_text=koog, memory=memory)
        if said is None:
            builder.see([])
            about: dict[str, JSONValue] = {"input": given or "missing"}
            builder.request(recorded=False, time=call.start, source=content.id, extra=about)
        else:
            self._open_calls(seat).go_on()
            builder.see(memory.items(said, source=content.id, time=call.start))
            builder.request(time=call.start, source=content.id, extra=parameters_of(given))
        reply = replied(content.raw.get("output"), calls_in_text=koog, opened=content.returned)
        self.failure = ""
        if reply is None and text(call.raw, "level") == "ERROR":
            self.failure = text(call.raw, "statusMessage") or "the model call failed"
            return
        self._reply(call, content, _with_listed(reply, content), by)

    def _reply(self, call: Observation, content: Observation, said: Said | None, by: Caller) -> None:
        self.replies += 1
        self.shaped += said is not None and said.text != content.raw.get("output")
        self.asked += len(said.calls) if said else 0
        self.refused += any(call.problem for call in said.calls) if said else 0
        more = content.more
        if said is None:
            more["output"] = "missing"
        if call is not content:
            more["same_call"] = call.id
        reply, calls = tell_reply(
            self.builder,
            said or Said(role="assistant"),
            source=content.id,
            by=by,
            usage=call.usage,
            model=text(content.raw, "model"),
            structured=self.structured,
            extra=more,
            time=call.start if call.end is None else call.end,
            latency=call.duration,
        )
        seat = self._around[call.id].tool
        self._open_calls(seat).add(calls)
        if not seat:
            plain = said is not None and not said.calls and said.text
            self.last = (reply, said.text) if said is not None and plain else None

    # --- executions

    def _begin(self, each: Observation) -> None:
        if each.tool in self.structured and each.result is None:
            self.told.add(each.id)  # the SDK takes the answer out of its form; its input is the call's arguments
            return
        seat, by = self._sit(each)
        call = self._open_calls(seat).take(each.call, each.tool)
        self.told.add(each.id)
        self.executions += 1
        self._begun[each.id] = self.builder.begin(
            each.tool,
            each.arguments,
            call=call or each.call or each.id,
            by="subagent" if by == "subagent" else "not_recorded",
            execution=each.id,
            time=each.start,
            source=each.id,
            extra=each.more,
        )

    def _end(self, each: Observation) -> None:
        begun = self._begun.get(each.id)
        if begun is None or (each.end is None and each.result is None and each.error is None):
            return
        self._sit(each)
        error = each.error
        self.builder.end(
            begun,
            result=each.result if error is None else None,
            error=error,
            duration=each.duration,
            time=each.end,
            source=each.id,
        )

    def _node(self, each: Observation, message: Object) -> None:
        """An answer that LangGraph's tool node gave, where the run of the tool itself is not recorded."""
        seat, by = self._sit(each)
        self.told.add(each.id)
        tool, answer = text(message, "name"), plain_text(message.get("content"))
        call = self._open_calls(seat).take(text(message, "tool_call_id"), tool)
        failed = message.get("status") == "error"
        code = refusal_in(Said(role="tool", text=answer, failed=failed))
        if code is not None:
            self.refused += 1
            self.builder.refuse(call, code=code, reason=answer, time=each.end, source=each.id)
            return
        self.executions += 1
        by = "subagent" if by == "subagent" else "not_recorded"
        begun = self.builder.begin(tool, call=call or each.id, by=by, time=each.start, source=each.id)
        result, error = (None, answer) if failed else (answer, None)
        self.builder.end(begun, result=result, error=error, time=each.end, source=each.id)

    # --- who acts

    def _sit(self, each: Observation) -> tuple[str, Caller]:
        """Let the agent act that an observation is of: the one that a tool started, if it stands in a tool's run."""
        tool = self._around[each.id].tool
        if tool and tool not in self._seats:
            name = self.observations[tool].tool
            self._named[name] += 1
            self._seats[tool] = name if self._named[name] == 1 else f"{name} {self._named[name]}"
        self.builder.seat(self._seats.get(tool, ""))
        return tool, "subagent" if tool else "agent"

    def _open_calls(self, seat: str) -> OpenCalls:
        return self._open.setdefault(seat, OpenCalls())


def structured_tools(observations: Mapping[str, Observation]) -> frozenset[str]:
    """Tools that are only a form for the answer: those that Pydantic AI names so, and what it and C# call the last."""
    found = {"final_result"}
    for each in observations.values():
        request = decoded(each.attributes.get("model_request_parameters"))
        if isinstance(request, dict) and isinstance(request.get("output_tools"), list):
            found.update(_names(listing(request, "output_tools")))
    return frozenset(found)


def _names(tools: list[JSONValue]) -> Iterator[str]:
    for tool in tools:
        if isinstance(tool, dict) and isinstance(tool.get("name"), str):
            yield text(tool, "name")


def _with_listed(said: Said | None, content: Observation) -> Said | None:
    """The reply with the calls that Langfuse found in it, where the text of the output holds none of them."""
    names, calls = listing(content.raw, "toolCallNames"), listing(content.raw, "toolCalls")
    if (said is not None and said.calls) or not names or len(names) != len(calls):
        return said
    found: list[JSONValue] = []
    for name, call in zip(names, calls, strict=True):
        body = decoded(call)
        if isinstance(body, dict):
            found.append({**body, "name": name})
    calls_of = replied({"role": "assistant", "content": said.text if said else "", "tool_calls": found})
    return calls_of if found else said
