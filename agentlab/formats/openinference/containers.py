"""The containers of OpenInference spans, each turned into neutral spans.

- Nested, as the TRAIL benchmark has them (https://github.com/patronus-ai/trail-benchmark): a trace with `spans`, and
  in each span its `child_spans`; times as ISO 8601, durations too, the keys of events with capitals.
- Flat, as Phoenix exports them (https://arize.com/docs/phoenix): a span an object, in a list or a line each, with its
  `context`, `parent_id` and `span_kind`; attributes dotted or as objects. A table of them has the columns
  `context.span_id` and `attributes.llm.model_name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlab.formats.shapes.fields import Object, ShapeError, mapping, mappings, number, text
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.formats.spans.container import identity, plain_events
from agentlab.formats.spans.faults import with_fault
from agentlab.formats.spans.tree import SpanRecord, put
from agentlab.strictjson import JSONValue

__all__ = ["KIND", "is_flat", "is_nested", "spans_in"]

KIND = "openinference.span.kind"
_KINDS = {
    *("LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT"),
    "UNKNOWN",
}


def is_nested(record: Object) -> bool:
    """Whether an object is a trace of spans inside each other, as far as it can be seen."""
    spans = record.get("spans")
    first = spans[0] if isinstance(spans, list) and spans else None
    return isinstance(first, dict) and "span_id" in first and bool(first.keys() & {"span_attributes", "child_spans"})


def is_flat(record: Object) -> bool:
    """Whether an object is one span of a Phoenix export."""
    kind = record.get("span_kind")
    context = record.get("context")
    placed = (isinstance(context, dict) and "span_id" in context) or "context.span_id" in record
    return placed and isinstance(kind, str) and kind.upper() in _KINDS


def spans_in(record: Object) -> Iterator[SpanRecord]:
    """The spans of one container.

    Raises:
        ShapeError: if it is none, or a span in it is not what its container says.
    """
    if is_nested(record):
        yield from _nested(record)
    elif is_flat(record):
        yield _flat(record)
    else:
        raise ShapeError("a trace with spans, or a span with context and span_kind, was expected")


def _nested(record: Object) -> Iterator[SpanRecord]:
    trace = text(record, "trace_id")
    stack = [(span, "") for span in reversed(mappings(record, "spans"))]
    while stack:
        span, parent = stack.pop()
        name = identity(span, "span_id")
        with at(f"span {name}"):
            found = _nested_span(span, trace, parent)
            below = mappings(span, "child_spans")
        yield found
        stack.extend((child, name) for child in reversed(below))


def _nested_span(span: Object, trace: str, parent: str) -> SpanRecord:
    start = seconds(span.get("timestamp"))
    lasts = _duration(text(span, "duration"))
    found = SpanRecord(
        trace=text(span, "trace_id") or trace,
        id=text(span, "span_id"),
        parent=text(span, "parent_span_id") or parent,
        name=text(span, "span_name"),
        start=start,
        end=None if start is None or lasts is None else start + lasts,
        attributes=mapping(span, "span_attributes"),
        events=plain_events(span),
        resource=mapping(span, "resource_attributes"),
        scope=text(span, "scope_name"),
    )
    return _judged(found, span)


def _flat(span: Object) -> SpanRecord:
    if "context.span_id" in span:
        span = _columns(span)
    context = mapping(span, "context")
    with at(f"span {text(context, 'span_id')}"):
        attributes = mapping(span, "attributes")
        found = SpanRecord(
            trace=text(context, "trace_id"),
            id=identity(context, "span_id"),
            parent=text(span, "parent_id"),
            name=text(span, "name"),
            start=seconds(span.get("start_time")),
            end=seconds(span.get("end_time")),
            attributes=attributes if KIND in attributes else {**attributes, KIND: text(span, "span_kind")},
            events=plain_events(span),
        )
        return _judged(found, span)


def _judged(found: SpanRecord, span: Object) -> SpanRecord:
    code = text(span, "status_code").upper()
    return with_fault(found, failed=code == "ERROR", fine=code == "OK", said=text(span, "status_message"))


def _columns(row: Object) -> dict[str, JSONValue]:
    """A row of a table, with the columns of context and attributes put together."""
    found: dict[str, JSONValue] = {}
    attributes: dict[str, JSONValue] = {}
    for name, value in row.items():
        if value is None:
            continue
        if name.startswith("attributes."):
            attributes[name.removeprefix("attributes.")] = value
        else:
            put(found, name, value)
    return {**found, "attributes": {**mapping(found, "attributes"), **attributes}}


_DURATION = re.compile(r"P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,12})?)S)?)?")


def _duration(said: str) -> float | None:
    """Seconds, from ISO 8601 (`PT1M11.35S`) or a number of them."""
    if not said:
        return None
    found = _DURATION.fullmatch(said)
    if found is None:
        try:
            return number({"duration": said}, "duration")
        except ShapeError:
            raise ShapeError("duration: an ISO 8601 duration was expected and a text found that is none") from None
    days, hours, minutes, left = (float(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + left
