"""A measure that an answer states, held against the only one of its kind that any result gives.

Durations, percentages and sums of money are compared. Where results give two of a kind, or whoever asked named one, an
answer may have been worked out from them, and nothing is held.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Measure", "differing", "measures"]

_NUMBER = r"(?<![\w.,])(?P<number>\d{1,9}(?:[.,]\d{1,6})?)"
_MINUTES = r" ?(?:m|mins?|minutes?|分钟|分)"
_DURATION = re.compile(
    r"(?<![\w.:])(?:(?P<hours>\d{1,4}(?:\.\d{1,2})?) ?(?:h|hrs?|hours?|小时)"
    rf"(?:[ ,]{{0,2}}(?:and )?(?P<rest>\d{{1,2}}){_MINUTES})?"
    r"|(?P<minutes>\d{1,5}) ?(?:mins?|minutes?|分钟))(?!\w|\.\d)",
    re.IGNORECASE,
)
_PERCENT = re.compile(_NUMBER + r" ?(?:%|percent\b|per cent\b)", re.IGNORECASE)
_MONEY = re.compile(r"(?P<unit>[$€£¥]) ?" + _NUMBER.replace(r"(?<![\w.,])", ""))
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A measure in a text. Offsets are code points, end exclusive."""

    kind: str
    value: Decimal
    """Of a duration, in minutes."""
    start: int
    end: int
    text: str


def measures(text: str, kinds: Collection[str] = ()) -> Iterator[Measure]:
    """The measures of a text, kind by kind; all kinds by default."""
    for kind, pattern, value in _KINDS:
        if kinds and kind not in kinds:
            continue
        for match in pattern.finditer(text):
            yield Measure(kind=kind, value=value(match), start=match.start(), end=match.end(), text=match[0])


def differing(answer: str, results: Sequence[str], told: Sequence[str]) -> tuple[Measure, Measure] | None:
    """A measure of an answer and the one that the results give instead.

    Args:
        answer: its text.
        results: what came back before it.
        told: what users and the system had said.
    """
    stated = _by_kind([answer])
    if not stated:
        return None
    given, known = _by_kind(results, stated), _by_kind(told, stated)
    for kind, values in stated.items():
        there = given.get(kind, {})
        if len(values) != 1 or len(there) != 1 or kind in known:
            continue
        (said,), (came,) = values.values(), there.values()
        derived = kind == "duration" and any(said.value in _between(text) for text in results)
        if said.value != came.value and not _rounds(came.value, said.value) and not derived:
            return said, came
    return None


def _by_kind(texts: Sequence[str], kinds: Collection[str] = ()) -> Mapping[str, Mapping[Decimal, Measure]]:
    found: dict[str, dict[Decimal, Measure]] = {}
    for text in texts:
        for measure in measures(text, kinds):
            found.setdefault(measure.kind, {}).setdefault(measure.value, measure)
    return found


def _rounds(exact: Decimal, said: Decimal) -> bool:
    return exact != 0 and abs(exact - said) / abs(exact) < Decimal("0.05")


def _between(text: str) -> set[Decimal]:
    """The minutes between any two times of day in a text, of which there are few."""
    times = [int(hour) * 60 + int(minute) for hour, minute in _CLOCK.findall(text[:5000])][:20]
    return {Decimal(abs(one - other)) for one in times for other in times}


def _minutes(match: re.Match[str]) -> Decimal:
    hours, rest, minutes = (Decimal(match[name] or 0) for name in ("hours", "rest", "minutes"))
    return hours * 60 + rest + minutes


def _plain(match: re.Match[str]) -> Decimal:
    return Decimal(match["number"].replace(",", "."))


_KINDS: Sequence[tuple[str, re.Pattern[str], Callable[[re.Match[str]], Decimal]]] = (
    ("duration", _DURATION, _minutes),
    ("percentage", _PERCENT, _plain),
    ("sum of money", _MONEY, _plain),
)
