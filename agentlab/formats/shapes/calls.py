"""What the calls of a reply hold beyond their ids, tools and arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from agentlab.formats.shapes.fields import Object, rest
from agentlab.strictjson import JSONValue

__all__ = ["beside_calls"]


def beside_calls(calls: Iterable[Object], known: Collection[str]) -> dict[str, JSONValue]:
    """The further fields of each call, for their reply's `extra`; empty where none has any."""
    more: list[JSONValue] = [rest(call, known) for call in calls]
    return {"tool_calls": more} if any(more) else {}
