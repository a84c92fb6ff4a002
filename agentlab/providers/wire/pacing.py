"""A rate limit shared by all attempts: so many requests and so many tokens a minute."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from agentlab.errors import UsageError

__all__ = ["Pace", "Rate"]

_MINUTE = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """What a server allows; None for no limit.

    Raises:
        UsageError: for a limit below 1.
    """

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        for limit in (self.requests_per_minute, self.tokens_per_minute):
            if limit is not None and not 1 <= limit < 1e9:
                raise UsageError(f"A rate of {limit!r} a minute cannot be kept; give a number from 1 on, or none.")


class Pace:
    """Lets requests go as a rate allows. May be used from many threads.

    Two buckets that fill evenly. The tokens of a request are known when its reply is there, so they are taken then,
    and the bucket may fall below zero: the next request waits until it is filled again. The limiters that can be had
    take a known number before, and would have to be told a guess.

    Args:
        rate: what is allowed.
        clock: gives seconds that never run backwards.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._requests = _Bucket(rate.requests_per_minute, clock())
        self._tokens = _Bucket(rate.tokens_per_minute, clock())

    def take_turn(self) -> float:
        """Take the next turn there is; returns the seconds to wait until it has come."""
        with self._lock:
            now = self._clock()
            wait = max(self._requests.wait(now, 1.0), self._tokens.wait(now, 0.0))
            self._requests.take(now, 1.0)
            return wait

    def spend(self, tokens: int) -> None:
        """Count the tokens of a reply."""
        with self._lock:
            self._tokens.take(self._clock(), tokens)


class _Bucket:
    """What may be used at once, filled evenly up to ten seconds' worth, or one."""

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._rate = None if per_minute is None else per_minute / _MINUTE
        self._most = 0.0 if per_minute is None else max(1.0, per_minute / 6)
        self._level = self._most
        self._filled = now

    def wait(self, now: float, amount: float) -> float:
        """Seconds until so much is there."""
        if self._rate is None:
            return 0.0
        self._fill(now)
        return max(0.0, (amount - self._level) / self._rate)

    def take(self, now: float, amount: float) -> None:
        self._fill(now)
        self._level -= amount

    def _fill(self, now: float) -> None:
        if self._rate is not None:
            self._level = min(self._most, self._level + (now - self._filled) * self._rate)
        self._filled = now
