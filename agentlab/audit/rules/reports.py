"""What started agents handed back, with the tools each had, how many it used, and what it had been told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agentlab.audit.arguments import written
from agentlab.audit.evidence.effects import effect_of
from agentlab.audit.evidence.values import EffectKind
from agentlab.audit.values import Where
from agentlab.strictjson import JSONValue
from agentlab.trace.calls import TracedCall
from agentlab.trace.events import CompletionEvent, Event, ExecutionFinished, ExecutionStarted, Observation, Request
from agentlab.trace.model import Trace

__all__ = ["AgentReport", "agent_reports"]

_TOOLS = ("tools", "tool_names", "available_tools", "allowed_tools", "allowedTools", "toolNames")
_USES = (
    *("tool_uses", "tool_use_count", "tool_calls_count", "num_tool_calls", "n_tool_calls", "tool_call_count"),
    *("totalToolUseCount", "toolUses", "toolUseCount"),
)
_ACTING: tuple[EffectKind, ...] = ("write", "send", "run", "check", "unknown")


@dataclass(frozen=True, kw_only=True)
class AgentReport:
    """What one started agent handed back."""

    agent: str
    parent: str
    """Whose seat it was started from; empty for the main agent."""
    text: str
    where: Where
    """The whole of it."""
    ended: int
    """Place of its end among the events."""
    tools: frozenset[str] | None
    """None where the record does not say which it had."""
    uses: int | None
    """How many calls it made, as far as that is recorded."""
    inside: Sequence[Event]
    """What happened in its seat."""
    given: str
    """What it was started with."""

    @property
    def cannot_act(self) -> bool:
        """Whether it had tools, as the record says, and none that could change or send anything."""
        return self.tools is not None and not any(_does(tool, *_ACTING) for tool in self.tools)

    @property
    def can_look(self) -> bool:
        return self.tools is not None and any(_does(tool, "read", "run", "unknown") for tool in self.tools)

    @property
    def used_nothing(self) -> bool:
        return self.uses == 0 and not any(isinstance(event, ExecutionStarted) for event in self.inside)

    @cached_property
    def told(self) -> str:
        """What it was started with and what its requests showed it."""
        items = (item for event in self.inside if isinstance(event, Request) for item in event.items)
        return "\n".join((self.given, *(item.text for item in items if item.text and item.author != "model")))

    @cached_property
    def seen(self) -> str:
        """What came back to it."""
        return "\n".join(event.result or "" for event in self.inside if isinstance(event, ExecutionFinished))

    def place(self, start: int, end: int) -> Where:
        """A stretch of the report."""
        where = self.where
        return Where(event=where.event, field=where.field, start=start, end=end, text=self.text[start:end])


def agent_reports(trace: Trace) -> Iterator[AgentReport]:
    """Every report of an agent whose tools or their use are on record, in order. Linear in the trace."""
    described = {
        event.execution if isinstance(event, ExecutionStarted | ExecutionFinished) else event.id
        for event in trace.events
        if isinstance(event, ExecutionStarted | ExecutionFinished | Observation) and _is_described(event.extra)
    }
    if not described:
        return
    ends = {event.execution: event for event in trace.of(ExecutionFinished)}
    seats = _seats(trace)
    for call in trace.calls:
        begun = trace.by_id.get(call.executed_in or "")
        if isinstance(begun, ExecutionStarted):
            end = ends.get(begun.execution)
            if begun.execution in described and end is not None and end.status == "succeeded" and end.result:
                yield _report(trace, call, begun, end, seats)
        elif call.observed_in in described and call.proposed_in is not None:
            seen = trace.by_id[call.observed_in]
            if isinstance(seen, Observation) and seen.text:
                yield _report(trace, call, trace.by_id[call.proposed_in], seen, seats)


def _report(
    trace: Trace,
    call: TracedCall,
    begun: Event,
    end: ExecutionFinished | Observation,
    seats: Mapping[str, Sequence[tuple[int, Event]]],
) -> AgentReport:
    first, last = trace.positions[begun.id], trace.positions[end.id]
    inside = [event for place, event in seats.get(call.tool, ()) if first < place < last]
    text, where = _said(trace, inside, end)
    facts = {**begun.extra, **end.extra}
    tools = _listed(facts)
    return AgentReport(
        agent=call.tool,
        parent=begun.agent_name,
        text=text,
        where=where,
        ended=last,
        tools=tools,
        uses=_counted(trace, facts, tools),
        inside=inside,
        given=written(call.arguments),
    )


def _is_described(extra: Mapping[str, JSONValue]) -> bool:
    return bool(extra) and any(key in extra for key in (*_TOOLS, *_USES))


def _seats(trace: Trace) -> Mapping[str, Sequence[tuple[int, Event]]]:
    """The events of each started agent, by its name, with their places."""
    found: dict[str, list[tuple[int, Event]]] = defaultdict(list)
    for place, event in enumerate(trace.events):
        for name in event.agent_name.split("/") if event.agent_name else ():
            found[name].append((place, event))
    return found


def _said(trace: Trace, inside: Sequence[Event], end: ExecutionFinished | Observation) -> tuple[str, Where]:
    """What was handed back, in the reply that says it where there is one."""
    result = end.text if isinstance(end, Observation) else end.result or ""
    for event in reversed(inside):
        if isinstance(event, CompletionEvent):
            text = trace.completion_text(event) or ""
            if text.strip() == result.strip():
                return text, Where(event=event.id, field="text", start=0, end=len(text), text=text)
    field = "text" if isinstance(end, Observation) else "result"
    return result, Where(event=end.id, field=field, start=0, end=len(result), text=result)


def _listed(facts: Mapping[str, JSONValue]) -> frozenset[str] | None:
    """The tools of an agent; None where they are not listed one by one."""
    for key in _TOOLS:
        value = facts.get(key)
        if isinstance(value, list):
            names = [_name(each) for each in value]
            known = [name for name in names if name and name not in ("*", "all")]
            return frozenset(known) if len(known) == len(names) else None
    return None


def _name(value: JSONValue) -> str:
    if isinstance(value, dict):
        inner = value.get("function")
        name = inner.get("name") if isinstance(inner, dict) else value.get("name")
        return name if isinstance(name, str) else ""
    return value if isinstance(value, str) else ""


def _counted(trace: Trace, facts: Mapping[str, JSONValue], tools: frozenset[str] | None) -> int | None:
    for key in _USES:
        value = facts.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    # a record of all executions that lists an agent's tools shows none of theirs where none ran
    return 0 if tools and trace.evidence.executions == "present" else None


def _does(tool: str, *kinds: EffectKind) -> bool:
    effect = effect_of(tool, None)
    return effect.kind in kinds or not effect.kinds.isdisjoint(kinds)
