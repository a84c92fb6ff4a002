"""A call's arguments as JSON, whatever form they came in."""

from __future__ import annotations

from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue, dumps

__all__ = ["CallKey", "call_key", "plain", "written"]

CallKey = tuple[str | None, str]
"""A tool and its arguments in one form, whatever the order of their keys."""


def plain(arguments: Arguments | None) -> dict[str, JSONValue] | str | None:
    """The arguments as an object of their own, or the raw text where they are none."""
    return arguments if arguments is None or isinstance(arguments, str) else dict(arguments)


def written(arguments: Arguments | None) -> str:
    """The arguments as text, in which what they hold can be looked for: compact JSON in their own order."""
    value = plain(arguments)
    return value if isinstance(value, str) else dumps(value or {})


def call_key(tool: str | None, arguments: Arguments | None) -> CallKey:
    """What makes two calls the same call."""
    return tool, dumps(plain(arguments), sort_keys=True)
