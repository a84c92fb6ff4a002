"""Copies of a forged text that no record of authorship shows: found by the words, by who wrote them first.

A foreign harness may trim what it sends again, escape it, quote it in a message of its own that the record gives to
the user, or write it into a summary. Such a copy is known by at least six words in a row, whatever blanks, quotes,
escapes and forms of letters stand between. Whoever else had written them before, or a tool that returned them without
having been handed them, makes them nobody's forgery.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from agentlab.audit.arguments import written
from agentlab.audit.origins.folding import fold
from agentlab.audit.origins.index import Origins
from agentlab.audit.origins.values import Writing
from agentlab.audit.provenance.contexts import Contexts, Stay
from agentlab.audit.values import Claim
from agentlab.trace.events import CompletionEvent, Observation
from agentlab.trace.model import Trace

__all__ = ["Copy", "Retelling"]

_WORDS = 6
"""Words from which two texts do not agree by chance."""
_BEFORE = 80
"""Code points before a forged text that a quotation of the reply holds as well, and a real result does not."""
_LONGEST = 20_000


class Copy(NamedTuple):
    """Where an item of a context holds forged text."""

    stay: Stay
    start: int
    text: str


class Retelling:
    """The copies in one trace.

    Args:
        trace: of which.
        contexts: of it.
    """

    def __init__(self, trace: Trace, contexts: Contexts) -> None:
        self._trace = trace
        self._contexts = contexts
        self._origins = Origins(trace)

    def copies(self, claim: Claim) -> Sequence[Copy]:
        """The items that say a forged text again; none where it may be anybody's."""
        reply = self._trace.by_id[claim.where.event]
        if not isinstance(reply, CompletionEvent) or len(claim.body) > _LONGEST:
            return ()
        text = self._trace.completion_text(reply) or ""
        asked_for = fold(written(claim.arguments))
        for needle in _needles(claim.body):
            if fold(needle) in asked_for:
                return ()  # it only says again what its call had asked for
            found = self._said_again(claim, needle, _quoted(text, claim, needle))
            if found:
                return found
        return ()

    def _said_again(self, claim: Claim, needle: str, quoted: str) -> Sequence[Copy]:
        born = self._trace.positions[claim.where.event]
        handed, found = False, list[Copy]()
        for writing in self._origins.holding(needle):
            if writing.event == claim.where.event:
                continue
            if writing.position <= born:
                if writing.author != "model":
                    return ()
            elif writing.author == "model" and writing.field.endswith("arguments"):
                handed = True
            elif writing.author == "tool" and not handed:
                return ()
            elif _may_copy(self._trace, writing):
                value = quoted if writing.author == "user" else needle
                found += self._copies_in(writing, value, claim)
        return found

    def _copies_in(self, writing: Writing, value: str, claim: Claim) -> Iterator[Copy]:
        """The items that hold a text, at the first place of a value; none where it is not held."""
        if not value:
            return
        origin = next(self._origins.places(writing, value), None)
        if origin is None:
            return
        for stay in self._stays.get(writing.text, ()):
            if stay.author == writing.author and stay.first > self._contexts.numbers.get(
                _request(self._trace, claim), -1
            ):
                yield Copy(stay, origin.start, origin.text)

    @cached_property
    def _stays(self) -> Mapping[str, Sequence[Stay]]:
        found: dict[str, list[Stay]] = defaultdict(list)
        for stay in self._contexts.stays:
            found[stay.text].append(stay)
        return found


def _needles(body: str) -> Iterator[str]:
    """A forged text, and the longest line of it, each if it is long enough to be known again."""
    lines = sorted(body.splitlines(), key=len)
    for text in dict.fromkeys((body, lines[-1] if lines else "")):
        if fold(text).count(" ") > _WORDS:
            yield text


def _quoted(text: str, claim: Claim, needle: str) -> str:
    """A forged text with what the reply says before it; empty where that is too little to tell a quotation by."""
    start = text.find(needle, claim.where.start)
    before = text[max(0, claim.where.start - _BEFORE) : claim.where.start]
    if start < 0 or fold(before).count(" ") < 3:
        return ""
    first = before.find(" ") + 1 if claim.where.start > _BEFORE else 0  # no part of a word
    return before[first:] + text[claim.where.start : start + len(needle)]


def _may_copy(trace: Trace, writing: Writing) -> bool:
    """Whether a text is an item of a context, and no reply of the model's own."""
    if writing.field.startswith("context["):
        return True
    event = trace.by_id[writing.event]
    return isinstance(event, Observation) and writing.author == "tool"


def _request(trace: Trace, claim: Claim) -> str:
    reply = trace.by_id[claim.where.event]
    return reply.request if isinstance(reply, CompletionEvent) else ""
