"""A guard against work that grows faster than its input: hostile texts are long enough that it would not end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["ends"]

_SECONDS = 60
"""A hundred times what the slowest takes on a busy machine; what is quadratic takes many times as long."""


@contextmanager
def ends() -> Iterator[None]:
    """Fail what does not come to an end."""

    def give_up(signum: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still at work after {_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
