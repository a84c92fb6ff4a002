"""The events of a trace while it is being built: numbered, with every text digested once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from agentlab.messages import Usage
from agentlab.strictjson import digest
from agentlab.trace.events import CompletionEvent, Event, own_text

__all__ = ["EventLog"]

E = TypeVar("E", bound=Event)


class EventLog:
    """Events in the order of recording; the first one added is `e1`."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._digests: dict[str, str] = {}
        self._shown: set[str] = set()

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def add(self, kind: type[E], values: dict[str, Any]) -> E:
        """Make the next event of its fields, and keep it."""
        if extra := values.pop("extra", None):
            values["extra"] = dict(extra)
        event = kind(id=f"e{len(self._events) + 1}", **values)
        self._events.append(event)
        if (own := own_text(event)) is not None:
            self._shown.add(self.digest(own))
        return event

    def reject(self, reply: str) -> CompletionEvent:
        """Mark a reply as rejected, and give it."""
        place = int(reply[1:]) - 1
        event = self._events[place]
        if not isinstance(event, CompletionEvent):
            raise TypeError(f"{reply!r} is a {event.type}, not a reply")
        rejected = self._events[place] = replace(event, accepted=False)
        return rejected

    def reply(self, name: str = "") -> CompletionEvent | None:
        """The reply with this id, by default the latest; None where there is none."""
        replies = (event for event in reversed(self._events) if isinstance(event, CompletionEvent))
        return next((reply for reply in replies if name in ("", reply.id)), None)

    def usage(self) -> Usage:
        """Tokens of all replies together; None where none says."""
        spent = [event.usage for event in self._events if isinstance(event, CompletionEvent)]
        given = [one.input_tokens for one in spent if one.input_tokens is not None]
        written = [one.output_tokens for one in spent if one.output_tokens is not None]
        return Usage(input_tokens=sum(given) if given else None, output_tokens=sum(written) if written else None)

    @property
    def digests(self) -> Mapping[str, str]:
        """The digests of all texts, by text."""
        return self._digests

    def digest(self, text: str) -> str:
        """The digest of a text, worked out once; the texts live in the events anyway."""
        if (known := self._digests.get(text)) is None:
            known = self._digests[text] = digest(text)
        return known

    def shows(self, digest: str) -> bool:
        """Whether a text stands in full in an event already; from now on it does."""
        if digest in self._shown:
            return True
        self._shown.add(digest)
        return False
