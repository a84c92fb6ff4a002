"""Reading traces of any format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from agentlab.errors import LoadError
from agentlab.formats.catalogue import FORMATS
from agentlab.formats.finding import survey
from agentlab.trace.model import Trace

__all__ = ["read_traces"]


def read_traces(
    *paths: str | os.PathLike[str], format: str = "", on_error: Callable[[LoadError], None] | None = None
) -> Iterator[Trace]:
    """The traces that stand in files of any format, one at a time.

    Args:
        paths: files, folders, patterns such as `logs/*.jsonl.gz`, and urls that fsspec understands.
        format: what the files are taken for, from `agentlab formats`; by default their first bytes decide.
        on_error: told of each part that cannot be read; what stands behind it is still read.

    Raises:
        LoadError: where something cannot be read and no `on_error` is given.
        UsageError: if there is no such format.
    """
    found = survey([os.fspath(path) for path in paths], format=FORMATS.get(format) if format else None)
    for loaded in found.load():
        if isinstance(loaded, Trace):
            yield loaded
        elif on_error:
            on_error(loaded)
        else:
            raise loaded
