"""What containers of spans have in common: ids that must be there, and events as plain objects."""

from __future__ import annotations

from agentlab.formats.shapes.fields import Object, ShapeError, mapping, mappings, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.formats.spans.tree import SpanEvent

__all__ = ["identity", "plain_events"]


def identity(record: Object, name: str) -> str:
    """The id in a field.

    Raises:
        ShapeError: if there is none.
    """
    found = text(record, name)
    if not found:
        raise ShapeError(f"{name}: an id was expected and none found")
    return found


def plain_events(span: Object) -> tuple[SpanEvent, ...]:
    """The events of a span that are objects with `name`, `timestamp` and `attributes`, perhaps in capitals.

    Raises:
        ShapeError: if they are not.
    """
    return tuple(map(_event, mappings(span, "events")))


def _event(event: Object) -> SpanEvent:
    lower = {name.lower(): value for name, value in event.items()}
    return SpanEvent(
        name=text(lower, "name"),
        time=seconds(lower.get("timestamp")),
        attributes={**mapping(lower, "attributes"), **rest(lower, {"name", "timestamp", "attributes"})},
    )
