"""A measure that an answer states, held against the only one of its kind that any result gives.

Durations, percentages, sums of money, temperatures and times of day are compared. Where results give two of a kind, or
whoever asked named one, an answer may have been worked out from them, and nothing is held; nor is anything held of a
figure that follows from others that are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from agentlab.audit.derived import may_derive
from agentlab.audit.stated import plain_numbers

__all__ = ["Measure", "differing", "measures"]

_NUMBER = r"(?P<number>\d(?<![A-Za-z\d_.,]\d)\d{0,8}(?:[.,]\d{1,6})?)"
"""A number; what stands before it is looked at from behind its first digit, so that a search finds the digits first."""
_MINUTES = r" ?(?:m|mins?|minutes?|分钟|分)"
_DURATION = re.compile(
    r"\d(?<![A-Za-z\d_.:]\d)(?:(?P<hours>\d{0,3}(?:\.\d{1,2})?) ?(?:h|hrs?|hours?|小时)"
    rf"(?:[ ,]{{0,2}}(?:and )?(?P<rest>\d{{1,2}}){_MINUTES})?"
    r"|(?P<minutes>\d{0,4}) ?(?:mins?|minutes?|分钟))(?![A-Za-z\d_]|\.\d)",
    re.IGNORECASE,
)
"""Its groups begin behind the first digit, which a search finds so much faster."""
_PERCENT = re.compile(_NUMBER + r" ?(?:%|percent\b|per cent\b)", re.IGNORECASE)
_BARE = _NUMBER.replace(r"(?<![A-Za-z\d_.,]\d)", "")
_MONEY = re.compile(
    r"[$€£¥\"\d](?:(?<=[$€£¥]) ?" + _BARE + r"|(?<=\d)(?<![\w.,$€£¥]\d)(?P<amount>\d{0,8}(?:\.\d{1,2})?) ?"
    r"(?:EUR|USD|GBP|CHF|CNY|RMB|JPY|euros?|dollars?|pounds?|元|€)(?![A-Za-z])"
    r"|(?<=\")(?:price|cost|fare|fee)\"\s?:\s?\"?(?P<priced>\d{1,9}(?:\.\d{1,2})?)\b)",
    re.IGNORECASE,
)
"""The group `amount` begins behind the first digit."""
_DEGREES = re.compile(
    r"(?<![\w.])(?P<number>-?\d{1,3}(?:\.\d{1,2})?) ?(?:°|℃|degrees?\b|摄氏度|度(?=[。，,]|$)|C\b(?!\+|#|-)|celsius\b)"
    r"|\"(?:\w{1,20}_)?(?:temp|temperature)(?:_c|_celsius)?\"\s?:\s?(?P<given>-?\d{1,3}(?:\.\d{1,2})?)(?![\d.])",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_HAPPENS = re.compile(
    r"(?P<verb>\b(?:arriv(?:es?|als?)|depart(?:s|ures?)?|lands?|opens?|closes?|starts?|begins?|ends?)\b|到达|出发|开始|结束)"
    r"(?:_time)?[\"'’]?(?: (?:is|time|at))?[ :=：]{1,3}[\"'’]?(?:\d{4}-\d\d-\d\d[T ])?"
    r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?!\d)",
    re.IGNORECASE,
)
"""A verb or a field of something that happens, and when."""
_PAST_HOUR = re.compile(r":[0-5]\d")
"""What every time of day has: one sign is found much faster."""
_ENDS = ("\n", ". ", "! ", "? ", "; ", "。", "！", "；")
_MOST = 100
"""Measures of an answer that are looked at."""
_REACH = 200
_LOOSE = re.compile(
    r"\b(?:usual\w*|typical\w*|normal\w*|often|general\w*|should|would|may|might|could|can|guess\w*|suggest\w*|recommend\w*"
    r"|plan|allow|if|when|until|at least|at most|up to|before|after|let|than|compared|below|above|under|over)\b"
    r"|^\W*(?:please )?(?:set|use|bake|cook|heat|leave|be|take|give|add|keep|wait|put|try|book|pay|go|prepare|wear)\b"
    r"|通常|一般|建议|如果|可以|可能|应该|至少|最多|比",
    re.IGNORECASE,
)
"""What makes a sentence a rule, a guess, an order or a comparison."""
_READ = 5000
"""Characters of a text in which figures are looked for that others may follow from."""


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
    stated = _asserted(answer)
    if not stated:
        return _other_time(answer, results, told)
    given, known = _by_kind(results, stated), _by_kind(told, stated)
    for kind, values in stated.items():
        there = given.get(kind, {})
        if len(values) != 1 or len(there) != 1 or kind in known:
            continue
        (said,), (came,) = values.values(), there.values()
        if (
            said.value != came.value
            and not _rounds(came.value, said.value)
            and not _follows(said, came, [*results, answer, *told])
        ):
            return said, came
    return _other_time(answer, results, told)


def _follows(said: Measure, came: Measure, texts: Sequence[str]) -> bool:
    """Whether what is said is a multiple or a part of what came, the rest of a whole, or follows from other figures."""
    if came.value and said.value and any(part % 1 == 0 for part in (said.value / came.value, came.value / said.value)):
        return True
    if said.kind == "duration":
        return any(said.value in _between(text) for text in texts)
    if said.kind == "temperature":
        scales = (said.value * 9 / 5 + 32, (said.value - 32) * 5 / 9, said.value + Decimal("273.15"))
        return any(_rounds(came.value, scaled) or abs(came.value - scaled) < 1 for scaled in scales)
    if said.kind == "percentage" and said.value + came.value == 100:
        return True
    figures = [number.value for text in texts for number in plain_numbers(text[:_READ])]
    return may_derive(said.value, [figure for figure in figures if figure != said.value])


def _other_time(answer: str, results: Sequence[str], told: Sequence[str]) -> tuple[Measure, Measure] | None:
    """When something happens by an answer, where the only result that says when it does gives other minutes.

    Other hours with the same minutes may be those of another zone.
    """
    said = list(_HAPPENS.finditer(answer[:_READ])) if _PAST_HOUR.search(answer) else []
    if len(said) != 1 or len(_CLOCK.findall(answer)) != 1 or any(_CLOCK.search(text) for text in told):
        return None
    verb = said[0]["verb"].casefold()[:4]
    there = [match for text in results for match in _HAPPENS.finditer(text[:_READ])]
    came = [match for match in there if match["verb"].casefold()[:4] == verb]
    if len(came) != 1 or said[0]["minute"] == came[0]["minute"]:
        return None
    if any(_DURATION.search(text[:_READ]) for text in (answer, came[0].string)):
        return None  # a delay, or a way to it, may stand between
    return _time(said[0]), _time(came[0])


def _time(match: re.Match[str]) -> Measure:
    value = Decimal(int(match["hour"]) * 60 + int(match["minute"]))
    start, end = match.start("hour"), match.end("minute")
    return Measure(kind="time", value=value, start=start, end=end, text=match.string[start:end])


def _asserted(answer: str) -> Mapping[str, Mapping[Decimal, Measure]]:
    """The measures of an answer by kind, without what is no plain statement of something that is so."""
    found: dict[str, dict[Decimal, Measure]] = {}
    for measure in islice(measures(answer), _MOST):
        low, high = max(0, measure.start - _REACH), measure.end + _REACH
        start = max(low, *(answer.rfind(mark, low, measure.start) + 1 for mark in _ENDS))
        end = min(high, *(place for mark in _ENDS if (place := answer.find(mark, measure.end, high)) >= 0), len(answer))
        sentence = answer[start:end]
        whole = measure.kind == "percentage" and measure.value == 100
        if not whole and not _LOOSE.search(sentence):
            found.setdefault(measure.kind, {}).setdefault(measure.value, measure)
    return found


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
    if match["minutes"] is not None:
        return Decimal(match[0][0] + match["minutes"])
    return Decimal(match[0][0] + match["hours"]) * 60 + Decimal(match["rest"] or 0)


def _plain(match: re.Match[str]) -> Decimal:
    return Decimal(match["number"].replace(",", "."))


def _sum(match: re.Match[str]) -> Decimal:
    if match["amount"] is not None:
        return Decimal(match[0][0] + match["amount"])
    return Decimal((match["number"] or match["priced"]).replace(",", "."))


def _degrees(match: re.Match[str]) -> Decimal:
    return Decimal(match["number"] or match["given"])


_KINDS: Sequence[tuple[str, re.Pattern[str], Callable[[re.Match[str]], Decimal]]] = (
    ("duration", _DURATION, _minutes),
    ("percentage", _PERCENT, _plain),
    ("sum of money", _MONEY, _sum),
    ("temperature", _DEGREES, _degrees),
)
