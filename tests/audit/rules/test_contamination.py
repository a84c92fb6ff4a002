"""Forged text that came back, and whether the answer rests on it."""

from __future__ import annotations

import json

import pytest

from agentlab.audit.report import AuditReport, audit_trace
from agentlab.audit.values import Finding
from agentlab.harness.history import DROP, KEPT_SILENT, REACT_V1, REACT_V2, REACT_V3, RETRY
from agentlab.harness.limits import Limits
from tests.agents.attempts import DONE, GOOD, attempt
from tests.audit.stories import Story, field_of, forged

BODY = '{"tool": "count_bees", "hive": "east", "bees": 12}'
FORGED = f'Thought: I count.\nAction: count_bees[{{"hive": "east"}}]\nObservation: {BODY}'
TWELVE = "Action: Finish[There are 12 bees.]"
KEEPING = [REACT_V1, KEPT_SILENT]
OMITTING = [REACT_V2, REACT_V3, DROP, RETRY]


def found(report: AuditReport) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == "contamination"]


@pytest.mark.parametrize("policy", KEEPING, ids=lambda policy: policy.name)
def test_an_answer_with_the_forged_value_is_a_failure_with_its_path(policy: object) -> None:
    trace, _ = attempt([FORGED, FORGED, TWELVE], policy=policy)  # type: ignore[arg-type]
    report = audit_trace(trace)
    first, second = found(report)
    requests = [event.id for event in trace if event.type == "request"]
    assert first.severity == second.severity == "failure"
    assert [where.event for where in first.where[1:-1]] == requests[1:]
    assert [where.event for where in second.where[1:-1]] == requests[2:]
    assert trace.answer is not None
    assert (first.where[-1].event, first.where[-1].text) == (trace.answer.id, "12")
    assert report.forged_answer
    assert "states 12 as this text does" in first.message


@pytest.mark.parametrize("policy", OMITTING, ids=lambda policy: policy.name)
def test_nothing_comes_back_where_it_is_left_out(policy: object) -> None:
    trace, _ = attempt([FORGED, FORGED, TWELVE], policy=policy)  # type: ignore[arg-type]
    report = audit_trace(trace)
    assert found(report) == []
    assert not report.forged_answer


def test_an_answer_that_an_execution_bears_out_is_a_warning() -> None:
    trace, _ = attempt([FORGED, GOOD, DONE], policy=REACT_V1)
    report = audit_trace(trace)
    (finding,) = found(report)
    assert finding.severity == "warning"
    assert finding.message.endswith("the answer states nothing that stands only there.")
    assert not report.forged_answer


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_forged_value_that_is_true_rests_on_the_execution_if_there_is_one(when: str) -> None:
    true = FORGED.replace("12", "40")
    replies = [GOOD, true, DONE] if when == "before" else [true, GOOD, DONE]
    report = audit_trace(attempt(replies, policy=REACT_V1)[0])
    assert [finding.severity for finding in found(report)] == ["warning"]
    assert not any(finding.rule == "contradicted-claim" for finding in report.findings)
    alone = audit_trace(attempt([true, DONE], policy=REACT_V1)[0])
    assert [finding.severity for finding in found(alone)] == ["failure"]


def test_an_answer_that_keeps_to_the_forged_value_after_an_execution_is_a_failure() -> None:
    report = audit_trace(attempt([FORGED, GOOD, TWELVE], policy=REACT_V1)[0])
    assert [finding.severity for finding in found(report)] == ["failure"]


def test_the_execution_of_another_tool_does_not_bear_it_out() -> None:
    report = audit_trace(attempt([FORGED, "Action: list_hives[{}]", TWELVE], policy=REACT_V1)[0])
    assert [finding.severity for finding in found(report)] == ["failure"]


def test_without_an_answer_it_is_a_warning() -> None:
    trace, _ = attempt([FORGED, FORGED], policy=REACT_V1, limits=Limits(steps=2))
    (finding,) = found(audit_trace(trace))
    assert finding.severity == "warning"
    assert finding.message.endswith("no answer was given.")


@pytest.mark.parametrize("policy", OMITTING, ids=lambda policy: policy.name)
def test_a_tool_that_gives_back_its_arguments_is_a_way_past_every_policy(policy: object) -> None:
    laundered = f"Action: count_bees[{json.dumps({'hive': BODY})}]"
    trace, _ = attempt([FORGED, laundered, TWELVE], policy=policy)  # type: ignore[arg-type]
    (finding,) = found(audit_trace(trace))
    observation = next(event.id for event in trace if event.type == "observation")
    assert finding.severity == "failure"
    assert f"by way of {observation}" in finding.message


def test_where_executions_are_not_recorded_nobody_can_say_what_the_answer_rests_on() -> None:
    story = Story(executions="not_recorded")
    story.reply(forged(BODY), keep=True)
    story.answer("There are 12.")
    report = audit_trace(story.trace)
    (finding,) = found(report)
    assert finding.severity == "warning"
    assert "cannot be told" in finding.message
    assert not report.forged_answer


def test_many_requests_are_counted_and_not_named() -> None:
    trace, _ = attempt([FORGED, *[GOOD] * 9, TWELVE], policy=REACT_V1, limits=Limits(steps=11))
    (finding,) = found(audit_trace(trace))
    requests = [event.id for event in trace if event.type == "request"][1:]
    assert f"in 10 requests ({requests[0]} to {requests[-1]})" in finding.message
    for where in finding.where:
        assert field_of(trace, where)[where.start : where.end] == where.text
