"""The items of all contexts, each once, with the requests it stood in.

A context of n items is sent again with one more; looking through every request anew would be quadratic, so each item
is kept with the first and the last request that held it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    line: Sequence[int]
    """Numbers of the requests that were built on one another, its own among them; agents may take turns."""

    @property
    def requests(self) -> Sequence[int]:
        """The requests that held it, by number."""
        return self.line[bisect_left(self.line, self.first) : bisect_right(self.line, self.last)]


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
        lines: dict[str, _Line] = {}
        found: list[Stay] = []
        last = ""
        for number, request in enumerate(self.requests):
            line = lines.pop(request.base or last, None) if request.kept else None
            line = lines[request.id] = line or _Line()
            last = request.id
            found += line.leave(request.kept)
            line.take(request, number, self._trace.texts)
        for line in lines.values():
            found += line.leave(0)
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


@dataclass(slots=True)
class _Line:
    """Requests that were built on one another, and the items that the last of them held."""

    numbers: list[int] = field(default_factory=list)
    open: list[tuple[str, Author, str | None, int]] = field(default_factory=list)

    def take(self, request: Request, number: int, texts: Mapping[str, str]) -> None:
        self.numbers.append(number)
        self.open += (
            (texts[item.digest] if item.text is None else item.text, item.author, item.origin, number)
            for item in request.items
        )

    def leave(self, kept: int) -> list[Stay]:
        """The items beyond those that the next request keeps."""
        left = [
            Stay(text, author, origin, place, first, self.numbers[-1], self.numbers)
            for place, (text, author, origin, first) in enumerate(self.open[kept:], kept)
        ]
        del self.open[kept:]
        return left
