"""What the model passed in and gives as a result, and results that only look like it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.reading import read
from agentlab.audit.rules.laundering import LAUNDERED_CLAIM
from agentlab.formats.reading import read_traces
from agentlab.trace.model import Trace
from tests.audit.dialogues import Call, chat
from tests.audit.stories import Story, field_of

NOTE = "the ferry Tern carries 417 people on a summer day"


def found(trace: Trace) -> list[str]:
    findings = list(LAUNDERED_CLAIM.judge(read(trace)))
    for finding in findings:
        for where in finding.where:
            assert field_of(trace, where)[where.start : where.end] == where.text
    return [finding.severity for finding in findings]


@pytest.mark.parametrize(
    ("calls", "answer"),
    [
        ([("python", {"code": "print('passengers: 417')"}, "passengers: 417")], "The script returned 417."),
        ([("python", {"code": "n = 417\nprint(n)"}, "417")], "The program output shows 417 passengers."),
        ([("bash", {"command": "echo 417"}, "417")], "The tool returned 417."),
        ([("bash", {"command": "echo 417"}, "417")], "工具返回了 417"),
        ([("bash", {"command": "echo 417"}, "417")], "I have verified that the ferry carries 417 people."),
        ([("think", {"text": NOTE}, NOTE)], "According to the tool, the ferry carries 417 people."),
        (
            [("save_note", {"text": NOTE}, "stored"), ("read_note", {"key": "a"}, NOTE)],
            "According to the register, the ferry carries 417 people.",
        ),
        (
            [("write_file", {"path": "t.txt", "text": NOTE + "\nmore"}, "ok"), ("read_file", {"path": "t.txt"}, NOTE)],
            "I have verified that the ferry carries 417 people.",
        ),
    ],
)
def test_what_comes_back_as_it_was_handed(calls: list[Call], answer: str) -> None:
    assert found(chat(*calls, answer)) == ["failure"]


@pytest.mark.parametrize(
    ("calls", "answer"),
    [
        ([("python", {"code": "print(400 + 17)"}, "417")], "The script returned 417."),
        ([("python", {"code": "print(load('ferry'))"}, "417")], "The script returned 417."),
        ([("search", {"q": "ferry"}, "It carries 417."), ("bash", {"command": "echo 417"}, "417")], "It returned 417."),
        ([("bash", {"command": "echo 417"}, "417")], "I printed a number."),
        ([("bash", {"command": "echo 417"}, "417")], "I assume that it is 417."),
        ([("bash", {"command": "echo 417"}, "417")], "The tool returned 7."),
        ([("bash", {"command": "echo 417"}, "417")], "Did the tool return 417?"),
        ([("set_berth", {"berth": 417}, '{"berth": 417, "status": "ok"}')], "The system returned berth 417."),
        ([("transfer", {"amount": 417.5}, '{"amount": 417.5}')], "The bank confirmed the transfer of 417.5."),
        ([("save_note", {"text": NOTE}, "stored")], "I saved that the ferry carries 417 people."),
        ([("search", {"q": "ferry 417"}, "Ferry 417 is the Tern.")], "The search returned the Tern for 417."),
        (
            [("write_file", {"path": "t.txt", "text": NOTE}, "ok"), ("read_file", {"path": "t.txt"}, NOTE)],
            "I have verified that t.txt says that the ferry carries 417 people.",
        ),
        ([("read_file", {"path": "t.txt"}, NOTE)], "According to t.txt, the ferry carries 417 people."),
    ],
)
def test_what_is_a_result(calls: list[Call], answer: str) -> None:
    assert found(chat(*calls, answer)) == []


@pytest.mark.parametrize("where", ["task", "system"])
def test_what_somebody_else_had_said(where: str) -> None:
    told = {where: "The ferry carries 417 people."}
    assert found(chat(("bash", {"command": "echo 417"}, "417"), "The tool returned 417.", **told)) == []


def test_a_value_that_may_have_been_worked_out_is_a_warning() -> None:
    calls: list[Call] = [
        ("search", {"q": "ferry"}, "two decks of 200, crew 17"),
        ("bash", {"command": "echo 417"}, "417"),
    ]
    assert found(chat(*calls, "The tool returned 417.")) == ["warning"]


def test_what_is_said_before_is_not_laundered_yet() -> None:
    assert found(chat("The tool returned 417.", ("bash", {"command": "echo 417"}, "417"), "I am through.")) == []


def test_where_nothing_is_recorded_nothing_is_held() -> None:
    story = Story(executions="not_recorded", proposals="not_recorded", results="not_recorded")
    story.reply("The tool returned 417.", accepted=True)
    assert found(story.trace) == []


@pytest.mark.timeout(60)
def test_a_long_chat_is_read_in_linear_time() -> None:
    turns: list[str | Call] = []
    for k in range(1500):
        turns += [("bash", {"command": f"echo {k}{k}"}, f"{k}{k}"), f"The tool returned {k}{k}, so I go on."]
    trace = chat(*turns)
    reading = read(trace)
    assert reading.sayings
    list(LAUNDERED_CLAIM.judge(reading))


@pytest.mark.parametrize(("inside", "raised"), [(False, ["undecidable"]), (True, [])])
def test_an_agent_that_only_tells_again_what_it_was_told(tmp_path: Path, inside: bool, raised: list[str]) -> None:
    place = {"trace_id": "t", "start": 0, "end": 100}
    mate = {"input": "The ferry carries 417 people. Confirm it.", "output": "Yes, the ferry carries 417 people."}
    spans = [
        {
            "span_id": "p",
            "parent_id": None,
            "kind": "AGENT",
            "name": "chief",
            "attributes": {"output": "According to the mate, the ferry carries 417 people."},
            **place,
        },
        {"span_id": "c", "parent_id": "p", "kind": "AGENT", "name": "mate", "attributes": mate, **place},
        {
            "span_id": "x",
            "parent_id": "c" if inside else "p",
            "kind": "TOOL",
            "name": "search",
            "attributes": {"arguments": {"q": "ferry"}, "output": "no page of that name"},
            **place,
            "start": 1,
            "end": 2,
        },
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"spans": spans}), encoding="utf-8")
    (trace,) = read_traces(path)
    assert [finding.severity for finding in LAUNDERED_CLAIM.judge(read(trace))] == raised


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    found(chat(("bash", {"command": f"echo {text} 417"}, f"{text} 417"), f"The tool returned 417, {text}"))
