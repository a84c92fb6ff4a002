"""Numbers as people write them in an answer, and whether one may stand for another that is known.

`12,5` and `12.5` are one price, `1.200` may be a thousand or a bit more than one, `1.2k` is rounded: whatever a number
can be read as speaks for the writer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal

from agentlab.audit.derived import may_derive
from agentlab.audit.judging.units import may_convert

__all__ = ["Numeral", "may_be", "may_follow", "numerals", "values_in"]

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMERAL = re.compile(
    r"(?<![^\W\u4e00-\u9fff])(?<![.,:/#第年月-])(?P<sign>-)?"
    r"(?P<digits>[0-9]{1,15}(?:[.,' ][0-9]{3}(?![0-9])){0,4}(?:[.,][0-9]{1,9})?)"
    r"(?P<scale> ?(?:k|m|bn|thousand|million|billion|[万亿千百])(?![a-z]))?"
    r"(?![0-9]|[./:-][0-9]| ?[月日号点时]|(?<=[0-9]{4}) ?年)"
    rf"|\b(?P<tens>{'|'.join(_TENS)})(?:-(?P<ones>{'|'.join(_WORDS[1:10])}))?\b"
    rf"|\b(?P<none>no)\b(?= [a-z])|\b(?P<word>{'|'.join(_WORDS).replace('one|', '', 1)})\b(?!-)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"[0-9]{1,15}(?:[.,' ][0-9]{3}(?![0-9])){0,4}(?:[.,][0-9]{1,9})?")
_SCALES = {"k": 3, "m": 6, "bn": 9, "thousand": 3, "million": 6, "billion": 9, "万": 4, "亿": 8, "千": 3, "百": 2}
_OR_UNITS = ("K", " K", " k", "m", " m", "M", " M")
"""What may be a thousand or a million, or kelvins or metres."""
_MOST = 40
"""Known numbers above which a figure may come from some of them by chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Numeral:
    """A number in a text. Offsets are code points, end exclusive."""

    start: int
    end: int
    values: frozenset[Decimal]
    """Everything it can be read as."""
    fine: Decimal
    """Worth of its last digit that is not an idle zero."""


def numerals(text: str, start: int = 0, end: int | None = None) -> Iterator[Numeral]:
    """The numbers of a stretch of text that stand by themselves: no dates, times, versions or parts of names."""
    for match in _NUMERAL.finditer(text, start, len(text) if end is None else end):
        if match["digits"] is None:
            value = Decimal(_word(match))
            yield Numeral(start=match.start(), end=match.end(), values=frozenset({value}), fine=Decimal(1))
            continue
        scale = Decimal(10) ** _SCALES.get((match["scale"] or "").strip().casefold(), 0)
        sign = -1 if match["sign"] else 1
        scales = {scale, Decimal(1)} if match["scale"] in _OR_UNITS else {scale}
        values = frozenset(sign * value * each for value in _read(match["digits"]) for each in scales)
        yield Numeral(start=match.start(), end=match.end(), values=values, fine=_fine(match["digits"]) * scale)


def values_in(text: str) -> frozenset[Decimal]:
    """Whatever any digits or number words of a text can be read as, within words and dates too."""
    found = {value for match in _DIGITS.finditer(text) for value in _read(match[0])}
    found |= {Decimal(part) for part in re.findall(r"[0-9]{1,15}", text)}
    return frozenset(found.union(*(each.values for each in numerals(text))))


def may_be(said: Numeral, exact: Decimal, beside: str = "", own: str = "") -> bool:
    """Whether a number is another, rounded, or in other units that are named.

    Args:
        said: the number.
        exact: the other one.
        beside: what stands beside the two, where units may be named.
        own: by what the number is called.
    """
    return any(_rounds(value, exact, said.fine) or may_convert(value, exact, beside, own) for value in said.values)


def may_follow(said: Numeral, known: Collection[Decimal], *, counted: bool = False) -> bool:
    """Whether a number is one of some others, or may have been worked out from them.

    Args:
        said: the number.
        known: the others.
        counted: whether whole numbers are counts, which are not rounded.
    """
    if len(known) > _MOST:
        return True
    return any(value in known or may_derive(value, list(known), counted=counted) for value in said.values)


def _rounds(said: Decimal, exact: Decimal, fine: Decimal) -> bool:
    """Whether a number is another that is given in more detail."""
    coarser = exact and abs(said - exact) <= fine < abs(exact) and said % fine == 0 and exact % fine != 0
    return said == exact or bool(coarser)


def _read(digits: str) -> Iterator[Decimal]:
    plain = digits.replace("'", "").replace(" ", "")
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0:
        yield Decimal(plain)
        return
    whole = re.sub(r"[.,]", "", plain)
    if len(plain) - last == 4:
        yield Decimal(whole)
    if not (plain.count(plain[last]) > 1):
        yield Decimal(re.sub(r"[.,]", "", plain[:last]) + "." + plain[last + 1 :])


def _fine(digits: str) -> Decimal:
    tail = re.search(r"[.,]([0-9]+)$", digits)
    if tail and len(tail[1]) != 3:
        return Decimal(1).scaleb(-len(tail[1]))
    plain = re.sub(r"[^0-9]", "", digits)
    return Decimal(10) ** (len(plain) - len(plain.rstrip("0"))) if plain.strip("0") else Decimal(1)


def _word(match: re.Match[str]) -> int:
    if match["tens"]:
        ones = _WORDS.index(match["ones"].casefold()) if match["ones"] else 0
        return (_TENS.index(match["tens"].casefold()) + 2) * 10 + ones
    return 0 if match["none"] else _WORDS.index(match["word"].casefold())
