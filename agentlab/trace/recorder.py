"""Writes down what happens, as it happens: each event is on its way to the disk before the loop goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from agentlab.clock import Clock
from agentlab.messages import Message
from agentlab.strictjson import digest
from agentlab.trace.codec import encode
from agentlab.trace.events import Event, Request, own_text
from agentlab.trace.quarantine import QuarantineWriter
from agentlab.trace.values import ContextItem

__all__ = ["JournalFile", "Recorder"]

E = TypeVar("E", bound=Event)


class JournalFile:
    """A journal on disk, appended line by line and unbuffered, so that a kill loses nothing acknowledged.

    Args:
        path: must not exist yet.

    Raises:
        FileExistsError: if it does; an attempt is recorded once.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb", buffering=0)

    def __call__(self, event: Event) -> None:
        line = memoryview(encode(event))
        while line:  # an unbuffered write may take a part only
            line = line[self._file.write(line) :]

    def close(self) -> None:
        self._file.close()


class Recorder:
    """Gives each event its id and time and hands it to a sink.

    Args:
        sink: takes each event in turn, e.g. a `JournalFile` or a list's `append`.
        quarantine: where texts of rejected replies go.
        clock: the source of all times.
    """

    def __init__(self, sink: Callable[[Event], None], *, quarantine: QuarantineWriter, clock: Clock) -> None:
        self.clock = clock
        self.step: int | None = None
        self._sink = sink
        self._quarantine = quarantine
        self._count = 0
        self._digests: dict[str, str] = {}
        self._sent: Sequence[Message] = ()

    def record(self, event: E) -> E:
        """Stamp a new event with id, time and step, write it, and return it as written."""
        self._count += 1
        stamped = _stamp(event, f"e{self._count}", self.clock.now(), self.step)
        self._sink(stamped)
        text = own_text(stamped)
        if text is not None:
            self.know(text)
        return stamped

    def know(self, text: str) -> str:
        """Remember a text that an event shows in full, so that a later context holds its digest; returns the digest.

        `record` does it for the event's own text.
        """
        known = self._digests.get(text)
        if known is None:
            known = self._digests[text] = digest(text)
        return known

    def request(self, messages: Sequence[Message], *, attempt_of_step: int = 1) -> Request:
        """Record the exact context that is about to be sent."""
        kept = _common_prefix(self._sent, messages)
        items = tuple(self._item(message) for message in messages[kept:])
        self._sent = tuple(messages)
        return self.record(Request(kept=kept, items=items, attempt_of_step=attempt_of_step))

    def quarantine(self, text: str) -> str:
        """Put the text of a rejected reply away; returns its digest."""
        return self._quarantine.put(text)

    def _item(self, message: Message) -> ContextItem:
        shown = message.text in self._digests
        return ContextItem(
            role=message.role,
            author=message.author,
            trust=message.trust,
            digest=self.know(message.text),
            text=None if shown else message.text,
            origin=message.origin,
            call=message.call or "",
            calls=tuple(call.id for call in message.calls),
        )


def _stamp(event: E, name: str, at: float, step: int | None) -> E:
    """The event with its id, time and step; a copy only if it bears a stamp already.

    A new event was made to be recorded and nobody else holds it. Copying each would take a fifteenth of the time that
    a short attempt takes.
    """
    stamped = replace(event) if event.id else event
    for field, value in (("id", name), ("time", at), ("step", step)):
        object.__setattr__(stamped, field, value)
    return stamped


def _common_prefix(before: Sequence[Message], now: Sequence[Message]) -> int:
    for position, (old, new) in enumerate(zip(before, now, strict=False)):
        if old is not new and old != new:
            return position
    return min(len(before), len(now))
