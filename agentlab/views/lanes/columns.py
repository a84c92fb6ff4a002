"""A timeline as columns in bands: which slots stand side by side, where a line ends, and what a long attempt folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil

from agentlab.views.lanes.scene import Scene, Slot
from agentlab.views.style import ANSWER, CALL, EXECUTED, SAID

__all__ = ["Column", "bands", "columns"]

_PER_BAND = 7
_MOST = 28
_ENDS = 3
"""Columns at each end that are folded last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One slot of a round, an empty round, or many folded into one."""

    rounds: tuple[int, ...]
    """Positions of the rounds it shows, from 0."""
    label: str
    slots: tuple[Slot, ...]
    requests: tuple[str, ...]
    """Requests whose cells begin below this column: all of a round stand with its first column."""
    folded: bool = False
    agent: str = ""
    """Whose steps they are; empty where a single agent is at work, or several are folded together."""

    @property
    def title(self) -> str:
        """`step 3 · scout`."""
        return f"{self.label} · {self.agent}" if self.agent else self.label


def columns(scene: Scene) -> list[Column]:
    """At most 28 columns; where there would be more, the least telling ones are folded, and empty ones always."""
    every = [column for number in range(len(scene.rounds)) for column in _of_round(scene, number)]
    telling = {flow.claim for flow in scene.flows} | {flow.answer for flow in scene.flows}
    ends = {id(column) for column in (*every[:_ENDS], *every[-_ENDS:])}

    def at_least(level: int) -> Callable[[Column], bool]:
        return lambda column: bool(column.slots) and (id(column) in ends or _telling(column, telling) >= level)

    for level in (0, 1, 2, 3):
        folded = _fold(every, at_least(level))
        if len(folded) <= _MOST:
            return folded
    half = (_MOST - 1) // 2
    return [*every[:half], _merge(every[half:-half]), *every[-half:]]


def bands(shown: Sequence[Column]) -> list[list[Column]]:
    """The columns broken into lines of nearly equal length, at most seven a line."""
    length = ceil(len(shown) / ceil(len(shown) / _PER_BAND))
    return [list(shown[start : start + length]) for start in range(0, len(shown), length)]


def _of_round(scene: Scene, number: int) -> list[Column]:
    stage = scene.rounds[number]
    slots: list[tuple[Slot, ...]] = [(slot,) for slot in stage.slots] or [()]
    return [
        Column(
            rounds=(number,),
            label=stage.label,
            agent=stage.agent,
            slots=held,
            requests=() if position else stage.requests,
        )
        for position, held in enumerate(slots)
    ]


def _telling(column: Column, ends_of_flows: set[str | None]) -> int:
    """3: a forged text begins or ends here; 2: something was claimed and not run, or answered; 1: a call failed."""
    slots = column.slots
    if any(slot.claim is not None and slot.claim.id in ends_of_flows for slot in slots):
        return 3
    if any(slot.mark not in (None, CALL, SAID) for slot in slots):
        return 3 if any(slot.mark is ANSWER for slot in slots) else 2
    return int(any(slot.entry is not None and slot.entry.state != EXECUTED.name for slot in slots))


def _fold(every: Sequence[Column], keep: Callable[[Column], bool]) -> list[Column]:
    folded: list[Column] = []
    for kept, run in groupby(every, keep):
        group = list(run)
        folded.extend(group if kept or len(group) == 1 else [_merge(group)])
    return folded


def _merge(group: Sequence[Column]) -> Column:
    agents = {column.agent for column in group}
    return Column(
        agent=group[0].agent if len(agents) == 1 else "",
        rounds=tuple(dict.fromkeys(number for column in group for number in column.rounds)),
        label=_span(group[0].label, group[-1].label),
        slots=tuple(slot for column in group for slot in column.slots),
        requests=tuple(request for column in group for request in column.requests),
        folded=True,
    )


def _span(first: str, last: str) -> str:
    """`steps 4 to 97`."""
    (word, _, low), (other, _, high) = first.rpartition(" "), last.rpartition(" ")
    if first == last:
        return first
    return f"{word}s {low} to {high}" if word == other else f"{first} to {last}"
