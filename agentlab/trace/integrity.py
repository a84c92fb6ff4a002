"""Whether the events of an attempt can be one record: nothing refers to what is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

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
            below 1; a time is not finite; a value holds a number that is not, or is nested deeper than a journal can
            hold; a request keeps items that the one it is built on did not have, or another was built on that already;
            a text is not the one its digest names; a digest stands for a text that nothing before shows; a reply, a
            refusal, a notice or an answer refers to no earlier event; a refusal has another digest than its reply; a
            stretch of a reply is not within it.
    """
    if not events or not isinstance(events[0], AttemptStarted):
        raise ValueError("a trace begins with attempt_started")
    seen = _Seen(known=digests or {})
    for number, event in enumerate(events, 1):
        if problem := _problem(event, seen):
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


@dataclass(frozen=True, slots=True)
class _Rule:
    """What is asked of one type of event beyond what is asked of all."""

    refers: str = ""
    """The field in which it names an earlier event."""
    seconds: str = ""
    """A field that holds seconds."""
    more: Callable[[Any, _Seen], str] | None = None
    """What is wrong with such an event that may stand after those; empty where nothing is."""


def _problem(event: Event, seen: _Seen) -> str:
    """What is wrong with an event; empty where nothing is. Read for each event of each trace, so it is kept flat."""
    rule = _RULES.get(type(event), _NONE)
    if event.id in seen.by_id:
        return "has the id of an earlier event"
    if event.step is not None and event.step < 1:
        return "has a step below 1"
    if event.time is not None and not isfinite(event.time):
        return _not_finite("time")
    if rule.seconds and (seconds := getattr(event, rule.seconds)) is not None and not isfinite(seconds):
        return _not_finite(rule.seconds)
    if rule.refers and getattr(event, rule.refers) not in seen.by_id:
        return f"refers in {rule.refers} to no earlier event"
    if event.extra and (problem := _unwritable(event.extra, 1)):
        return problem
    return rule.more(event, seen) if rule.more else ""


def _not_finite(name: str) -> str:
    return f"has in {name} what is no finite number"


# --- what no type limits: values of a foreign record ---

_ATOMS = frozenset({str, bool, type(None)})
_NUMBERS = frozenset({int, float})


def _unwritable(value: object, above: int) -> str:
    """Why no journal could hold a value that stands so many levels deep in its line; empty where one can."""
    layer = [value] if value else []
    for _ in range(LINE_DEPTH - above):
        if not layer:
            return ""
        found = [inner for each in layer for inner in _inside(each) if type(inner) not in _ATOMS]
        if not found:
            return ""
        layer = [each for each in found if type(each) not in _NUMBERS]
        if len(layer) < len(found) and not all(map(_is_double, found)):
            return "holds a number that is not finite, or beyond a double"
    if any(isinstance(each, Mapping | list | tuple) for each in layer):
        return f"holds lists and objects nested deeper than the {LINE_DEPTH} levels that a journal can hold"
    return ""


def _first(values: Iterable[object], above: int) -> str:
    return next((problem for value in values if (problem := _unwritable(value, above))), "")


def _is_double(value: object) -> bool:
    """Whether a value is no number, or one that every reader of JSON can hold."""
    try:
        return not isinstance(value, int | float) or isfinite(value)
    except OverflowError:
        return False


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict | Mapping):  # dict first: most are, and to ask for any mapping takes long
        return value.values()
    return value if isinstance(value, list | tuple) else ()


# --- one type of event each ---


def _start_problem(event: AttemptStarted, seen: _Seen) -> str:
    if seen.by_id:
        return "begins a second attempt"
    if not event.attempt:
        return "has an empty attempt id"
    return _first((tool.parameters for tool in event.tools), 3)


def _request_problem(event: Request, seen: _Seen) -> str:
    if not 0 <= event.kept <= seen.lengths.get(event.base or seen.last, 0):
        return "keeps items that the request it is built on did not have"
    for position, item in enumerate(event.items):
        if item.extra and (problem := _unwritable(item.extra, 3)):
            return problem
        if item.text is None:
            if item.digest not in seen.texts:
                return f"refers in items[{position}] to a text that nothing before shows"
        elif seen.digest(item.text) != item.digest:
            return f"has in items[{position}] a text with another digest than it says"
        else:
            seen.texts.add(item.digest)
    return ""


def _reply_problem(event: CompletionEvent, seen: _Seen) -> str:
    if event.text is not None and seen.digest(event.text) != event.digest:
        return "has a text with another digest than it says"
    if event.discarded and not _within(event.discarded, event.characters):
        return "has in discarded a stretch that is not within the reply"
    return _first((call.arguments for call in event.calls), 3)


def _refusal_problem(event: ProtocolErrorEvent, seen: _Seen) -> str:
    reply = seen.by_id[event.completion]
    if not isinstance(reply, CompletionEvent):
        return "refers in completion to an event that is no reply"
    if event.digest != reply.digest:
        return "has another digest than the reply it refuses"
    if not _within((Span(start=event.start, end=event.end, kind=""), *event.forged), reply.characters):
        return "marks a stretch that is not within the reply"
    return ""


def _execution_problem(event: ExecutionStarted, _: _Seen) -> str:
    return _unwritable(event.arguments, 1)


def _checkpoint_problem(event: Checkpoint, _: _Seen) -> str:
    return _unwritable(event.state, 1)


def _within(spans: Iterable[Span], characters: int) -> bool:
    return all(0 <= span.start <= span.end <= characters for span in spans)


_NONE = _Rule()
_RULES: Mapping[type[Event], _Rule] = {
    AttemptStarted: _Rule(more=_start_problem),
    Request: _Rule(more=_request_problem),
    CompletionEvent: _Rule(refers="request", seconds="latency", more=_reply_problem),
    ProtocolErrorEvent: _Rule(refers="completion", more=_refusal_problem),
    CallRefused: _Rule(refers="completion"),
    ExecutionStarted: _Rule(more=_execution_problem),
    ExecutionFinished: _Rule(seconds="duration"),
    Notice: _Rule(refers="about"),
    Checkpoint: _Rule(more=_checkpoint_problem),
    Answer: _Rule(refers="completion"),
    AttemptFinished: _Rule(seconds="duration"),
}
