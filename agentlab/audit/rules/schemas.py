"""Whether arguments fit a tool's schema, as far as names, presence and plain types go."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.strictjson import JSONValue
from agentlab.trace.formatting import shorten

__all__ = ["misfit"]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
    "null": (type(None),),
}


def misfit(arguments: Mapping[str, JSONValue], schema: Mapping[str, JSONValue]) -> str:
    """The first thing in which arguments do not fit, in words; empty where they fit or the schema does not decide.

    Args:
        arguments: the object that was passed.
        schema: JSON Schema of it; only `properties`, `required`, `additionalProperties`, `type` and `enum` of its own
            level are read.
    """
    known = schema.get("properties")
    if schema.get("type", "object") != "object" or not isinstance(known, Mapping):
        return ""
    required = schema.get("required")
    for name in required if isinstance(required, list | tuple) else ():
        if isinstance(name, str) and name not in arguments:
            return f"{shorten(name, 40)!r} is missing"
    closed = schema.get("additionalProperties", False) is False and not schema.get("patternProperties")
    for name, value in arguments.items():
        expected = known.get(name)
        if expected is None and closed and name not in known:
            return f"it has no {shorten(name, 40)!r}"
        if isinstance(expected, Mapping) and (wrong := _wrong_value(value, expected)):
            return f"{shorten(name, 40)!r} {wrong}"
    return ""


def _wrong_value(value: JSONValue, expected: Mapping[str, JSONValue]) -> str:
    options = expected.get("enum")
    if isinstance(options, list | tuple) and value not in options:
        return f"is none of {shorten(', '.join(map(str, options)), 60)}"
    kinds = expected.get("type")
    names = [kinds] if isinstance(kinds, str) else list(kinds) if isinstance(kinds, list | tuple) else []
    if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
        return ""
    return "" if any(_is_a(value, str(name)) for name in names) else f"is not of type {' or '.join(map(str, names))}"


def _is_a(value: JSONValue, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])
