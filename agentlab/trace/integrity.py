"""Whether the events of an attempt can be one record: nothing refers to what is not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from agentlab.strictjson import digest
from agentlab.trace.codec import LINE_DEPTH
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CallRefused,
    Checkpoint,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Notice,
    ProtocolErrorEvent,
    Request,
    own_text,
)
from agentlab.trace.values import Span

__all__ = ["check_record"]


def check_record(events: Sequence[Event], digests: Mapping[str, str] | None = None) -> None:
    """Check that contexts can be restored exactly and that an id names one event.

    Args:
        events: all of them, in order.
        digests: by text, where whoever made the events has worked some out already; they are not worked out again.

    Raises:
        ValueError: with one sentence that gives the event's place, from 1, and quotes nothing of it: the first event
            is not `attempt_started`, or there is another, or it has no attempt id; two events have one id; a step is
            below 1; a time is not finite; a value is nested deeper than a journal can hold; a request keeps items that
            the one it is built on did not have, or another was built on that already; a text is not the one its digest
            names; a digest stands for a text that nothing before shows; a reply, a refusal, a notice or an answer
            refers to no earlier event; a refusal has another digest than its reply; a stretch of a reply is not
            within it.
    """
    if not events or not isinstance(events[0], AttemptStarted):
        raise ValueError("a trace begins with attempt_started")
    seen = _Seen(known=digests or {})
    for number, event in enumerate(events, 1):
        for problem in _problems(event, seen, first=number == 1):
            raise ValueError(f"event {number} ({event.type}) {problem}")
        seen.add(event)


@dataclass(slots=True)
class _Seen:
    """What the events before show."""

    known: Mapping[str, str]
    """Digests by text."""
    by_id: dict[str, Event] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    """By digest."""
    last: str = ""
    """The last request."""
    lengths: dict[str, int] = field(default_factory=dict)
    """Items of the context of each request that none was built on yet."""

    def add(self, event: Event) -> None:
        self.by_id[event.id] = event
        if (text := own_text(event)) is not None:
            self.texts.add(self.digest(text))
        if isinstance(event, Request):
            if event.kept:
                self.lengths.pop(event.base or self.last, None)
            self.lengths[event.id] = event.kept + len(event.items)
            self.last = event.id

    def digest(self, text: str) -> str:
        return self.known.get(text) or digest(text)


def _problems(event: Event, seen: _Seen, *, first: bool) -> Iterator[str]:
    if isinstance(event, AttemptStarted) and not (first and event.attempt):
        yield "has an empty attempt id" if first else "begins a second attempt"
    if event.id in seen.by_id:
        yield "has the id of an earlier event"
    if event.step is not None and event.step < 1:
        yield "has a step below 1"
    if (name := _REFERENCES.get(type(event))) and getattr(event, name) not in seen.by_id:
        yield f"refers in {name} to no earlier event"
    yield from _unwritable(event)
    if isinstance(event, CompletionEvent):
        yield from _reply_problems(event, seen)
    elif isinstance(event, ProtocolErrorEvent):
        yield from _refusal_problems(event, seen.by_id[event.completion])
    elif isinstance(event, Request):
        if not 0 <= event.kept <= seen.lengths.get(event.base or seen.last, 0):
            yield "keeps items that the request it is built on did not have"
        yield from _item_problems(event, seen)


_REFERENCES: Mapping[type[Event], str] = {
    ProtocolErrorEvent: "completion",
    CallRefused: "completion",
    Answer: "completion",
    CompletionEvent: "request",
    Notice: "about",
}
"""The field in which an event names what it is about."""


def _unwritable(event: Event) -> Iterator[str]:
    """What no journal could hold, so that a trace that was read can always be written."""
    for name in _SECONDS.get(type(event), ("time",)):
        if (number := getattr(event, name)) is not None and not isfinite(number):
            yield f"has in {name} what is no finite number"
    if any(_is_deeper(value, LINE_DEPTH - levels) for value, levels in _open_values(event) if value):
        yield f"holds lists and objects nested deeper than the {LINE_DEPTH} levels that a journal can hold"


_SECONDS: Mapping[type[Event], Sequence[str]] = {
    CompletionEvent: ("time", "latency"),
    ExecutionFinished: ("time", "duration"),
    AttemptFinished: ("time", "duration"),
}


def _open_values(event: Event) -> Iterator[tuple[object, int]]:
    """Values whose nesting no type limits, with the levels of a journal line that they stand below."""
    yield event.extra, 1
    if isinstance(event, Request):
        yield from ((item.extra, 3) for item in event.items)
    elif isinstance(event, CompletionEvent):
        yield from ((call.arguments, 3) for call in event.calls)
    elif isinstance(event, ExecutionStarted):
        yield event.arguments, 1
    elif isinstance(event, AttemptStarted):
        yield from ((tool.parameters, 3) for tool in event.tools)
    elif isinstance(event, Checkpoint):
        yield event.state, 1


def _is_deeper(value: object, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [inner for each in layer for inner in _inside(each) if isinstance(inner, Mapping | list | tuple)]
        if not layer:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def _reply_problems(event: CompletionEvent, seen: _Seen) -> Iterator[str]:
    if event.text is not None and seen.digest(event.text) != event.digest:
        yield "has a text with another digest than it says"
    if not _within(event.discarded, event.characters):
        yield "has in discarded a stretch that is not within the reply"


def _refusal_problems(event: ProtocolErrorEvent, reply: Event) -> Iterator[str]:
    if not isinstance(reply, CompletionEvent):
        yield "refers in completion to an event that is no reply"
        return
    if event.digest != reply.digest:
        yield "has another digest than the reply it refuses"
    if not _within((Span(start=event.start, end=event.end, kind=""), *event.forged), reply.characters):
        yield "marks a stretch that is not within the reply"


def _within(spans: Iterable[Span], characters: int) -> bool:
    return all(0 <= span.start <= span.end <= characters for span in spans)


def _item_problems(event: Request, seen: _Seen) -> Iterator[str]:
    for position, item in enumerate(event.items):
        if item.text is None:
            if item.digest not in seen.texts:
                yield f"refers in items[{position}] to a text that nothing before shows"
        elif seen.digest(item.text) != item.digest:
            yield f"has in items[{position}] a text with another digest than it says"
        else:
            seen.texts.add(item.digest)
