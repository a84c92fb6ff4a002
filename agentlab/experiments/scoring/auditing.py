"""Audits files and keeps of each trace what a score needs."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from agentlab.audit.report import AuditReport, audit_trace
from agentlab.errors import LoadError
from agentlab.experiments.scoring.values import Sighting
from agentlab.formats.reading import read_traces
from agentlab.trace.formatting import shorten

__all__ = ["LOUD", "audited", "read_json", "shaped", "sightings"]

LOUD = ("failure", "warning")
"""Severities that accuse."""


def audited(*paths: Path) -> Iterator[AuditReport]:
    """Audit every trace that stands in files or in the files of folders.

    Raises:
        LoadError: if one cannot be read: a score over fewer traces than were labelled would be another score.
    """
    for trace in read_traces(*paths):
        yield audit_trace(trace)


def sightings(report: AuditReport, *, counted: Literal["first", "every"] = "first") -> tuple[Sighting, ...]:
    """The findings that accuse.

    Args:
        report: of one trace.
        counted: `first` for the place a finding is about, `every` for all that it names.
    """
    return tuple(
        Sighting(
            rule=finding.rule,
            severity=finding.severity,
            places=_places((w.source for w in finding.where), counted),
            message=shorten(finding.message, 300),
            text=shorten(finding.where[0].text, 160),
        )
        for finding in report.findings
        if finding.severity in LOUD
    )


def _places(sources: Iterable[str | None], counted: Literal["first", "every"]) -> tuple[str, ...]:
    named = list(sources)
    kept = named[:1] if counted == "first" else named
    return tuple(dict.fromkeys(source for source in kept if source))


def read_json(path: Path) -> Any:
    """The value of a JSON file, which may be compressed with xz.

    Raises:
        LoadError: if there is none.
    """
    try:
        data = path.read_bytes()
        return json.loads(lzma.decompress(data) if path.suffix == ".xz" else data)
    except OSError as error:
        raise LoadError(
            path, f"a file of labels or traces was expected; it cannot be read ({error.strerror})"
        ) from None
    except (lzma.LZMAError, ValueError, RecursionError) as error:
        raise LoadError(path, f"a file of labels or traces was expected; it is no JSON ({error})") from None


@contextmanager
def shaped(path: Path, what: str) -> Iterator[None]:
    """Turn whatever a file of another shape breaks into a `LoadError`.

    Args:
        path: of the file.
        what: what was expected in it.
    """
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise LoadError(path, f"{what} was expected; its shape is another ({type(error).__name__}: {error})") from None
