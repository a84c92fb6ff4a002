"""N/K: how many attempts succeed within their bounds, and what build servers are told."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import UsageError
from agentlab.experiments.bounds import Bounds
from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import conditions_for
from agentlab.experiments.formal import Formal, Requirement, evaluate
from agentlab.experiments.junit import junit_xml
from agentlab.experiments.results import StudyResult
from agentlab.experiments.study import Study, run_study


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    study = Study(case=load_case("mcp-mentions"), conditions=conditions_for("react-v1,react-v2"), attempts=10)
    return run_study(study, out=tmp_path_factory.mktemp("formal") / "run")


def held(result: StudyResult, k: int, **bounds: float) -> list[Formal]:
    return evaluate(result, Requirement(k=k, bounds=Bounds.model_validate(bounds)))


def test_successes_are_those_with_evidence(result: StudyResult) -> None:
    v1, v2 = held(result, 8)
    assert [each.succeeded for each in (v1, v2)] == [condition.success.count for condition in result.conditions]
    assert (v1.passed, v2.passed) == (False, True)
    assert v1.sentence == f"react-v1: {v1.succeeded} of 10, 8 required: not met"
    assert {verdict.why for verdict in v1.verdicts} == {"", "it ended as wrong forged"}


def test_the_edge(result: StudyResult) -> None:
    count = result.conditions[0].success.count
    assert held(result, count)[0].passed
    assert not held(result, count + 1)[0].passed


@pytest.mark.parametrize(
    ("name", "least", "enough"), [("tokens", 1, 10**9), ("calls", 0, 99), ("steps", 1, 99), ("seconds", 1e-9, 1e9)]
)
def test_an_attempt_that_costs_too_much_does_not_count(
    result: StudyResult, name: str, least: float, enough: float
) -> None:
    v2 = held(result, 8, **{name: least})[1]
    assert v2.succeeded == 0
    assert all(f" {name} where {least:g} are allowed" in verdict.why for verdict in v2.verdicts)
    assert held(result, 8, **{name: enough})[1].succeeded == 10


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_bound_may_be_reached_and_not_passed(allowed: int, used: int) -> None:
    beyond = list(Bounds(calls=allowed).exceeded(tokens=None, calls=used, steps=1, seconds=0.0))
    assert bool(beyond) == (used > allowed)


def test_tokens_that_nobody_counted_are_no_proof() -> None:
    bounds = Bounds(tokens=5)
    assert list(bounds.exceeded(tokens=5, calls=0, steps=1, seconds=0.0)) == []
    assert list(bounds.exceeded(tokens=None, calls=0, steps=1, seconds=0.0)) == [
        "no server counted its tokens, of which 5 are allowed"
    ]


def test_bounds_of_a_command_stand_over_those_of_a_case() -> None:
    assert Bounds(steps=3).over(Bounds(steps=9, calls=1)) == Bounds(steps=3, calls=1)


def test_the_attempts_that_show_a_difference_are_told(result: StudyResult) -> None:
    v1, v2 = held(result, 1)
    assert v1.needed is not None
    assert v2.needed is not None
    assert v1.needed > v2.needed, "near the edge a difference is easier to see"
    larger = evaluate(result, Requirement(k=1, bounds=Bounds(), difference=0.5))[0].needed
    assert larger is not None
    assert larger < v1.needed


@pytest.mark.parametrize(("k", "problem"), [(0, "At least one attempt"), (-2, "is -2"), (11, "11 successes .* of 10")])
def test_numbers_that_cannot_be_required(result: StudyResult, k: int, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        held(result, k)


@pytest.mark.parametrize("difference", [0, -0.1, 1.5, float("nan")])
def test_differences_that_cannot_be_seen(difference: float) -> None:
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        Requirement(k=1, bounds=Bounds(), difference=difference)


def test_a_build_server_is_told(result: StudyResult, tmp_path: Path) -> None:
    root = ET.fromstring(junit_xml(result, held(result, 8)))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "1", "0")
    v1, v2 = root.iter("testcase")
    assert (v1.get("name"), v1.get("classname")) == ("react-v1", "mcp-mentions")
    failure = v1.find("failure")
    assert failure is not None
    assert failure.get("message", "").endswith("8 required: not met")
    assert v2.find("failure") is None
    output = v2.findtext("system-out", "")
    assert output.count("succeeded within its bounds") == 10


def test_what_xml_cannot_hold_is_replaced(result: StudyResult) -> None:
    (first, *_) = held(result, 8)
    text = junit_xml(result, [Formal(condition=first.condition, verdicts=(), requirement=first.requirement)])
    assert "\x00" not in text
    odd = type(first.condition)(**{**_fields(first.condition), "name": "a\x00<b>&\x1b"})
    text = junit_xml(result, [Formal(condition=odd, verdicts=(), requirement=first.requirement)])
    assert next(ET.fromstring(text).iter("testcase")).get("name") == "a\ufffd<b>&\ufffd"


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}  # type: ignore[attr-defined]
