"""How long a server may take: to connect, until its reply begins, between two pieces of it, and for all of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields

from agentlab.errors import UsageError

__all__ = ["Exchange", "Timeouts", "current_exchange", "exchange_of_thread"]

_MAX_SECONDS = 86_400.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeouts:
    """Limits of one request, in seconds.

    Raises:
        UsageError: for a limit that is no number of seconds above 0 and at most a day.
    """

    connect: float = 10.0
    first_byte: float = 300.0
    """From the end of the request to the first byte of the reply; a server that streams nothing works meanwhile."""
    between_bytes: float = 60.0
    """Longest silence in the middle of a reply."""
    total: float = 300.0
    """From the beginning to the end of the reply, retries and the waits between them included."""

    def __post_init__(self) -> None:
        for field in fields(self):
            limit: float = getattr(self, field.name)
            if not 0 < limit <= _MAX_SECONDS:
                raise UsageError(
                    f"The time limit {field.name} of {limit!r} s cannot be used; give seconds above 0, at most a day."
                )


class Exchange:
    """One request and its reply, as the time runs.

    A client limits the wait for each piece and not for all of them: a server that sends a byte a second would hold an
    attempt for ever. So whoever reads from the network asks here how long it may still wait.

    Args:
        timeouts: the limits.
        ends: when all must be over, on the clock of `time.monotonic`.
    """

    def __init__(self, timeouts: Timeouts, ends: float) -> None:
        self._timeouts = timeouts
        self._ends = ends
        self.phase = "to connect"
        self.connected = False
        """Whether it has opened a connection of its own; else it uses one that was kept."""
        self.heard_at: float | None = None
        """When the reply began, on the same clock; None before."""
        self.limit = ""
        """The limit that was passed, for a message; empty while none was."""

    def may_connect(self) -> float:
        """Seconds that a connection may take; 0 where none are left."""
        self.connected = True
        return self._within("connect", self._timeouts.connect)

    def may_wait(self) -> float:
        """Seconds that the next piece may take; 0 where none are left."""
        if self.heard_at is not None:
            return self._within("between_bytes", self._timeouts.between_bytes)
        return self._within("first_byte", self._timeouts.first_byte)

    def sending(self) -> None:
        """A connection stands; the request is on its way."""
        self.phase = "before its reply began"

    def hear(self) -> None:
        """A piece of the reply has come."""
        self.heard_at = self.heard_at or time.monotonic()
        self.phase = "in the middle of its reply"

    @property
    def left(self) -> float:
        """Seconds until all must be over; never below zero."""
        return max(0.0, self._ends - time.monotonic())

    def _within(self, name: str, seconds: float) -> float:
        left = self.left
        self.limit = f"{seconds:g} s ({name})" if seconds < left else f"{self._timeouts.total:g} s for all"
        return min(seconds, left)


_CURRENT: ContextVar[Exchange] = ContextVar("exchange")


@contextmanager
def current_exchange(exchange: Exchange) -> Iterator[Exchange]:
    """Make an exchange the one that reads of this thread belong to."""
    token = _CURRENT.set(exchange)
    try:
        yield exchange
    finally:
        _CURRENT.reset(token)


def exchange_of_thread() -> Exchange:
    """The exchange that this thread is in."""
    return _CURRENT.get()
