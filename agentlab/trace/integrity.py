"""Whether the events of an attempt can be one record: nothing refers to what is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentlab.strictjson import digest
from agentlab.trace.events import AttemptStarted, CompletionEvent, Event, Request, own_text

__all__ = ["check_record"]


def check_record(events: Sequence[Event]) -> None:
    """Check that contexts can be restored exactly and that an id names one event.

    Raises:
        ValueError: with one sentence that gives the event's place, from 1, and quotes nothing of it: the first event
            is not `attempt_started`, or there is another; two events have one id; a request keeps more items than the
            one before had; a text is not the one its digest names; a digest stands for a text that nothing before
            shows.
    """
    if not events or not isinstance(events[0], AttemptStarted):
        raise ValueError("a trace begins with attempt_started")
    ids: set[str] = set()
    texts: set[str] = set()
    length = 0
    for number, event in enumerate(events, 1):
        for problem in _problems(event, first=number == 1, ids=ids, texts=texts, length=length):
            raise ValueError(f"event {number} ({event.type}) {problem}")
        ids.add(event.id)
        if (text := own_text(event)) is not None:
            texts.add(digest(text))
        if isinstance(event, Request):
            length = event.kept + len(event.items)


def _problems(event: Event, *, first: bool, ids: set[str], texts: set[str], length: int) -> Iterable[str]:
    if isinstance(event, AttemptStarted) and not first:
        yield "begins a second attempt"
    if event.id in ids:
        yield "has the id of an earlier event"
    if isinstance(event, CompletionEvent) and event.text is not None and digest(event.text) != event.digest:
        yield "has a text with another digest than it says"
    if isinstance(event, Request):
        if not 0 <= event.kept <= length:
            yield "keeps items that the request before did not have"
        yield from _item_problems(event, texts)


def _item_problems(event: Request, texts: set[str]) -> Iterable[str]:
    for position, item in enumerate(event.items):
        if item.text is None:
            if item.digest not in texts:
                yield f"refers in items[{position}] to a text that nothing before shows"
        elif digest(item.text) != item.digest:
            yield f"has in items[{position}] a text with another digest than it says"
        else:
            texts.add(item.digest)
