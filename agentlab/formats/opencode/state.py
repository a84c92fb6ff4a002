"""What an OpenCode event stream says in the end: sessions, messages and parts, each with its last state.

Events repeat what they update, so the last one counts; of a tool the lines are kept on which it began and ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, listing, mapping, mappings, text
from agentlab.strictjson import JSONValue

__all__ = ["Asked", "Decision", "Message", "Part", "Session", "Stream"]

_HOOKS = 3
"""Length of a line that a hook wrote: its name, what it was given, what it gave."""
_VERDICTS: Mapping[str, Literal["approve", "reject"]] = {"once": "approve", "always": "approve", "reject": "reject"}
_KNOWN = {
    *("session.created", "session.updated", "session.status", "session.idle", "session.diff"),
    *("message.updated", "message.part.updated", "message.part.delta"),
    *("permission.asked", "permission.updated", "permission.replied"),
    *("server.connected", "server.heartbeat", "server.instance.disposed"),
}


@dataclass(slots=True)
class Part:
    """One part of a message, after its last update."""

    place: int
    """Line of its first update."""
    body: Object
    last: int
    """Line of its last update."""
    began: int = 0
    """Line on which a tool was first said to run; 0 if on none."""
    time: JSONValue = None
    """Of the last update, in milliseconds."""
    pieces: list[str] = field(default_factory=list)
    """Text that was streamed after the last update."""

    @property
    def text(self) -> str:
        return text(self.body, "text") + "".join(self.pieces)


@dataclass(slots=True)
class Message:
    """One message, after its last update."""

    info: Object
    parts: dict[str, Part] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """The word given when a permission was asked."""

    call: str
    verdict: Literal["approve", "reject"]
    line: int
    source: str


@dataclass(slots=True)
class Session:
    """One session, after its last update."""

    info: Object = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    systems: list[tuple[int, str, str]] = field(default_factory=list)
    """System prompts: line, model and text."""
    idle: int = 0
    """Line on which it was last said to be idle."""
    error: Object = field(default_factory=dict)
    """What went wrong last."""
    diff: JSONValue = None
    """The changes of files, as told last."""
    decisions: list[Decision] = field(default_factory=list)
    parent: str = ""
    """The session that started it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A permission that was asked for."""

    session: str
    call: str
    body: Object


class Stream:
    """Takes lines in and keeps what they say."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.tools: dict[str, tuple[str, JSONValue]] = {}
        """Tools that requests offered: description and schema, by name."""
        self.asked: dict[str, Asked] = {}
        """Permissions that were asked for and not decided, by id."""
        self.other: list[JSONValue] = []
        """Events of other kinds, as they stand in the file."""

    def add(self, line: int, value: JSONValue) -> None:
        """Take one line in.

        Raises:
            ShapeError: if it is not what its kind says.
        """
        if not isinstance(value, list) or len(value) < 2 or not isinstance(value[0], str):
            raise ShapeError(f"a list that begins with the name of a hook was expected and {kind_of(value)} found")
        given = value[1] if isinstance(value[1], dict) else {}
        if value[0] == "event":
            event = mapping(given, "event")
            self._add_event(line, text(event, "type"), mapping(event, "properties"), value)
        else:
            made = value[2] if len(value) >= _HOOKS and isinstance(value[2], dict) else {}
            self._add_hook(line, value[0], given, made, value)

    def _session(self, name: str) -> Session:
        return self.sessions.setdefault(name, Session())

    # --- hooks ---

    def _add_hook(self, line: int, name: str, given: Object, made: Object, value: JSONValue) -> None:
        if name == "tool.definition":
            self.tools[text(given, "toolID")] = text(made, "description"), made.get("parameters")
        elif name == "chat.message":
            self._add_message(mapping(made, "message"))
            for part in mappings(made, "parts"):
                self._add_part(line, part, None)
        elif name == "experimental.chat.system.transform":
            prompt = "\n".join(each for each in listing(made, "system") if isinstance(each, str))
            session = self._session(text(given, "sessionID"))
            session.systems.append((line, text(mapping(given, "model"), "id"), prompt))
        else:
            self.other.append(value)

    # --- events ---

    def _add_event(self, line: int, kind: str, said: Object, value: JSONValue) -> None:
        name = text(said, "sessionID")
        if kind == "message.part.updated":
            self._add_part(line, mapping(said, "part"), said.get("time"))
        elif kind == "message.part.delta":
            self._add_piece(said)
        elif kind == "message.updated":
            self._add_message(mapping(said, "info"))
        elif kind in ("session.created", "session.updated"):
            info = mapping(said, "info")
            session = self._session(text(info, "id") or name)
            session.info, session.parent = info, text(info, "parentID")
        elif kind == "session.idle":
            self._session(name).idle = line
        elif kind == "session.error" and name:
            self._session(name).error = mapping(said, "error")
        elif kind == "session.diff":
            self._session(name).diff = said.get("diff")
        elif kind.startswith("permission."):
            self._add_permission(line, kind, said, value)
        elif kind not in _KNOWN:
            self.other.append(value)

    def _add_message(self, info: Object) -> None:
        session = self._session(text(info, "sessionID"))
        known = session.messages.setdefault(text(info, "id"), Message(info))
        known.info = info

    def _add_part(self, line: int, body: Object, time: JSONValue) -> None:
        name, owner = text(body, "id"), text(body, "messageID")
        if not name or not owner:
            return  # a hook may show parts before they have a place; they are written again
        messages = self._session(text(body, "sessionID")).messages
        parts = messages.setdefault(owner, Message({})).parts
        part = parts.setdefault(name, Part(line, body, line))
        part.body, part.last, part.pieces = body, line, []
        part.time = time if time is not None else part.time
        state = mapping(body, "state")
        ran = text(state, "status") == "running" or "start" in mapping(state, "time")
        part.began = part.began or (line if ran else 0)

    def _add_piece(self, said: Object) -> None:
        messages = self._session(text(said, "sessionID")).messages
        message = messages.get(text(said, "messageID"))
        part = message.parts.get(text(said, "partID")) if message else None
        if part is not None and text(said, "field") == "text":
            part.pieces.append(text(said, "delta"))

    def _add_permission(self, line: int, kind: str, said: Object, value: JSONValue) -> None:
        if kind == "permission.replied":
            name = text(said, "permissionID") or text(said, "requestID")
            verdict = _VERDICTS.get(text(said, "response") or text(said, "reply"))
            if name in self.asked and verdict is not None:
                asked = self.asked.pop(name)
                decision = Decision(call=asked.call, verdict=verdict, line=line, source=name)
                self._session(asked.session).decisions.append(decision)
            else:
                self.other.append(value)  # nobody knows for what, or how
        else:
            call = text(said, "callID") or text(mapping(said, "tool"), "callID")
            self.asked[text(said, "id")] = Asked(text(said, "sessionID"), call, said)
