"""The shapes in which OpenHands writes its events, made one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, mapping, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.strictjson import JSONValue

__all__ = ["LISTS", "Event", "event_of", "is_event", "is_row", "placed"]

LISTS = ("history", "trajectory", "events")
"""Fields in which a row of results, or an answer of the server, may hold its events."""
_TOP = {
    *("id", "timestamp", "source", "message", "cause", "action", "observation", "args", "extras", "content"),
    *("tool_call_metadata", "llm_metrics", "success"),
}
_ROW = {"instance_id", "instance", "issue", "instruction", "metadata", "metrics", "test_result", "git_patch", "error"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One event, whichever generation wrote it."""

    place: str
    """Identity: its own id, else its index in the list, and of a pair the half: `3[1]`."""
    id: str
    """Its own id; empty where it has none."""
    action: str
    """Empty for an observation."""
    observation: str
    """Empty for an action."""
    fields: Object
    """Its `args` or `extras`; in files without these, what stands beside."""
    whole: Object

    @property
    def extra(self) -> dict[str, JSONValue]:
        """What stands beside the fields of every event."""
        return {} if self.fields is self.whole else rest(self.whole, _TOP)

    @property
    def where(self) -> dict[str, Any]:
        """Time and identity, for what is recorded of it."""
        return {"time": self.time, "source": self.place}

    @property
    def time(self) -> float | None:
        """Seconds; None where it has no time."""
        return seconds(self.whole.get("timestamp"))

    @property
    def said(self) -> str:
        """Its text."""
        return plain_text(self.fields.get("content") if self.action else self.whole.get("content"))

    @property
    def results(self) -> dict[str, JSONValue]:
        """What an observation holds beside its text."""
        known = {"observation", "content", "timestamp", "source", "id", "cause", "tool_call_metadata", "message"}
        return {"observation": self.observation, **rest(self.fields, known)}

    def is_users(self, *, first: bool) -> bool:
        """Whether a message is the user's; where no source says so, the first one is, and one that waits for nothing.

        Args:
            first: whether nothing stands before it.
        """
        source = text(self.whole, "source")
        return source != "agent" if source else first or self.fields.get("wait_for_response") is False

    def final(self, said: str) -> str:
        """What an action tells the user, if it ends the work or waits for an answer.

        Args:
            said: the text of its reply.
        """
        if self.action != "finish":
            return said if self.action == "message" else ""
        given = (self.fields, "final_thought"), (mapping(self.fields, "outputs"), "content"), (self.fields, "thought")
        return next((found for record, name in given if (found := text(record, name))), "")


def is_event(value: object) -> bool:
    """Whether a value is an event in the form that the event stream writes."""
    if not isinstance(value, dict):
        return False
    action = isinstance(value.get("action"), str) and isinstance(value.get("args"), dict)
    seen = isinstance(value.get("observation"), str) and isinstance(value.get("extras"), dict) and "content" in value
    return (action or seen) and bool(value.keys() & {"message", "timestamp", "source", "id"})


def is_row(record: Object) -> bool:
    """Whether an object is a row of results: events, or pairs of them, in a list beside what was asked."""
    listed = next((record[name] for name in LISTS if isinstance(record.get(name), list)), None)
    if not isinstance(listed, list) or not listed:
        return False
    first = listed[0]
    if isinstance(first, list):
        first = first[0] if first else None
    if is_event(first):
        return True
    loose = isinstance(first, dict) and "role" not in first and ("action" in first) != ("observation" in first)
    return loose and bool(record.keys() & _ROW)


def placed(listed: Sequence[JSONValue]) -> Iterator[tuple[str, JSONValue]]:
    """What should be the events of a list, pairs taken apart, each with its index."""
    for index, value in enumerate(listed):
        halves = list(enumerate(value)) if isinstance(value, list) else [(-1, value)]
        for half, each in halves:
            yield str(index) if half < 0 else f"{index}[{half}]", each


def event_of(value: JSONValue, place: str) -> Event:
    """An event.

    Args:
        value: as it stands in the file.
        place: its identity, if it has none of its own.

    Raises:
        ShapeError: if it is neither an action nor an observation.
    """
    if not isinstance(value, dict):
        raise ShapeError(f"an object was expected and {kind_of(value)} found")
    action, observation = text(value, "action"), text(value, "observation")
    if not action and not observation:
        raise ShapeError("an action or an observation was expected and neither found")
    identity = text(value, "id")
    return Event(
        place=identity or place,
        id=identity,
        action=action,
        observation="" if action else observation,
        fields=mapping(value, "args" if action else "extras") if "args" in value or "extras" in value else value,
        whole=value,
    )
