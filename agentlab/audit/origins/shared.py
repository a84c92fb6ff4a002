"""Stretches of a text that somebody had written before, word for word: who wrote each of them first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agentlab.audit.origins.folding import Plain
from agentlab.audit.origins.index import Origins
from agentlab.audit.origins.values import Writing

__all__ = ["Shared", "SharedText"]

_WORDS = 6
"""Words, or characters of a script without blanks, from which two texts do not agree by chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shared:
    """A stretch of a text that had been written before."""

    start: int
    """Code points into the text; the end is exclusive."""
    end: int
    writing: Writing
    """Where it first stood."""


class SharedText:
    """The texts of one trace, cut into runs of a few words, each with its first author.

    Made at the first question, in time linear in the trace.

    Args:
        origins: of that trace.
    """

    def __init__(self, origins: Origins) -> None:
        self._origins = origins

    def stretches(self, text: str, *, before: int) -> tuple[Shared, ...]:
        """What a text shares with earlier ones, in order; blanks, quotes, escapes and case make no difference.

        Args:
            text: any text.
            before: place of an event in the trace; only what was written before it counts.
        """
        plain = Plain(text)
        forms, places = plain.forms, plain.words
        found: list[tuple[int, int, Writing]] = []
        for start in range(len(forms) - _WORDS + 1):
            first = self._first.get(" ".join(forms[start : start + _WORDS]))
            if first is None or first.position >= before:
                continue
            end = start + _WORDS
            if found and found[-1][2] is first and found[-1][1] >= start:
                found[-1] = (found[-1][0], end, first)
            elif not found or found[-1][1] < end:
                found.append((start if not found else max(start, found[-1][1]), end, first))
        return tuple(
            Shared(start=plain.recorded(places[start][0]), end=plain.recorded(places[end - 1][1]), writing=first)
            for start, end, first in found
            if end > start
        )

    @cached_property
    def _first(self) -> Mapping[str, Writing]:
        found: dict[str, Writing] = {}
        for writing in reversed(self._origins.writings):
            words = self._origins.folded(writing).split()
            runs = (" ".join(words[start : start + _WORDS]) for start in range(len(words) - _WORDS + 1))
            found.update(dict.fromkeys(runs, writing))
        return found
