"""Names nobody knows, and what an interpreter offers to no program."""

from __future__ import annotations

from typing import Any

import pytest

from agentlab.audit.reading import read
from agentlab.audit.rules.unknown import UNKNOWN_TOOL
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence
from tests.audit.rules.chats import asks, chat, described, found, gives, rounds, says, severities, user, with_tools

TASK = user("How many boats lie in the north basin?")
RECORDED = Evidence(
    proposals="present", executions="present", results="present", errors="present", authorship="present"
)
UNKNOWN = "error: unknown tool {}; available: count_boats, tide_table"


def test_a_name_the_harness_rejects_is_a_failure_where_nothing_follows() -> None:
    (finding,) = found(UNKNOWN_TOOL, TASK, asks(("a", "count_boat", {})), gives("a", UNKNOWN.format("count_boat")))
    assert finding.severity == "failure"
    assert "the nearest name is 'count_boats'" in finding.message
    assert finding.where[0].text == "count_boat"


@pytest.mark.parametrize(
    "answer",
    [
        'Tool "count_boat" not found',
        "The tool 'count_boat' does not exist. Choose from: count_boats",
        "Model tried to call unavailable tool 'count_boat'. Available tools: count_boats.",
        '{"error": "tool_not_found", "name": "count_boat"}',
        "没有名为 count_boat 的工具，可用：count_boats",
        "Traceback (most recent call last):\nKeyError: 'count_boat'",
        "AttributeError: 'Harbour' object has no attribute 'count_boat'",
    ],
)
def test_a_harness_says_so_in_many_ways(answer: str) -> None:
    assert severities(UNKNOWN_TOOL, TASK, asks(("a", "count_boat", {})), gives("a", answer)) == ["failure"]


def test_it_is_a_warning_where_the_agent_goes_on_to_one_that_answers() -> None:
    wrong = [asks(("a", "count_boat", {})), gives("a", UNKNOWN.format("count_boat"), is_error=True)]
    assert severities(UNKNOWN_TOOL, TASK, *wrong, *rounds("count_boats", [{}], ["3"]), says("3")) == ["warning"]


def test_a_prefix_nothing_else_has_is_named() -> None:
    (finding,) = found(UNKNOWN_TOOL, TASK, *rounds("count_boats", [{}], ["3"]), asks(("b", "port:count_boats", {})))
    assert finding.severity == "failure"
    assert "it would be 'count_boats'" in finding.message


@pytest.mark.parametrize("name", ["port:count_boats", "tides: ask now", "count boats"])
def test_a_name_that_cannot_be_one_counts_where_it_was_never_answered(name: str) -> None:
    assert severities(UNKNOWN_TOOL, TASK, asks(("a", name, {}))) == ["failure"]


@pytest.mark.parametrize(
    "messages",
    [
        [asks(("a", "count_boats", {}))],
        [asks(("a", "数船", {}))],
        [*rounds("port:count_boats", [{}], ["3"]), asks(("b", "port:tides", {}))],
        [*rounds("count_boats", [{}], ["The log speaks of an unknown tool that was found on deck."])],
        [*rounds("bash", [{"command": "moor"}], ["error: unknown command: moor"])],
        [asks(("a", "final_answer", {"answer": "3"}))],
        [*rounds("find_gear", [{"name": "winch"}], ['Tool "winch" not found.'])],
        [asks(("a", "find_gear", {"name": "winch"})), gives("a", "KeyError: 'winch'", is_error=True)],
    ],
)
def test_other_names_are_left_alone(messages: list[dict[str, Any]]) -> None:
    assert not severities(UNKNOWN_TOOL, TASK, *messages)


def test_a_name_that_is_not_registered_counts_where_it_did_not_run() -> None:
    trace = with_tools(chat(TASK, asks(("a", "count_all", {}))), described("count_boats"))
    (finding,) = UNKNOWN_TOOL.judge(read(trace))
    assert "not among the registered tools" in finding.message
    ran = with_tools(chat(TASK, *rounds("count_all", [{}], ["3"])), described("count_boats"))
    assert not list(UNKNOWN_TOOL.judge(read(ran)))


def code(program: str, error: str) -> Trace:
    builder = TraceBuilder("openinference", path="x", key=["k", program], evidence=RECORDED)
    builder.hear(Item(role="user", text="How deep is the channel?"))
    builder.reply(f"I look.\n```py\n{program}\n```")
    builder.end(builder.begin("interpreter", program), error=error)
    builder.hear(Item(role="tool", text=error))
    builder.reply("I cannot.")
    return builder.build()


@pytest.mark.parametrize(
    ("program", "error", "name"),
    [
        ("text = open('log.txt').read()", "InterpreterError: not permitted to call this (tried to run open).", "open"),
        ("import shutil\nshutil.rmtree('x')", "Error: import of shutil is not allowed here.", "shutil"),
        ("from pilot import ask\nask()", "Error: Import from pilot is not allowed. Use: json, math", "pilot"),
    ],
)
def test_what_the_interpreter_lets_no_program_use_is_no_tool(program: str, error: str, name: str) -> None:
    (finding,) = UNKNOWN_TOOL.judge(read(code(program, error)))
    assert finding.severity == "warning"
    assert finding.where[0].text == name
    assert repr(name) in finding.message


@pytest.mark.parametrize(
    "error", ["NameError: name 'log' is not defined", "ValueError: odd depth", "Error: not allowed"]
)
def test_another_error_of_a_program_is_none(error: str) -> None:
    assert not list(UNKNOWN_TOOL.judge(read(code("print(log)", error))))
