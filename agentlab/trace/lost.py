"""What a run's manifest says that there should be: attempts without their journals, and files that belong to a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from agentlab.errors import LoadError
from agentlab.strictjson import JSONValue, StrictJSONError, loads
from agentlab.trace.codec import LINE_DEPTH
from agentlab.trace.store import RunStore

__all__ = ["belongs_to_run", "lost_attempts"]

_FIRST = b'{"type":"attempt_started",'
_LONGEST = 1_000_000
"""Bytes of a first line that are read; one that is longer must begin as our own recorder writes it."""
_OF_A_RUN = {"manifest.json", "environment.json", "not-begun.json"}
_FOLDERS_OF_A_RUN = {"quarantine", "tables"}


def lost_attempts(run: Path) -> Iterator[LoadError]:
    """An error for each attempt that the manifest of a run names and that has no journal of its own.

    Those that had not begun when the run was stopped are none.

    Args:
        run: a folder that holds manifest.json; one that cannot be read is an error too, unless nothing else in the
            folder is of a run.
    """
    try:
        store = RunStore.open(run)
    except LoadError as error:
        if os.path.isdir(run / "attempts"):  # noqa: PTH112  else it is a manifest of something else
            yield error
        return
    waiting = store.not_begun
    for entry in store.manifest.attempts:
        journal = store.journal_path(entry.id)
        if entry.id in waiting and not journal.exists():
            continue
        if problem := _loss(journal, entry.id):
            yield LoadError(journal, f"the manifest names this attempt and {problem}")


def belongs_to_run(file: Path) -> bool:
    """Whether a file is of a run and no journal: its manifest, its environment, its tables, its quarantine."""
    run = file.parent.parent if file.parent.name in _FOLDERS_OF_A_RUN else file.parent
    known = file.name in _OF_A_RUN or file.parent.name in _FOLDERS_OF_A_RUN
    return known and os.path.isfile(run / "manifest.json")  # noqa: PTH113  a Path raises where the folder is closed


def _loss(journal: Path, attempt: str) -> str:
    """Why a file is not the journal of an attempt; empty where it may be."""
    try:
        opening = _opening(journal) if journal.is_file() else None
        size = journal.stat().st_size
    except FileNotFoundError:
        return "there is no journal of it"
    except OSError as error:
        return f"its journal cannot be read ({error.strerror})"
    if opening is None:
        return "what lies in its place is not a journal" if size else "its journal is empty"
    return "what lies in its place is the journal of another" if opening.get("attempt", attempt) != attempt else ""


def _opening(path: Path) -> Mapping[str, JSONValue] | None:
    """The first event of a journal, empty where it begins as one and cannot be read; None where it is no journal."""
    with path.open("rb") as file:
        line = file.readline(_LONGEST)
    try:
        event = loads(line.decode(), max_depth=LINE_DEPTH)
    except (UnicodeDecodeError, StrictJSONError):
        return {} if line.startswith(_FIRST) else None
    return event if isinstance(event, dict) and event.get("type") == "attempt_started" else None
