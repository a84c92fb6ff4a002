"""Values as OTLP JSON writes them: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from agentlab.strictjson import JSONValue

__all__ = ["Attributes", "attributes", "nanoseconds"]

Value: TypeAlias = "str | int | Sequence[str]"
Attributes: TypeAlias = dict[str, "Value | None"]


def attributes(values: Mapping[str, Value | None]) -> list[JSONValue]:
    """Key-value pairs in the order given; what is None or an empty list is left out."""
    return [{"key": key, "value": _value(value)} for key, value in values.items() if value is not None and value != ()]


def _value(value: Value) -> JSONValue:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"arrayValue": {"values": [{"stringValue": part} for part in value]}}


def nanoseconds(time: float) -> int:
    """A time in seconds since 1970 as OTLP has it, brought between its first microsecond and 2262.

    In whole microseconds: a double near today's date holds no less, and further digits would be its noise. OTLP takes 0
    for no time at all, and readers with signed integers of 64 bits end in 2262.
    """
    return round(min(max(time, _EARLIEST), _LATEST) * 1_000_000) * 1_000


_EARLIEST, _LATEST = 1e-6, 9_223_372_036.0
