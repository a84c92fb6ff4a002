"""From the JSON values of a file to traces: each attempt is read by itself, and a bad one costs only itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agentlab.errors import LoadError
from agentlab.formats.base import Loaded
from agentlab.formats.building.opening import NothingToldError
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Source
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = [
    "Placed",
    "Row",
    "bad_row",
    "each_object",
    "each_record",
    "each_row",
    "each_session",
    "key_of",
    "misfit",
    "no_object",
    "rows_of",
]

Placed: TypeAlias = tuple[str, JSONValue]
"""A value and where it stands, for messages."""


def each_record(read: Callable[[Record, str], Iterator[Trace]]) -> Callable[[Source], Iterator[Loaded]]:
    """A `load` for formats in which every JSON value of a file stands for itself.

    Args:
        read: the traces of one value and the path; it may raise `ShapeError`, and any other `ValueError` where the
            events it built cannot be one record.
    """

    def load(source: Source) -> Iterator[Loaded]:
        for record in records(source):
            if isinstance(record, LoadError):
                yield record
                continue
            try:
                yield from read(record, source.path)
            except ValueError as error:
                yield misfit(source, record.place, error, record.value)

    return load


def key_of(record: Record, before: str = "") -> str:
    """What identifies a record that has no id of its own: the SHA-256 of its bytes.

    Args:
        record: the record, or the last one of several.
        before: what identifies the records before it, where they are one attempt together.
    """
    return hashlib.sha256(before.encode() + record.raw).hexdigest()


def misfit(source: Source, place: str, error: ValueError, value: JSONValue | Object = None) -> LoadError:
    """The error for a record that is JSON and not what its format says.

    Args:
        source: its file.
        place: where in the file.
        error: what is wrong with it.
        value: it, or the first of its parts; shown where nothing in it is of the format.
    """
    problem = str(error) if isinstance(error, ShapeError) else f"it is not the record of one attempt: {error}"
    if isinstance(error, NothingToldError) and value is not None:
        problem = f"{problem}; {_glimpse(value)} was found"
    return LoadError(source.path, f"{place}: {problem}" if place else problem)


def _glimpse(value: JSONValue | Object) -> str:
    """What a value is, by its kind and the names of its first fields."""
    first = value[0] if isinstance(value, list) and value else value
    shown = "a list of which the first is " if first is not value else ""
    if not isinstance(first, Mapping) or not first:
        return shown + kind_of(first)
    return f"{shown}an object with {', '.join(repr(name[:40]) for name in list(first)[:6])}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """The record of one attempt within a JSON value."""

    value: Object
    place: str
    """For messages: `row 3`, `line 12`, empty for all of a file."""
    key: tuple[object, ...]
    """Identifies it wherever the file lies, where it has no id of its own."""
    within: str = ""
    """Id of the record that it is embedded in."""


def rows_of(record: Record) -> Iterator[tuple[JSONValue, str, tuple[object, ...]]]:
    """The elements of a list, or the value itself where it is none; each with its place and key."""
    value, digest = record.value, key_of(record)
    if not isinstance(value, list):
        yield value, record.place, (digest, 0)
        return
    for number, each in enumerate(value):
        yield each, f"{record.place}: row {number}" if record.place else f"row {number}", (digest, number)


def each_row(
    split: Callable[[Record], Iterator[Row | ShapeError]], read: Callable[[Row, str], Trace]
) -> Callable[[Source], Iterator[Loaded]]:
    """A `load` for formats in which a JSON value may hold several attempts.

    Args:
        split: the attempts of one value, and an error in the place of each that is none; it does not raise.
        read: the trace of one attempt and the path; it may raise `ShapeError`, and any other `ValueError` where the
            events it built cannot be one record.
    """

    def load(source: Source) -> Iterator[Loaded]:
        for record in records(source):
            if isinstance(record, LoadError):
                yield record
                continue
            for row in split(record):
                if isinstance(row, ShapeError):
                    yield misfit(source, "", row)
                    continue
                try:
                    yield read(row, source.path)
                except ValueError as error:
                    yield misfit(source, row.place, error, row.value)

    return load


def each_object(record: Record) -> Iterator[Row | ShapeError]:
    """The objects of a list, or the one that the value is, each as the record of one attempt."""
    for value, place, key in rows_of(record):
        yield Row(value=value, place=place, key=key) if isinstance(value, dict) else no_object(value, place)


def each_session(
    split: Callable[[Record], Iterator[Placed]], read: Callable[[Sequence[Placed], str, str, list[str]], Trace]
) -> Callable[[Source], Iterator[Loaded]]:
    """A `load` for formats in which all JSON values of a file are one attempt.

    Args:
        split: the parts of one value, in their order.
        read: the trace of all parts, by the path, the digest of all that was read, and what is wrong with the file so
            far, to which it adds; it may raise `ShapeError`, and any other `ValueError` where the events it built
            cannot be one record.
    """

    def load(source: Source) -> Iterator[Loaded]:
        parts: list[Placed] = []
        problems: list[str] = []
        digest = ""
        for record in records(source):
            if not isinstance(record, LoadError):
                digest = key_of(record, digest)
                parts += split(record)
            elif parts:
                problems.append(record.problem)
            else:
                yield record
        if not parts:
            return
        try:
            yield read(parts, source.path, digest, problems)
        except ValueError as error:
            yield misfit(source, "", error, parts[0][1])

    return load


def no_object(value: JSONValue, place: str) -> ShapeError:
    """The error for an element that should be an object."""
    return bad_row(f"an object was expected and {kind_of(value)} found", place)


def bad_row(problem: str, place: str) -> ShapeError:
    """The error for an element that is no attempt, with its place."""
    return ShapeError(f"{place}: {problem}" if place else problem)
