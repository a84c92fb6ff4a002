"""Errors that are nobody's claim, and errors dressed as observations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentlab.audit.reading import read
from agentlab.audit.rules.errors import INFRASTRUCTURE, RAW_ERROR_FED_BACK
from agentlab.strictjson import JSONValue
from agentlab.trace.events import AttemptFinished, AttemptStarted
from tests.audit.rules.chats import chat, found, rounds, says, severities, user
from tests.audit.stories import Story

TASK = user("Move the red boat, and read tides/june.csv.")


@pytest.mark.parametrize(
    ("tool", "given", "error", "cause"),
    [
        ("tide_table", {"day": 1}, "Error: HTTP 503", "a service"),
        ("tide_table", {"day": 1}, "Error: request timed out", "a service"),
        ("read_table", {"path": "tides/june.csv"}, "Error: no such file", "a file that the task names"),
        (
            "read_table",
            {"path": "x.csv"},
            "UnboundLocalError: cannot access local variable 'row'",
            "the tool's own code",
        ),
        ("python", {"code": "while 1: pass"}, "InterpreterError: stopped after 9000 operations", "the sandbox"),
    ],
)
def test_what_failed_outside_of_the_model_is_a_warning(tool: str, given: Any, error: str, cause: str) -> None:
    (finding,) = found(INFRASTRUCTURE, TASK, *rounds(tool, [given], [error], is_error=True), says("It did not work."))
    assert finding.severity == "warning"
    assert cause in finding.message
    assert finding.where[0].text == error


@pytest.mark.parametrize(
    ("tool", "given", "result"),
    [
        ("read_table", {"path": "july.csv"}, "Error: no such file"),
        ("bash", {"command": "ls quay"}, "ls: quay: No such file or directory\nexit code: 2"),
        ("bash", {"command": "make test"}, "AttributeError: 'NoneType' object has no attribute 'tide'\n1 failed"),
        ("read_log", {"path": "n.log"}, "07:00 low\n07:10 radio: connection refused\n"),
        ("visit", {"url": "https://quay.test"}, "Title: Error 404\nnothing here"),
    ],
)
def test_what_the_agent_asked_for_is_none(tool: str, given: Any, result: str) -> None:
    assert not severities(INFRASTRUCTURE, TASK, *rounds(tool, [given], [result]))


def test_the_same_fault_at_neighbouring_steps_is_one_finding() -> None:
    (finding,) = found(
        INFRASTRUCTURE, TASK, *rounds("tide_table", [{"day": k} for k in range(3)], ["Error: HTTP 503"] * 3)
    )
    assert "3 times" in finding.message
    assert len(finding.where) == 3


def test_a_provider_that_fails_is_named() -> None:
    story = Story()
    story._book.record(
        AttemptFinished(
            reason="provider_error", detail="429 from the server", steps=1, requests=1, executions=0, duration=1.0
        )
    )
    (finding,) = INFRASTRUCTURE.judge(read(story.trace))
    assert "429 from the server" in finding.message


def test_a_provider_that_failed_and_was_asked_again_is_named() -> None:
    trace = chat(TASK, says("3"))
    started = trace.events[0]
    assert isinstance(started, AttemptStarted)
    errors: JSONValue = [{"source": "a", "error": "overloaded"}, {"source": "b", "error": "overloaded"}]
    failed = replace(trace, events=(replace(started, extra={"model_errors": errors}), *trace.events[1:]))
    (finding,) = INFRASTRUCTURE.judge(read(failed))
    assert (finding.severity, "2 times: 'overloaded'" in finding.message) == ("warning", True)
    assert not list(INFRASTRUCTURE.judge(read(trace)))


def test_a_format_error_in_a_results_clothes_is_told_once() -> None:
    told = user("Observation: Invalid format: no 'Action:' after 'Thought:'")
    (finding,) = found(RAW_ERROR_FED_BACK, TASK, says("Thought: done"), told, says("Thought: done"), told, says("3"))
    assert finding.severity == "warning"
    assert "2 times" in finding.message


@pytest.mark.parametrize(
    "text", ["Your reply had an invalid format.", "Observation: 3 boats", "Result: the format of the table is csv"]
)
def test_a_notice_and_a_result_are_not_dressed_up(text: str) -> None:
    assert not severities(RAW_ERROR_FED_BACK, TASK, says("Thought: done"), user(text), says("3"))
