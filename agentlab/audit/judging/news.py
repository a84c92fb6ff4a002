"""Names, quoted words, dates, mail addresses and telephone numbers in a sentence that nobody had given.

What stands in any text that is known, in capitals or not, is no news, nor is a name of which one word does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentlab.audit.evidence.lexicon import words

__all__ = ["holds_news", "is_plain_news"]

_MAIL = re.compile(r"@(?<=[\w.+-]@)[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}")
_BEFORE_AT = re.compile(r"[\w.+-]{1,64}\Z")
_PHONE = re.compile(r"(?<![\w.,/:-])\+?\(?\d{2,4}\)?(?:[ /-]?\d{2,5}){1,5}(?![\w/:-]|[.,]\d)")
_LEAST = 7
"""Digits of a telephone number."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_DATE = re.compile(
    r"\b(?P<iso>\d{4}-\d\d-\d\d)\b"
    rf"|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (?P<year>\d{{4}}))?\b"
    rf"|\b{_MONTH.replace('<month>', '<first>')} (?P<second>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<third>\d{{4}}))?\b"
    r"|(?P<han>(?:\d{4} ?年 ?)?\d{1,2} ?月 ?\d{1,2} ?日)",
    re.IGNORECASE,
)
_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’-]*[a-zà-öø-ÿ]"
_NAME = rf"{_WORD}(?: (?:(?:de|da|van|von|der|den|la|le|of|the|and|[A-Z]\.) ){{0,2}}{_WORD}){{0,3}}"
_NAMED = re.compile(
    r"\b(?:is|was|are|were|by|as|named|called|author|director|owner|manager|from|to)[ :]{1,2}"
    rf"[*_\"“'`]{{0,3}}(?P<name>{_NAME})"
    rf"|(?:: ?)[*_]{{0,3}}(?P<listed>{_WORD}(?: [A-Z]\.)? {_NAME})"
    r"|(?:作者|姓名|名字|负责人|联系人|馆长|经理)(?:是|为|叫|：|:) ?(?P<han>[\u4e00-\u9fff]{2,4})(?=[。，,;；]|$)"
)
"""A name behind a word that is followed by what something is."""
_SUBJECT = re.compile(
    rf"(?P<name>{_NAME}) (?:wrote|founded|owns|directs|leads|built|designed|composed|painted|invented|made"
    r"|(?:is|was) the)\b"
)
_QUOTED = re.compile(r"[\"“「『《]([^\"”」』》\n]{2,100})[\"”」』》]")
_DULL = words(
    "the this that these those there then here not no yes none unknown unclear unavailable open closed pending missing"
    " null true false available unfortunately however monday tuesday wednesday thursday friday saturday sunday january"
    " february march april may june july august september october november december i we you it they he she my your our"
    " agent researcher web report result results answer summary note final based according a an and or in on at for"
    " good great done complete completed ready fine ok okay correct currently also still only"
)
_TOKEN = re.compile(r"[^\W\d_]+")


def holds_news(text: str, known: Sequence[str]) -> bool:
    """Whether a sentence holds a name, a quotation, a date, an address or a number that stands in no known text."""
    return is_plain_news(text, known) or _names_news(text, known)


def is_plain_news(text: str, known: Sequence[str]) -> bool:
    """The same of what nobody knows by heart: an address or a telephone number."""
    for match in _MAIL.finditer(text):
        before = _BEFORE_AT.search(text, max(0, match.start() - 64), match.start())
        address = (before[0] if before else "") + match[0]
        if not any(address.casefold().rstrip(".") in each.casefold() for each in known):
            return True
    numbers = [digits for match in _PHONE.finditer(text) if len(digits := _digits(match[0])) >= _LEAST]
    return any(not any(number in _digits(each) for each in known) for number in numbers)


def _names_news(text: str, known: Sequence[str]) -> bool:
    folded = [each.casefold() for each in known]
    names = [*_NAMED.finditer(text), *_SUBJECT.finditer(text)]
    if any(_is_new(name, folded) for match in names for name in match.groups() if name):
        return True
    if any(_is_quoted_news(match[1].casefold(), folded) for match in _QUOTED.finditer(text)):
        return True
    said = _days(text)
    days = {day for each in known for day in _days(each)} if said else ()  # dear: every digit may begin a date
    return any(not any(_same_day(day, other) for other in days) for day in said)


def _is_quoted_news(quoted: str, folded: Sequence[str]) -> bool:
    """Whether none of the words of a quotation stands in any text."""
    parts = [part for part in _TOKEN.findall(quoted) if part not in _DULL]
    return bool(parts) and not any(part in each for part in parts for each in folded)


def _is_new(name: str, folded: Sequence[str]) -> bool:
    """Whether no word of a name, but for those that are no names, stands in any text."""
    if not name.isascii() and not _TOKEN.search(name.encode("ascii", "ignore").decode()):
        return not any(name in each for each in folded)
    parts = [part for part in _TOKEN.findall(name.casefold()) if len(part) > 1]
    telling = [part for part in parts if part not in _DULL]
    return bool(telling) and parts[:1] == telling[:1] and not any(part in each for part in telling for each in folded)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _days(text: str) -> set[tuple[int, int, int]]:
    """The dates of a text as year, month and day; the year is 0 where none is given."""
    return {_day(match) for match in _DATE.finditer(text)}


def _day(match: re.Match[str]) -> tuple[int, int, int]:
    if match["iso"] or match["han"]:
        parts = [int(part) for part in re.findall(r"\d+", match[0])]
        year, month, day = ([0] * (3 - len(parts)) + parts)[:3]
        return year, month, day
    month = _MONTHS.index((match["month"] or match["first"]).casefold()) + 1
    return int(match["year"] or match["third"] or 0), month, int(match["day"] or match["second"])


def _same_day(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return one[1:] == other[1:] and (one[0] == other[0] or not one[0] or not other[0])
