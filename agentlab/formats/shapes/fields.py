"""Reading a foreign JSON object: a field is there with the right type, or absent, or an error that names it.

A field that is null counts as absent, because most writers do not tell the two apart.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TypeAlias

from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue, StrictJSONError, loads

__all__ = [
    "Object",
    "ShapeError",
    "arguments_of",
    "boolean",
    "integer",
    "kind_of",
    "listing",
    "mapping",
    "mappings",
    "number",
    "objects",
    "rest",
    "text",
]

Object: TypeAlias = Mapping[str, JSONValue]


_LARGEST = 1 << 1023
"""Whole numbers below it are finite as doubles, too, so that whatever is read can be written for any reader of JSON."""


class ShapeError(ValueError):
    """A record is JSON and not of the shape its format has; the text names the place and what stands there."""


def text(record: Object, name: str, default: str = "") -> str:
    """The text in a field; a number is taken as its text, because ids are written either way.

    Raises:
        ShapeError: if something else stands there.
    """
    value = record.get(name)
    if isinstance(value, str):
        return value
    if value is None:
        return default
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise _misfit(name, "a text", value)


def number(record: Object, name: str) -> float | None:
    """The number in a field, also where it is written as text, as token counts and times often are.

    Raises:
        ShapeError: if no finite number stands there.
    """
    value = record.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            found = float(value)
        except (ValueError, OverflowError):
            found = math.nan
        if math.isfinite(found):
            return found
    raise _misfit(name, "a number", value)


def integer(record: Object, name: str) -> int | None:
    """The whole number in a field, also where it is written as text.

    Raises:
        ShapeError: if no whole number stands there.
    """
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return value
    found = number(record, name)
    if found is None:
        return None
    if found.is_integer():
        return int(found)
    raise _misfit(name, "a whole number", value)


def boolean(record: Object, name: str) -> bool | None:
    """The truth value in a field.

    Raises:
        ShapeError: if something else stands there.
    """
    value = record.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise _misfit(name, "true or false", value)


def mapping(record: Object, name: str) -> dict[str, JSONValue]:
    """The object in a field, empty where it is absent.

    Raises:
        ShapeError: if something else stands there.
    """
    value = record.get(name)
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    raise _misfit(name, "an object", value)


def listing(record: Object, name: str) -> list[JSONValue]:
    """The list in a field, empty where it is absent.

    Raises:
        ShapeError: if something else stands there.
    """
    value = record.get(name)
    if isinstance(value, list):
        return value
    if value is None:
        return []
    raise _misfit(name, "a list", value)


def mappings(record: Object, name: str) -> list[dict[str, JSONValue]]:
    """The list of objects in a field, empty where it is absent.

    Raises:
        ShapeError: if something else stands there or in the list.
    """
    return objects(listing(record, name), name)


def objects(values: list[JSONValue], name: str) -> list[dict[str, JSONValue]]:
    """The values, all of which must be objects.

    Args:
        values: a list from a file.
        name: of the list, for the error.

    Raises:
        ShapeError: if one is not.
    """
    found = [value for value in values if isinstance(value, dict)]
    if len(found) < len(values):
        place, odd = next((place, value) for place, value in enumerate(values) if not isinstance(value, dict))
        raise _misfit(f"{name}[{place}]", "an object", odd)
    return found


def rest(record: Object, known: Collection[str]) -> dict[str, JSONValue]:
    """What a record holds beyond the fields that are read; it goes to an event's `extra`."""
    if isinstance(known, (set, frozenset)) and record.keys() <= known:
        return {}
    return {name: value for name, value in record.items() if name not in known and value is not None}


def arguments_of(value: JSONValue) -> Arguments:
    """A call's arguments, from an object or from the JSON text of one; raw text where it is neither."""
    if isinstance(value, dict):
        return value
    if value is None or value == "":
        return {}
    if not isinstance(value, str):
        raise _misfit("arguments", "an object or a text", value)
    try:
        parsed = loads(value)
    except StrictJSONError:
        return value
    return parsed if isinstance(parsed, dict) else value


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _misfit(name: str, wanted: str, value: object) -> ShapeError:
    return ShapeError(f"{name}: {wanted} was expected and {kind_of(value)} found")
