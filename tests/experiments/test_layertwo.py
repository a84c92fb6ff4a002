"""The trace of one attempt, held to what every trace of ours has; each fault is planted into a real one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import conditions_for
from agentlab.experiments.layertwo import check_attempt
from agentlab.experiments.study import Study, run_study
from agentlab.trace.events import AttemptFinished, CompletionEvent, Event, ExecutionStarted, Observation
from agentlab.trace.model import Trace
from agentlab.trace.quarantine_reader import EMPTY


@pytest.fixture(scope="module", params=["react-v1", "react-v2", "react-v3", "drop", "retry"])
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """One attempt that was refused at least once and called a tool at least once."""
    study = Study(case=load_case("mcp-mentions"), conditions=conditions_for(request.param), attempts=20)
    result = run_study(study, out=tmp_path_factory.mktemp("two") / "run")
    traces = map(result.trace, (attempt.attempt for attempt in result.attempts))
    return next(t for t in traces if t.of(ExecutionStarted) and not all(r.accepted for r in t.of(CompletionEvent)))


def failing(trace: Trace) -> set[str]:
    return {check.name for check in check_attempt(trace) if not check.passed}


def test_a_good_trace_holds_together(trace: Trace) -> None:
    checks = list(check_attempt(trace))
    assert [check.name for check in checks if not check.passed] == []
    assert all(check.seen for check in checks)


def test_a_text_that_is_not_in_quarantine(trace: Trace) -> None:
    assert failing(replace(trace, quarantine=EMPTY)) == {"quarantine"}


Change = Callable[[Event], Event | None]


def changed(trace: Trace, change: Change) -> Trace:
    """The trace with some events changed or left out."""
    events = tuple(event for each in trace.events if (event := change(each)) is not None)
    return replace(trace, events=events, digests=None)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda e: None if isinstance(e, AttemptFinished) else e, {"end", "counts"}),
        (lambda e: replace(e, reason="provider_error") if isinstance(e, AttemptFinished) else e, {"end"}),
        (lambda e: replace(e, requests=99) if isinstance(e, AttemptFinished) else e, {"counts"}),
        (lambda e: replace(e, latency=None) if isinstance(e, CompletionEvent) else e, {"measures"}),
        (lambda e: replace(e, time=1.0) if isinstance(e, CompletionEvent) else e, {"spans"}),
        (lambda e: replace(e, step=e.step + 5) if e.step and e.step > 1 else e, {"spans"}),
        (lambda e: replace(e, call="c99") if isinstance(e, ExecutionStarted) else e, {"protocol"}),
        (lambda e: replace(e, call="c99") if isinstance(e, Observation) else e, {"protocol"}),
    ],
)
def test_faults_are_named(trace: Trace, change: Change, names: set[str]) -> None:
    assert names <= failing(changed(trace, change))


def test_a_rejected_text_in_a_context(trace: Trace) -> None:
    """A policy that omits is named where one that keeps was at work."""
    if trace.started.loop_version != "react-v1":
        renamed = changed(trace, lambda e: replace(e, loop_version="react-v1") if e.type == "attempt_started" else e)  # type: ignore[call-arg]
        assert "quarantine" not in failing(renamed)
        return
    renamed = changed(trace, lambda e: replace(e, loop_version="react-v2") if e.type == "attempt_started" else e)  # type: ignore[call-arg]
    assert failing(renamed) == {"quarantine"}


def test_another_package(trace: Trace, tmp_path: Path) -> None:
    other = changed(trace, lambda e: replace(e, package_version="0.0.0") if e.type == "attempt_started" else e)  # type: ignore[call-arg]
    assert failing(other) == {"versions"}
