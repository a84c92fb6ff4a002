from __future__ import annotations

import os
import signal
import threading

import pytest

from agentlab.cli.stopping import Terminated, farewell, stopped_by_term


def test_what_is_said_is_true_for_the_command() -> None:
    kept = "What had been recorded is kept."
    assert farewell("study", ["The run is in x."]) == f"agentlab: stopped. {kept} The run is in x."
    assert farewell("run") == f"agentlab: stopped. {kept}"
    assert farewell("convert") == "agentlab: stopped. Nothing was written."
    assert farewell("audit") == farewell("show") == farewell("") == "agentlab: stopped."


def test_sigterm_is_raised_and_what_was_before_comes_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Terminated), stopped_by_term():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_in_another_thread_nothing_is_changed() -> None:
    seen = []

    def run() -> None:
        with stopped_by_term():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]
