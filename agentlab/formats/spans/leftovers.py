"""What no convention reads: events of a span, kept with what the span tells, and other spans that failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentlab.formats.shapes.fields import rest
from agentlab.formats.spans.acts import Act, ModelAct
from agentlab.formats.spans.tree import SpanEvent, SpanRecord
from agentlab.strictjson import JSONValue

__all__ = ["failed_spans", "with_events"]

_MESSAGES = {
    *("gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message"),
    *("gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion"),
    "gen_ai.client.inference.operation.details",
}
"""Events that a model's request and reply are read from."""
_EXCEPTION = {"exception.type", "exception.message", "exception.escaped"}


def with_events(act: Act | None) -> Act | None:
    """The act, with what its span's events say beyond a model's messages and errors in its extra, under `events`."""
    if act is None or not act.span.events:
        return act
    left: list[JSONValue] = [*_left(act.span.events, _MESSAGES if isinstance(act, ModelAct) else set())]
    return replace(act, extra={**act.extra, "events": left}) if left else act


def _left(events: tuple[SpanEvent, ...], read: set[str]) -> Iterator[JSONValue]:
    for event in events:
        if event.name in read or event.name.startswith("agentlab."):
            continue
        known = _EXCEPTION if event.name == "exception" else set()
        attributes = rest(event.attributes, known)
        if attributes or event.name != "exception":
            yield {"name": event.name, "time": event.time, "attributes": attributes}


def failed_spans(spans: Sequence[SpanRecord]) -> list[JSONValue]:
    """Those of the spans that failed or met an exception, with all that is recorded of them."""
    return [_whole(span) for span in spans if span.error is not None or _met_exception(span)]


def _met_exception(span: SpanRecord) -> bool:
    return any(event.name == "exception" for event in span.events)


def _whole(span: SpanRecord) -> JSONValue:
    events: list[JSONValue] = [
        {"name": event.name, "time": event.time, "attributes": dict(event.attributes)} for event in span.events
    ]
    return {
        "id": span.id,
        "parent": span.parent,
        "name": span.name,
        "start": span.start,
        "end": span.end if span.backwards is None else span.backwards,
        "error": span.error,
        "error_kind": span.error_kind,
        "scope": span.scope,
        "attributes": dict(span.attributes),
        "events": events,
    }
