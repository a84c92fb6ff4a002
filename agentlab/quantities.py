"""Counts as people and models write them: digits, number words in English, Chinese numerals, and words for none."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Quantity", "quantities"]

_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE = "零一二三四五六七八九十"
_MEASURES = "次处个篇条段份遍回项"
"""A Chinese numeral counts only before one of these: it stands in too many other words."""
_WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_ENGLISH)},
    **{word: value for value, word in enumerate(_CHINESE)},
    "两": 2,
    "没有": 0,
    "未": 0,
    "no": 0,
    "never": 0,
    "none": 0,
    "not": 0,
    "once": 1,
    "twice": 2,
    "thrice": 3,
}
_LATIN = "|".join(sorted((word for word in _WORDS if word.isascii()), key=len, reverse=True))
_PATTERN = re.compile(
    rf"(?<![\w.])(?P<digits>[0-9]{{1,15}})(?![\w]|\.[0-9])|\b(?P<word>{_LATIN})\b|(?P<chinese>没有|未|(?<![{_CHINESE}百千万])[{_CHINESE}两](?=[{_MEASURES}]))",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """A whole number in a text."""

    value: int
    start: int
    """Code points; the end is exclusive."""
    end: int
    text: str

    @property
    def is_digits(self) -> bool:
        return self.text.isdigit()


def quantities(text: str) -> tuple[Quantity, ...]:
    """The whole numbers of a text, in order.

    Digits count where they stand alone, so that neither `MP3` nor `0.5` nor `e3` is read as a count. `no`, `not`,
    `never`, `none`, `没有` and `未` are read as 0: whoever uses the value decides whether that was meant.
    """
    return tuple(
        Quantity(value=_value(match), start=match.start(), end=match.end(), text=match[0])
        for match in _PATTERN.finditer(text)
    )


def _value(match: re.Match[str]) -> int:
    return int(match[0]) if match["digits"] else _WORDS[match[0].lower()]
