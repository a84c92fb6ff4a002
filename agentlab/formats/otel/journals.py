"""Our own events inside OTLP spans, as `agentlab convert` writes them, so that nothing is lost on the way back.

A resource with the attribute `agentlab.trace` (the attempt's id) holds them: each as an event named `agentlab.event`
of some span, with the JSON text of a journal line in the attribute of that name, and its place in the journal in
`agentlab.position`; the text of a reply that was refused stands in an event `agentlab.quarantine`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentlab.formats.shapes.fields import ShapeError, integer, text
from agentlab.formats.shapes.places import at
from agentlab.formats.spans.tree import SpanRecord
from agentlab.strictjson import digest
from agentlab.trace.codec import decode
from agentlab.trace.events import Event
from agentlab.trace.model import Trace
from agentlab.trace.quarantine_reader import MemoryTexts

__all__ = ["attempt_of", "restored"]

_TRACE, _EVENT, _POSITION = "agentlab.trace", "agentlab.event", "agentlab.position"
_QUARANTINE, _TEXT = "agentlab.quarantine", "agentlab.text"


def attempt_of(spans: Iterable[SpanRecord]) -> str:
    """The attempt whose events the spans of a trace hold; empty where they hold none."""
    for span in spans:
        name = span.resource.get(_TRACE)
        if isinstance(name, str) and any(event.name == _EVENT for event in span.events):
            return name
    return ""


def restored(spans: Mapping[str, SpanRecord], *, path: str) -> Trace:
    """The trace whose events the spans hold.

    Raises:
        ShapeError: if one of them is no event of a journal; it names the span.
        ValueError: if they cannot be one record.
    """
    found: dict[int, Event] = {}
    texts: dict[str, str] = {}
    for span in spans.values():
        with at(f"span {span.id}"):
            for event in span.events:
                if event.name == _QUARANTINE:
                    rejected = text(event.attributes, _TEXT)
                    texts[digest(rejected)] = rejected
                elif event.name == _EVENT:
                    place = integer(event.attributes, _POSITION)
                    if place is None:
                        raise ShapeError(f"{_POSITION}: a whole number was expected and none found")
                    found[place] = _decoded(text(event.attributes, _EVENT), place)
    places = sorted(found)
    first = min(places[0], 1)
    missing = places[-1] - first + 1 - len(places)
    defect = f"{missing} of the attempt's {places[-1] - first + 1} events are not in this file" if missing else ""
    events = tuple(found[place] for place in places)
    return Trace(events=events, quarantine=MemoryTexts(texts), path=path, damage=defect)


def _decoded(line: str, place: int) -> Event:
    try:
        return decode(line.encode())
    except ValueError as error:
        raise ShapeError(f"{_EVENT} {place} {error}") from None
