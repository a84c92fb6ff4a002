"""Events to journal lines and back.

A journal is JSON lines: one event a line, `type` first, in UTF-8, readable with `head`. Format `agentlab.journal/1`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from agentlab.strictjson import StrictJSONError, loads
from agentlab.trace.events import Event

__all__ = ["JOURNAL_SCHEMA", "decode", "encode", "event_schema"]

JOURNAL_SCHEMA = "agentlab.journal/1"


def encode(event: Event) -> bytes:
    """One journal line, newline included."""
    return _adapter().dump_json(event) + b"\n"


def decode(line: bytes) -> Event:
    """The event of one journal line.

    Raises:
        ValueError: with one sentence, where the line is not an event; it names the field and never quotes its value.
    """
    try:
        loads(line.decode())
        return _adapter().validate_json(line, strict=True)
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {error.start})") from None
    except StrictJSONError as error:
        raise ValueError(f"is not strict JSON: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "type"
        raise ValueError(f"is not an event: {place}: {first['msg']}") from None


def event_schema() -> dict[str, object]:
    """JSON Schema of one journal line."""
    return _adapter().json_schema()


@cache
def _adapter() -> TypeAdapter[Event]:
    return TypeAdapter(Annotated[Event, Field(discriminator="type")])
