"""From the JSON values of a file to traces: each attempt is read by itself, and a bad one costs only itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agentlab.errors import LoadError
from agentlab.formats.base import Loaded
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Source
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = ["Row", "bad_row", "each_record", "each_row", "key_of", "misfit", "no_object", "rows_of"]


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
                yield misfit(source, record.place, error)

    return load


def key_of(record: Record) -> str:
    """What identifies a record that has no id of its own: the SHA-256 of its bytes."""
    return hashlib.sha256(record.raw).hexdigest()


def misfit(source: Source, place: str, error: ValueError) -> LoadError:
    """The error for a record that is JSON and not what its format says."""
    problem = str(error) if isinstance(error, ShapeError) else f"it is not the record of one attempt: {error}"
    return LoadError(source.path, f"{place}: {problem}" if place else problem)


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
                    yield misfit(source, row.place, error)

    return load


def no_object(value: JSONValue, place: str) -> ShapeError:
    """The error for an element that should be an object."""
    return bad_row(f"an object was expected and {kind_of(value)} found", place)


def bad_row(problem: str, place: str) -> ShapeError:
    """The error for an element that is no attempt, with its place."""
    return ShapeError(f"{place}: {problem}" if place else problem)
