"""An Inspect log as a zip archive: its head, and where its samples lie.

A sample is one member, or, in logs of very long samples, a folder of pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from agentlab.errors import LoadError
from agentlab.formats.files.jsontext import JSONError, parse
from agentlab.formats.files.zipped import Archive
from agentlab.formats.shapes.fields import Object, kind_of
from agentlab.strictjson import JSONValue

__all__ = ["HEADER", "START", "header_of", "samples_of"]

START = "_journal/start.json"
HEADER = "header.json"
_PIECE = re.compile(
    r"(?P<sample>samples/.+)/(?:(?P<one>sample|metadata|skeleton)|(?P<many>[a-z]+)/(?P<start>\d{1,12}|[a-z]+))\.json\Z"
)
"""A part of a sample that is stored in pieces; `start` is the index of a piece's first item."""


def header_of(archive: Archive, path: str) -> Object | LoadError:
    """The head of a log, or what was written when it began, where it never ended."""
    name = HEADER if HEADER in archive.names else START
    try:
        value, _ = _parsed(archive, path, name)
    except LoadError as error:
        return error
    if not isinstance(value, dict):
        return LoadError(path, f"{name}: an object was expected and {kind_of(value)} found")
    return value


def samples_of(archive: Archive, path: str) -> Iterator[tuple[str, Callable[[], tuple[JSONValue, bytes]]]]:
    """Where each sample stands, and what reads it."""
    pieces: dict[str, list[re.Match[str]]] = {}
    single: dict[str, str] = {}
    for name in archive.names:
        if piece := _PIECE.match(name):
            pieces.setdefault(piece["sample"], []).append(piece)
        if name.startswith("samples/") and name.endswith(".json"):
            single[name] = piece["sample"] if piece else ""
    joined = {name: parts for name, parts in pieces.items() if any(part["one"] == "sample" for part in parts)}
    for name, around in single.items():
        if around not in joined:
            yield name, partial(_parsed, archive, path, name)
    for name, parts in joined.items():
        yield name, partial(_joined, archive, path, parts)


def _parsed(archive: Archive, path: str, name: str) -> tuple[JSONValue, bytes]:
    raw = archive.read(name)
    try:
        return parse(raw, non_finite=True), raw
    except JSONError as error:
        raise LoadError(f"{path}!{name}", f"the member is not JSON: {error}") from None


def _joined(archive: Archive, path: str, pieces: Sequence[re.Match[str]]) -> tuple[JSONValue, bytes]:
    """A sample that is stored as a shell and its lists in pieces; texts are then named by their index."""
    whole: dict[str, JSONValue] = {}
    raw = b""
    lists: dict[str, list[JSONValue]] = {"messages": [], "events": [], "attachments": []}
    numbered = [piece for piece in pieces if piece["many"] in lists and piece["start"].isdecimal()]
    for piece in sorted(numbered, key=lambda piece: int(piece["start"])):
        value, _ = _parsed(archive, path, piece[0])
        if isinstance(value, list):
            lists[piece["many"]].extend(value)
    for piece in pieces:
        if piece["one"] in ("sample", "metadata"):
            value, raw = _parsed(archive, path, piece[0])
            whole |= value if isinstance(value, dict) and piece["one"] == "sample" else {"metadata": value}
    whole["events"] = lists["events"]
    whole["events_data"] = {"messages": lists["messages"]}
    whole["attachments"] = {str(index): text for index, text in enumerate(lists["attachments"])}
    return whole, raw
