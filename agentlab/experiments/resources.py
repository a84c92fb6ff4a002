"""Finds notebooks and data: an explicit path, else the checkout, else the copy inside the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentlab.errors import unknown_name

__all__ = ["recorded_completions", "resource_folders"]

_PACKAGE = Path(__file__).resolve().parent.parent


def resource_folders(kind: str) -> Iterator[Path]:
    """The folders that hold `notebooks` or `data`, the nearest first; only those that exist.

    Args:
        kind: a path below the top level, e.g. `data/cases`.
    """
    checkout = _PACKAGE.parent  # of an installed package this is a folder that others share
    if (checkout / "pyproject.toml").is_file() and (checkout / kind).is_dir():
        yield checkout / kind
    if (_PACKAGE / "_packaged" / kind).is_dir():
        yield _PACKAGE / "_packaged" / kind


def recorded_completions(name: str) -> Path:
    """A cassette of real replies that comes with agentlab, for the provider `cassette:FILE`.

    Raises:
        UsageError: if there is none of this name.
    """
    folders = resource_folders("data/completions")
    found = {path.name.partition(".")[0]: path for folder in folders for path in _tapes(folder)}
    if name not in found:
        raise unknown_name("recording", name, found)
    return found[name]


def _tapes(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.name.endswith((".jsonl", ".jsonl.gz")))
