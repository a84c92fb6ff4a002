"""Errors that are nobody's claim, errors dressed as observations, and errors passed over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentlab.audit.reading import read
from agentlab.audit.rules.errors import IGNORED_ERROR, INFRASTRUCTURE, RAW_ERROR_FED_BACK
from agentlab.strictjson import JSONValue
from agentlab.trace.events import AttemptFinished, AttemptStarted
from tests.audit.rules.chats import asks, chat, found, gives, rounds, says, severities, user
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


# --- ignored-error ---

FAILED = rounds("move_boat", [{"boat": "red"}], ["Error: berth 4 is taken"], is_error=True)


@pytest.mark.parametrize(
    "answer", ["Done. The red boat lies in berth 4.", "I moved the red boat.", "红船已移动,任务完成。"]
)
def test_an_answer_that_reads_as_if_all_was_done_is_a_failure(answer: str) -> None:
    (finding,) = found(IGNORED_ERROR, TASK, *FAILED, says(answer))
    assert finding.severity == "failure"
    assert finding.where[0].text == answer
    assert finding.executed is not None
    assert finding.executed["error"] == "Error: berth 4 is taken"


@pytest.mark.parametrize(
    "messages",
    [
        [*FAILED, says("I could not move it: berth 4 is taken.")],
        [
            *FAILED,
            asks(("b", "list_berths", {}), text="That failed. I look for another berth."),
            gives("b", "5"),
            says("Done."),
        ],
        [*FAILED, *rounds("move_boat", [{"boat": "red", "berth": 5}], ["ok"]), says("Done.")],
        [*FAILED, says("Which berth do you want?")],
        [*rounds("find_boat", [{"name": "red"}], ["Error: boat unknown"], is_error=True), says("Done.")],
        [
            *rounds("add_owner", [{"name": "A"}], ["Error: owner already on the list"], is_error=True),
            says("A is added."),
        ],
        [*rounds("bash", [{"command": "grep red log"}], ["exit 1"]), says("I finished: the log has the blue boat.")],
        [*rounds("move_boat", [{"boat": "red"}], ["ok"]), says("Done.")],
        [*rounds("bash", [{"command": "mkdir logs"}], ["mkdir: 'logs': File exists"], is_error=True), says("Done.")],
        [
            *rounds("edit_file", [{"path": "tide.py", "old": "x"}], ["Error: text not found"], is_error=True),
            *rounds("write_file", [{"path": "tide.py", "text": "y"}], ["ok"]),
            says("Done."),
        ],
    ],
)
def test_an_error_that_was_seen_is_none(messages: list[dict[str, Any]]) -> None:
    assert not severities(IGNORED_ERROR, TASK, *messages)
