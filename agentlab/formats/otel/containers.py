"""The containers that OpenTelemetry spans are kept in, each turned into neutral spans.

- OTLP JSON, a request or a line of the Collector's file exporter: `resourceSpans`, 64-bit numbers as texts, times in
  nanoseconds (https://opentelemetry.io/docs/specs/otlp/). Tempo's API puts the same below `trace`, and older ones say
  `batches` and `instrumentationLibrarySpans`, with names for enum numbers and numbers for numbers.
- Jaeger JSON, from its query service or its page: `data[].spans[]`, times in microseconds, attributes as `tags`.
- What Python's ConsoleSpanExporter prints: one indented object behind another, ids with `0x`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, listing, mapping, mappings, number, text
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.formats.spans.container import identity, plain_events
from agentlab.formats.spans.faults import with_fault
from agentlab.formats.spans.tree import SpanEvent, SpanRecord, word
from agentlab.strictjson import JSONValue

__all__ = ["is_container", "spans_in"]

_SCOPES = ("scopeSpans", "instrumentationLibrarySpans")
_NANO, _MICRO = 1e-9, 1e-6
_FAILED = {"2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR"}
_FINE = {"1", "STATUS_CODE_OK", "OK", "StatusCode.OK"}


def is_container(record: Object) -> bool:
    """Whether an object holds spans in one of the four ways, as far as it can be seen."""
    return any(kind(record) for kind in (_is_otlp, _is_jaeger, _is_console))


def spans_in(record: Object) -> Iterator[SpanRecord]:
    """The spans of one container.

    Raises:
        ShapeError: if it is none, or a span in it is not what its container says.
    """
    if _is_otlp(record):
        yield from _otlp(record)
    elif _is_jaeger(record):
        yield from _jaeger(record)
    elif _is_console(record):
        yield _console(record)
    else:
        raise ShapeError("spans were expected in resourceSpans, batches or data, or a span with a context")


# --- OTLP, also as Tempo writes it ---


def _groups(record: Object) -> Object:
    inner = record.get("trace")
    return inner if isinstance(inner, dict) else record


def _is_otlp(record: Object) -> bool:
    record = _groups(record)
    if isinstance(record.get("resourceSpans"), list):
        return True
    batches = record.get("batches")
    first = batches[0] if isinstance(batches, list) and batches else None
    return isinstance(first, dict) and bool(first.keys() & {"resource", *_SCOPES})


def _otlp(record: Object) -> Iterator[SpanRecord]:
    record = _groups(record)
    name = "resourceSpans" if "resourceSpans" in record else "batches"
    for group in mappings(record, name):
        resource = _attributes(listing(mapping(group, "resource"), "attributes"))
        for scopes in (mappings(group, each) for each in _SCOPES):
            for scope in scopes:
                by = text(mapping(scope, "scope") or mapping(scope, "instrumentationLibrary"), "name")
                for place, span in enumerate(mappings(scope, "spans")):
                    with at(f"span {text(span, 'spanId') or place}"):
                        found = _otlp_span(span, resource, by)
                    yield found


def _otlp_span(span: Object, resource: Object, scope: str) -> SpanRecord:
    status = mapping(span, "status")
    code = text(status, "code")
    found = SpanRecord(
        trace=identity(span, "traceId"),
        id=identity(span, "spanId"),
        parent=text(span, "parentSpanId"),
        name=text(span, "name"),
        start=_scaled(span, "startTimeUnixNano", _NANO),
        end=_scaled(span, "endTimeUnixNano", _NANO),
        attributes=_attributes(listing(span, "attributes")),
        events=tuple(map(_otlp_event, mappings(span, "events"))),
        resource=resource,
        scope=scope,
    )
    return with_fault(found, failed=code in _FAILED, fine=code in _FINE, said=text(status, "message"))


def _otlp_event(event: Object) -> SpanEvent:
    return SpanEvent(
        name=text(event, "name"),
        time=_scaled(event, "timeUnixNano", _NANO),
        attributes=_attributes(listing(event, "attributes")),
    )


def _attributes(pairs: Sequence[JSONValue]) -> dict[str, JSONValue]:
    """Attributes written as pairs of a key and a value that names its type."""
    found: dict[str, JSONValue] = {}
    for pair in pairs:
        if not isinstance(pair, dict):
            raise ShapeError(f"attributes: an object was expected and {kind_of(pair)} found")
        found[text(pair, "key")] = _value(pair.get("value"))
    return found


def _value(value: JSONValue) -> JSONValue:
    if not isinstance(value, dict):
        return value
    kind, inner = next(iter(value.items()), ("", None))
    if kind == "intValue" and isinstance(inner, str):
        return _whole(inner)
    if kind == "arrayValue" and isinstance(inner, dict):
        return [_value(each) for each in listing(inner, "values")]
    if kind == "kvlistValue" and isinstance(inner, dict):
        return _attributes(listing(inner, "values"))
    return inner


def _whole(digits: str) -> JSONValue:
    """The number, which has 64 bits; what has more digits is none, and no journal could be read with it."""
    try:
        return int(digits) if len(digits) <= _DIGITS else digits
    except ValueError:
        return digits


_DIGITS = 20
"""Of the least number of 64 bits, with its sign."""


# --- Jaeger ---


def _is_jaeger(record: Object) -> bool:
    data = record.get("data")
    first = data[0] if isinstance(data, list) and data else record
    return isinstance(first, dict) and "traceID" in first and isinstance(first.get("spans"), list)


def _jaeger(record: Object) -> Iterator[SpanRecord]:
    for trace in mappings(record, "data") if "data" in record else [record]:
        processes = mapping(trace, "processes")
        resources = {name: _process(processes, name) for name in processes}
        for place, span in enumerate(mappings(trace, "spans")):
            with at(f"span {text(span, 'spanID') or place}"):
                found = _jaeger_span(span, trace, resources.get(text(span, "processID"), {}))
            yield found


def _process(processes: Object, name: str) -> dict[str, JSONValue]:
    process = mapping(processes, name)
    service = text(process, "serviceName")
    return {**({"service.name": service} if service else {}), **_attributes(listing(process, "tags"))}


def _jaeger_span(span: Object, trace: Object, resource: Object) -> SpanRecord:
    tags = _attributes(listing(span, "tags"))
    start, lasts = _scaled(span, "startTime", _MICRO), _scaled(span, "duration", _MICRO)
    parents = [each for each in mappings(span, "references") if each.get("refType") in ("CHILD_OF", None)]
    found = SpanRecord(
        trace=text(span, "traceID") or identity(trace, "traceID"),
        id=identity(span, "spanID"),
        parent=text(parents[0], "spanID") if parents else text(span, "parentSpanID"),
        name=text(span, "operationName"),
        start=start,
        end=None if start is None or lasts is None else start + lasts,
        attributes={name: tag for name, tag in tags.items() if name not in _STATUS and (name, tag) not in _MARKS},
        events=tuple(map(_jaeger_event, mappings(span, "logs"))),
        resource=resource,
        scope=word(tags, "otel.scope.name"),
    )
    code = tags.get("otel.status_code")
    failed = code == "ERROR" or tags.get("error") in (True, "true")
    return with_fault(found, failed=failed, fine=code == "OK", said=word(tags, "otel.status_description"))


_STATUS = ("otel.status_code", "otel.status_description", "otel.scope.name")
_MARKS = tuple(("error", mark) for mark in (True, False, "true", "false"))
"""What the tag `error` holds; a writer's own words in it mark no failure in Jaeger's page, and are kept."""


def _jaeger_event(log: Object) -> SpanEvent:
    fields = _attributes(listing(log, "fields"))
    attributes = {name: value for name, value in fields.items() if name != "event"}
    return SpanEvent(name=word(fields, "event"), time=_scaled(log, "timestamp", _MICRO), attributes=attributes)


# --- the console ---


def _is_console(record: Object) -> bool:
    context, kind = record.get("context"), record.get("kind")
    held = isinstance(context, dict) and "span_id" in context
    return held and isinstance(kind, str) and kind.startswith("SpanKind.")


def _console(span: Object) -> SpanRecord:
    context = mapping(span, "context")
    with at(f"span {context['span_id']}"):
        status = mapping(span, "status")
        code = text(status, "status_code")
        found = SpanRecord(
            trace=identity(context, "trace_id"),
            id=identity(context, "span_id"),
            parent=text(span, "parent_id"),
            name=text(span, "name"),
            start=seconds(span.get("start_time")),
            end=seconds(span.get("end_time")),
            attributes=mapping(span, "attributes"),
            events=plain_events(span),
            resource=mapping(mapping(span, "resource"), "attributes"),
            scope=text(mapping(span, "instrumentation_scope"), "name"),
        )
        return with_fault(found, failed=code in _FAILED, fine=code in _FINE, said=text(status, "description"))


def _scaled(record: Object, name: str, unit: float) -> float | None:
    """A time in seconds; 0 stands for none in OTLP, and no span began in 1970."""
    count = number(record, name)
    return None if count is None or (not count and name != "duration") else count * unit
