"""A text cut into what it says it is: thoughts, actions, observations, turns, quotation. Nothing is judged here.

The same segments serve a harness, which refuses some of them, the loaders of other people's traces, where an
observation may be real, and the audit, which asks who wrote them.

The way of a text, one module a step: `lexicon` (the words, and folding) → `scan` (where one stands) → `quotation` (what
shelters it) → `context` (what its neighbours say) → `page` (all of that for one text) → `states` (whether it counts
here), `payloads` (what only its payload gives away), `commands` (what a fence is meant to run) → `actions` with its
dialects (what is called) → `plausible` (whether that is an action or prose) → segments.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Literal, cast

from agentlab.markers.actions import read_call, wants_no_tool
from agentlab.markers.calls import Call
from agentlab.markers.commands import FENCED
from agentlab.markers.context import PARTIES
from agentlab.markers.jsoncalls import another_call_follows
from agentlab.markers.lexicon import Kind
from agentlab.markers.page import Page
from agentlab.markers.payloads import in_thoughts, with_payload
from agentlab.markers.plausible import is_action
from agentlab.markers.scan import MESSAGE, TOKEN, Mark
from agentlab.markers.states import State, counts

__all__ = ["Party", "Segment", "SegmentKind", "segment"]

SegmentKind = Literal[
    "prose", "thought", "action", "no_action", "finish", "observation", "turn", "label", "quotation", "reasoning", "cut"
]
"""What a stretch of text is.

- prose: plain text, also behind an action
- thought, action, observation: as their markers say
- no_action: an action by which the model says that it wants no tool
- finish: a final answer, by its own marker or as an action that is called Finish
- turn: another party's turn
- label: the model's label for its own turn, a closing tag or token, a fence around the whole step; it says nothing
- quotation: a fence or quoted lines outside an action, an observation and an answer
- reasoning: a reasoning tag with what it holds
- cut: what is left of a stop string at the end, or a whole marker there with nothing behind it
"""

Party = Literal["user", "system", "tool"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A stretch of a text. Offsets are code points, end exclusive, blanks around it left out."""

    kind: SegmentKind
    start: int
    end: int
    body_start: int
    """Behind the marker; equal to `start` where there is none."""
    body_end: int
    """Before a closing tag, else equal to `end`."""
    party: Party | None = None
    """Whose turn it would be; only for turns."""
    call: Call | None = None
    """What is called, for an action and for a finish that is written as one."""


def segment(text: str, *, tools: Collection[str] = ()) -> tuple[Segment, ...]:
    """Cut a text into segments, in order, none overlapping; only blanks lie between them. Linear in the text.

    Args:
        text: any text.
        tools: registered tool names. They decide which names with blanks are whole, whether a marker within a line or
            an object without a marker is an action, and which tags and fences are calls.
    """
    if not text or text.isspace():
        return ()
    page = Page(text, tools)
    chosen = frozenset(in_thoughts(text, page.marks))
    found = _Walk(page, chosen).segments()
    if not _holds(found, "action"):
        hidden = _hidden_action(page, found)
        if hidden is not None:
            chosen |= {hidden}
            found = _Walk(page, chosen).segments()
        elif page.command() and not _holds(found, "finish"):
            page = Page(text, tools, with_command=True)
            found = _Walk(page, chosen).segments()
    claims = with_payload(text, page.marks)
    if not claims or chosen.issuperset(claims) or not _holds(found, "action"):
        return found
    return _Walk(page, chosen.union(claims)).segments()


def _holds(found: Sequence[Segment], kind: SegmentKind) -> bool:
    return any(part.kind == kind for part in found)


def _hidden_action(page: Page, found: Sequence[Segment]) -> Mark | None:
    """The first marker in a line or a list item that introduces a whole call of a registered tool, before an answer."""
    end = next((part.start for part in found if part.kind == "finish"), len(page.text))
    for mark in page.marks:
        if mark.kind == "action" and mark.place != "line" and mark.start < end:
            call, _ = read_call(page.body(mark), page.tools)
            if call.registered and call.problem is None:
                return mark
    return None


class _Walk:
    """One pass over the markers of a page.

    Args:
        page: the text made ready.
        chosen: markers that count before an answer although their place says otherwise.
    """

    def __init__(self, page: Page, chosen: Collection[Mark]) -> None:
        self._page = page
        self._chosen = chosen
        self._found: list[Segment] = []
        self._state = State()
        self._open: tuple[SegmentKind, Mark] | None = None
        self._at = 0
        """Up to here the text is cut; an open segment begins behind it."""

    def segments(self) -> tuple[Segment, ...]:
        for mark in self._page.marks:
            if mark.start >= self._at and (counts(mark, self._state) or self._is_chosen(mark)):
                _ENTER[mark.kind](self, mark)
        self._close(len(self._page.text))
        return tuple(_settled(self._found))

    def _is_chosen(self, mark: Mark) -> bool:
        return mark in self._chosen and not self._state.finished

    def thought(self, mark: Mark) -> None:
        self._begin("thought", mark, self._state._replace(stepped=True, foreign=False))

    def answer(self, mark: Mark) -> None:
        self._begin("finish", mark, self._state._replace(stepped=True, finished=True, foreign=False))

    def turn(self, mark: Mark) -> None:
        if mark.tag == MESSAGE:
            self._close(mark.start)
            self._add("turn", mark.start, mark.end, mark.start, party=cast("Party", mark.kind))
            self._state = self._state._replace(foreign=True)
            return
        closing = None if mark.tag in ("", TOKEN) else self._page.tags.find(mark.tag, mark.end)
        if closing is None:
            self._begin("turn", mark, self._state._replace(foreign=True))
        else:
            self._close(mark.start)
            party = cast("Party", mark.kind)
            self._add("turn", mark.start, closing[1], mark.end, body_end=closing[0], party=party)
            self._state = self._state._replace(foreign=True)

    def label(self, mark: Mark) -> None:
        foreign = self._open is not None and self._open[0] in ("turn", "observation")
        if foreign and mark.closing and mark.tag in (TOKEN, FENCED):
            self._close(mark.end, body_end=mark.start)
        self._close(mark.start)
        self._add("label", max(mark.start, self._at), mark.end, mark.end)
        self._state = self._state._replace(foreign=False)

    def cut(self, mark: Mark) -> None:
        self._close(mark.start)
        self._add("cut", mark.start, mark.end, mark.end)

    def observation(self, mark: Mark) -> None:
        state = self._state._replace(stepped=True, foreign=True)
        closing = None if mark.tag in ("", TOKEN) else self._page.tags.find(mark.tag, mark.end)
        if mark.closing:  # it closes what stands since the action
            start = self._at if self._state.acting and self._open is None else mark.start
            self._close(start)
            self._add("observation", start, mark.end, start, body_end=mark.start)
        elif closing is not None:
            self._close(mark.start)
            self._add("observation", mark.start, closing[1], mark.end, body_end=closing[0])
        else:
            self._begin("observation", mark, state)
        self._state = state

    def action(self, mark: Mark) -> None:
        body = self._page.body(mark)
        if not mark.tag and wants_no_tool(body, self._page.tools):
            self._begin("no_action", mark, self._state._replace(stepped=True, foreign=False))
            return
        call, end = read_call(body, self._page.tools)
        if mark not in self._chosen and not is_action(self._page, mark, body, call, end, self._state):
            return
        if mark.tag == "{" and call.problem is None and another_call_follows(self._page.text, mark.start, end):
            call = replace(call, problem="two_calls")
        answered = call.finish and bool(call.arguments)  # an empty Finish leaves the word to a final answer behind it
        self._close(mark.start)
        self._add("finish" if call.finish else "action", mark.start, end, body.start, call=call)
        self._state = State(
            stepped=True, acted=self._state.acted or not call.finish, finished=self._state.finished or answered
        )

    def _begin(self, kind: SegmentKind, mark: Mark, state: State) -> None:
        """Begin a segment that runs to the next marker that counts."""
        self._close(mark.start)
        self._open = (kind, mark)
        self._state = state

    def _close(self, end: int, *, body_end: int | None = None) -> None:
        """End the open segment, or plain text, before a place; what it says may end earlier, before a closing token."""
        if self._open is None and self._at >= end:
            return
        if self._open is not None:
            kind, mark = self._open
            party = cast("Party", mark.kind) if kind == "turn" else None
            if kind == "thought":
                self._add_pieces(kind, mark.start, end, mark.end)
            else:
                self._add(kind, mark.start, end, mark.end, body_end=body_end, party=party)
        else:
            self._add_pieces("prose", self._at, end, self._at)
        self._open = None
        self._at = end

    def _add_pieces(self, kind: SegmentKind, start: int, end: int, body_start: int) -> None:
        """Add a stretch of the model's own words, with what is quoted in it as segments of their own."""
        shelters = self._page.shelters
        at = bisect_left(shelters, start, key=attrgetter("start"))
        while at < len(shelters) and shelters[at].start < end:
            shelter = shelters[at]
            self._add(kind, start, shelter.start, body_start)
            self._add(shelter.kind, shelter.start, shelter.end, shelter.start)
            start = body_start = shelter.end
            at += 1
        self._add(kind, start, end, body_start)

    def _add(
        self,
        kind: SegmentKind,
        start: int,
        end: int,
        body_start: int,
        *,
        body_end: int | None = None,
        party: Party | None = None,
        call: Call | None = None,
    ) -> None:
        """Add a segment, blanks around it and around its body left out, unless nothing is left of it."""
        text = self._page.text
        self._at = max(self._at, end)
        end = start + len(text[start:end].rstrip())
        start = end - len(text[start:end].lstrip())
        if start == end:
            return
        body_end = end if body_end is None else body_end
        body_start = min(max(body_start, start), body_end)
        body_start = body_end - len(text[body_start:body_end].lstrip())
        self._found.append(
            Segment(kind=kind, start=start, end=end, body_start=body_start, body_end=body_end, party=party, call=call)
        )


def _settled(found: Sequence[Segment]) -> Iterator[Segment]:
    """The segments, those that claim nothing put right.

    A marker of somebody else with nothing behind it is, at the end, what a stop string left, and elsewhere, if it is a
    turn before the model's own words, an empty label.
    """
    settled: list[Segment] = []
    at_end = True
    for part in reversed(found):
        kind = part.kind
        if kind in ("turn", "observation") and part.body_start == part.end:
            if at_end:
                kind = "cut"
            elif kind == "turn" and settled[-1].kind not in ("turn", "observation"):
                kind = "label"
        settled.append(part if kind == part.kind else replace(part, kind=kind, party=None))
        at_end = at_end and kind in ("cut", "label")
    return reversed(settled)


_ENTER: Mapping[Kind, Callable[[_Walk, Mark], None]] = {
    "thought": _Walk.thought,
    "action": _Walk.action,
    "observation": _Walk.observation,
    "result": _Walk.observation,
    "final": _Walk.answer,
    "answer": _Walk.answer,
    **dict.fromkeys(PARTIES, _Walk.turn),
    "own": _Walk.label,
    "end": _Walk.label,
    "cut": _Walk.cut,
}
