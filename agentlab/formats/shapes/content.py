"""The content of a chat message, which is a text, a list of parts, or nothing."""

from __future__ import annotations

from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, text
from agentlab.strictjson import JSONValue, digest, dumps

__all__ = ["part_text", "plain_text", "written"]

_TEXT_PARTS = {"text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text"}
_MEDIA = ("image", "audio", "video", "file", "document", "media")


def plain_text(content: JSONValue) -> str:
    """The text of a message; its parts one below the other, and what is not text as a short mark in brackets.

    A picture is named with its kind, size and digest, so that it is neither carried along nor dropped silently.

    Raises:
        ShapeError: if it is neither a text, a list of parts, one part nor null.
    """
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, dict):
        return part_text(content)
    if not isinstance(content, list):
        raise ShapeError(f"content: a text or a list of parts was expected and {kind_of(content)} found")
    return "\n".join(part if isinstance(part, str) else _part(part) for part in content)


def part_text(part: Object) -> str:
    """The text of one part."""
    kind = text(part, "type")
    if isinstance(part.get("text"), str) and (kind in _TEXT_PARTS or not kind):
        return text(part, "text")
    if kind == "refusal":
        return text(part, "refusal")
    if isinstance(part.get("content"), str) and kind in {"text", ""}:  # AgentDojo and OpenTelemetry name it so
        return text(part, "content")
    if not kind.startswith(_MEDIA) and not kind.endswith(_MEDIA):
        return dumps(part)
    body = dumps(part)
    return f"[{kind}, {len(body)} characters, sha256 {digest(body)[:12]}]"


def written(value: JSONValue) -> str:
    """A result as text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else dumps(value)


def _part(part: JSONValue) -> str:
    return part_text(part) if isinstance(part, dict) else dumps(part)
