"""What several lines of a Claude Code session say together: an API message, and that a tool ran."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agentlab.formats.anthropic.blocks import usage_of
from agentlab.formats.anthropic.messages import blocks_of
from agentlab.formats.claude_code.lines import Line
from agentlab.formats.shapes.fields import Object, ShapeError, mapping, text
from agentlab.messages import Usage
from agentlab.strictjson import JSONValue

__all__ = ["Merged", "group", "merge", "preserved", "proof"]


@dataclass(kw_only=True, slots=True)
class Merged:
    """One API message, which stands on several lines."""

    blocks: list[dict[str, JSONValue]] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    message: Object = field(default_factory=dict)
    """Of the line with the highest count of tokens: earlier ones were written while it was still streamed."""
    calls: set[str] = field(default_factory=set)
    lines: list[JSONValue] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Take in what another line has of it."""
        message = line.message
        usage = usage_of(mapping(message, "usage"))
        if not self.message or (usage.output_tokens or 0) >= (self.usage.output_tokens or 0):
            self.usage, self.message = usage, message
        self.lines.append(line.source)
        for block in blocks_of(message.get("content")):
            call = text(block, "id") if block.get("type") == "tool_use" else ""
            if call not in self.calls:
                self.blocks.append(block)
            if call:
                self.calls.add(call)


def group(line: Line) -> tuple[str, str]:
    """What the lines of one API message have in common."""
    name = text(line.message, "id")
    return (line.agent, name) if name else ("", line.source)


def merge(lines: Iterable[Line]) -> tuple[dict[tuple[str, str], Merged], dict[str, ShapeError]]:
    """The API messages of some lines, by `group`, and the lines that are none, by place."""
    found: dict[tuple[str, str], Merged] = {}
    broken: dict[str, ShapeError] = {}
    for line in lines:
        if line.kind == "assistant":
            try:
                found.setdefault(group(line), Merged()).add(line)
            except ShapeError as error:
                broken[line.place] = error
    return found, broken


def proof(record: Object) -> str:
    """The call that a progress line shows to have run; a hook before a call comes before the permission is asked."""
    data = record.get("data")
    if record.get("type") != "progress" or not isinstance(data, dict):
        return ""
    running = data.get("type") in ("bash_progress", "mcp_progress")
    after = isinstance(event := data.get("hookEvent"), str) and event.startswith("PostToolUse")
    call = record.get("parentToolUseID") or record.get("toolUseID")
    return call if (running or after) and isinstance(call, str) else ""


def preserved(boundary: Object) -> list[str]:
    """The messages that a compaction kept behind its summary."""
    kept = mapping(mapping(boundary, "compactMetadata"), "preservedMessages").get("uuids")
    return [uuid for uuid in kept if isinstance(uuid, str)] if isinstance(kept, list) else []
