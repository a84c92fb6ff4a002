"""Events to journal lines and back.

A journal is JSON lines: one event a line, `type` first, in UTF-8, readable with `head`. Format `agentlab.journal/1`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from agentlab.strictjson import StrictJSONError, loads
from agentlab.trace.events import Event
from agentlab.trace.formatting import shorten

__all__ = ["JOURNAL_SCHEMA", "LINE_DEPTH", "decode", "encode", "event_schema"]

JOURNAL_SCHEMA = "agentlab.journal/1"

LINE_DEPTH = 200
"""Deepest nesting of lists and objects in a line, its own object included: what pydantic's reader of JSON takes.

`agentlab.trace.integrity` lets no trace be made that is deeper, so that what was read can be written and read again.
"""


def encode(event: Event) -> bytes:
    """One journal line, newline included.

    Raises:
        ValueError: if the event holds what JSON cannot: NaN, infinities, halves of surrogate pairs.
    """
    line = _adapter().dump_json(event)
    if b"NaN" in line or b"Infinity" in line:
        loads(line.decode(), max_depth=LINE_DEPTH)  # as a word in a text they are fine, as a number they are not
    return line + b"\n"


def decode(line: bytes) -> Event:
    """The event of one journal line.

    Raises:
        ValueError: with one sentence, where the line is not an event; it names the field and never quotes its value.
    """
    try:
        loads(line.decode(), max_depth=LINE_DEPTH)
        return _adapter().validate_json(line, strict=True)
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {error.start})") from None
    except StrictJSONError as error:
        raise ValueError(f"is not strict JSON: {error}") from None
    except ValidationError as error:
        raise ValueError(f"is not an event: {_problem(error)}") from None


def event_schema() -> dict[str, object]:
    """JSON Schema of one journal line."""
    return _adapter().json_schema()


_TAG_PROBLEMS = {"union_tag_not_found": "type: field required", "union_tag_invalid": "type: not a known one"}


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if not first["loc"]:  # the tag did not decide; pydantic's own words would quote an unknown one
        return _TAG_PROBLEMS.get(first["type"], "it is not an object")
    return f"{shorten('.'.join(map(str, first['loc'])))}: {first['msg']}"


@cache
def _adapter() -> TypeAdapter[Event]:
    config = ConfigDict(extra="forbid", ser_json_inf_nan="constants")
    return TypeAdapter(Annotated[Event, Field(discriminator="type")], config=config)
