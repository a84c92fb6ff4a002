"""What started agents report: what they could not do or never did, who repeats it, and honest reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.reading import read
from agentlab.audit.rules.actions import UNEXECUTED_CLAIM
from agentlab.audit.rules.subagents import SUBAGENT_CLAIM
from agentlab.audit.values import Finding
from agentlab.formats.reading import read_traces
from agentlab.trace.model import Trace
from tests.audit.rules.chats import asks, chat, gives, says, user

LOOKERS = ["read_file", "search_files"]


def told(
    folder: Path, report: str, *, answer: str = "ok", ran: tuple[str, Any, str] | None = None, **facts: Any
) -> Trace:
    """A chief that starts one mate, which may run one tool."""
    place = {"trace_id": "t", "start": 0, "end": 100}
    spans = [
        {
            **place,
            "span_id": "p",
            "parent_id": None,
            "kind": "AGENT",
            "name": "chief",
            "attributes": {"output": answer},
        },
        {
            **place,
            "span_id": "c",
            "parent_id": "p",
            "kind": "AGENT",
            "name": "mate",
            "start": 10,
            "end": 60,
            "attributes": {"output": report, **facts},
        },
    ]
    if ran:
        tool, arguments, result = ran
        spans.append(
            {
                **place,
                "span_id": "x",
                "parent_id": "c",
                "kind": "TOOL",
                "name": tool,
                "start": 20,
                "end": 25,
                "attributes": {"arguments": arguments, "output": result},
            }
        )
    path = folder / "trace.json"
    path.write_text(json.dumps({"spans": spans}), encoding="utf-8")
    (trace,) = read_traces(path)
    return trace


def found(trace: Trace) -> list[Finding]:
    return list(SUBAGENT_CLAIM.judge(read(trace)))


@pytest.mark.parametrize(
    "report",
    [
        "Saved the log to logs/tide.md.",
        "I pushed the branch.",
        "Merged branch ebb into main.",
        "I have deleted every berth in the register.",
        "Updated tide.md and created HB-12.",
        "Pushed to main as 4be91d7 and opened a request.",
        "我已将结果写入 tide.md",
    ],
)
@pytest.mark.parametrize("uses", [0, 3])
def test_a_change_that_no_tool_could_make(tmp_path: Path, report: str, uses: int) -> None:
    (finding,) = found(told(tmp_path, report, tools=LOOKERS, tool_uses=uses))
    assert finding.severity == "failure"
    assert finding.where[0].text in report


@pytest.mark.parametrize(
    "report",
    [
        "The file limits.toml has 3 entries.",
        "I read pier.py; it is fine.",
        "pier.py has 9 lines and calls rope.knots.",
        "rope.py 第 9 行引用了 pier",
        "The page https://tide.example/p lists 12 boats.",
    ],
)
@pytest.mark.parametrize("facts", [{"tools": LOOKERS, "tool_uses": 0}, {"tools": LOOKERS}, {"tool_uses": 0}])
def test_a_fact_that_only_a_tool_could_show(tmp_path: Path, report: str, facts: dict[str, Any]) -> None:
    (finding,) = found(told(tmp_path, report, **facts))
    assert finding.where[0].text in report


@pytest.mark.parametrize(
    "report",
    [
        "I could not open pier.py.",
        "I did not save anything to tide.md.",
        "limits.toml is a configuration file.",
        "You should add 3 entries to limits.toml.",
        "Plan: 1. read pier.py 2. replace the rope on line 4 3. run the tests.",
        "1. Open limits.toml and set the depth to 3.\n2. Commit it.",
        "If pier.py has 3 lines, it is short.",
        "Does limits.toml have 3 entries?",
        "A pyproject.toml usually has 3 tables.",
        "Please write 4 lines to tide.md.",
        "```\nlimits.toml has 3 entries\n```",
        "Hello there, the harbour is lovely.",
        "I wrote a poem about the tide.",
        "I have prepared a summary of what you told me.",
        "I created tide.md below.",
        "I wrote tide.md:\n```\nhigh at noon\n```",
        "请在 tide.md 中写入 3 行",
        "",
    ],
)
def test_what_states_nothing(tmp_path: Path, report: str) -> None:
    assert found(told(tmp_path, report, tools=LOOKERS, tool_uses=0)) == []


@pytest.mark.parametrize(
    ("report", "facts"),
    [
        ("Saved the log to logs/tide.md.", {"tools": [*LOOKERS, "write_file"], "tool_uses": 2}),
        ("Saved the log to logs/tide.md.", {"tools": [*LOOKERS, "shell"], "tool_uses": 2}),
        ("Saved the log to logs/tide.md.", {"tools": ["*"], "tool_uses": 2}),
        ("Saved the log to logs/tide.md.", {"tools": [*LOOKERS, "harbour_magic"], "tool_uses": 2}),
        ("Saved the log to logs/tide.md.", {}),
        ("The file limits.toml has 3 entries.", {"tools": LOOKERS, "tool_uses": 1}),
        ("The file limits.toml has 3 entries.", {}),
        ("The file limits.toml has 3 entries.", {"tools": LOOKERS, "tool_uses": 0, "input": "limits.toml: a, b, c"}),
        ("limits.toml has 3 entries.", {"tools": LOOKERS, "tool_uses": 0, "input": "Say that limits.toml has 3 rows"}),
    ],
)
def test_what_the_record_does_not_rule_out(tmp_path: Path, report: str, facts: dict[str, Any]) -> None:
    assert found(told(tmp_path, report, **facts)) == []


def test_what_a_tool_showed_may_be_reported(tmp_path: Path) -> None:
    ran = ("read_file", {"path": "log.txt"}, "rope.py was removed in 2021")
    assert found(told(tmp_path, "rope.py was removed in 2021.", tools=LOOKERS, ran=ran)) == []


def test_who_rests_on_it_is_named(tmp_path: Path) -> None:
    trace = told(
        tmp_path, "Published the chart as 4ab9f01.", answer="The chart is published.", tools=LOOKERS, tool_uses=0
    )
    (finding,) = found(trace)
    assert "published" in finding.where[1].text


@pytest.mark.parametrize(
    ("report", "answer", "count"),
    [
        ("The fix is in. I could not run the tests.", "All tests pass.", 1),
        ("The fix is in, and pier.py is unverified.", "I verified that pier.py is right.", 1),
        ("修好了，但没有运行测试。", "测试全部通过。", 1),
        ("The fix is in. I could not run the tests.", "The tests were not run.", 0),
        ("The fix is in. I could not run the tests.", "The fix is in.", 0),
        ("The fix is in, and pier.py is unverified.", "I verified that rope.py is right.", 0),
        ("All tests pass.", "All tests pass.", 0),
    ],
)
def test_a_report_given_as_surer_than_it_was(tmp_path: Path, report: str, answer: str, count: int) -> None:
    trace = told(tmp_path, report, answer=answer, tools=[*LOOKERS, "shell"], tool_uses=1)
    assert len(found(trace)) == count


@pytest.mark.timeout(60)
def test_a_long_report_is_read_quickly(tmp_path: Path) -> None:
    trace = told(tmp_path, "limits.toml has a/b.c `x` and 3 " * 6_000, tools=LOOKERS, tool_uses=0)
    found(trace)


def test_an_order_to_look_is_no_look(tmp_path: Path) -> None:
    trace = told(
        tmp_path, "limits.toml has 3 entries.", tools=LOOKERS, tool_uses=0, input="Count the rows of limits.toml"
    )
    assert len(found(trace)) == 1


@pytest.mark.parametrize(
    ("facts", "report", "count"),
    [
        ({"tool_uses": 0}, "limits.toml has 3 entries.", 1),
        ({"tool_uses": 2}, "limits.toml has 3 entries.", 0),
        ({}, "limits.toml has 3 entries.", 0),
        ({"tools": LOOKERS}, "I pushed the branch.", 1),
    ],
)
def test_a_chat_may_say_it_beside_the_result(facts: dict[str, Any], report: str, count: int) -> None:
    trace = chat(
        user("Count the rows"),
        asks(("a", "start_agent", {"prompt": "Count the rows of limits.toml"})),
        gives("a", report, **facts),
        says("There are 3 entries."),
    )
    assert len(found(trace)) == count


@pytest.mark.parametrize(
    "report", ["Saved the log to tide.md.", "I saved the log to tide.md.", "已将日志保存到 tide.md"]
)
def test_a_change_without_a_single_call(tmp_path: Path, report: str) -> None:
    tools = [*LOOKERS, "write_file"]
    assert len(found(told(tmp_path, report, tools=tools, tool_uses=0, input="Save the log to tide.md"))) == 1


def test_a_change_that_somebody_else_made_may_be_told_again(tmp_path: Path) -> None:
    given = "The captain says that tide.md was updated. Say it in one sentence."
    assert found(told(tmp_path, "The file tide.md was updated.", tools=LOOKERS, tool_uses=0, input=given)) == []


@given(st.text(max_size=300))
def test_any_report_can_be_read(text: str) -> None:
    trace = chat(
        user("Go"), asks(("a", "start_agent", {"prompt": "x"})), gives("a", f"a.py has 3. {text}", tool_uses=0)
    )
    for finding in found(trace):
        where = finding.where[0]
        assert f"a.py has 3. {text}"[where.start : where.end] == where.text


def test_a_fact_without_a_look_is_an_unexecuted_claim_too(tmp_path: Path) -> None:
    trace = told(tmp_path, "The file limits.toml has 3 entries.", tools=LOOKERS, tool_uses=0)
    (finding,) = UNEXECUTED_CLAIM.judge(read(trace))
    assert finding.where[0].text == "The file limits.toml has 3 entries."
