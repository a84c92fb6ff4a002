"""Finds notebooks and data: an explicit path, else the checkout, else the copy inside the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["resource_folders"]

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
