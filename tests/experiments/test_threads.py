from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from agentlab.experiments.threads import run_all


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_every_task_runs_once(workers: int) -> None:
    done: list[int] = []
    told: list[tuple[int, int]] = []
    tasks = [partial(done.append, number) for number in range(20)]
    run_all(tasks, workers=workers, stop=threading.Event(), progress=lambda *counts: told.append(counts))
    assert sorted(done) == list(range(20))
    assert told == [(number, 20) for number in range(1, 21)]


def test_nothing_to_do() -> None:
    run_all([], workers=3, stop=threading.Event())


def test_one_worker_keeps_the_order() -> None:
    done: list[int] = []
    run_all([partial(done.append, number) for number in range(50)], workers=1, stop=threading.Event())
    assert done == list(range(50))


def test_tasks_run_at_once() -> None:
    meeting = threading.Barrier(3, timeout=10)
    run_all([meeting.wait] * 3, workers=3, stop=threading.Event())


def test_the_first_error_ends_it() -> None:
    done: list[int] = []
    stop = threading.Event()

    def fail() -> None:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        run_all([partial(done.append, 1), fail, *[partial(done.append, 2)] * 1000], workers=1, stop=stop)
    assert stop.is_set()
    assert done == [1]


@pytest.mark.timeout(20)
def test_an_interrupted_caller_does_not_wait_for_a_task_that_hangs() -> None:
    never = threading.Event()

    def interrupt(_done: int, _planned: int) -> None:
        raise KeyboardInterrupt

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_all([never.wait, int], workers=2, stop=threading.Event(), progress=interrupt)
    assert time.monotonic() - begun < 5
    never.set()
