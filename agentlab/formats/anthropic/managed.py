"""Events of Claude's managed agents: sessions that Anthropic hosts, as a stream of events.

Events after https://docs.claude.com/en/api/beta/sessions. They come one a line, in a list, in `data` of an API page, or
as pairs of the client's method and its payload, which is how recorders write them down.

- A model request is a span; what the agent says and asks for until it ends is one reply. `processed_at` are the times.
- A tool of the agent's set or of an MCP server is evaluated first (`evaluated_permission`); where it says `ask`, a
  `user.tool_confirmation` follows. `agent.tool_result` and `agent.mcp_tool_result` come from the platform that ran the
  tool, so they prove an execution, unless the call was denied: then the result is the answer to a refusal.
- A custom tool is run by whoever holds the client, and its result is an answer only. A session in which nothing but
  custom tools was called records no executions.
- What the client sends comes back in the stream with an id; the sent copy is left out, and what never came back stands
  in the attempt's `sent`. Events that are neither message nor call stand in `events`.
- Usage counts cached input tokens beside `input_tokens`; they are added up, and each stands in the reply's `extra`.
- When a tool began to run is not recorded: what is on record is when it was asked for, approved and answered.

Identity is an event's id (`sevt_...`); a reply has that of its message, else of its first call, and lists all. A call's
id is that of the event that proposed it, the attempt's that of the session with the digest of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard

from agentlab.formats.anthropic.session import SessionReading, is_own
from agentlab.formats.base import Format, Proofs
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Placed, each_session
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = ["MANAGED_AGENTS"]

_SENT: Final = "client.beta.sessions.events.send"


def _event_of(value: JSONValue) -> Object | None:
    """The event in a line: itself, or the payload behind the name of the client's method."""
    if _is_sent(value):
        value = value[1]
    return value if isinstance(value, dict) else None


def _is_sent(value: JSONValue) -> TypeGuard[list[JSONValue]]:
    """Whether a value is the name of a method of the client and its payload."""
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _is_event(value: JSONValue) -> bool:
    event = _event_of(value)
    return event is not None and is_own(event)


def _sniff(head: Head) -> bool:
    values = head.values
    if len(values) == 1 and isinstance(first := values[0], dict):
        values = tuple(data) if isinstance(data := first.get("data"), list) else values
    elif len(values) == 1 and isinstance(first, list) and not _is_event(first):
        values = tuple(first)
    return any(_is_event(value) and _marked(_event_of(value) or {}) for value in values)


def _marked(event: Object) -> bool:
    return "processed_at" in event or str(event.get("id", "")).startswith("sevt_")


def _split(record: Record) -> Iterator[Placed]:
    value = record.value
    if isinstance(value, dict) and isinstance(data := value.get("data"), list):
        value = data
    if isinstance(value, list) and not _is_sent(value):
        yield from ((f"event {number}", each) for number, each in enumerate(value))
    else:
        yield f"line {record.line}", value


def _read(parts: Sequence[Placed], path: str, digest: str, problems: list[str]) -> Trace:
    events: list[tuple[str, Object]] = []
    sent: list[JSONValue] = []
    for place, value in parts:
        event = _event_of(value)
        if event is not None:
            events.append((place, event))
        elif isinstance(value, list) and value and value[0] == _SENT:
            sent.append(value[-1])
        else:
            problems.append(f"{place} could not be read: an event was expected and {kind_of(value)} found")
    if not events:
        raise ShapeError(problems[0] if problems else "events of a session were expected, and it holds what was sent")
    return SessionReading(events, sent, path, digest).trace(problems)


MANAGED_AGENTS = Format(
    name="managed-agents",
    sentence="Event streams of Claude's managed agents; custom tools are run elsewhere, and only answered here.",
    url="https://docs.claude.com/en/api/beta/sessions",
    proofs=Proofs(
        proposals="present",
        executions="depends",
        results="present",
        errors="depends",
        times="depends",
        usage="depends",
    ),
    sniff=_sniff,
    load=each_session(_split, _read),
)
