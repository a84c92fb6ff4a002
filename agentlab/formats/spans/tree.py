"""Spans, whoever wrote them: one neutral value for a span, and the tree that the spans of a trace make.

A container (OTLP, Jaeger, a Phoenix export, a list written by hand) is turned into these values first; what a span's
attributes mean is read afterwards, so that a convention is read alike from every container.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentlab.formats.files.jsontext import parse
from agentlab.formats.shapes.durations import between
from agentlab.formats.shapes.fields import Object
from agentlab.formats.shapes.nesting import outermost_first
from agentlab.strictjson import JSONValue

__all__ = [
    "SpanEvent",
    "SpanRecord",
    "Tree",
    "first_of",
    "forward",
    "indexed",
    "merged",
    "parsed",
    "put",
    "unflattened",
    "word",
]

_DEPTH = 12
"""Dots of a flattened key that are followed; no convention needs more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanEvent:
    """Something that happened at one moment of a span."""

    name: str
    time: float | None = None
    attributes: Object = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanRecord:
    """One span."""

    trace: str
    id: str
    parent: str = ""
    """Id of the span it stands below; empty for a root."""
    name: str = ""
    start: float | None = None
    """Seconds since 1970-01-01 UTC, or since any zero that all spans share."""
    end: float | None = None
    """None where the span was never ended, or its end not exported."""
    backwards: float | None = None
    """The end that the file gives, where that is before the start; then `end` is another, see `forward`."""
    lasts: float | None = None
    """Seconds, where a writer gives them beside its times, which may be rounded; see `duration`."""
    error: str | None = None
    """What its status, or the exception it recorded, says went wrong; None where it did not fail."""
    error_kind: str | None = None
    attributes: Object = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    resource: Object = field(default_factory=dict)
    """Attributes of the program that wrote it."""
    scope: str = ""
    """The instrumentation that wrote it."""
    order: float | None = None
    """Number that a writer gave where times alone do not say what came first."""

    @property
    def duration(self) -> float | None:
        """Seconds from beginning to end; None where not recorded, or where the end lies before the beginning."""
        if self.lasts is not None:
            return self.lasts if self.lasts >= 0 else None
        return None if self.backwards is not None else between(self.start, self.end)


def forward(spans: Mapping[str, SpanRecord]) -> list[SpanRecord]:
    """The spans, none of which ends before it starts: clocks that disagree must not turn the order of a trace.

    One that the file says does stands as if it ended with what is below it.
    """
    turned = {name for name, span in spans.items() if _is_turned(span)}
    latest: dict[str, float] = {}
    for name in reversed([*outermost_first({name: span.parent for name, span in spans.items()})] if turned else []):
        span = spans[name]
        for each in (name, span.parent):
            times = (latest.get(each), latest.get(name), span.start, None if name in turned else span.end)
            latest[each] = max((time for time in times if time is not None), default=-math.inf)
    return [
        replace(span, end=latest[name], backwards=span.end) if name in turned else span for name, span in spans.items()
    ]


def _is_turned(span: SpanRecord) -> bool:
    return span.start is not None and span.end is not None and span.end < span.start


def merged(first: SpanRecord, second: SpanRecord) -> SpanRecord:
    """One span that was recorded twice: at its start and at its end, or by two exporters; the later record counts."""
    ends = [end for end in (first.end, second.end) if end is not None]
    starts = [start for start in (first.start, second.start) if start is not None]
    return replace(
        second,
        parent=second.parent or first.parent,
        name=second.name or first.name,
        start=min(starts, default=None),
        end=max(ends, default=None),
        lasts=first.lasts if second.lasts is None else second.lasts,
        error=first.error if second.error is None else second.error,
        error_kind=second.error_kind or first.error_kind,
        attributes={**first.attributes, **{k: v for k, v in second.attributes.items() if v is not None}},
        events=max(first.events, second.events, key=len),
        resource={**first.resource, **second.resource},
        order=first.order if second.order is None else second.order,
    )


class Tree:
    """The spans of one trace, those of a parent sorted by time.

    A span whose parent is not there hangs below the root that encloses it in time, if one does; else it is a root.

    Args:
        spans: each once, in the order of the file.
    """

    def __init__(self, spans: Sequence[SpanRecord]) -> None:
        self.spans = spans
        self.place = {span.id: place for place, span in enumerate(spans)}
        """Place of a span in the file."""
        self._by_id = {span.id: span for span in spans}
        self._below: dict[str, list[SpanRecord]] = {}
        self.orphans = [span for span in spans if span.parent and span.parent not in self._by_id]
        """Spans that name a parent which is not in the trace."""
        tops = [span for span in spans if not span.parent]
        lost: list[SpanRecord] = []
        for span in spans:
            if not span.parent:
                continue
            if span.parent in self._by_id:
                self._below.setdefault(span.parent, []).append(span)
            elif (home := next((top for top in tops[:_MANY] if _encloses(top, span)), None)) is not None:
                self._below.setdefault(home.id, []).append(span)
            else:
                lost.append(span)
        self.roots = sorted([*tops, *lost], key=self._order)
        for children in self._below.values():
            children.sort(key=self._order)
        self.circles: list[SpanRecord] = []
        """One span of each circle of parents, which stands as a root."""
        self._cut_circles()

    def below(self, span: SpanRecord) -> Sequence[SpanRecord]:
        """The children of a span, in the order of their start."""
        return self._below.get(span.id, ())

    def parent(self, span: SpanRecord) -> SpanRecord | None:
        """The span it names as its parent, where that is in the trace."""
        return self._by_id.get(span.parent)

    def _reached(self, *roots: SpanRecord) -> Iterator[str]:
        stack = [*roots]
        while stack:
            span = stack.pop()
            yield span.id
            stack.extend(self.below(span))

    def _order(self, span: SpanRecord) -> tuple[float, float, float, int]:
        start = -math.inf if span.start is None else span.start
        order = math.inf if span.order is None else span.order
        return start, order, math.inf if span.end is None else span.end, self.place[span.id]

    def _cut_circles(self) -> None:
        """Make a root of one span in each circle of parents, which no root leads to."""
        reached = {*self._reached(*self.roots)}
        for span in self.spans:
            if span.id in reached:
                continue
            above, top = {span.id}, self._by_id[span.parent]
            while top.id not in above:  # up to the circle, and once around
                above.add(top.id)
                top = self._by_id[top.parent]
            self.roots.append(top)
            self.circles.append(top)
            self._below[top.parent] = [each for each in self._below[top.parent] if each is not top]
            reached.update(self._reached(top))


_MANY = 100
"""Roots that are looked at for a span without a parent; a trace has one, or a few."""


def _encloses(outer: SpanRecord, inner: SpanRecord) -> bool:
    if outer.start is None or outer.end is None or inner.start is None:
        return False
    return outer.start <= inner.start <= outer.end


# --- attributes ---


def word(attributes: Object, name: str) -> str:
    """The text in an attribute; empty where there is none, or something else."""
    value = attributes.get(name)
    return value if isinstance(value, str) else ""


def first_of(attributes: Object, *names: str) -> JSONValue:
    """The first of the attributes that is there and not null."""
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


def put(root: dict[str, JSONValue], key: str, value: JSONValue) -> None:
    """Write a value under a dotted key into objects inside each other."""
    *path, last = key.split(".", _DEPTH)
    home = _within(root, path)
    known = home.get(last)
    if isinstance(known, dict) and isinstance(value, dict):
        known.update(value)
    elif not isinstance(known, dict):
        home[last] = value


def _within(root: dict[str, JSONValue], path: Sequence[str]) -> dict[str, JSONValue]:
    """The object that stands in others under these names; what is none on the way gives place to one."""
    for part in path:
        inner = root.get(part)
        if not isinstance(inner, dict):
            inner = root[part] = {}
        root = inner
    return root


def unflattened(attributes: Mapping[str, JSONValue], prefix: str = "") -> dict[str, JSONValue]:
    """What stands in flattened keys (`prefix.0.role`, `prefix.0.content`), as objects inside each other.

    Args:
        attributes: by dotted key.
        prefix: with its last dot; keys that do not begin so are left out.
    """
    root: dict[str, JSONValue] = {}
    home, before = root, ""
    items: Iterable[tuple[str, JSONValue]] = attributes.items()
    if prefix:
        items = ((key[len(prefix) :], value) for key, value in items if key.startswith(prefix))
    for key, value in items:
        path, _, last = key.rpartition(".")
        if not path or path != before:  # fields of one message follow each other, and the way to it is gone once
            if key.startswith(".") or path.count(".") >= _DEPTH:
                put(root, key, value)
                continue
            home, before = _within(root, path.split(".") if path else ()), path
        known = home.get(last)
        if not isinstance(known, dict):
            home[last] = value
        elif isinstance(value, dict):
            known.update(value)
    return root


def indexed(value: JSONValue) -> list[JSONValue]:
    """The elements of a list, also where it was flattened into an object with the keys 0, 1, ..."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return []
    numbered = [(int(key), each) for key, each in value.items() if key.isascii() and key.isdigit() and len(key) < _LONG]
    return [each for _, each in sorted(numbered, key=lambda pair: pair[0])]


_LONG = 9
"""Digits that no index has."""


def parsed(value: JSONValue) -> JSONValue:
    """The value, and where it is JSON written as a text, what that text says; None where the text is no JSON."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value.encode(), non_finite=True)
    except ValueError:
        return None
