"""The messages of an Inspect log: what was said, what the provider's own tools did, and where long texts are kept.

Types after `inspect_ai.model.ChatMessage`, `inspect_ai._util.content` and what older releases wrote in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentlab.formats.building.seat import Item
from agentlab.formats.shapes.content import part_text, written
from agentlab.formats.shapes.fields import Object, ShapeError, arguments_of, kind_of, mapping, rest, text
from agentlab.messages import Role
from agentlab.strictjson import JSONValue

__all__ = ["Attachments", "Failure", "Said", "ServerCall", "failure_of", "item_of", "result_text", "said"]

_MARKS = ("attachment://", "tc://")
"""What stands in place of a long text: the second in logs of 2024."""
_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_MESSAGE = {"id", "role", "content", "tool_calls", "model"}
_TOOL_MESSAGE = _MESSAGE | {"tool_call_id", "function"}
_PARTS: Mapping[str, frozenset[str]] = {
    "text": frozenset({"type", "text"}),
    "reasoning": frozenset({"type", "reasoning"}),
    "tool_use": frozenset({"type", "id", "name", "arguments", "result", "error"}),
}


class Attachments:
    """The long texts of a sample, each stored once and named where it stood.

    Args:
        texts: by name; MD5 digests, murmur digests or indices, depending on the release.
    """

    def __init__(self, texts: Object) -> None:
        self._texts = texts

    def text(self, value: str) -> str:
        """The text that a name stands for; a text that is no name, or that names nothing, as it is."""
        if value.startswith(_MARKS):
            found = self._texts.get(value.partition("://")[2])
            return found if isinstance(found, str) else value
        return value

    def value(self, value: JSONValue) -> JSONValue:
        """The value with every text in it looked up."""
        if isinstance(value, str):
            return self.text(value)
        if not self._texts:
            return value
        if isinstance(value, dict):
            return {name: self.value(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        return value

    def object(self, value: dict[str, JSONValue]) -> dict[str, JSONValue]:
        """The object with every text in it looked up; itself where there are no long texts."""
        if not self._texts:
            return value
        return {name: self.value(inner) for name, inner in value.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerCall:
    """A call that the provider made and ran while it wrote a reply."""

    id: str
    name: str
    arguments: Mapping[str, JSONValue] | str
    result: str
    error: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The content of a message."""

    text: str
    reasoning: str = ""
    server_calls: tuple[ServerCall, ...] = ()
    parts: tuple[Object, ...] = ()
    """What the parts hold beside text, reasoning and calls: citations, signatures, a provider's own data."""


def said(content: JSONValue, attachments: Attachments) -> Said:
    """Read the content of a message, which is a text or a list of parts.

    Raises:
        ShapeError: if it is neither, nor null.
    """
    if isinstance(content, str):
        return Said(text=attachments.text(content))
    if content is None:
        return Said(text="")
    if not isinstance(content, list):
        raise ShapeError(f"content: a text or a list of parts was expected and {kind_of(content)} found")
    found = _Parts()
    for part in content:
        found.add(attachments.value(part))
    return Said(
        text="\n".join(found.texts),
        reasoning="\n".join(found.reasoning),
        server_calls=tuple(found.calls),
        parts=tuple(found.rest) if any(found.rest) else (),
    )


@dataclass(slots=True)
class _Parts:
    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[ServerCall] = field(default_factory=list)
    rest: list[Object] = field(default_factory=list)

    def add(self, part: JSONValue) -> None:
        if not isinstance(part, dict):
            self.texts.append(written(part))
            return
        kind = text(part, "type")
        if kind == "reasoning":
            hidden = part.get("redacted") is True
            self.reasoning.append(text(part, "summary") if hidden else text(part, "reasoning"))
        elif kind == "tool_use":
            self.calls.append(_server_call(part))
        elif kind != "data":
            self.texts.append(part_text(part))
        known = _PARTS.get(kind, frozenset() if kind == "data" else part.keys())
        self.rest.append(rest(part, known))


def _server_call(part: Object) -> ServerCall:
    return ServerCall(
        id=text(part, "id"),
        name=text(part, "name") or text(part, "tool_type"),
        arguments=arguments_of(part.get("arguments")),
        result=written(part.get("result") or ""),
        error=text(part, "error") or None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Why a call failed, or why it was not made."""

    kind: str
    message: str


def failure_of(record: Object, attachments: Attachments) -> Failure | None:
    """The error of a tool message or tool event; None where there is none.

    Releases of early 2024 wrote a text, in `error` or in `tool_error`.
    """
    value = record.get("error") or record.get("tool_error")
    if not value:
        return None
    if isinstance(value, str):
        return Failure(kind="unknown", message=attachments.text(value))
    error = mapping(record, "error")
    return Failure(kind=text(error, "type", "unknown"), message=attachments.text(text(error, "message")))


def item_of(
    message: JSONValue, source: str, index: int, attachments: Attachments, ended: Mapping[str, float | None]
) -> Item:
    """A message as an item of a context.

    What a model is shown of a failed call is the error's message; a content beside it goes to `extra`. An assistant's
    message that came with the task was written by whoever wrote the task.

    Args:
        message: from a list of messages.
        source: the event in whose input it stands; empty for the sample's own list of messages.
        index: its place in that list.
        attachments: the sample's.
        ended: when calls ended, by id; their answers are as old.

    Raises:
        ShapeError: if it is no message.
    """
    if not isinstance(message, dict):
        raise ShapeError(f"a message was expected and {kind_of(message)} found")
    name = message.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise ShapeError(f"role: one of {', '.join(_ROLES)} was expected")
    shown, extra = message.get("content"), rest(message, _TOOL_MESSAGE if role == "tool" else _MESSAGE)
    if extra:
        extra = attachments.object(extra)
    if isinstance(shown, str):
        shown = attachments.text(shown)
    else:
        content = said(shown, attachments)
        shown = content.text
        if content.parts:
            extra["content"] = [dict(part) for part in content.parts]
    if role == "tool" and (failure := failure_of(message, attachments)):
        if shown and failure.message and shown != failure.message:
            extra["content"] = shown
        shown = failure.message or shown
    given = role == "assistant" and message.get("source") == "input"
    call = text(message, "tool_call_id") if role == "tool" else ""
    return Item(
        role=role,
        text=shown,
        call=call,
        tool=text(message, "function") if role == "tool" else "",
        author="user" if given else None,
        time=ended.get(call) if call else None,
        source=text(message, "id") or (f"{source} input {index}" if source else str(index)),
        extra=extra,
    )


def result_text(value: JSONValue, attachments: Attachments) -> str:
    """What a tool returned, as text: a text, a number, a truth value, or a list of parts."""
    if isinstance(value, str):
        return attachments.text(value)
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return said(value, attachments).text
    return "" if value is None else written(attachments.value(value))
