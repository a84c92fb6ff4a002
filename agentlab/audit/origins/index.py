"""Who wrote a value first: every appearance of it in a trace, by author and place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from agentlab.audit.origins.folding import Plain, fold, small_letters
from agentlab.audit.origins.sentences import sentence_around
from agentlab.audit.origins.values import Origin, Writing
from agentlab.audit.origins.writings import writings
from agentlab.messages import Author
from agentlab.trace.model import Trace

__all__ = ["Origins"]

_WITHOUT_INDEX = 8
"""Questions that are answered by a look into every text."""


class Origins:
    """The authors of the values of one trace.

    The first few questions look into every text. The next one makes an index of all words, in time linear in the
    trace; from then on a question looks only into the texts that hold the rarest word of the value.

    Args:
        trace: one attempt, ours or a foreign one. Where its record does not say who wrote what
            (`trace.evidence.authorship`), authors are as uncertain as the record.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._folded: dict[int, str] = {}
        self._small: dict[int, str | None] = {}
        self._plain: dict[int, Plain] = {}
        self._questions = 0

    @cached_property
    def writings(self) -> tuple[Writing, ...]:
        """The texts in the order of first appearance."""
        return writings(self._trace)

    def by(self, *authors: Author) -> tuple[Writing, ...]:
        """The texts of some authors, in order."""
        return tuple(writing for writing in self.writings if writing.author in authors)

    def holding(self, value: str, *, before: str | None = None, authors: Collection[Author] = ()) -> Iterator[Writing]:
        """The texts that hold a value, in order.

        Args:
            value: compared folded: blanks, quotes, escapes, case and forms of letters make no difference, and it
                begins and ends with a whole word.
            before: only texts of events before this one; all by default.
            authors: only theirs; all by default.
        """
        folded = fold(value)
        words = folded.split()
        if not words:
            return
        end = len(self._trace) if before is None else self._trace.positions[before]
        for writing in self._candidates(words):
            if writing.position >= end:
                return
            if (not authors or writing.author in authors) and self._holds(writing, words, folded):
                yield writing

    def could_hold(self, writing: Writing, word: str) -> bool:
        """Whether a text could hold a folded word; errs on the side of yes, and most texts are not folded for it."""
        if writing.number not in self._small:
            self._small[writing.number] = small_letters(writing.text)
        small = self._small[writing.number]
        return word in (self.folded(writing) if small is None else small)

    def first(self, value: str, *, before: str | None = None, authors: Collection[Author] = ()) -> Origin | None:
        """Where a value first appeared; None where it did not. Arguments as in `holding`."""
        for writing in self.holding(value, before=before, authors=authors):
            return next(self.places(writing, value), None)
        return None

    def places(self, writing: Writing, value: str) -> Iterator[Origin]:
        """Every place of a value in one text, with the sentence around each."""
        plain = self.plain(writing)
        for start, end in plain.find(fold(value)):
            begin, close = sentence_around(plain.text, start, end)
            yield Origin(
                writing=writing,
                start=plain.recorded(start),
                end=plain.recorded(end),
                sentence_start=plain.recorded(begin),
                sentence_end=plain.recorded(close),
            )

    def folded(self, writing: Writing) -> str:
        """A text of this trace folded; worked out once."""
        known = self._folded.get(writing.number)
        if known is None:
            known = self._folded[writing.number] = fold(writing.text)
        return known

    def plain(self, writing: Writing) -> Plain:
        """A text of this trace as a reader means it; worked out once."""
        known = self._plain.get(writing.number)
        if known is None:
            known = self._plain[writing.number] = Plain(writing.text)
        return known

    def _candidates(self, words: Sequence[str]) -> Iterable[Writing]:
        """The texts that could hold some words, in order."""
        self._questions += 1
        if self._questions <= _WITHOUT_INDEX:
            return self.writings
        return (self.writings[number] for number in min((self._words.get(word, ()) for word in words), key=len))

    def _holds(self, writing: Writing, words: Sequence[str], folded: str) -> bool:
        return all(self.could_hold(writing, word) for word in words) and folded in self.folded(writing)

    @cached_property
    def _words(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for writing in self.writings:
            for word in set(self.folded(writing).split()):
                found[word].append(writing.number)
        return found
