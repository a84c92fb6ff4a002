"""Tasks in threads that a person can stop: they do not keep the process alive, so nobody waits for a slow server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread

__all__ = ["Progress", "run_all"]

Progress = Callable[[int, int], None]
"""Called with how many are done, and of how many."""

_GRACE = 1.0
"""Seconds in which tasks under way can still record that they were stopped."""


def run_all(
    tasks: Sequence[Callable[[], object]], *, workers: int, stop: Event, progress: Progress | None = None
) -> None:
    """Run every task once, in order, some at a time.

    Args:
        tasks: what to run.
        workers: how many at a time.
        stop: set where a task fails, the caller is interrupted, or all is done; no task begins then, and those under
            way may look at it.
        progress: told after each task, in the caller's thread.

    Raises:
        BaseException: the first that a task raises.
    """
    waiting: SimpleQueue[Callable[[], object]] = SimpleQueue()
    outcomes: SimpleQueue[BaseException | None] = SimpleQueue()
    for task in tasks:
        waiting.put(task)

    def work() -> None:
        while not stop.is_set():
            try:
                task = waiting.get_nowait()
            except Empty:
                return
            error = _error_of(task)
            if error is not None:
                stop.set()
            outcomes.put(error)

    threads = [Thread(target=work, daemon=True) for _ in range(min(workers, len(tasks)))]
    try:
        for thread in threads:
            thread.start()
        for number in range(1, len(tasks) + 1):
            error = outcomes.get()
            if error is not None:
                raise error
            if progress:
                progress(number, len(tasks))
    finally:
        stop.set()
        _join(threads)


def _error_of(task: Callable[[], object]) -> BaseException | None:
    try:
        task()
    except BaseException as error:  # raised again in the thread that waits
        return error
    return None


def _join(threads: Sequence[Thread]) -> None:
    deadline = time.monotonic() + _GRACE
    for thread in threads:
        if thread.is_alive():
            thread.join(max(0.0, deadline - time.monotonic()))
