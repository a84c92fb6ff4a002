"""Numbers as people and models write them: digits, number words in English, Chinese numerals, and words for none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Quantity", "figures", "quantities"]

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
_LOOSE = {"no", "not", "never", "none", "one", "once", "没有", "未", "一"}
_LATIN = "|".join(sorted((word for word in _WORDS if word.isascii()), key=len, reverse=True))
# Groups of thousands are bounded, so that a long list of them is read in linear time.
_WHOLE = r"(?<![\w.])(?P<digits>[0-9]{1,3}(?:,[0-9]{3}){1,4}(?![0-9,])|[0-9]{1,15})"
_END = r"(?![\w]|\.[0-9])"
_QUANTITY = re.compile(
    rf"{_WHOLE}{_END}"
    rf"|(?<![\w-])(?!no\.? ?[0-9])(?P<word>{_LATIN})(?![\w-])"
    rf"|(?P<chinese>没有|未(?![来必免])|(?<![{_CHINESE}百千万])[{_CHINESE}两](?=[{_MEASURES}]))",
    re.IGNORECASE | re.ASCII,
)
_FIGURE = re.compile(rf"{_WHOLE}(?P<fraction>\.[0-9]{{1,15}})?{_END}", re.ASCII)
_WIDE = "０１２３４５６７８９．"
_IS_WIDE = re.compile(f"[{_WIDE}]")
_NARROW = str.maketrans(_WIDE, "0123456789.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """A number in a text."""

    value: int | Decimal
    """An int where it is written without a fraction."""
    start: int
    """Code points; the end is exclusive."""
    end: int
    text: str

    @property
    def is_digits(self) -> bool:
        return self.text[0].isdigit()

    @property
    def is_loose(self) -> bool:
        """Whether it is a word with other uses (`no doubt`, `the one that`): a number only where nothing clearer is."""
        return self.text.lower() in _LOOSE


def quantities(text: str) -> tuple[Quantity, ...]:
    """The counts of a text, in order: whole numbers in digits or in words.

    Digits count where they stand alone, so that neither `MP3` nor `0.5` nor `e3` is read as a count; `1,234` is one
    number. `no`, `not`, `never`, `none`, `没有` and `未` are read as 0: whoever uses the value decides whether that was
    meant. Words with a hyphen (`one-off`, `twenty-one`) are not read.
    """
    return tuple(_quantity(text, match) for match in _QUANTITY.finditer(_narrowed(text)))


def figures(text: str) -> tuple[Quantity, ...]:
    """The numbers of a text that are written in digits, in order, those with a decimal point included."""
    return tuple(_quantity(text, match) for match in _FIGURE.finditer(_narrowed(text)))


def _narrowed(text: str) -> str:
    """The text with its wide digits made plain; a text is hardly ever worth the dear look at each character."""
    return text.translate(_NARROW) if _IS_WIDE.search(text) else text


def _quantity(text: str, match: re.Match[str]) -> Quantity:
    return Quantity(value=_value(match), start=match.start(), end=match.end(), text=text[match.start() : match.end()])


def _value(match: re.Match[str]) -> int | Decimal:
    groups = match.groupdict()
    if groups["digits"] is None:
        return _WORDS[match[0].lower()]
    whole = groups["digits"].replace(",", "")
    return Decimal(whole + groups["fraction"]) if groups.get("fraction") else int(whole)
