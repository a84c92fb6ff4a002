"""Reading traces of any format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from agentlab.errors import LoadError, UsageError
from agentlab.formats.base import Format
from agentlab.formats.catalogue import FORMATS
from agentlab.formats.finding import survey
from agentlab.trace.model import Trace

__all__ = ["read_traces"]


def read_traces(
    *paths: str | os.PathLike[str],
    format: str = "",
    on_error: Callable[[LoadError], None] | None = None,
    on_skip: Callable[[str], None] | None = None,
) -> Iterator[Trace]:
    """The traces that stand in files of any format, one at a time.

    Args:
        paths: files, folders, patterns such as `logs/*.jsonl.gz`, and urls that fsspec understands.
        format: what the files are taken for, from `agentlab formats`; by default their first bytes decide.
        on_error: told of each part that cannot be read; what stands behind it is still read.
        on_skip: told the name of each file in a folder or an archive that no format claims, before the first trace.

    Raises:
        LoadError: where something cannot be read and no `on_error` is given.
        UsageError: if there is no such format, no path, or a path that is none; at once, before anything is read.
    """
    if not paths:
        raise UsageError("read_traces was given no path. Name files, folders, patterns or urls.")
    return _read([_path(path) for path in paths], FORMATS.get(format) if format else None, on_error, on_skip)


def _path(given: object) -> str:
    path = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
    if isinstance(path, str) and path:
        return path
    hint = " Give several one by one: read_traces(*paths)." if isinstance(given, (list, tuple, set)) else ""
    raise UsageError(f"A path is the name of a file, a folder, a pattern or a url, and {given!r} is none.{hint}")


def _read(
    paths: list[str],
    format: Format | None,
    on_error: Callable[[LoadError], None] | None,
    on_skip: Callable[[str], None] | None,
) -> Iterator[Trace]:
    found = survey(paths, format=format)
    if on_skip:
        for name in found.skipped:
            on_skip(name)
    for loaded in found.load():
        if isinstance(loaded, Trace):
            yield loaded
        elif on_error:
            on_error(loaded)
        else:
            raise loaded
