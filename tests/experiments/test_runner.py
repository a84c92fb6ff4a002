from __future__ import annotations

import threading
from pathlib import Path

import pytest

from agentlab.clock import RealClock, TickClock
from agentlab.experiments.conditions import Condition
from agentlab.experiments.runner import PlannedAttempt, run_attempt
from agentlab.providers.base import ProviderRequest
from agentlab.providers.scripted import ScriptedProvider
from agentlab.trace.store import AttemptEntry, Manifest, RunStore
from tests.experiments.lighthouse import CALL, RIGHT, lighthouse

ATTEMPT = "attempt_" + "0" * 32


def store(folder: Path) -> RunStore:
    manifest = Manifest(
        run="run_" + "0" * 32,
        case="lighthouse",
        case_digest="",
        conditions=(),
        attempts_per_condition=1,
        provider="scripted:none",
        seed=0,
        package_version="0",
        attempts=(AttemptEntry(id=ATTEMPT, condition="only", index=0),),
    )
    return RunStore.create(folder, manifest)


def planned(provider: ScriptedProvider, *, simulated: bool = True) -> PlannedAttempt:
    condition = Condition(name="only", loop="react-v2", prompt_version="chat-v3")
    return PlannedAttempt(id=ATTEMPT, condition=condition, index=3, seed=11, provider=provider, simulated=simulated)


def test_an_attempt_is_recorded_with_its_identity(tmp_path: Path) -> None:
    run = store(tmp_path / "run")
    end = run_attempt(planned(ScriptedProvider([CALL, RIGHT])), lighthouse(tmp_path / "case"), run, threading.Event())
    trace = run.trace(ATTEMPT)
    assert trace.finished == end
    assert end.reason == "answered"
    start = trace.started
    assert (start.run, start.case, start.condition, start.index, start.seed) == (
        run.manifest.run,
        "lighthouse",
        "only",
        3,
        11,
    )
    assert (start.provider, start.sampling.seed) == ("scripted", None)


def test_a_stopped_attempt_asks_nothing_more_and_says_so(tmp_path: Path) -> None:
    stop = threading.Event()

    def answer(_request: ProviderRequest) -> str:
        assert not stop.is_set()
        stop.set()
        return CALL

    run = store(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        run_attempt(planned(ScriptedProvider(answer)), lighthouse(tmp_path / "case"), run, stop)
    trace = run.trace(ATTEMPT)
    assert trace.finished is not None
    assert trace.finished.reason == "interrupted"
    assert [call.state for call in trace.calls] == ["succeeded"]


def test_only_what_is_simulated_has_made_up_times_and_no_seed_for_the_server(tmp_path: Path) -> None:
    provider = ScriptedProvider([RIGHT])
    assert isinstance(planned(provider).clock, TickClock)
    real = planned(provider, simulated=False)
    assert isinstance(real.clock, RealClock)
    run = store(tmp_path / "run")
    run_attempt(real, lighthouse(tmp_path / "case"), run, threading.Event())
    assert run.trace(ATTEMPT).started.sampling.seed == 11
