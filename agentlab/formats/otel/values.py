"""Values as OTLP JSON writes them: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from agentlab.strictjson import JSONValue

__all__ = ["Attributes", "attributes"]

Attributes: TypeAlias = dict[str, "str | int | float | bool | Sequence[str] | None"]


def attributes(values: Mapping[str, str | int | float | bool | Sequence[str] | None]) -> list[JSONValue]:
    """Key-value pairs in the order given; what is None or empty is left out."""
    return [{"key": key, "value": _value(value)} for key, value in values.items() if value not in (None, "", ())]


def _value(value: str | int | float | bool | Sequence[str] | None) -> JSONValue:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"arrayValue": {"values": [{"stringValue": part} for part in value or ()]}}
