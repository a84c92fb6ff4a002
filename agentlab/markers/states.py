"""When a marker counts: it depends on its place and on what the text has done before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from agentlab.markers.lexicon import Kind
from agentlab.markers.scan import MESSAGE, Mark

__all__ = ["ACTING", "State", "counts"]


class State(NamedTuple):
    """What stands before a place in a text."""

    stepped: bool = False
    """A thought, an action, an observation or a final answer."""
    acted: bool = False
    """An action."""
    finished: bool = False
    """A final answer: from here on it is the answer's text that goes on."""
    foreign: bool = False
    """An observation or another party's turn, and nothing since."""

    @property
    def acting(self) -> bool:
        """Whether an action stands open: what follows it can only be somebody else's."""
        return self.acted and not self.finished


ACTING = State(stepped=True, acted=True)


def counts(mark: Mark, state: State) -> bool:
    """Whether a marker announces what it says, rather than being text.

    Behind an action nearly every marker counts wherever it stands; behind a final answer only those at the start of a
    line; before an action those at the start of a line that are more than a word on it. A message written as an object
    never counts by itself.
    """
    if mark.tag == MESSAGE:
        return False
    if mark.place == "line":
        return _AT_LINE_START[mark.kind](mark, state)
    if mark.place == "item":
        return state.acting and mark.kind in ("thought", "action", "observation", "final")
    return mark.kind == "end" or (state.acting and mark.kind not in ("input", "result"))


def _party(mark: Mark, state: State) -> bool:
    return not mark.bare or state.acted or state.finished


_AT_LINE_START: Mapping[Kind, Callable[[Mark, State], bool]] = {
    "thought": lambda mark, state: not (mark.bare and state.finished),
    "action": lambda mark, state: True,
    "input": lambda mark, state: False,
    "observation": lambda mark, state: not mark.bare or state.acting,
    "result": lambda mark, state: not mark.bare and (state.acting or state.foreign),
    "final": lambda mark, state: not (mark.bare and state.finished),
    "answer": lambda mark, state: not mark.bare and state.stepped and not state.finished,
    "user": _party,
    "system": _party,
    "tool": _party,
    "own": lambda mark, state: not mark.bare or state.acted or state.finished or state.foreign,
    "end": lambda mark, state: True,
    "cut": lambda mark, state: state.stepped,
}
