"""Arguments that do not fit."""

from __future__ import annotations

from typing import Any

import pytest

from agentlab.audit.reading import read
from agentlab.audit.rules.callfaults import MALFORMED_CALL
from tests.audit.rules.chats import asks, chat, described, found, gives, rounds, says, severities, user, with_tools
from tests.audit.stories import Story

TASK = user("How many boats lie in the north basin?")


def test_arguments_that_are_cut_off_are_a_failure() -> None:
    (finding,) = found(MALFORMED_CALL, TASK, asks(("a", "write_log", '{"path": "n.log", "text": "three b')))
    assert finding.severity == "failure"
    assert "cut off" in finding.message


@pytest.mark.parametrize(
    "given", ['["north"]', "basin=north", '"basin": "north"', '{"basin": "n", "basin": "s"}', '{"basin": north}']
)
def test_arguments_that_are_no_object_count(given: str) -> None:
    assert severities(MALFORMED_CALL, TASK, asks(("a", "count_boats", given))) == ["failure"]


@pytest.mark.parametrize(
    "error",
    [
        "TypeError: count_boats() got an unexpected keyword argument 'deep'",
        "Error: missing required parameter: basin",
        "Error: the number of berths should match",
        "Error: a moored boat cannot be moved",
        "No boats found. Use a less specific query.",
        "参数错误:缺少泊位",
    ],
)
def test_arguments_that_the_tool_refuses_are_a_warning(error: str) -> None:
    (finding,) = found(MALFORMED_CALL, TASK, *rounds("move_boats", [{"deep": 1}], [error], is_error=True), says("No."))
    assert finding.severity == "warning"
    assert finding.where[0].field == "calls[0].tool"


@pytest.mark.parametrize(
    ("tool", "given", "result"),
    [
        ("bash", {"command": "pytest"}, "TypeError: moor() got an unexpected keyword argument 'deep'"),
        ("find_owner", {"mail": "a@x.test"}, "Error: owner cannot be found"),
        ("count_boats", {"basin": "n"}, "3"),
        ("read_log", {"path": "n.log"}, "The skipper wrote: invalid argument, said the mate."),
        ("move_boats", {"a": 1}, "Error: connection refused"),
    ],
)
def test_other_errors_are_left_alone(tool: str, given: Any, result: str) -> None:
    assert not severities(MALFORMED_CALL, TASK, *rounds(tool, [given], [result]))


def test_an_editors_command_is_no_program() -> None:
    given = {"command": "replace", "path": "n.log", "new": "3"}
    assert severities(MALFORMED_CALL, TASK, *rounds("edit", [given], ["ERROR: parameter `old` is required"])) == [
        "warning"
    ]


def test_a_schema_decides_where_the_call_did_not_go_well() -> None:
    tool = described("count_boats", type="object", properties={"basin": {"type": "string"}}, required=["basin"])
    lost = with_tools(chat(TASK, asks(("a", "count_boats", {"bay": 1}))), tool)
    (finding,) = MALFORMED_CALL.judge(read(lost))
    assert "'basin' is missing" in finding.message
    taken = with_tools(chat(TASK, *rounds("count_boats", [{"bay": 1}], ["3"])), tool)
    assert not list(MALFORMED_CALL.judge(read(taken)))


def test_arguments_that_are_cut_off_and_were_carried_out_are_a_warning() -> None:
    calls = asks(("a", "write_log", '{"path": "tide.log", "text": "high'))
    (finding,) = found(MALFORMED_CALL, TASK, calls, gives("a", "written"), says("Done."))
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    ("said", "severity"), [("Three boats.", "note"), ("Thought: count\nAction count {", "warning")]
)
def test_a_reply_that_calls_nothing_is_no_malformed_call(said: str, severity: str) -> None:
    (finding,) = found(MALFORMED_CALL, TASK, says(said), user("Format error: no Action found."), says("3 boats"))
    assert finding.severity == severity


def test_a_reply_the_harness_could_not_read_is_told_once() -> None:
    told = user("Could not parse your reply. Write one Action.")
    (finding,) = found(MALFORMED_CALL, TASK, says("I count."), told, says("I count."), told, says("3"))
    assert finding.severity == "warning"
    assert "2 times the same" in finding.message


def test_a_call_that_ran_in_our_own_harness_and_failed_is_placed_at_the_proposal() -> None:
    story = Story()
    story.call("count_boats", {"bay": "n"}, error="count_boats() got an unexpected keyword argument 'bay'")
    (finding,) = MALFORMED_CALL.judge(read(story.trace))
    assert finding.where[0].field == "calls[0].tool"
    assert finding.executed is not None
    assert finding.executed["state"] == "failed"


def test_a_search_in_vain_is_told_once_as_long_as_it_asks_for_another_query() -> None:
    vain = [{"query": "boats of 1911"}, {"query": "boats of 1912"}, {"query": "boats of 1913"}]
    error = "Error: nothing found for {}. Try with a different query."
    (finding,) = found(
        MALFORMED_CALL, TASK, *rounds("find_boats", vain, [error.format(1)] * 3, is_error=True), says("-")
    )
    assert finding.severity == "warning"
    assert "failed, 3 times in a row, and asks for another input" in finding.message
    assert len(finding.where) == 6


def test_a_search_in_vain_after_one_that_found_something_is_told_again() -> None:
    tried = [{"query": "boats of 1911"}, {"query": "boats"}, {"query": "boats of 1913"}]
    error = "Error: nothing found. Try with a different query."
    answers = rounds("find_boats", tried, [error, "2 boats", error])
    assert len(found(MALFORMED_CALL, TASK, *answers, says("-"))) == 2
