"""Codex rollouts: the JSON lines that OpenAI's Codex keeps of a session.

Written by https://github.com/openai/codex (`codex-rs/rollout` and `codex-rs/protocol`). A line is `timestamp`, `type`
and `payload`; in 2025 a first generation wrote a head without type and then bare items.

- `response_item` holds an item of the Responses API, see `items`. `event_msg` is what the interface was told: user and
  agent messages in it repeat items and count only where no item says the same.
- What ran is proved by `exec_command_...`, `patch_apply_...` and `mcp_tool_call_...` events, and by the head that Codex
  writes in front of what a command printed (`outputs`), each call once. Rejected, unknown and invalid calls are told
  apart by Codex's own words, and events that say `declined` tell of no run. Other outputs are answers only. Files
  without any proof record no executions.
- `token_count` comes after a response and is its tokens; the same total told again is no new response. `input_tokens`
  holds cached tokens, `output_tokens` reasoning ones.
- The model is that of the latest `turn_context`. The first user messages, which Codex words itself (environment,
  AGENTS.md), are by the harness. `compacted` replaces the history by a summary, or by the items it lists.
- A session that another one spawned says so in `session_meta`; its calls are by `subagent`. In a forked file the lines
  of its parent come first, with a `session_meta` of their own, which is ignored.

Identity is `line 12`; the attempt's is the session's id with the digest of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agentlab.formats.base import Format, Proofs
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Placed, each_session
from agentlab.formats.openai_items.items import is_telling_item
from agentlab.formats.openai_items.rollout import Line, RolloutReading
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = ["CODEX"]

_TYPES: Final = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}


def _is_line(value: JSONValue) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("payload"), dict):
        return False
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES


def _is_head(value: Object) -> bool:
    """Whether an object is the first line of the first generation."""
    return {"id", "timestamp"} <= value.keys() and "type" not in value and bool({"instructions", "git"} & value.keys())


def _sniff(head: Head) -> bool:
    if any(_is_line(dict(each)) for each in head.objects):
        return True
    begins = any(map(_is_head, head.objects[:1]))
    return begins and any("record_type" in each or is_telling_item(dict(each)) for each in head.objects[1:])


def _split(record: Record) -> Iterator[Placed]:
    if isinstance(record.value, list):
        yield from ((f"row {number}", value) for number, value in enumerate(record.value))
    else:
        yield f"line {record.line}", record.value


def _read(parts: Sequence[Placed], path: str, digest: str, problems: list[str]) -> Trace:
    lines: list[Line] = []
    for place, value in parts:
        if isinstance(value, dict):
            lines.append(_line(value, place))
        else:
            problems.append(f"{place} could not be read: an object was expected and {kind_of(value)} found")
    if not lines:
        raise ShapeError(problems[0])
    return RolloutReading(lines, path, digest).trace(problems)


def _line(record: Object, place: str) -> Line:
    kind, payload = record.get("type"), record.get("payload")
    if isinstance(kind, str) and isinstance(payload, dict):
        return Line(kind=kind, payload=payload, stamp=record.get("timestamp"), place=place)
    if _is_head(record):
        return Line(kind="session_meta", payload=record, stamp=record.get("timestamp"), place=place)
    if "record_type" in record:
        return Line(kind="record", payload=record, stamp=None, place=place)
    return Line(kind="response_item", payload=record, stamp=None, place=place)


CODEX = Format(
    name="codex",
    sentence="Codex rollouts; exit codes and events prove what ran, other outputs only that it was answered.",
    url="https://github.com/openai/codex",
    proofs=Proofs(
        proposals="present",
        executions="depends",
        results="depends",
        errors="depends",
        times="depends",
        usage="depends",
    ),
    sniff=_sniff,
    load=each_session(_split, _read),
)
