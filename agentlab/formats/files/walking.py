"""Which sources a path stands for: a file, a folder's files, a pattern's, a url's, a zip archive's members."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from agentlab.errors import LoadError
from agentlab.formats.files.source import Source
from agentlab.trace.lost import belongs_to_run, lost_attempts

__all__ = ["Walked", "walk"]

Walked: TypeAlias = Source | LoadError
_PATTERN = frozenset("*?[")


def walk(path: str) -> Iterator[Walked]:
    """The files that a path stands for, sorted by name; what lies in hidden folders is passed over.

    Of a run's folder the journals are given, and an error for each attempt that its manifest names and that has none.

    Args:
        path: a file, a folder, a pattern such as `logs/*.jsonl`, or a url of either that fsspec understands.
    """
    if "://" in path:
        yield from _walk_url(path)
    elif os.path.isdir(path):  # noqa: PTH112  a Path raises where a name is too long
        yield from _walk_folder(Path(path))
    elif os.path.exists(path) or not _PATTERN & {*path}:  # noqa: PTH110
        yield Source.at(path)
    elif found := sorted(glob.glob(path, recursive=True)):  # noqa: PTH207  a pattern may be absolute
        for name in found:
            yield from walk(name)
    else:
        yield LoadError(path, "no file fits this pattern")


def _walk_folder(folder: Path) -> Iterator[Walked]:
    manifests = [path for path in sorted(folder.rglob("manifest.json")) if path.is_file()]
    if folder.name == "attempts" and (folder.parent / "manifest.json").is_file():
        manifests.append(folder.parent / "manifest.json")
    for manifest in manifests:
        yield from lost_attempts(manifest.parent)
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.is_file() and not hidden and not belongs_to_run(file):
            yield Source.at(file)


def _walk_url(url: str) -> Iterator[Walked]:
    import fsspec  # slow to import, and most files are local

    try:
        files, root = fsspec.core.url_to_fs(url)
        if _PATTERN & {*root}:
            found = sorted(files.glob(root))
        elif files.isdir(root):
            found = sorted(files.find(root))
        else:
            found = []
        first, chained, rest = url.partition("::")
        within = f"{chained}{rest}" if "://" in first else ""  # e.g. the archive behind `zip://*.json::s3://a/b.zip`
        names = [f"{files.unstrip_protocol(name)}{within}" for name in found]
    except Exception as error:
        yield LoadError(url, f"it cannot be looked up ({type(error).__name__}: {str(error)[:200]})")
        return
    for name in names or [url]:
        yield Source.at(name)
