"""Who acts in an Inspect transcript: the agent, an agent that it called through a tool, or a scorer.

Newer logs mark this with spans, which name their parent and may run at the same time; older ones with steps, of which
the one begun last ends first. An event names its span; in older logs it belongs to the step that is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentlab.formats.shapes.fields import Object, text
from agentlab.trace.values import Caller

__all__ = ["MAIN", "Place", "Places", "scoring_from"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Whose doing it is what happens in a span."""

    name: str = ""
    """Empty for the agent itself."""
    seat: str = ""
    """The span or name of whoever acts: an agent called twice at a time is two, and their contexts differ."""
    by: Caller = "agent"
    agent: bool = False
    """Whether it lies in the span of an agent, so that another agent in it is one that was started."""
    tool: str = ""
    """The innermost span of a tool around it."""
    scores: bool = False
    """Whether a scorer acts, which is no part of the attempt that it judges."""

    def within(self, kind: object, name: str, span: str = "") -> Place:
        """The place in a span, a step or a tool's own events."""
        name = name or str(kind)
        if kind in _SCORING:
            return Place(name=name, seat=span or name, by="not_recorded", scores=True)
        started: Caller = "subagent" if self.by == "agent" else self.by
        if kind == "tool":
            return Place(name=name, seat=span or name, by=started, agent=self.agent, tool=span)
        if kind == "subtask" or (kind == "agent" and (self.agent or self.by != "agent")):
            return replace(self, name=name, seat=span or name, by=started, agent=True)
        return replace(self, agent=True) if kind == "agent" else self


MAIN = Place()
_SCORING = ("scorer", "scorers")
_ACTING = (*_SCORING, "tool", "agent", "subtask")
"""Kinds of spans in which somebody else may act."""


class Places:
    """The places of the spans and steps that have begun."""

    def __init__(self) -> None:
        self._spans: dict[str, Place] = {}
        self._around: dict[str, Place] = {}
        """By span of a tool: where the tool was called."""
        self._steps = [MAIN]

    def begin_span(self, event: Object) -> None:
        """A span begins."""
        span, parent, kind = text(event, "id"), event.get("parent_id"), event.get("type")
        around = self._steps[-1]
        if isinstance(parent, str):
            around = self._spans.get(parent, around)
        self._spans[span] = around.within(kind, text(event, "name"), span) if kind in _ACTING else around
        if kind == "tool":
            self._around[span] = around

    def step(self, event: Object) -> None:
        """A step begins or ends."""
        if text(event, "action") == "begin":
            self.enter(text(event, "type"), text(event, "name"))
        else:
            self.leave()

    def enter(self, kind: str, name: str) -> None:
        """What follows stands within a step, or is one of a tool's own events."""
        self._steps.append(self._steps[-1].within(kind, name))

    def leave(self) -> None:
        """The step begun last ends."""
        if len(self._steps) > 1:
            self._steps.pop()

    def of(self, event: Object) -> Place:
        """Where an event happened."""
        span = event.get("span_id")
        return self._spans.get(span, self._steps[-1]) if isinstance(span, str) else self._steps[-1]

    def of_call(self, event: Object) -> Place:
        """Where the call of a tool event was made: outside of the span that the tool's event stands in."""
        span = event.get("span_id")
        return (self._around.get(span) if isinstance(span, str) else None) or self.of(event)


def scoring_from(events: Sequence[Object]) -> int:
    """How many events of a sample there are before those in which scorers act once the agent does no more."""
    if not any(event.get("type") in _SCORING for event in events):
        return len(events)
    places = Places()
    end: int | None = None
    for index, event in enumerate(events):
        kind = event.get("event")
        if kind == "span_begin":
            places.begin_span(event)
        elif kind == "step":
            places.step(event)
        elif kind in ("model", "tool", "subtask"):
            end = (index if end is None else end) if places.of(event).scores else None
    return len(events) if end is None else end
