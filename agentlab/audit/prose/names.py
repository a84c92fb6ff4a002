"""What a clause names: files, addresses, identifiers, commit ids, quoted words, tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import chain

from agentlab.audit.prose.values import Name, NameKind

__all__ = ["names_in"]

_QUOTED = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」"
    r"|《[^》\n]{1,200}》|(?<![\w'])'[^'\n]{1,200}'(?!\w)"
)
_MARKS = "`\"“「《'"
_TOKEN = re.compile(r"[\w.+@#/:~%?=&()-]+", re.ASCII)
_HAN = re.compile(
    r"(?<![\w./-])[\w./-]{0,80}[\u4e00-\u9fff][\w./-]{0,80}\.(?:[a-z][a-z0-9]{0,6})(?![a-z0-9])", re.IGNORECASE
)
"""A file whose name is Chinese; what a clause writes before it without a blank is cut off."""
_HAN_BEFORE = re.compile(r".*(?:[到为至在了的把将成叫存件：，]|保存|写入|创建|生成|删除|导出|更新)(?=[^.])")
_URL = re.compile(r"(?:https?://|www\.)\S+")
_KINDS: tuple[tuple[NameKind, re.Pattern[str]], ...] = (
    ("identifier", re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+|#\w*\d\w*")),
    ("hash", re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")),
    (
        "path",
        re.compile(
            r"(?:[~.]{0,2}/)?(?:[\w.-]+/)*[\w-][\w.-]*\.[a-z][a-z0-9]{0,6}|[~.]{0,2}/[\w./-]+|"
            r"(?:[\w.-]+/)+[\w.-]*",
            re.ASCII,
        ),
    ),
    (
        "identifier",
        re.compile(
            r"\w*[A-Za-z]\w*_\w+(?:\(\))?|\w+\(\)|_\w+|[A-Za-z]*[a-z][A-Z]\w*|(?=\w*\d)"
            r"(?=\w*[A-Z])[A-Z0-9]{4,24}|[A-Z]{2,10}-\d+",
            re.ASCII,
        ),
    ),
)
_ABBREVIATIONS = {"e.g", "i.e", "a.m", "p.m", "u.s", "u.k", "and/or", "n/a", "etc"}


def names_in(text: str, start: int, end: int, tools: Collection[str] = ()) -> tuple[Name, ...]:
    """The names in a stretch of a text, in order, none overlapping."""
    stretch = text[start:end]
    quoted = list(_quoted(stretch, start, tools)) if any(mark in stretch for mark in _MARKS) else []
    taken = {place for name in quoted for place in range(name.start, name.end)}
    if not stretch.isascii():
        for name in _chinese(text, start, end):
            if name.start not in taken:
                quoted.append(name)
                taken.update(range(name.start, name.end))
    plain = (name for name in _plain(text, start, end, tools) if name.start not in taken)
    return tuple(sorted(chain(quoted, plain), key=_start))


def _chinese(text: str, start: int, end: int) -> Iterator[Name]:
    for match in _HAN.finditer(text, start, end):
        before = _HAN_BEFORE.match(match[0])
        written = match[0][before.end() :] if before is not None else match[0]
        if written and not written.isascii():
            yield Name(start=match.end() - len(written), end=match.end(), text=written, kind="path")


def _start(name: Name) -> int:
    return name.start


def _quoted(stretch: str, start: int, tools: Collection[str]) -> Iterator[Name]:
    for match in _QUOTED.finditer(stretch):
        written = match[0][1:-1]
        kind = "tool" if written in tools else _kind(written) if " " not in written else None
        if kind is None and not written.isascii() and _HAN.fullmatch(written):
            kind = "path"
        first = start + match.start() + 1
        yield Name(start=first, end=first + len(written), text=written, kind=kind or "quoted")


def _plain(text: str, start: int, end: int, tools: Collection[str]) -> Iterator[Name]:
    for match in _TOKEN.finditer(text, start, end):
        token = match[0]
        if token.isalpha() and token not in tools and (token.islower() or token[1:].islower()):
            continue
        written = token.rstrip(".:?") if token.endswith("()") else token.rstrip(".:?)").lstrip("(")
        kind = "tool" if written in tools else _kind(written)
        if kind is not None:
            first = match.start() + token.find(written)
            yield Name(start=first, end=first + len(written), text=written, kind=kind)


@lru_cache(maxsize=4096)
def _kind(written: str) -> NameKind | None:
    if len(written) > 400 or written.lower() in _ABBREVIATIONS or (written.isalpha() and written[1:].islower()):
        return None
    if _URL.fullmatch(written):
        return "url"
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(written)), None)
