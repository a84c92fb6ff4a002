"""The JSON values of a file, whether it is one document, JSON lines, or values written one after the other.

Which of the three a file is, its first 64 KiB say. JSON lines are streamed, so a file may be of any size; the others
are read whole. RFC 7464's record separators may stand before values, and lines may end in CRLF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from agentlab.errors import LoadError
from agentlab.formats.files.jsontext import JSONError, parse
from agentlab.formats.files.source import HEAD, Line, Source, split_lines
from agentlab.strictjson import JSONValue

__all__ = ["Record", "records"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One JSON value of a file, and where it stood."""

    value: JSONValue
    place: str
    """For messages: empty for the only value of a file, else `line 12`, or `value 3 (line 40)` where a value may take
    many lines."""
    line: int
    """The line it begins on, from 1."""
    raw: bytes
    """The bytes it was read from, without the white space around."""


def records(source: Source, *, non_finite: bool = False) -> Iterator[Record | LoadError]:
    """The values of a file in order, and a LoadError in the place of each that cannot be read.

    Nothing is raised: a file that cannot be read at all gives one LoadError.

    Args:
        source: what is read.
        non_finite: whether NaN and Infinity are read too.
    """
    nothing = True
    try:
        head = source.head(HEAD + 1)
        problem = _not_text(head)
        if problem:
            yield LoadError(source.path, problem)
            return
        found = _by_line(source, non_finite) if _is_lines(head, non_finite) else _in_text(source, non_finite)
        for record in found:
            nothing = False
            yield record
    except LoadError as error:
        yield error
        return
    if nothing:
        what = "white space only" if head else "an empty file (0 bytes)"
        yield LoadError(source.path, f"JSON is expected, and this is {what}")


_BLANK: Final = b" \t\r\n\x1e"
_BOM: Final = b"\xef\xbb\xbf"


def _not_text(head: bytes) -> str | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "JSON is expected, and this is a zip archive: its members are read one by one"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head[:4]:
        return "JSON in UTF-8 is expected, and this is UTF-16, UTF-32 or no text at all (byte 1)"
    return None


# --- JSON lines


def _is_lines(head: bytes, non_finite: bool) -> bool:
    """Whether a file that begins so is JSON lines: every line a value, or a broken file that is best read by line."""
    whole = len(head) <= HEAD
    lines = head.removeprefix(_BOM).split(b"\n")
    if not whole:
        lines.pop()  # its rest is not in the head
    lines = [line for line in lines if line.strip(_BLANK)]
    if not lines:
        return True  # one line that is longer than the head
    if all(_reads(line, non_finite) for line in lines):
        return True
    if not _reads(lines[0], non_finite) and not any(map(_is_closed, lines)):
        return False
    return not _is_sequence(head, whole, non_finite)


def _is_closed(line: bytes) -> bool:
    """Whether a line is all of an object or list that is not indented, as no line inside a pretty value is."""
    line = line.removeprefix(b"\x1e").rstrip(_BLANK)
    return line.startswith((b"{", b"[")) and _end(line, 0) == len(line)


def _reads(text: bytes, non_finite: bool) -> bool:
    try:
        parse(text.strip(_BLANK), non_finite=non_finite)
    except JSONError:
        return False
    return True


def _is_sequence(head: bytes, whole: bool, non_finite: bool) -> bool:
    """Whether values follow each other, each readable, but for the last one of a head that ends inside it."""
    texts = [text for _, text in _values(head.removeprefix(_BOM))]
    if not whole:
        texts.pop()
    return all(_reads(text, non_finite) for text in texts)


def _by_line(source: Source, non_finite: bool) -> Iterator[Record | LoadError]:
    with source.open() as stream:
        every = split_lines(stream, source.path, source.limits.max_line)
        lines = (line for line in every if isinstance(line[1], LoadError) or line[1].strip(_BLANK))
        first, second = next(lines, None), next(lines, None)
        if first is None:
            return
        if _is_document(first, second, non_finite):
            yield from _in_text(source, non_finite)
            return
        only = _of_line(source.path, first, second is None, non_finite)
        yield replace(only, place="") if second is None and isinstance(only, Record) else only
        if second is not None:
            for line in chain([second], lines):
                yield _of_line(source.path, line, False, non_finite)


def _is_document(first: Line, second: Line | None, non_finite: bool) -> bool:
    """Whether lines too long for the head turn out to be a document: all on one line, or a list broken into lines."""
    if isinstance(first[1], LoadError):
        return not first[2]
    if second is None or isinstance(second[1], LoadError) or len(first[1]) <= HEAD:
        return False
    return not _is_closed(second[1]) and not _reads(first[1], non_finite)


def _of_line(path: str, found: Line, is_only: bool, non_finite: bool) -> Record | LoadError:
    number, line, ended = found
    if isinstance(line, LoadError):
        return line
    raw = line.strip(_BLANK)
    try:
        return Record(value=parse(raw, non_finite=non_finite), place=f"line {number}", line=number, raw=raw)
    except JSONError as error:
        if not ended and not is_only:
            return LoadError(path, f"the file was cut short in line {number}: {error.told(number)}")
        what = "whole" if error.trouble == "cut" else "JSON"
        return LoadError(path, f"line {number} is not {what}: {error.told(number)}")


# --- values that may take many lines


def _in_text(source: Source, non_finite: bool) -> Iterator[Record | LoadError]:
    content = source.read()
    text = content.strip(_BLANK)
    first = content.count(b"\n", 0, content.find(text)) + 1
    del content  # as large as the text
    try:
        yield Record(value=parse(text, non_finite=non_finite), place="", line=first, raw=text)
        return
    except JSONError as error:
        if error.trouble != "more":
            yield LoadError(source.path, _not_whole(error, first, "the file"))
            return
    for count, (line, raw) in enumerate(_values(text.removeprefix(_BOM)), start=1):
        place = f"value {count} (line {line + first - 1})"
        try:
            value = parse(raw, non_finite=non_finite)
        except JSONError as error:
            yield LoadError(source.path, _not_whole(error, line + first - 1, place))
        else:
            yield Record(value=value, place=place, line=line + first - 1, raw=raw)


def _not_whole(error: JSONError, line: int, what: str) -> str:
    said = error.told(line)
    return f"{what} was cut short: {said}" if error.trouble == "cut" else f"{what} is not JSON: {said}"


# A string's end is optional and nothing is given back, so that one that never ends is passed over once.
_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_MARK = re.compile(_STRING + rb"|[\[\]{}]", re.DOTALL)
_START = re.compile(rb"[^\s\x1e]")
_SCALAR = re.compile(_STRING + rb'|[^\s\x1e"\[\]{}]+|[\]}]', re.DOTALL)


def _values(text: bytes) -> Iterator[tuple[int, bytes]]:
    """The texts of values that follow each other, each with its line, found by quotes and brackets alone; linear."""
    line, counted, at = 1, 0, 0
    while start := _START.search(text, at):
        begin = start.start()
        line += text.count(b"\n", counted, begin)
        counted = begin
        at = _end(text, begin) or len(text)
        yield line, text[begin:at]


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
