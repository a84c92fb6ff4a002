"""The beginning of a file: what a format may look at before it says that the file is its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from agentlab.formats.files.jsontext import JSONError, parse, parse_partial
from agentlab.formats.files.layout import BLANK, BOM, holds_lines, is_closed, lines_of
from agentlab.strictjson import JSONValue

__all__ = ["ZIP", "Head"]

ZIP = b"PK\x03\x04", b"PK\x05\x06"
"""How a zip archive begins."""
_SHORT = 1 << 16
"""Bytes that show whether a broken beginning is one of many lines."""
_MANY = 50
"""Values that are looked at; some files begin with a dozen lines of preamble."""


@dataclass(frozen=True)
class Head:
    """The first bytes of a file after decompression, and the JSON values that begin in them."""

    data: bytes
    whole: bool = True
    """Whether the file ends here."""
    members: tuple[str, ...] = ()
    """Names of the entries, where the file is a zip archive."""

    @cached_property
    def text(self) -> str:
        """The bytes as text, what is not UTF-8 replaced; none of a zip archive, though its members may be readable."""
        return "" if self.data.startswith(ZIP) else self.data.decode(errors="replace").removeprefix("\ufeff")

    @property
    def is_json(self) -> bool:
        """Whether it begins as JSON, and not only holds some between lines of text."""
        body = self.data.lstrip(_BEFORE)
        return bool(self.values) and body.startswith((b"{", b"[")) and not _CITED.match(body)

    @property
    def begins_as_json(self) -> bool:
        """Whether it is JSON or was meant to be: an object or list begins in it, though it may be broken."""
        return self.is_json or _BEGINS.match(self.data.lstrip(_BEFORE)) is not None

    @cached_property
    def values(self) -> tuple[JSONValue, ...]:
        """The first JSON values: lines of JSON, or one document that may be cut off, or documents one behind another.

        Lines that are broken are left out. Empty where the file is not JSON, and for a zip archive.
        """
        return self._seen[0]

    @property
    def cut(self) -> bool:
        """Whether the only value that is seen does not end here, so that its fields are not all known."""
        return self._seen[1]

    @cached_property
    def _seen(self) -> tuple[tuple[JSONValue, ...], bool]:
        if self.data.startswith(ZIP):
            return (), False
        body = self.data.removeprefix(BOM).lstrip(BLANK)
        if not body.startswith((b"{", b"[")):
            return tuple(self._lines(skipping=True)), False
        if found := tuple(self._lines()) or tuple(self._documents(body)):
            return found, False
        if not holds_lines(body[:_SHORT]) and (value := parse_partial(body)) is not None:
            return (value,), True
        return tuple(self._lines(skipping=True, closed=True)), False

    @property
    def first(self) -> JSONValue:
        """The first value; None where there is none."""
        return self.values[0] if self.values else None

    @cached_property
    def objects(self) -> tuple[Mapping[str, JSONValue], ...]:
        """The first values that are objects: those of the file, or of the list that it holds."""
        values = self.first if len(self.values) == 1 and isinstance(self.first, list) else self.values
        return tuple(value for value in values if isinstance(value, dict))

    @property
    def rows(self) -> Head | None:
        """The head of the lines that would hold what the file's one list holds; None where there is no such list."""
        if len(self.values) != 1 or not isinstance(self.first, list):
            return None
        rows = self.first[:-1] if self.cut and len(self.first) > 1 else self.first
        return Head(b"".join(json.dumps(row).encode() + b"\n" for row in rows[:_MANY]), whole=self.whole)

    def _lines(self, *, skipping: bool = False, closed: bool = False) -> Iterator[JSONValue]:
        """The values of whole lines, if the first line that is not blank is one value or `skipping`.

        Args:
            skipping: whether lines that are no values may stand before the first one.
            closed: whether only lines count that hold all of an object or list.
        """
        found = 0
        for line in lines_of(self.data, whole=self.whole):
            body = line.removeprefix(BOM).strip(BLANK)
            if not body or (closed and not is_closed(line)):
                continue
            try:
                yield parse(body, non_finite=True)
            except JSONError:
                if not found and not skipping:
                    return
            found += 1
            if found == _MANY:
                return

    def _documents(self, body: bytes) -> Iterator[JSONValue]:
        """The values of whole documents."""
        decoder, text, place = json.JSONDecoder(), body.decode(errors="replace"), 0
        for _ in range(_MANY):
            try:
                value, place = decoder.raw_decode(text, place)
            except (ValueError, RecursionError):
                return
            yield value
            while text[place : place + 1].isspace() or text[place : place + 1] == "\x1e":
                place += 1


_BEFORE: Final = BOM + BLANK
_BEGINS = re.compile(rb'\{\s*+(?:["}]|\Z)|\[\s*+(?:"|\Z|\{\s*+["}]|\[\s*+["{\[0-9])')
"""Brackets behind which no prose goes on: `[TOOL_CALLS]` begins replies of models."""
_CITED = re.compile(rb'\[[^\[\]{}"]*+\][ \t]*+[^\s\x1e\[\]{},]')
"""Brackets behind which it does: `[1] A lamp.` is no list."""
