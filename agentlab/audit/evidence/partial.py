"""Marks that a result is only part of what there is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agentlab.audit.evidence.shown import Shown, has_any
from agentlab.strictjson import JSONValue

__all__ = ["Part", "part_by_fields", "part_in"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """How much of something a result shows."""

    shown: int | None = None
    total: int | None = None
    truncated: bool = False


_N = r"[0-9][0-9,]{0,14}"
_UNITS = (
    r"(?:lines?|results?|items?|rows?|records?|entries|matches|characters|chars|bytes|pages?|files?"
    r"|hits|tokens|messages|documents|spans|events)"
)
_RANGE = re.compile(
    rf"(?:\bshow(?:ing|n|s)|\breturn(?:ed|ing)|\bdisplay(?:ed|ing)|\bresults?|\blines?|\bitems?|\brows?"
    rf"|\brecords?)\b\W{{0,3}}"
    rf"(?:(?:the )?(?:first|last|top|only|{_UNITS}) ){{0,3}}(?P<from>{_N})\s?(?:-|–|to"
    rf"|through)\s?(?P<to>{_N})\s?(?:{_UNITS} )?(?:of|out of|/)\s?(?:about |a total of |total )?(?P<total>{_N})",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"(?:\bshow(?:ing|n|s)|\breturn(?:ed|ing)|\bdisplay(?:ed|ing)|\bread|\blimited to)\b\W{{0,3}}(?:(?:the "
    rf"|only |first |last |top |page ){{0,3}})(?P<shown>{_N})\s?(?:{_UNITS} )?(?:of|out of|/)\s?(?:about "
    rf"|a total of )?(?P<total>{_N})",
    re.IGNORECASE,
)
_OF = re.compile(r"(?:of|/)\s?(?:about |a total of |total )?[0-9]")
_FEW = re.compile(
    rf"(?:\bshowing|\bdisplaying|\breturning|\bonly) (?:only )?(?:the )?(?:first|top|last) (?P<shown>{_N}) ?{_UNITS}?",
    re.IGNORECASE,
)
_MARK = re.compile(
    rf"[\[(<…]\s?(?:\.{{3}} ?)?(?:[a-z ]{{0,30}})?truncated\b.{{0,80}}[\])>…]?|\btruncated (?:to|after|at"
    rf"|output|results?|for|due)\b|\b(?:output|results?|response|content|file|message|text|lines?"
    rf"|observation) (?:(?:is|are|was|were|has been|have been|too long[,;]?) )*(?:truncated|clipped|cut off"
    rf"|abbreviated|shortened)\b"
    rf"|\.\.\. ?(?:truncated|snip|clipped)|<(?:response|output|snip)[ a-z]*clipped>|\b(?:and )?{_N} (?:more"
    rf"|additional|remaining|other) {_UNITS}\b(?! than)|\b{_N} {_UNITS} (?:omitted|truncated|elided|skipped"
    rf"|not shown|hidden|more)\b|\({_N} more {_UNITS} (?:above|below)\)"
    rf"|已截断|内容过长|输出被截断|省略了? ?{_N}",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    rf"共\s?(?P<total>{_N})\s?[条项行个页].{{0,12}}?(?:显示|返回|展示)(?:前|了)?\s?(?P<shown>{_N})|(?:显示|返回|展示)(?:前"
    rf"|了)?\s?(?P<shown2>{_N})\s?[条项行个页]?.{{0,8}}?共\s?(?P<total2>{_N})"
)
_SIGNS = (
    *(
        "trunc",
        "show",
        "return",
        "more ",
        "omitted",
        "clipped",
        "display",
        "result",
        "lines",
        "cut off",
        "elided",
        "snip",
    ),
    *("items", "rows", "records", "limited", "截断", "共", "省略", "read ", "skipped", "hidden"),
)

_SHOWS = ("showing", "display", "return", "only")
_MARKS = (
    "trunc",
    "clipped",
    "more ",
    "omitted",
    "cut off",
    "elided",
    "snip",
    "skipped",
    "not shown",
    "hidden",
    "截断",
    "过长",
    "省略",
    "additional",
    "remaining",
    "other ",
    "abbrev",
    "shorten",
)
_CUT = (
    "truncated",
    "is_truncated",
    "isTruncated",
    "partial",
    "incomplete",
    "has_more",
    "hasMore",
    "has_next",
    "hasNext",
    "hasNextPage",
    "more",
)
_NEXT = (
    "next_page_token",
    "nextPageToken",
    "next_token",
    "nextToken",
    "next_cursor",
    "nextCursor",
    "next_page",
    "continuation_token",
    "@odata.nextLink",
)
_SHOWN = re.compile(r"(?:shown|returned|showing|displayed|fetched|included)(?:_\w+)?|num_returned|returned_count")
_SHOWN_LOOSELY = re.compile(r"count|page_size|pageSize|limit|per_page")
"""They count what is shown only beside a total that cannot be a sum of money."""
_TOTAL = re.compile(
    r"total(?:_?(?:count|results?|items?|hits?|matches|rows|records|entries|chars|characters|lines|bytes|size"
    r"|length|pages?|elements|available))?|(?:num|number)_(?:found|total)|totalCount|totalResults|totalItems"
    r"|full_(?:length|size)",
    re.IGNORECASE,
)
_PAGING = ("page", "pagination", "paging", "meta", "metadata", "page_info", "pageInfo")


def part_in(shown: Shown) -> Part | None:
    """What the first and last lines of a text say about how much of the whole it shows."""
    if not has_any(shown.edges, _SIGNS):
        return None
    for line in dict.fromkeys((*shown.first, *shown.last)):
        text = line if len(line) <= 500 else f"{line[:300]} {line[-200:]}"
        low = text.lower()
        if has_any(low, _SIGNS) and (part := _of_line(text, low)):
            return part
    return None


def _of_line(text: str, low: str) -> Part | None:
    counted = _OF.search(low) is not None
    if counted and (match := _RANGE.search(text)):
        first, last, total = _int(match["from"]), _int(match["to"]), _int(match["total"])
        return (
            Part(shown=last - first + 1, total=total, truncated=last - first + 1 < total)
            if first <= last <= total
            else None
        )
    if counted and (match := _FIRST.search(text)):
        part, total = _int(match["shown"]), _int(match["total"])
        return Part(shown=part, total=total, truncated=part < total) if part <= total else None
    if not text.isascii() and (match := _CHINESE.search(text)):
        part, total = _int(match["shown"] or match["shown2"]), _int(match["total"] or match["total2"])
        return Part(shown=part, total=total, truncated=part < total) if part <= total else None
    if has_any(low, _SHOWS) and (match := _FEW.search(text)):
        return Part(shown=_int(match["shown"]), truncated=True)
    return Part(truncated=True) if has_any(low, _MARKS) and _MARK.search(text) else None


def _int(digits: str) -> int:
    return int(digits.replace(",", ""))


def part_by_fields(fields: Mapping[str, JSONValue]) -> Part | None:
    """What the fields of a JSON result say: a flag, a cursor to the next page, how many of how many."""
    inner = (fields.get(key) for key in _PAGING)
    places = [fields, *(value for value in inner if isinstance(value, Mapping))]
    cut = any(place.get(key) is True for place in places for key in _CUT)
    cut = cut or any(place.get(key) not in (None, "", False) for place in places for key in _NEXT)
    for place in places:
        total = _number(place, _TOTAL)
        if total is None:
            continue
        part = _number(place, _SHOWN)
        if part is None and (place is not fields or "total" not in fields):
            part = _number(place, _SHOWN_LOOSELY)
        if (part is None and place is not fields) or (part is None and cut):
            part = _only_list(fields)
        if part is not None and part <= total:
            return Part(shown=part, total=total, truncated=part < total)
        if cut:
            return Part(total=total, truncated=True)
    return Part(truncated=True) if cut else None


def _number(place: Mapping[str, JSONValue], names: re.Pattern[str]) -> int | None:
    for key, value in place.items():
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0 and names.fullmatch(key):
            return value
    return None


def _only_list(fields: Mapping[str, JSONValue]) -> int | None:
    lists = [len(value) for value in fields.values() if isinstance(value, list)]
    return lists[0] if len(lists) == 1 else None
