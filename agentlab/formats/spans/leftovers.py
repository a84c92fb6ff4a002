"""Events of a span that no convention reads, kept with what the span tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agentlab.formats.shapes.fields import rest
from agentlab.formats.spans.acts import Act
from agentlab.formats.spans.tree import SpanEvent
from agentlab.strictjson import JSONValue

__all__ = ["with_events"]

_EXCEPTION = {"exception.type", "exception.message", "exception.escaped"}


def with_events(act: Act | None) -> Act | None:
    """The act, with what its span's events say beyond messages and errors in its extra, under `events`."""
    if act is None or not act.span.events:
        return act
    left: list[JSONValue] = [*_left(act.span.events)]
    return replace(act, extra={**act.extra, "events": left}) if left else act


def _left(events: tuple[SpanEvent, ...]) -> Iterator[JSONValue]:
    for event in events:
        if event.name.startswith(("gen_ai.", "agentlab.")):
            continue
        known = _EXCEPTION if event.name == "exception" else set()
        attributes = rest(event.attributes, known)
        if attributes or event.name != "exception":
            yield {"name": event.name, "time": event.time, "attributes": attributes}
