"""Time, ids and seeds, injected so that a simulated run can be bit-identical.

Nothing else in agentlab reads the time of day or draws a random id.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Clock", "RealClock", "TickClock", "derived_id", "derived_seed", "random_id"]


class Clock(Protocol):
    """Where a trace's times come from."""

    def now(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        ...

    def elapsed(self) -> float:
        """Seconds on a clock that never runs backwards; only differences mean anything."""
        ...


@dataclass(frozen=True, slots=True)
class RealClock:
    """The machine's clocks."""

    def now(self) -> float:
        return time.time()

    def elapsed(self) -> float:
        return time.monotonic()


@dataclass(slots=True)
class TickClock:
    """A clock that advances by one tick whenever it is read, so the same code reads the same times."""

    start: float = 1_700_000_000.0
    """First reading, in seconds since 1970."""
    tick: float = 0.001
    """Seconds between readings."""
    _readings: int = field(default=0, repr=False)

    def now(self) -> float:
        self._readings += 1
        return round(self.start + self._readings * self.tick, 6)

    def elapsed(self) -> float:
        return self.now()


def random_id(prefix: str) -> str:
    """A fresh id: the prefix, an underscore and 32 random hex digits."""
    return f"{prefix}_{secrets.token_hex(16)}"


def derived_id(prefix: str, *parts: object) -> str:
    """An id that depends on the parts alone: the prefix, an underscore and 32 hex digits of their hash."""
    return f"{prefix}_{_hash(parts)[:32]}"


def derived_seed(*parts: object) -> int:
    """A seed below 2**31 (what every model server accepts) that depends on the parts alone."""
    return int(_hash(parts)[:8], 16) & 0x7FFF_FFFF


def _hash(parts: tuple[object, ...]) -> str:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()
