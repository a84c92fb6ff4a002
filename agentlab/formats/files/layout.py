"""How the JSON values of a file are laid out: one a line, or behind each other over any number of lines.

A broken line must cost itself only. So a file is lines as soon as anything in its first bytes says so that no value
over many lines has: a value that is alone on an unindented line, or a line that ends inside a string.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Final

from agentlab.formats.files.jsontext import JSONError, parse

__all__ = [
    "BLANK",
    "BOM",
    "holds_lines",
    "is_closed",
    "is_lines",
    "lines_of",
    "no_json",
    "no_text",
    "reads",
    "values",
    "wide_text",
]

BLANK: Final = b" \t\r\n\x1e"
"""What may stand around a value: JSON's white space, and RFC 7464's record separator."""
BOM: Final = b"\xef\xbb\xbf"

# A string's end is optional and nothing is given back, so that one that never ends is passed over once.
_STRING: Final = rb'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)(?P<end>")?'
_MARK = re.compile(_STRING + rb"|[\[\]{}]", re.DOTALL)
_START = re.compile(rb"[^\s\x1e]")
_SCALAR = re.compile(_STRING + rb'|[^\s\x1e"\[\]{}]+|[\]}]', re.DOTALL)


def is_lines(head: bytes, whole: bool, non_finite: bool = False) -> bool:
    """Whether a file that begins so is JSON lines: every line a value, or a broken file that is best read by line.

    Args:
        head: the first bytes of a file.
        whole: whether the file ends there.
        non_finite: whether NaN and Infinity are read too.
    """
    text = head.removeprefix(BOM)
    full = (line for line in lines_of(text, whole=whole) if line.strip(BLANK))
    first, second = next(full, None), next(full, None)
    if first is None:
        return True  # one line that is longer than the head
    if all(reads(line, non_finite) for line in chain((first, second) if second else (first,), full)):
        return True
    torn = bool(second or not whole) and first.startswith((b"{", b"[")) and _is_torn(first)
    if not torn and not reads(first, non_finite) and not _any_closed(first, text, whole):
        return False
    return not _is_sequence(head, whole, non_finite)


def lines_of(text: bytes, *, whole: bool = True) -> Iterator[bytes]:
    """The lines of a text one at a time, as mostly the first few tell; the last one only of a `whole` text."""
    at = 0
    while (end := text.find(b"\n", at)) >= 0:
        yield text[at:end]
        at = end + 1
    if whole:
        yield text[at:]


def _any_closed(first: bytes, head: bytes, whole: bool) -> bool:
    """Whether a line is closed; of a head of one pretty value only the first one is looked at."""
    if is_closed(first):
        return True
    return _LATER_AT_MARGIN.search(head) is not None and any(map(is_closed, lines_of(head, whole=whole)))


def no_json(head: bytes) -> str | None:
    """What a file is that begins so and cannot hold JSON in UTF-8, as a noun; None where it may."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "a zip archive: its members are read one by one"
    return no_text(head) if b"\0" in head[:_FOUR] or head.startswith(_WIDE) else None


def no_text(head: bytes) -> str | None:
    """What a file is that begins so and is no text in UTF-8, as a noun; None where it may be."""
    if wide_text(head):
        return "text in UTF-16 or UTF-32, which must be saved as UTF-8 first"
    if head.startswith(_WIDE):
        return f"no text: byte 1 is {head[0]:#04x}"
    if head[_TAR].startswith(b"ustar"):
        return "a tar archive, which must be unpacked first"
    if found := _CONTROL.search(head):
        return f"no text: byte {found.start() + 1} is {found[0][0]:#04x}"
    return None


def wide_text(head: bytes) -> str:
    """What a file begins with that is text in UTF-16 or UTF-32, as far as 1 KiB of it; empty where it is neither."""
    seen = head[:_LOOKED_AT]
    nulls = [not half.strip(b"\0") for half in (seen[:_FOUR:2], seen[1:_FOUR:2])]
    marked = [code for mark, code in _MARKED if seen.startswith(mark)]
    for code in marked or (code for _, code in _MARKED if len(seen) >= _FOUR and nulls[0] != nulls[1]):
        try:
            text = codecs.getincrementaldecoder(code)().decode(seen).removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
        if text and not _CONTROL.search(text.encode()):
            return text
    return ""


_MARKED: Final = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
"""Byte order marks; without one, every other byte of the first characters is null."""
_WIDE: Final = tuple(mark for mark, _ in _MARKED)
_LOOKED_AT: Final = 1 << 10
_FOUR: Final = 4
_TAR: Final = slice(257, 262)
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1d\x1f\x7f]")
"""What no text holds; terminals' bells, backspaces and escapes, and separators of records, stand in logs."""


def is_closed(line: bytes) -> bool:
    """Whether a line is all of an object or list that is not indented, as no line inside a pretty value is."""
    if not line.startswith(_AT_MARGIN):  # asked first, because most lines of a pretty value are indented
        return False
    line = line.removeprefix(b"\x1e").rstrip(BLANK)
    return _end(line, 0) == len(line)


_AT_MARGIN: Final = (b"{", b"[", b"\x1e{", b"\x1e[")
"""How a line begins that is an object or a list without indentation."""
_LATER_AT_MARGIN = re.compile(rb"\n\x1e?[{\[]")
"""Such a line that is not the first one; one search, where most texts have none, in place of a look at each line."""


def reads(text: bytes, non_finite: bool) -> bool:
    """Whether a text is one JSON value."""
    try:
        parse(text.strip(BLANK), non_finite=non_finite)
    except JSONError:
        return False
    return True


def holds_lines(text: bytes) -> bool:
    """Whether values alone on their lines stand in what a broken line before them seems to hold, or that line is torn.

    Args:
        text: a text whose first line is no value.
    """
    lines = (line for line in lines_of(text) if line.strip(BLANK))
    before, second = next(lines), next(lines, None)
    if second is None:
        return False
    if _is_torn(before):
        return True
    if not _LATER_AT_MARGIN.search(text):
        return False
    for line in chain((second,), lines):
        if line.startswith(_AT_MARGIN) and not before.rstrip(BLANK).endswith(_GOES_ON) and is_closed(line):
            return True
        before = line
    return False


_GOES_ON: Final = (b",", b"[", b"{", b":")
"""How a line ends that the next one goes on with."""


def values(text: bytes) -> Iterator[tuple[int, bytes]]:
    """The texts of values that follow each other, each with its line, found by quotes and brackets alone; linear."""
    line, counted, at = 1, 0, 0
    while start := _START.search(text, at):
        begin = start.start()
        line += text.count(b"\n", counted, begin)
        counted = begin
        at = _end(text, begin) or len(text)
        yield line, text[begin:at]


def _is_sequence(head: bytes, whole: bool, non_finite: bool) -> bool:
    """Whether values follow each other, each readable, but for the last one of a head that ends inside it."""
    texts = [text for _, text in values(head.removeprefix(BOM))]
    if not whole:
        last = texts.pop()
        if holds_lines(last) or _breaks_lines(texts, last):
            return False
    return all(reads(text, non_finite) for text in texts)


def _breaks_lines(texts: list[bytes], last: bytes) -> bool:
    """Whether a text that does not end is a broken line behind values of one line, and not a value over many lines."""
    first, more, _ = last.partition(b"\n")
    return bool(more and texts) and first.strip(BLANK) not in _OPENINGS and not any(b"\n" in text for text in texts)


_OPENINGS: Final = (b"{", b"[", b"[{", b"[[")
"""First lines of values that are written over many lines."""


def _is_torn(line: bytes) -> bool:
    """Whether a line ends inside a string, which no line of JSON does that others follow."""
    last = deque(_MARK.finditer(line), maxlen=1)
    return bool(last) and last[0][0].startswith(b'"') and last[0]["end"] is None


def _end(text: bytes, begin: int) -> int | None:
    """Where the value that begins at `begin` ends; None where it never does."""
    if text[begin : begin + 1] not in (b"{", b"["):
        scalar = _SCALAR.match(text, begin)
        return scalar.end() if scalar else None
    depth = 0
    for mark in _MARK.finditer(text, begin):
        if mark[0] in (b"{", b"["):
            depth += 1
        elif mark[0] in (b"}", b"]"):
            depth -= 1
            if not depth:
                return mark.end()
    return None
