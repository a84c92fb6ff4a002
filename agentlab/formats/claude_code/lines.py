"""The lines of a Claude Code session, whichever version wrote them, in one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentlab.formats.shapes.fields import Object, boolean, mapping, text
from agentlab.formats.shapes.times import seconds
from agentlab.strictjson import JSONValue

__all__ = ["Line", "alone_in", "is_line", "line_of", "session_of"]

NOTES: Final = {
    *("file-history-snapshot", "queue-operation", "permission-mode", "last-prompt", "ai-title", "custom-title"),
    *("agent-name", "mode", "summary", "system", "progress", "attachment", "pr-link", "agent-color", "result"),
}
"""Types of lines beside messages that are known to be written."""
_ENVELOPE: Final = {
    *("type", "uuid", "parentUuid", "isSidechain", "timestamp", "message", "sessionId", "session_id", "agentId"),
    *("toolUseResult", "tool_use_result", "parent_tool_use_id", "isMeta", "isCompactSummary", "isApiErrorMessage"),
    *("logicalParentUuid", "sourceToolAssistantUUID", "toolDenialKind", "isVisibleInTranscriptOnly"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line: a message of a session or a note about it."""

    kind: str
    record: Object
    place: str
    """`line 12`."""
    uuid: str = ""
    parent: str = ""
    sidechain: bool = False
    """Whether an agent that the session started wrote it."""
    agent: str = ""
    """Id of that agent, where the line gives it."""
    started_by: str = ""
    """The call that started that agent, where the line gives it: that call runs."""
    time: float | None = None

    @property
    def source(self) -> str:
        """Identity in the file."""
        return self.uuid or self.place

    @property
    def message(self) -> Object:
        return mapping(self.record, "message")

    @property
    def result(self) -> JSONValue:
        """What the tool itself returned, beside what the model is told; None where it returned nothing."""
        return self.record.get("toolUseResult", self.record.get("tool_use_result"))

    @property
    def more(self) -> dict[str, JSONValue]:
        """The fields that say nothing about what happened and are kept."""
        return {name: value for name, value in self.record.items() if name not in _ENVELOPE and value is not None}


def is_line(record: Object) -> bool:
    """Whether an object can only be a line of a session."""
    kind = record.get("type")
    if kind == "file-history-snapshot":
        return "snapshot" in record
    if kind == "summary":
        return "leafUuid" in record
    if not isinstance(kind, str):
        return False
    if isinstance(record.get("sessionId"), str):
        return kind in NOTES or ("uuid" in record and "parentUuid" in record)
    if isinstance(record.get("session_id"), str):  # what `--output-format stream-json` prints
        return isinstance(record.get("message"), dict) or (kind == "system" and record.get("subtype") == "init")
    return False


def alone_in(lines: Sequence[Line]) -> Line | None:
    """The first message of the agent that a session started and whose file this is; None where others speak in it."""
    spoken = [line for line in lines if line.kind in ("user", "assistant")]
    return spoken[0] if spoken and all(line.sidechain for line in spoken) else None


def session_of(record: Object) -> str:
    """The session a line says that it belongs to."""
    return text(record, "sessionId") or text(record, "session_id")


def line_of(record: Object, place: str) -> Line:
    """A line in one form; what an agent says inside a progress line becomes that agent's own line.

    Raises:
        ShapeError: if a field has another type than it must have.
    """
    started_by = text(record, "parent_tool_use_id")
    if inner := _inside(record):
        started_by = text(record, "parentToolUseID")
        record = inner
    return Line(
        kind=text(record, "type"),
        record=record,
        place=place,
        uuid=text(record, "uuid"),
        parent=text(record, "parentUuid"),
        sidechain=bool(boolean(record, "isSidechain") or started_by),
        agent=text(record, "agentId") or started_by,
        started_by=started_by,
        time=seconds(record.get("timestamp")),
    )


def _inside(record: Object) -> Mapping[str, JSONValue] | None:
    if record.get("type") != "progress":
        return None
    data = mapping(record, "data")
    if data.get("type") != "agent_progress" or not (inner := mapping(data, "message")):
        return None
    return {"timestamp": record.get("timestamp"), **inner, "isSidechain": True, "agentId": data.get("agentId")}
