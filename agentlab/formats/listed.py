"""A format's records in one JSON list, where the format itself writes each on a line of its own."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, cast

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded
from agentlab.formats.files.layout import BLANK, BOM, values
from agentlab.formats.files.source import Source

__all__ = ["in_list"]


def in_list(form: Format) -> Format:
    """The format, reading the elements of a file's one list as the lines that they would be.

    Their ids are those that the lines would have. The file is read whole, as every list is.
    """

    def load(source: Source) -> Iterator[Loaded]:
        for loaded in form.load(Source(path=source.path, limits=source.limits, _raw=lambda: _lines_of(source))):
            if isinstance(loaded, LoadError):
                yield LoadError(source.path, f"in the file's list, its elements counted as lines: {loaded.problem}")
            else:
                yield loaded

    return replace(form, load=load)


def _lines_of(source: Source) -> BinaryIO:
    """The elements of a list as lines: no string of JSON holds a line break, so none is lost with a space for it."""
    text = source.read().removeprefix(BOM).strip(BLANK).removeprefix(b"[")
    lines, last = io.BytesIO(), b""
    for _, last in values(text):
        if last not in (b",", b"]"):
            lines.write(last.replace(b"\n", b" ") + b"\n")
    if last != b"]":
        lines.write(b"[\n")  # the list never ends, which is told as this line's fault
    lines.seek(0)
    return cast("BinaryIO", lines)
