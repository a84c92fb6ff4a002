"""In which order the spans of a trace happened, who did what, and which spans tell of the same call.

Three things a span tree does not say by itself. Spans of one model call stand inside each other, and are one call.
A tool that ran because of a call may stand below the model's span, or beside it; it comes after the reply either way.
A span may stand below one that had ended before it began (writers that forget to leave a context): it is not inside.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from heapq import heappush, heapreplace
from typing import TypeAlias

from agentlab.formats.spans.acts import Act, AgentAct, ModelAct, ToolAct, combined
from agentlab.formats.spans.tree import SpanRecord, Tree
from agentlab.trace.values import Caller

__all__ = ["Moment", "Owner", "Plan", "Unit"]


_NEAR = 100
"""How far up an agent of the same name is looked for; nobody nests agents so deep."""


@dataclass(kw_only=True, slots=True, eq=False)
class Owner:
    """Who acts: an agent, or a tool that asks a model by itself."""

    seat: str = ""
    """Name of its context; empty for the main agent."""
    by: Caller = "agent"
    act: AgentAct | ToolAct | None = None
    parent: Owner | None = None

    def at(self, moment: float | None) -> Owner:
        """Who still worked at a moment: this one, or whoever it worked for."""
        owner = self
        while owner.parent is not None and owner.act is not None and _is_over(owner.act, moment):
            owner = owner.parent
        return owner

    def agent(self, name: str | None = None) -> Owner | None:
        """The nearest agent, or the nearest of a name; None where there is none."""
        owner: Owner | None = self
        for _ in range(_NEAR):
            if owner is None:
                break
            if isinstance(owner.act, AgentAct) and name in (None, owner.act.name):
                return owner
            owner = owner.parent
        return None


@dataclass(kw_only=True, slots=True, eq=False)
class Unit:
    """An act with its place in the trace."""

    act: Act
    owner: Owner
    own: Owner | None = None
    """Of an agent or a tool, itself as an owner."""
    rank: int = 0
    """Place of its beginning in the order of the tree."""
    last: int = 0
    """Place of its end."""
    starts: float = 0.0
    ends: float = 0.0
    """Of a model's call, when the reply was there: its span may go on while tools run."""

    @property
    def delegates(self) -> bool:
        """Whether a sub-agent's span is all there is of the call that started it: no tool's span stands between."""
        if not isinstance(self.act, AgentAct) or self.own is None or self.own.by != "subagent":
            return False
        return isinstance(self.owner.act, AgentAct) and not self.owner.agent(self.act.name)


@dataclass(kw_only=True, slots=True)
class Moment:
    """The beginning or the end of an act."""

    unit: Unit
    begins: bool
    key: tuple[float, int, int]
    """Time, place in the tree, and what was moved behind a reply last."""


Replies: TypeAlias = Mapping[str, tuple[list[float], list[Unit]]]
"""The replies that asked for each call id, with their times."""


@dataclass(slots=True)
class _Busy:
    """The names agents act under, each for one agent at a time."""

    seats: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """By name: when each of its seats is free again, with its number; a heap."""

    def take(self, name: str, label: str, span: SpanRecord) -> str:
        start = span.start or 0.0
        until = start if span.end is None else span.end
        seats = self.seats.setdefault(name, [])
        if seats and seats[0][0] <= start:
            number = heapreplace(seats, (until, seats[0][1]))[1]
        else:
            number = len(seats) + 1
            heappush(seats, (until, number))
        return name if number == 1 else f"{label} #{number}"


class Plan:
    """The acts of a trace, each with who did it, in the order of the tree.

    Args:
        tree: its spans.
        read: what a span tells; None for what is neither of a model, a tool, nor an agent.
    """

    def __init__(self, tree: Tree, read: Callable[[SpanRecord], Act | None]) -> None:
        self.tree = tree
        self.others: list[SpanRecord] = []
        """Spans that are none of the three."""
        self.units: list[Unit] = []
        self.ambiguous: list[tuple[str, str]] = []
        """Tool and model spans of the same instant, which the file gives in the wrong order."""
        self.early: list[tuple[str, str]] = []
        """Tool spans that are over before the model's span begins that asked for them."""
        self._acts: dict[str, Act] = {}
        for span in tree.spans:
            act = read(span)
            if act is None:
                self.others.append(span)
            else:
                self._acts[span.id] = act
        self._busy = _Busy()
        self._main: str | None = None
        self._pass_over_wrappers()
        self._merge_models()
        self.has_agents = any(isinstance(act, AgentAct) for act in self._acts.values())
        self._place()

    # --- what is one, and what is nothing ---

    def _forget(self, name: str) -> None:
        self.others.append(self._acts.pop(name).span)

    def _above(self) -> dict[str, str]:
        """The nearest act that each span stands below."""
        above: dict[str, str] = {}
        stack = [(root, "") for root in self.tree.roots]
        while stack:
            span, near = stack.pop()
            above[span.id] = near
            here = span.id if span.id in self._acts else near
            stack.extend((child, here) for child in self.tree.below(span))
        return above

    def _pass_over_wrappers(self) -> None:
        """Forget agents that do nothing on record but pass a task on, as a server does before a client's agent.

        What such an agent started may stand below it, or in the same trace without a link to it.
        """
        above = self._above()
        own: Counter[str] = Counter()
        below: dict[str, set[str]] = {}
        agents = {name: act for name, act in self._acts.items() if isinstance(act, AgentAct)}
        for name in self._acts:
            if name in agents:
                below.setdefault(above[name], set()).add(agents[name].name)
            else:
                own[above[name]] += 1
        works = any(own[name] for name in agents)
        for name, act in agents.items():
            if act.output is None and not own[name] and works:
                passed = len(below.get(name, ()))
                if passed == 1 or (not passed and not above[name]):
                    self._forget(name)

    def _merge_models(self) -> None:
        """Make one act of the spans of a model call that stand inside each other."""
        above = self._above()
        outer: dict[str, str] = {}
        for name, act in self._acts.items():
            upper = self._acts.get(above[name])
            if isinstance(act, ModelAct) and isinstance(upper, ModelAct) and not _after(act.span, upper.span):
                outer[name] = above[name]
        within = Counter(outer.values())
        several = {name: count for name, count in within.items() if count > 1}
        innermost = [name for name, act in self._acts.items() if isinstance(act, ModelAct) and name not in within]
        for name in innermost:
            chain = [name]
            while (upper_name := outer.get(chain[-1], "")) and upper_name not in several:
                chain.append(upper_name)
            acts = [act for each in reversed(chain) if isinstance(act := self._acts.pop(each), ModelAct)]
            whole = combined(acts)
            self._acts[whole.span.id] = whole
        for each in several:  # it went around several calls, and so did what stands around it
            name = each
            while name in self._acts:
                self._forget(name)
                name = outer.get(name, "")

    # --- who does what, in the order of the tree ---

    def _place(self) -> None:
        outside = Owner(by="not_recorded")
        stack: list[tuple[SpanRecord | Unit, Owner, str]] = [(root, outside, "") for root in reversed(self.tree.roots)]
        rank = 0
        while stack:
            node, owner, near = stack.pop()
            rank += 1
            if isinstance(node, Unit):
                node.last = rank
                continue
            owner = owner.at(node.start)
            unit = self._unit(node, owner, near)
            below = [(child, owner, node.name) for child in reversed(self.tree.below(node))]
            if unit is None:
                stack.extend(below)
                continue
            unit.rank = unit.last = rank
            self.units.append(unit)
            if unit.own is None:  # of a model: what stands below it comes after its reply
                if isinstance(unit.act, ToolAct):
                    stack.append((unit, owner, near))
                stack.extend(below)
                continue
            inner = unit.own
            stack.extend((child, inner, near) for child, _, near in below if inner.at(child.start) is not inner)
            stack.append((unit, owner, near))
            stack.extend((child, inner, near) for child, _, near in below if inner.at(child.start) is inner)

    def _unit(self, span: SpanRecord, owner: Owner, near: str) -> Unit | None:
        act = self._acts.get(span.id)
        if act is None:
            return None
        if isinstance(act, AgentAct):
            return Unit(act=act, owner=owner, own=self._agent(act, owner))
        if isinstance(act, ToolAct):
            if owner.act is None and self.has_agents:
                owner = Owner(seat=near, by="not_recorded")
            inner = Owner(seat=owner.seat, by=owner.by, act=act, parent=owner)
            return Unit(act=act, owner=owner, own=None if act.after else inner)
        if isinstance(owner.act, ToolAct):
            return Unit(act=act, owner=Owner(seat=f"{owner.seat}/{owner.act.tool}".lstrip("/"), by="subagent"))
        if owner.act is None:
            return Unit(act=act, owner=Owner(seat=near if self.has_agents else ""))
        return Unit(act=act, owner=owner)

    def _agent(self, act: AgentAct, owner: Owner) -> Owner:
        if same := owner.agent(act.name):
            return Owner(seat=same.seat, by=same.by, act=act, parent=owner)
        nested = owner.agent() is not None
        if self._main is None and not nested:
            self._main = act.name
        label = act.name or "agent"
        seat = self._busy.take("" if act.name == self._main and not nested else label, label, act.span)
        return Owner(seat=seat, by="subagent" if nested else "agent", act=act, parent=owner)

    # --- in the order of time ---

    def moments(self) -> list[Moment]:
        """The beginnings and ends of all acts, in the order of time, and of the tree where times are equal."""
        last = min((unit.act.span.start for unit in self.units if unit.act.span.start is not None), default=0.0)
        for unit in self.units:
            last = unit.starts = last if unit.act.span.start is None else unit.act.span.start
            unit.ends = unit.starts if unit.act.span.end is None else max(unit.starts, unit.act.span.end)
        replies, enclosing = self._replies(), self._enclosing()
        by_span = {unit.act.span.id: unit for unit in self.units}
        asked = [_asked(unit, replies, by_span) for unit in self.units]
        for unit, model in zip(self.units, asked, strict=True):
            for before in (model, enclosing.get(unit.act.span.id)):
                if before is not None:
                    before.ends = max(before.starts, min(before.ends, unit.starts))
        found = [each for unit, model in zip(self.units, asked, strict=True) for each in self._moments(unit, model)]
        return sorted(found, key=lambda moment: moment.key)

    def _moments(self, unit: Unit, model: Unit | None) -> tuple[Moment, Moment]:
        begin = Moment(unit=unit, begins=True, key=(unit.starts, unit.rank, 0))
        end = Moment(unit=unit, begins=False, key=(unit.ends, unit.last, 1))
        if model is None:
            return begin, end
        span, other, place = unit.act.span, model.act.span, self.tree.place
        if span.start is not None and span.start == other.start and place[span.id] < place[other.id]:
            self.ambiguous.append((span.id, other.id))
        if span.end is not None and other.start is not None and span.end < other.start:
            self.early.append((span.id, other.id))
        if begin.key < (model.ends, model.last, 1):
            begin.key = (model.ends, model.last, 2)
        if end.key < begin.key:
            end.key = (*begin.key[:2], 3)
        return begin, end

    def _replies(self) -> Replies:
        found: dict[str, list[Unit]] = {}
        for unit in self.units:
            if isinstance(unit.act, ModelAct) and unit.act.reply:
                for asked in unit.act.reply.calls:
                    if asked.call:
                        found.setdefault(asked.call, []).append(unit)
        for units in found.values():
            units.sort(key=lambda unit: unit.starts)
        return {call: ([unit.starts for unit in units], units) for call, units in found.items()}

    def _enclosing(self) -> Mapping[str, Unit]:
        """The model call whose span each act that is no model's stands in, where it stands in one."""
        models = {unit.act.span.id: unit for unit in self.units if isinstance(unit.act, ModelAct)}
        found = ((name, models.get(upper)) for name, upper in self._above().items())
        return {name: unit for name, unit in found if unit is not None and name not in models}


def _is_over(act: AgentAct | ToolAct, moment: float | None) -> bool:
    """Whether an act had ended at a moment; a tool also where another span begins in the same instant."""
    end = act.span.end
    if end is None or moment is None:
        return False
    return moment >= end if isinstance(act, ToolAct) else moment > end


def _after(span: SpanRecord, other: SpanRecord) -> bool:
    return span.start is not None and other.end is not None and span.start > other.end


def _asked(unit: Unit, replies: Replies, by_span: Mapping[str, Unit]) -> Unit | None:
    """The model call that asked for a tool's run; of several with the same id the last one before it."""
    if not isinstance(unit.act, ToolAct):
        return None
    if unit.act.after:
        return by_span.get(unit.act.after)
    if unit.act.call not in replies:
        return None
    starts, units = replies[unit.act.call]
    return units[max(bisect_right(starts, unit.starts) - 1, 0)]
