"""Marks that only their payload gives away: a message written as an object, and a JSON result behind a word in a line.

They are no markers by their place. They count where a text also holds an action, and some behind a thought's marker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentlab.markers.arguments import closing, read_object
from agentlab.markers.context import PARTIES, inside
from agentlab.markers.lexicon import Kind
from agentlab.markers.quotation import Shelter
from agentlab.markers.scan import MESSAGE, PAYLOAD, Mark

__all__ = ["in_thoughts", "messages", "with_payload"]


def messages(text: str, shelters: Sequence[Shelter]) -> Iterator[Mark]:
    """Objects that stand alone on their lines, outside all quotation, and are another party's message.

    Their form is a chat interface's: `{"role": "tool", "content": "..."}`, with more keys or in another order. An
    object over several lines must begin with its role, and behind one that is never closed only single lines are read.
    """
    behind, over_lines = 0, True
    for opening in _OPENING.finditer(text) if "role" in text.lower() else ():
        start = opening.start("object")
        if start < behind or inside(start, shelters):
            continue
        line_end = text.find("\n", start)
        line_end = len(text) if line_end < 0 else line_end
        end = closing(text, start, line_end)
        if end is None and opening["role"] and over_lines:
            end = closing(text, start, len(text))
            over_lines = end is not None
        behind = line_end if end is None else end
        kind = _party(text[start:end]) if end is not None and _ALONE.match(text, end) else None
        if end is not None and kind is not None:
            yield Mark(kind, start, end, "line", tag=MESSAGE)


def with_payload(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks within a line that would bring a result and have an object directly behind them, and all messages."""
    return [mark for mark in marks if mark.tag == MESSAGE or _brings_object(text, mark)]


def in_thoughts(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Those of the marks with an object behind them that stand in a line that begins with a thought's marker."""
    found, line_end = [], 0
    for mark in marks:
        if mark.kind == "thought" and mark.place != "inline" and mark.start >= line_end:
            line_end = text.find("\n", mark.end)
            line_end = len(text) if line_end < 0 else line_end
        elif mark.start < line_end and _brings_object(text, mark):
            found.append(mark)
    return found


def _brings_object(text: str, mark: Mark) -> bool:
    results = mark.kind == "observation" or (mark.kind == "tool" and mark.tag != "")
    return results and mark.place == "inline" and PAYLOAD.match(text, mark.end) is not None


def _party(written: str) -> Kind | None:
    message = read_object(written)
    if not isinstance(message, dict):
        return None
    message = {key.lower(): value for key, value in message.items()}
    role = message.get("role") if message.keys() & _CONTENT_KEYS else None
    kind = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    return kind if kind in PARTIES else None


_ROLES: dict[str, Kind] = {
    "user": "user",
    "human": "user",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
}
_CONTENT_KEYS = {"content", "text", "parts", "tool_call_id"}
_BREAK = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_OPENING = re.compile(
    rf"(?:^|(?<=[{_BREAK}]))[^\w{_BREAK}\"'`<>|\[\](){{}}*+•–-]*+(?:\[\s*+)?"
    r"(?P<object>\{)(?P<role>\s*+[\"']role[\"']\s*+:)?",
    re.MULTILINE | re.IGNORECASE,
)
_ALONE = re.compile(rf"[^\w{_BREAK}\"'`<>|\[(){{}}]*+(?:[{_BREAK}]|\Z)")
