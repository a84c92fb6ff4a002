"""Finds journals: in a file, a run's folder, or any folder below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentlab.errors import LoadError

__all__ = ["Located", "locate"]

_FIRST = b'{"type":"attempt_started",'
_OF_A_RUN = {"manifest.json", "environment.json"}
_FOLDERS_OF_A_RUN = {"quarantine", "tables"}


@dataclass(frozen=True, kw_only=True)
class Located:
    """Journals, and files that are none."""

    journals: tuple[Path, ...]
    skipped: tuple[Path, ...]
    """Files in folders that do not begin like a journal; what belongs to a run is not counted."""


def locate(paths: Sequence[Path]) -> Located:
    """Find the journals below some paths, sorted by name within each.

    Raises:
        LoadError: if a path does not exist, or a file named by itself is not a journal.
    """
    journals: list[Path] = []
    skipped: list[Path] = []
    for path in paths:
        if path.is_file() and not _is_journal(path):
            raise LoadError(path, "not a journal: its first line should be an event of type attempt_started")
        for file in _files(path):
            (journals if _is_journal(file) else skipped).append(file)
    return Located(journals=tuple(journals), skipped=tuple(skipped))


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        yield from (file for file in sorted(path.rglob("*")) if file.is_file() and not _of_a_run(file))
    else:
        raise LoadError(path, "there is no such file or folder")


def _of_a_run(file: Path) -> bool:
    run = file.parent.parent if file.parent.name in _FOLDERS_OF_A_RUN else file.parent
    known = file.name in _OF_A_RUN or file.parent.name in _FOLDERS_OF_A_RUN
    return known and (run / "manifest.json").is_file()


def _is_journal(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_FIRST)) == _FIRST
