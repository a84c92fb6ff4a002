"""Finds journals: in a file, a run's folder, or any folder below, and names those a run should have and has not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentlab.errors import LoadError
from agentlab.strictjson import MAX_DEPTH, JSONValue, StrictJSONError, loads
from agentlab.trace.store import RunStore

__all__ = ["Located", "locate"]

_FIRST = b'{"type":"attempt_started",'
_LONGEST = 1_000_000
"""Bytes of a first line that are read; one that is longer must begin as our own recorder writes it."""
_OF_A_RUN = {"manifest.json", "environment.json"}
_FOLDERS_OF_A_RUN = {"quarantine", "tables"}


@dataclass(frozen=True, kw_only=True)
class Located:
    """Journals, files that are none, and what should be a journal and cannot be read as one; each path once."""

    journals: tuple[Path, ...]
    skipped: tuple[Path, ...]
    """Files in folders that do not begin like a journal; what belongs to a run is not counted."""
    unreadable: tuple[tuple[Path, str], ...]
    """Paths with the reason: they do not exist, were named and are no journal, or are lost attempts of a run."""


def locate(paths: Sequence[Path]) -> Located:
    """Find the journals below some paths, sorted by name within each.

    Where a run's manifest lies among the files, each attempt it names must have its journal.
    """
    found = _Found()
    for path in paths:
        if path.is_dir():
            found.add_folder(path)
        elif not path.exists():
            found.refuse(path, "there is no such file or folder")
        else:
            found.add_file(path, otherwise="not a journal: its first line should be an event of type attempt_started")
    return Located(
        journals=tuple(found.journals.values()),
        skipped=tuple(path for name, path in found.skipped.items() if name not in found.unreadable),
        unreadable=tuple(found.unreadable.values()),
    )


class _Found:
    """What was found so far, by resolved path."""

    def __init__(self) -> None:
        self.journals: dict[Path, Path] = {}
        self.skipped: dict[Path, Path] = {}
        self.unreadable: dict[Path, tuple[Path, str]] = {}

    def refuse(self, path: Path, reason: str) -> None:
        self.unreadable.setdefault(path.resolve(), (path, reason))

    def add_folder(self, folder: Path) -> None:
        manifests = [path for path in sorted(folder.rglob("manifest.json")) if path.is_file()]
        if folder.name == "attempts" and (folder.parent / "manifest.json").is_file():
            manifests.append(folder.parent / "manifest.json")
        for manifest in manifests:
            self._add_lost(manifest.parent)
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not _of_a_run(file):
                self.add_file(file)

    def add_file(self, file: Path, *, otherwise: str = "") -> None:
        """Sort a file in; one that is no journal is skipped, or refused for the reason given."""
        name = file.resolve()
        if name in self.unreadable or name in self.journals:
            return
        try:
            journal = _opening(file) is not None
        except OSError as error:
            self.refuse(file, f"cannot be read ({error.strerror})")
            return
        if journal:
            self.journals[name] = file
        elif otherwise:
            self.refuse(file, otherwise)
        else:
            self.skipped[name] = file

    def _add_lost(self, run: Path) -> None:
        try:
            store = RunStore.open(run)
        except LoadError as error:
            if (run / "attempts").is_dir():  # else it is a manifest of something else
                self.refuse(Path(error.path), error.problem)
            return
        for entry in store.manifest.attempts:
            journal = store.journal_path(entry.id)
            if problem := _loss(journal, entry.id):
                self.refuse(journal, f"the manifest names this attempt and {problem}")


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


def _of_a_run(file: Path) -> bool:
    run = file.parent.parent if file.parent.name in _FOLDERS_OF_A_RUN else file.parent
    known = file.name in _OF_A_RUN or file.parent.name in _FOLDERS_OF_A_RUN
    return known and (run / "manifest.json").is_file()


def _opening(path: Path) -> Mapping[str, JSONValue] | None:
    """The first event of a journal, empty where it begins as one and cannot be read; None where it is no journal."""
    with path.open("rb") as file:
        line = file.readline(_LONGEST)
    try:
        event = loads(line.decode(), max_depth=MAX_DEPTH + 8)
    except (UnicodeDecodeError, StrictJSONError):
        return {} if line.startswith(_FIRST) else None
    return event if isinstance(event, dict) and event.get("type") == "attempt_started" else None
