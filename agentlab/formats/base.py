"""What a format is: how its files are recognised and read, and what they can prove."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Source
from agentlab.formats.shapes.fields import ShapeError
from agentlab.trace.model import Trace

__all__ = ["Format", "Loaded", "Proof", "Proofs", "each_record", "key_of", "misfit"]

Loaded: TypeAlias = Trace | LoadError
"""A trace, or why one part of a file could not be read as one; what stands behind it is still read."""

Proof = Literal["present", "absent", "depends"]
"""Whether files of a format record a kind of fact: always, never, or only some files or some writers."""


@dataclass(frozen=True, kw_only=True)
class Proofs:
    """What files of a format can prove; of one file the trace says it exactly, in its evidence."""

    proposals: Proof
    executions: Proof
    results: Proof
    errors: Proof
    times: Proof
    usage: Proof


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of traces."""

    name: str
    sentence: str
    """What writes it, and what its files cannot say."""
    url: str
    """Where its writer or its schema is described."""
    proofs: Proofs
    sniff: Callable[[Head], bool]
    """Whether a file is of this format, from its first bytes and shape and never from its name."""
    load: Callable[[Source], Iterator[Loaded]]
    """The traces of a file, one by one, in its order."""
    general: bool = False
    """A shape that others contain: asked only where no other format claims the file."""
    folder: Callable[[Head], bool] | None = None
    """Whether the files 0.json, 1.json, ... of a folder, one behind the other, are one record; None where a format
    never writes one event a file."""


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
