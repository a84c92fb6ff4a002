"""A text made ready for reading: the markers outside all quotation, and where a call or free text must end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import attrgetter

from agentlab.markers.actions import Body, Toolset
from agentlab.markers.context import PARTIES, STEPS, blank, inside, neighbourly, outside, with_cut
from agentlab.markers.jsoncalls import BEGINNING
from agentlab.markers.lexicon import Kind
from agentlab.markers.quotation import Fence, Shelter, shelters
from agentlab.markers.scan import TOKEN, Mark, scan
from agentlab.markers.states import ACTING, counts

__all__ = ["Page"]


class Page:
    """One text, its markers and what shelters them. Offsets are code points of the text.

    Args:
        text: any text.
        tools: registered tool names.
        with_shell: whether the first fence in a shell's language is an action, for a reply that has no other.
    """

    def __init__(self, text: str, tools: Collection[str], *, with_shell: bool = False) -> None:
        self.text = text
        self.tools = Toolset(tools)
        found = shelters(text)
        self.fences: Mapping[int, Fence] = {fence.start: fence for fence in found.fences}
        self._reasoning = found.reasoning
        marks = with_cut(text, scan(text, tools))
        step = self._step_fence(marks)
        command = self.shell_fence if with_shell else None
        quoting = [fence for fence in found.fences if fence not in (step, command) and _is_quotation(fence, marks)]
        self.shelters = _disjoint(
            [
                *found.reasoning,
                *found.quoted_lines,
                *(Shelter(fence.start, fence.end, "quotation") for fence in quoting),
            ]
        )
        marks += [] if step is None else _edges(step)
        marks += [] if command is None else [Mark("action", command.start, command.start, "line", tag="```")]
        marks = outside(sorted(marks, key=_START), self.shelters)
        self.marks = sorted([*self._bare_object(marks), *neighbourly(text, marks, self.tools.find)], key=_START)
        stops = [mark for mark in self.marks if _ends_a_call(mark)]
        self._soft = [mark.start for mark in stops]
        self._hard = [mark.start for mark in stops if mark.place == "line"]
        self.kinds: Mapping[int, Kind] = {mark.start: mark.kind for mark in self.marks}
        """What each marker announces, by its place."""
        self.places = list(self.kinds)
        self._inputs = [mark for mark in self.marks if mark.kind == "input"]

    @property
    def shell_fence(self) -> Fence | None:
        """The first fence whose language a registered shell runs."""
        return next((fence for fence in self.fences.values() if self.tools.shell(fence.info)), None)

    def body(self, mark: Mark) -> Body:
        """Where the call stands that an action marker announces."""
        stops = self._hard if mark.place == "line" else self._soft
        at = bisect_right(stops, mark.start)
        hard = stops[at] if at < len(stops) else len(self.text)
        start = mark.start if mark.tag not in ("", TOKEN) else mark.end
        blanks = _BLANKS.match(self.text, start, hard)
        start = blanks.end() if blanks else start
        at = bisect_left(self._inputs, start, key=_START)
        following = self._inputs[at] if at < len(self._inputs) and self._inputs[at].start < hard else None
        return Body(self.text, start, hard, self._soft, following, self.fences)

    def _step_fence(self, marks: Sequence[Mark]) -> Fence | None:
        """The fence around the whole reply, or around all of it but its thought, if a step stands in it."""
        fence = self.fences[max(self.fences)] if self.fences else None
        if fence is None or not self._only_thought(marks, fence.start):
            return None
        first = next((mark for mark in marks if mark.start >= fence.body_start and mark.kind in STEPS), None)
        begins = first is not None and blank(self.text, fence.body_start, first.start)
        rest = next((mark.start for mark in marks if mark.kind == "cut"), len(self.text))
        whole = blank(self.text, fence.end, rest)
        return fence if whole and (begins or _OBJECT.match(self.text, fence.body_start, fence.body_end)) else None

    def _bare_object(self, marks: Sequence[Mark]) -> Iterator[Mark]:
        """Where an object begins that may be a call without a marker: the first thing in the text, thought aside."""
        found = _OBJECT.search(self.text) if "{" in self.text else None
        if found is None or any(mark.kind == "action" and mark.place == "line" for mark in marks):
            return
        at = found.start("object")
        if self._only_thought(marks, at) and not inside(at, self.shelters):
            yield Mark("action", at, at, "line", tag="{")

    def _only_thought(self, marks: Sequence[Mark], place: int) -> bool:
        """Whether nothing but reasoning, labels of the own turn and one thought stands before a place."""
        labels = [(mark.start, mark.end) for mark in marks if mark.kind in ("own", "end", "answer") and not mark.bare]
        at = 0
        for start, end in sorted([*labels, *((part.start, part.end) for part in self._reasoning)]):
            if start >= place or not blank(self.text, at, start):
                break
            at = max(at, end)
        before = [mark for mark in marks if at <= mark.start < place and mark.place == "line" and mark.kind in _SPEECH]
        if not before:
            return blank(self.text, at, place)
        return len(before) == 1 and before[0].kind == "thought" and blank(self.text, at, before[0].start)


def _ends_a_call(mark: Mark) -> bool:
    """Whether the call before a marker must end at it. Tags stand inside calls; a bare `Action` may be prose."""
    if mark.tag not in ("", TOKEN) and mark.kind in ("action", "end"):
        return False
    return counts(mark, ACTING) and not (mark.bare and mark.kind == "action")


def _is_quotation(fence: Fence, marks: Sequence[Mark]) -> bool:
    """Whether a fence shelters what stands in it: closed ones do, an open one only if no action stands before it."""
    return fence.closed or not any(
        mark.kind == "action" and mark.place == "line" for mark in marks if mark.start < fence.start
    )


def _edges(fence: Fence) -> list[Mark]:
    return [Mark("end", fence.start, fence.body_start, "line"), Mark("end", fence.body_end, fence.end, "line")]


def _disjoint(parts: Sequence[Shelter]) -> list[Shelter]:
    kept: list[Shelter] = []
    for part in sorted(parts):
        if not kept or part.start >= kept[-1].end:
            kept.append(part)
    return kept


_SPEECH = STEPS | PARTIES
_START = attrgetter("start")
_BLANKS = re.compile(r"\s*+")
_OBJECT = re.compile(rf"^\s*+(?P<object>{BEGINNING.pattern})", re.MULTILINE)
