"""A text made ready for reading: the markers outside all quotation, and where a call or free text must end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from agentlab.markers.calls import Body, Toolset, visible
from agentlab.markers.commands import command_in, run_by_shell
from agentlab.markers.context import PARTIES, STEPS, blank, in_context, inside, outside, with_cut
from agentlab.markers.elements import ClosingTags
from agentlab.markers.jsoncalls import BEGINNING
from agentlab.markers.lexicon import Kind
from agentlab.markers.payloads import messages
from agentlab.markers.quotation import Fence, Shelter, shelters
from agentlab.markers.scan import TOKEN, Mark, scan
from agentlab.markers.states import ACTING, counts

__all__ = ["Page"]


class Page:
    """One text, its markers and what shelters them. Offsets are code points of the text.

    Args:
        text: any text.
        tools: registered tool names.
        with_command: whether the first fence that is a command is an action, for a reply that has no other.
    """

    def __init__(self, text: str, tools: Collection[str], *, with_command: bool = False) -> None:
        self.text = text
        self.tools = Toolset(tools)
        self.tags = ClosingTags(text)
        found = shelters(text)
        self.fences: dict[int, Fence] = {fence.start: fence for fence in found.fences}
        self._reasoning = found.reasoning
        marks = with_cut(text, scan(text, tools))
        commands = self.command() if with_command else {}
        opened = self._step(marks) | commands
        quotations = [fence for fence in found.fences if fence not in opened and _is_quotation(fence, marks)]
        fenced = [Shelter(fence.start, fence.end, "quotation") for fence in quotations]
        self.shelters = _disjoint([*found.reasoning, *found.quoted_lines, *fenced])
        for edges in opened.values():
            marks = sorted([*marks, *edges], key=_START)
        for fence in commands:
            self.fences[fence.start] = run_by_shell(text, fence, self.tools)
        marks = outside(marks, self.shelters)
        self.marks = list(in_context(text, marks, self.tools.find))
        for mark in chain(self._bare_object(marks), messages(text, self.shelters)):
            insort(self.marks, mark, key=_START)
        self.marks = [*self._outside_of_parameters()]
        self.kinds: Mapping[int, Kind] = {mark.start: mark.kind for mark in self.marks}
        """What each marker announces, by its place."""
        stops = [mark for mark in self.marks if _ends_a_call(mark)]
        self._soft = [mark.start for mark in stops]
        self._hard = [mark.start for mark in stops if mark.place == "line"]
        self._inputs = [mark for mark in self.marks if mark.kind == "input"]

    def body(self, mark: Mark) -> Body:
        """Where the call stands that an action marker announces."""
        stops = self._hard if mark.place == "line" else self._soft
        at = bisect_right(stops, mark.start)
        hard = stops[at] if at < len(stops) else len(self.text)
        start = visible(self.text, mark.end if mark.tag in ("", TOKEN) else mark.start, hard)
        at = bisect_left(self._inputs, start, key=_START)
        following = self._inputs[at] if at < len(self._inputs) and self._inputs[at].start < hard else None
        return Body(self.text, start, hard, self.tags, self._soft, following, self.fences)

    def _outside_of_parameters(self) -> Iterator[Mark]:
        """The markers without those that are parameters: `result` in the element of a registered tool."""
        end = 0
        for mark in self.marks:
            if mark.kind == "result" and mark.tag and mark.end <= end:
                continue
            if mark.kind == "action" and mark.start >= end and self.tools.find(mark.tag) is not None:
                closing = self.tags.find(mark.tag, mark.end)
                end = closing[0] if closing is not None else end
            yield mark

    def command(self) -> dict[Fence, list[Mark]]:
        """The first fence that the reply means to be run, and its claimed output, with their markers; else empty."""
        return command_in(self.text, self.fences, self.tools) if self.fences else {}

    def _step(self, marks: Sequence[Mark]) -> dict[Fence, list[Mark]]:
        """The fence around the whole reply, or all of it but its thought, if a step stands in it, with its edges.

        A fence around a call alone may also stand before further steps.
        """
        fence = self.fences[min(self.fences)] if self.fences else None
        if fence is None or not self._only_thought(marks, fence.start):
            return {}
        first = next((mark.start for mark in marks if mark.start >= fence.body_start and mark.kind in STEPS), fence.end)
        begin = visible(self.text, fence.body_start, fence.body_end)
        follows = (mark.start for mark in marks if mark.start >= fence.end and _goes_on(mark, self.text, begin))
        rest = next((mark.start for mark in marks if mark.kind == "cut"), next(follows, len(self.text)))
        if not blank(self.text, fence.end, rest) or not (begin == first or BEGINNING.match(self.text, begin)):
            return {}
        return {
            fence: [
                Mark("end", fence.start, fence.body_start, "line"),
                Mark("end", fence.body_end, fence.end, "line"),
            ]
        }

    def _bare_object(self, marks: Sequence[Mark]) -> Iterator[Mark]:
        """Where an object begins that may be a call without a marker: the first thing in the text, thought aside."""
        if "{" not in self.text or any(mark.kind == "action" and mark.place == "line" for mark in marks):
            return
        found = _OBJECT.search(self.text)
        at = found.start("object") if found else -1
        if found and self._only_thought(marks, at) and not inside(at, self.shelters):
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


def _goes_on(mark: Mark, text: str, begin: int) -> bool:
    """Whether a marker goes on with the steps of a text whose first one is an object at a place."""
    return mark.place == "line" and not mark.bare and mark.kind in _SPEECH and BEGINNING.match(text, begin) is not None


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


def _disjoint(parts: Sequence[Shelter]) -> list[Shelter]:
    kept: list[Shelter] = []
    for part in sorted(parts):
        if not kept or part.start >= kept[-1].end:
            kept.append(part)
    return kept


_SPEECH = STEPS | PARTIES
_START = attrgetter("start")
_OBJECT = re.compile(rf"^[ \t]*+(?P<object>{BEGINNING.pattern})", re.MULTILINE)
