"""The JSON values of a file, whether it is one document, JSON lines, or values written one after the other.

Which of the three a file is, its first 64 KiB say. JSON lines are streamed, so a file may be of any size; the others
are read whole. RFC 7464's record separators may stand before values, and lines may end in CRLF.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain

from agentlab.errors import LoadError
from agentlab.formats.files.jsontext import JSONError, parse
from agentlab.formats.files.layout import BLANK, BOM, is_closed, is_lines, no_json, reads, values
from agentlab.formats.files.source import HEAD, Line, Source
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
        if problem := no_json(head):
            yield LoadError(source.path, f"JSON in UTF-8 is expected, and this is {problem}")
            return
        by_line = is_lines(head, len(head) <= HEAD, non_finite)
        found = _by_line(source, non_finite) if by_line else _in_text(source, non_finite)
        for record in found:
            nothing = False
            yield record
    except LoadError as error:
        yield error
        return
    if nothing:
        what = "white space only" if head else "an empty file (0 bytes)"
        yield LoadError(source.path, f"JSON is expected, and this is {what}")


# --- JSON lines


def _by_line(source: Source, non_finite: bool) -> Iterator[Record | LoadError]:
    with closing(source.split()) as every:
        lines = (line for line in every if isinstance(line[1], LoadError) or line[1].strip(BLANK))
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
    return not is_closed(second[1]) and not reads(first[1], non_finite)


def _of_line(path: str, found: Line, is_only: bool, non_finite: bool) -> Record | LoadError:
    number, line, ended = found
    if isinstance(line, LoadError):
        return line
    raw = (line.removeprefix(BOM) if number == 1 else line).strip(BLANK)
    try:
        return Record(value=parse(raw, non_finite=non_finite), place=f"line {number}", line=number, raw=raw)
    except JSONError as error:
        if is_only:
            return LoadError(path, _not_whole(error, number, "the file"))
        if not ended:
            return LoadError(path, f"the file was cut short in line {number}: {error.told(number)}")
        what = "whole" if error.trouble == "cut" else "JSON"
        return LoadError(path, f"line {number} is not {what}: {error.told(number)}")


# --- values that may take many lines


def _in_text(source: Source, non_finite: bool) -> Iterator[Record | LoadError]:
    content = source.read()
    text = content.removeprefix(BOM).lstrip(BLANK)
    first = content.count(b"\n", 0, len(content) - len(text)) + 1
    del content  # as large as the text
    text = text.rstrip(BLANK)
    try:
        yield Record(value=parse(text, non_finite=non_finite), place="", line=first, raw=text)
        return
    except JSONError as error:
        if error.trouble != "more":
            yield LoadError(source.path, _not_whole(error, first, "the file"))
            return
    for count, (line, raw) in enumerate(values(text), start=1):
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
