"""Looking again and again at what others change, and going round in circles."""

from __future__ import annotations

import pytest

from agentlab.audit.report import audit_trace
from agentlab.trace.model import Trace
from tests.audit.dialogues import Call, chat, rules

PAUSE: Call = ("sleep", {"seconds": 9}, "")
SHELL_PAUSE: Call = ("bash", {"command": "sleep 9"}, "")


def polled(tool: str, result: str, *, task: str = "Raise the lock", pause: Call | None = None, line: str = "") -> Trace:
    look: Call = (tool, {"command": line} if line else {"gate": 2}, result)
    calls = [call for _ in range(4) for call in ((look, pause) if pause else (look,))]
    return chat(*calls, "The gate is not open yet.", task=task)


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("check_gate", "moving: in progress"),
        ("gate_status", '{"gate": 2, "status": "QUEUED", "note": "the keeper has been told and will come"}'),
        ("get_gate", '{"gate": 2, "phase": "starting"}'),
        ("describe_gate", "Waiting for the keeper: 1 of 3 bolts are drawn so far"),
        ("gate_job", "40 %"),
        ("read_terminal_output", "(no new output)"),
        ("查询闸门", "正在开启"),
        ("gate_poll", "处理中"),
    ],
)
def test_what_goes_on_may_be_looked_at_until_it_is_done(tool: str, result: str) -> None:
    trace = polled(tool, result)
    assert rules(trace) == []
    assert {each.severity for each in audit_trace(trace).findings if each.rule == "repeat-loop"} <= {"note"}


@pytest.mark.parametrize("pause", [PAUSE, SHELL_PAUSE])
def test_whoever_pauses_between_two_looks_waits(pause: Call) -> None:
    long = '{"gate": 2, "level": 4, "keeper": "Mara", "colour": "green", "built": "1871"}'
    assert rules(polled("get_gate", long, pause=pause)) == []


@pytest.mark.parametrize(
    "task",
    ["Keep checking the level until it changes", "Watch the gate", "盯着闸门", "Check every minute", "等待闸门打开"],
)
def test_a_look_that_was_asked_for_may_be_taken_again(task: str) -> None:
    level = '{"gate": 2, "level": 4, "keeper": "Mara", "colour": "green", "built": "1871"}'
    assert rules(polled("get_level", level, task=task)) == []
    assert rules(polled("get_level", level)) == [("repeat-loop", "failure")]


@pytest.mark.parametrize(
    ("tool", "result", "line"),
    [
        ("read_file", "gate = 2\nlevel = 4\n# the keeper is called Mara, and the colour is green", ""),
        ("bash", "1 failed, 3 passed in 0.10s", "pytest -q"),
        ("search", "no results", ""),
        ("open_gate", "!the gate is locked", ""),
        ("get_gate", '{"gate": 2, "status": "locked"}', ""),
        ("page_down", "!unexpected keyword argument 'gate'", ""),
    ],
)
def test_what_does_not_change_is_a_loop(tool: str, result: str, line: str) -> None:
    assert ("repeat-loop", "failure") in rules(polled(tool, result, line=line))


def test_a_file_does_not_change_while_it_is_waited_for() -> None:
    look: Call = ("read_file", {"path": "gate.py"}, "level = 4\ncolour = 'green'\nkeeper = 'Mara'\nbuilt = 1871")
    assert rules(chat(*[look] * 4, "It is 4.", task="Wait for me, then mend it")) == [("repeat-loop", "failure")]
