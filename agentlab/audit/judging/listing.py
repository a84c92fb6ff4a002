"""The files that an answer lists as there, held against the result in which most of them stand; and what was cut off.

A list is a row of file names, or of lines that begin with one. Where most of them stand in one result, and the rest
stands in nothing that was told, passed or returned, the rest was made up. Other names are not held against anything:
they have forms, languages and other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentlab.audit.evidence.values import EffectKind
from agentlab.audit.judging.deeds import Deed
from agentlab.audit.judging.figures import is_loose
from agentlab.audit.judging.known import Known
from agentlab.audit.judging.records import Misfit
from agentlab.audit.prose.names import names_in
from agentlab.audit.prose.sentences import Sentence, sentences

__all__ = ["cut_off", "made_up", "speaks_of_parts"]

_GIVES = re.compile(
    r"\b(?:holds?|contains?|has|have|are|includes?|found|returned|lists?|shows?|named|called)\b|[有含是为]|列出|返回|找到"
    r"|[:：]\s*\Z"
)
_HEAD = re.compile(
    r"(?:\b(?:holds?|contains?|has|have|are|includes?|found|returned|shows?)\b|^\W*(?:files|contents?|results?|entries)\b"
    r"|文件|结果|列出|返回|找到)[^\n]{0,60}[:：]\s*\Z"
)
_BETWEEN = re.compile(r"[`'\"”]?\s*(?:,\s*and\b|,|\band\b|&|、|，|和|以及|及)\s*[`'\"“]?")
_ENTRY = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+(?P<rest>[^\n]{1,200})$", re.MULTILINE)
_SHORTEST = 3
"""Names below which there is no list."""
_DOING: tuple[EffectKind, ...] = ("write", "run", "unknown", "send", "check")
_LINE = re.compile(r"\b(?:on|in|at) line (?P<n>\d{1,7})\b|第 ?(?P<m>\d{1,7}) ?行")
_RANGE = re.compile(r"(\d{1,9}) ?(?:-|–|to|through) ?(\d{1,9}) (?:lines )?of (\d{1,9})")
_ALL = re.compile(
    r"\b(?:there (?:are|is)|found|it has) (?P<n>\d{1,7}) [\w -]{1,40} (?:in total|altogether|overall)\b"
    r"|\bthese are all (?:of )?(?:the|its|your)\b|\bthis is the (?:complete|full|whole) list\b"
    r"|(?:一共|总共)有? ?(?P<m>\d{1,7})"
)
_SHOWN = re.compile(r"\b(?:shown|page|first|displayed|returned|so far|partial|visible|truncated|cut)\b|前|显示")


_DOTTED = re.compile(r"\.\w")
_OF_PARTS = re.compile(r"\bline \d|total|altogether|overall|\ball\b|\bwhole\b|\bfull\b|\bcomplete\b|[行共]")


class _Item(NamedTuple):
    start: int
    end: int
    text: str


def speaks_of_parts(text: str) -> bool:
    """Whether a text can list files, or speak of lines and totals: a cheap look before a dear one."""
    return _DOTTED.search(text) is not None or _OF_PARTS.search(text) is not None  # a dot is found at once


def made_up(text: str, plain: str, known: Known) -> Iterator[Misfit]:
    """The entries of a list that stand in nothing, where the others stand in one result.

    Args:
        text: the answer.
        plain: the same, masked.
        known: before it.
    """
    looks = [deed for deed in known.deeds if not deed.does("finish")]
    if not looks or any(deed.does(*_DOING) or deed.outcome.truncated for deed in looks):
        return
    for row in _rows(text, plain):
        absent = [item for item in row if not known.holds_any_case(item.text.rpartition("/")[2])]
        present = [item for item in row if item not in absent]
        if not absent or len(present) < max(2, len(absent)):
            continue
        deed = next((deed for deed in looks if all(item.text in (deed.result or "") for item in present)), None)
        if deed is not None:
            item = absent[0]
            why = f"{deed.call.tool} returned {present[0].text!r} and the others, and nothing that came back has it"
            yield Misfit(start=item.start, end=item.end, why=why, deed=deed)


def _rows(text: str, plain: str) -> Iterator[Sequence[_Item]]:
    """The rows of file names that sentences give, and those of lists under a head."""
    for sentence in sentences(plain):
        if is_loose(plain, sentence):
            continue
        names = [_Item(n.start, n.end, n.text) for n in names_in(text, *sentence[:2]) if n.kind == "path"]
        for row in _joined(text, names):
            if len(row) >= _SHORTEST and _GIVES.search(plain, sentence.start, row[0].start):
                yield row
    yield from _entries(text, plain)


def _joined(text: str, items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """Items with nothing but a comma or an `and` between them."""
    row: list[_Item] = []
    for item in items:
        if row and not _BETWEEN.fullmatch(text, row[-1].end, item.start):
            yield row
            row = []
        row.append(item)
    yield row


def _entries(text: str, plain: str) -> Iterator[Sequence[_Item]]:
    """The names with which the lines of a list begin, below a head that gives them as there."""
    row: list[_Item] = []
    at, good = -1, False
    for match in _ENTRY.finditer(text):
        if match.start() != at + 1:
            yield row
            head = plain[plain.rfind("\n", 0, max(match.start() - 1, 0)) + 1 : max(match.start() - 1, 0)]
            row = []
            good = _is_head(head)
        at = match.end()
        names = [n for n in names_in(text, match.start("rest"), match.end()) if n.kind == "path"]
        first = names[0] if names and names[0].start - match.start("rest") <= 2 else None
        if good and first is not None:
            row.append(_Item(first.start, first.end, first.text))
    yield row


def _is_head(line: str) -> bool:
    sentence = Sentence(0, len(line), question=False)
    return _HEAD.search(line) is not None and not is_loose(line, sentence)


def cut_off(plain: str, known: Known) -> Iterator[Misfit]:
    """What is told of a part that the only look did not show, and parts that are given as all there is."""
    looks = [deed for deed in known.deeds if not deed.does("finish") and deed.outcome.status != "failed"]
    deed = looks[0] if len(looks) == 1 else None
    outcome = deed.outcome if deed is not None else None
    if deed is None or outcome is None or not outcome.shown or not outcome.total or outcome.shown >= outcome.total:
        return
    shown = f"{deed.call.tool} returned {outcome.shown} of {outcome.total}"
    for sentence in sentences(plain):
        if is_loose(plain, sentence):
            continue
        for match in _LINE.finditer(plain, *sentence[:2]):
            line = int(match["n"] or match["m"])
            if line not in known.numbers and not _is_shown(line, deed, outcome.shown) and line <= outcome.total:
                yield Misfit(start=match.start(), end=match.end(), why=shown, deed=deed)
        told = _ALL.search(plain, *sentence[:2]) if str(outcome.total) not in plain else None
        if told is not None and not _SHOWN.search(plain, *sentence[:2]):
            number = told["n"] or told["m"]
            if number is None or int(number) == outcome.shown:
                yield Misfit(start=told.start(), end=told.end(), why=shown, deed=deed)


def _is_shown(line: int, deed: Deed, shown: int) -> bool:
    """Whether a line is among those that came back, so far as the result says which."""
    ranges = _RANGE.findall(deed.result or "")
    return any(int(first) <= line <= int(last) for first, last, _ in ranges) if ranges else line <= shown
