"""The items of all contexts, each once, with the requests it stood in.

A context of n items is sent again with one more; looking through every request anew would be quadratic, so each item
is kept with the first and the last request that held it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agentlab.messages import Author
from agentlab.trace.events import Request
from agentlab.trace.model import Trace

__all__ = ["Contexts", "Stay"]


@dataclass(frozen=True, slots=True)
class Stay:
    """An item of a context for as long as it stood there."""

    text: str
    author: Author
    origin: str | None
    place: int
    """In the context, from 0."""
    first: int
    """Number of the first request that held it, from 0."""
    last: int


class Contexts:
    """Every item that was ever sent.

    Args:
        trace: whose requests.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.requests = trace.of(Request)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number of each request, from 0, by event id."""
        return {request.id: number for number, request in enumerate(self.requests)}

    @cached_property
    def stays(self) -> tuple[Stay, ...]:
        """Every item, in the order of leaving the context."""
        texts = self._trace.texts
        open_: list[tuple[str, Author, str | None, int]] = []
        found: list[Stay] = []

        def leave(kept: int, last: int) -> None:
            found.extend(
                Stay(text, author, origin, place, first, last)
                for place, (text, author, origin, first) in enumerate(open_[kept:], kept)
            )
            del open_[kept:]

        for number, request in enumerate(self.requests):
            leave(request.kept, number - 1)
            open_ += (
                (texts[item.digest] if item.text is None else item.text, item.author, item.origin, number)
                for item in request.items
            )
        leave(0, len(self.requests) - 1)
        return tuple(found)

    @cached_property
    def by_origin(self) -> Mapping[str | None, tuple[Stay, ...]]:
        """The items that came from each event."""
        found: dict[str | None, list[Stay]] = defaultdict(list)
        for stay in self.stays:
            found[stay.origin].append(stay)
        return {origin: tuple(stays) for origin, stays in found.items()}

    @cached_property
    def by_others(self) -> tuple[Stay, ...]:
        """The items that somebody else than the model wrote."""
        return tuple(stay for stay in self.stays if stay.author != "model")
