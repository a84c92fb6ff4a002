"""What is said where a person or the system stops a command."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Never

__all__ = ["Terminated", "farewell", "stopped_by_term"]

_LEFT = {
    "run": "What had been recorded is kept.",
    "study": "What had been recorded is kept.",
    "convert": "Nothing was written.",
}
"""What a command that was stopped has left behind; the others write nothing, or at the very end."""


class Terminated(KeyboardInterrupt):
    """The system asked the process to end, with SIGTERM."""


def farewell(command: str, notes: Sequence[str] = ()) -> str:
    """The sentences where a command is stopped: what is true for this one, and what it has noted itself."""
    return " ".join(("agentlab: stopped.", *filter(None, (_LEFT.get(command, ""),)), *notes))


@contextmanager
def stopped_by_term() -> Iterator[None]:
    """SIGTERM meanwhile is raised as Ctrl-C is, so that what was begun is cleaned up."""
    if threading.current_thread() is not threading.main_thread():  # only there can a signal be handled
        yield
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(*_: object) -> Never:
    raise Terminated
