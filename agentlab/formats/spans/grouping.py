"""Files of spans: each record's spans are put with those of their trace, then each trace is told.

Exporters send the spans of a trace in any order and over many records, so a file is read to its end before its first
trace is known to be whole, and memory grows with the file; but a record that is a whole trace is told when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from agentlab.errors import LoadError
from agentlab.formats.base import Loaded
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Source
from agentlab.formats.loading import misfit
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, objects
from agentlab.formats.shapes.problems import told
from agentlab.formats.spans.tree import SpanRecord, merged
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = ["Tell", "objects_in", "span_file"]

Spans = Mapping[str, SpanRecord]
"""The spans of one trace by id, in the order of the file."""
Traces = dict[str, dict[str, SpanRecord]]
"""By trace id: its spans by id."""
Tell = Callable[[Spans, str, list[str]], Trace | None]
"""The trace that spans tell, of a file's path, with what is known to be wrong with it; None where they tell of no
model, tool or agent. It may raise `ShapeError`, and any other `ValueError` where the events cannot be one record."""


def objects_in(value: JSONValue) -> list[Object]:
    """The objects of a record: itself, or those of the list that it is.

    Raises:
        ShapeError: if it is neither an object nor a list of them.
    """
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        raise ShapeError(f"an object of spans was expected and {kind_of(value)} found")
    return [*objects(value, "")]


def span_file(
    source: Source,
    spans_of: Callable[[JSONValue], Iterator[SpanRecord]],
    tell: Tell,
    whole: Callable[[JSONValue], bool] = lambda _: False,
) -> Iterator[Loaded]:
    """The traces of a file of spans.

    Where a record cannot be read, its spans are missing from traces that nobody can name: with one trace in the file
    that is its defect, with several an error in its own right.

    Args:
        source: the file.
        spans_of: the spans of one record; it may raise `ShapeError`, after which those before it still count.
        tell: what the spans of one trace tell.
        whole: whether a record holds all spans of its traces, which are then told at once and not kept.
    """
    empty = True
    for loaded in _traces(source, spans_of, tell, whole):
        empty = False
        yield loaded
    if empty:
        yield LoadError(source.path, "spans of models, tools or agents were expected, and none of its spans is one")


def _traces(
    source: Source,
    spans_of: Callable[[JSONValue], Iterator[SpanRecord]],
    tell: Tell,
    whole: Callable[[JSONValue], bool],
) -> Iterator[Loaded]:
    traces: Traces = {}
    errors: list[LoadError] = []
    for record in records(source, non_finite=True):
        if isinstance(record, LoadError):
            errors.append(record)
        elif whole(record.value):
            own: Traces = {}
            yield from _tell_all(source, own, _collect(source, record, spans_of, own), tell)
        else:
            errors += _collect(source, record, spans_of, traces)
    yield from _tell_all(source, traces, errors, tell)


def _collect(
    source: Source, record: Record, spans_of: Callable[[JSONValue], Iterator[SpanRecord]], traces: Traces
) -> list[LoadError]:
    """Put the spans of a record with those of their trace; gives why some could not be read."""
    try:
        for span in spans_of(record.value):
            trace = traces.setdefault(span.trace, {})
            known = trace.get(span.id)
            trace[span.id] = span if known is None else merged(known, span)
    except ValueError as error:
        return [misfit(source, record.place, error)]
    return []


def _tell_all(source: Source, traces: Traces, errors: list[LoadError], tell: Tell) -> Iterator[Loaded]:
    shared: list[str] = []
    if len(traces) == 1:
        shared = [f"{error.problem}, and what stood there is missing here" for error in errors]
    else:
        yield from errors
    while traces:
        name = next(iter(traces))
        yield from _told(source, name, traces.pop(name), tell, shared)


def _told(source: Source, name: str, spans: Spans, tell: Tell, defects: list[str]) -> Iterator[Loaded]:
    try:
        trace = tell(spans, source.path, defects)
    except ValueError as error:
        yield misfit(source, f"trace {name}", error)
        return
    if trace is not None:
        yield trace
    elif defects:
        yield LoadError(source.path, told(defects))
