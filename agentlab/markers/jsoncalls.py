"""A call written as a JSON object: which keys name the tool, which hold its arguments, and what is ambiguous."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agentlab.markers.arguments import Read, closing, read_arguments, read_object
from agentlab.strictjson import JSONValue, dumps

__all__ = ["BEGINNING", "another_call_follows", "has_call_shape", "read_json_call"]

NAME_KEYS = ("name", "action", "tool", "tool_name", "function", "function_name", "tool_call")
ARGUMENT_KEYS = ("arguments", "args", "action_input", "tool_input", "input", "parameters", "params", "kwargs")

BEGINNING = re.compile(r"(?:\[\s*+)?\{\s*+\"(?:name|action|tool|tool_name|function|tool_call)\"\s*:")
"""How an object begins that is, if anything, a call."""


def read_json_call(text: str) -> tuple[str, Read]:
    """Read the object, or the first object of an array, as a tool's name and its arguments.

    A name or arguments given under two keys with different values are `same_key_twice`, as a key given twice is.
    """
    value = read_object(text)
    if isinstance(value, str):
        return "", Read(text, value)
    names = dict.fromkeys(_names(value))
    inner = next((part for key in NAME_KEYS if isinstance(part := value.get(key), dict)), None)
    if inner is not None and not names:
        return read_json_call(dumps(inner))
    arguments = {dumps(value[key], sort_keys=True): value[key] for key in ARGUMENT_KEYS if key in value}
    if len(names) > 1 or len(arguments) > 1:
        return "", Read(text, "same_key_twice")
    if not names:
        return "", Read(text, "no_name")
    return next(iter(names)), _read_value(next(iter(arguments.values()), None))


def has_call_shape(value: Mapping[str, JSONValue]) -> bool:
    """Whether an object has both a name and arguments, so that it is a call even where no marker says so."""
    inner = [part for key in NAME_KEYS if isinstance(part := value.get(key), dict)]
    named = any(_names(value)) and any(key in value for key in ARGUMENT_KEYS)
    return named or any(has_call_shape(part) for part in inner)


def another_call_follows(text: str, start: int, end: int) -> bool:
    """Whether behind an object, which stands from `start` to `end`, comes another call; copies of it are no other."""
    first = text[start:end]
    while (following := _NEXT.match(text, end)) is not None:
        behind = closing(text, following.end(), len(text))
        if behind is None or text[following.end() : behind] != first:
            return BEGINNING.match(text, following.end()) is not None
        end = behind
    return False


def _names(value: Mapping[str, JSONValue]) -> Iterator[str]:
    return (part for key in NAME_KEYS if isinstance(part := value.get(key), str))


def _read_value(value: JSONValue) -> Read:
    if value is None:
        return Read({})
    if isinstance(value, dict):
        return Read(value)
    if isinstance(value, str):
        return read_arguments(value) if value.lstrip().startswith("{") else Read(value)
    return Read(dumps(value))


_NEXT = re.compile(r"\s*+(?=\{)")
