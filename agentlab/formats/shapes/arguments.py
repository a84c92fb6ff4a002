"""A call's arguments in a foreign record, which has an object, a text, or any other value in their place."""

from __future__ import annotations

from agentlab.formats.shapes.content import written
from agentlab.formats.shapes.fields import arguments_of
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue

__all__ = ["given_arguments", "plain_arguments"]


def given_arguments(value: JSONValue) -> Arguments | None:
    """The arguments: an object, also from the JSON text of one, else a text; None where there are none."""
    return None if value is None else arguments_of(value if isinstance(value, dict) else written(value))


def plain_arguments(arguments: Arguments | None) -> JSONValue:
    """The arguments as JSON has them, for an event's `extra`."""
    return arguments if arguments is None or isinstance(arguments, str) else dict(arguments)
