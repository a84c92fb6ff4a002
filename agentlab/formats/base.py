"""What a format is: how its files are recognised and read, and what they can prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.files.source import Source
from agentlab.trace.model import Trace

__all__ = ["Format", "Loaded", "Proof", "Proofs"]

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
