"""The beginning of a file: what a format may look at before it says that the file is its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from agentlab.formats.files.jsontext import JSONError, parse, parse_partial
from agentlab.strictjson import JSONValue

__all__ = ["ZIP", "Head"]

ZIP = b"PK\x03\x04", b"PK\x05\x06"
"""How a zip archive begins."""
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
        return bool(self.values) and self.data.lstrip(b"\xef\xbb\xbf\x1e \t\r\n").startswith((b"{", b"["))

    @cached_property
    def values(self) -> tuple[JSONValue, ...]:
        """The first JSON values: lines of JSON, or one document that may be cut off, or documents one behind another.

        Empty where the file is not JSON, and for a zip archive.
        """
        if self.data.startswith(ZIP):
            return ()
        body = self.data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\x1e \t\r\n")
        if not body.startswith((b"{", b"[")):
            return tuple(self._lines(skipping=True))
        return tuple(self._lines()) or tuple(self._document(body))

    @property
    def first(self) -> JSONValue:
        """The first value; None where there is none."""
        return self.values[0] if self.values else None

    @cached_property
    def objects(self) -> tuple[Mapping[str, JSONValue], ...]:
        """The first values that are objects: those of the file, or of the list that it holds."""
        values = self.first if len(self.values) == 1 and isinstance(self.first, list) else self.values
        return tuple(value for value in values if isinstance(value, dict))

    def _lines(self, *, skipping: bool = False) -> Iterator[JSONValue]:
        """The values of whole lines, if the first line that is not blank is one value."""
        lines = self.data.split(b"\n")
        found = 0
        for line in lines if self.whole else lines[:-1]:
            body = line.removeprefix(b"\xef\xbb\xbf").strip(b"\x1e \t\r")
            if not body:
                continue
            try:
                yield parse(body, non_finite=True)
            except JSONError:
                if not found and not skipping:
                    return
            found += 1
            if found == _MANY:
                return

    def _document(self, body: bytes) -> Iterator[JSONValue]:
        """The values of whole documents, or what is there of one that is cut off."""
        decoder, text, place = json.JSONDecoder(), body.decode(errors="replace"), 0
        for _ in range(_MANY):
            try:
                value, place = decoder.raw_decode(text, place)
            except (ValueError, RecursionError):
                break
            yield value
            while text[place : place + 1].isspace() or text[place : place + 1] == "\x1e":
                place += 1
        if place == 0 and (value := parse_partial(body)) is not None:
            yield value
