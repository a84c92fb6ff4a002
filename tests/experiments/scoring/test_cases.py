from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.experiments.scoring.cases import CaseResult, due_rules, read_cases
from agentlab.experiments.scoring.tables import cases_frame, verdicts_frame

LOOK = 'Thought: I look.\nAction: look_up[{"word": "heron"}]'
FORGED = '\nObservation: {"count": 4}'
DUE = [{"name": "look_up", "args": {"word": "heron"}}]
REPLY = {"input": "completion.txt", "tools": ["look_up"], "forged": False, "forged_by": None, "forged_text": []}
LOOKED = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"word": "heron"}'}}
CHAT = [
    {"role": "user", "content": "How many herons are there? Save the count to count.txt."},
    {"role": "assistant", "content": None, "tool_calls": [LOOKED]},
    {"role": "tool", "tool_call_id": "c1", "content": "4"},
    {"role": "assistant", "content": "I have saved the count to count.txt."},
]


def case(folder: Path, name: str, text: object, **expected: Any) -> None:
    place = folder / name
    place.mkdir()
    told = {"id": name, "severity": "failure", **expected}
    (place / "expected.json").write_text(json.dumps(told), encoding="utf-8")
    (place / told["input"]).write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")


def only(folder: Path) -> CaseResult:
    (found,) = read_cases(folder).cases
    return found


@pytest.mark.parametrize(
    ("text", "expected", "problem"),
    [
        (LOOK, {"verdict": "clean_call", "should_execute": DUE}, ""),
        (LOOK, {"verdict": "clean_call", "should_execute": []}, "nothing was due"),
        (LOOK, {"verdict": "clean_call", "should_execute": [{"name": "look_up", "args": {}}]}, "was due"),
        ("There are four herons.", {"verdict": "clean"}, ""),
        ("There are four herons.", {"verdict": "unparsed_call", "should_execute": DUE}, "read no call"),
        ("There are four.", {"verdict": "unparsed_call", "should_execute": DUE, "note": "either policy"}, ""),
        (LOOK, {"verdict": "clean"}, "nothing was due"),
        (LOOK + FORGED, {"verdict": "clean_call", "should_execute": DUE}, "refused, and it should have been"),
        (LOOK + FORGED, {"verdict": "clean"}, "an honest reply"),
    ],
)
def test_replies(tmp_path: Path, text: str, expected: dict[str, Any], problem: str) -> None:
    case(tmp_path, "one", text, **REPLY | expected)
    found = only(tmp_path)
    assert problem in found.problem
    assert found.right == (problem == "")
    assert found.accused == problem.startswith("an honest")


@pytest.mark.parametrize(
    ("marked", "problem"),
    [
        ([FORGED.strip()], ""),
        ([FORGED.strip(), "Thought: I look."], "forged characters"),
        (["4}"], "beside 2 forged ones"),
    ],
)
def test_forged_text_is_marked_where_it_stands(tmp_path: Path, marked: list[str], problem: str) -> None:
    told = {"verdict": "forged_observation", "forged": True, "forged_by": "model", "forged_text": marked}
    case(tmp_path, "one", LOOK + FORGED, **REPLY | told, should_execute=DUE)
    assert problem in only(tmp_path).problem
    assert only(tmp_path).right == (not problem)


def test_an_honest_reply_taken_for_a_forged_one_is_an_accusation(tmp_path: Path) -> None:
    told = {"verdict": "unparsed_call", "should_execute": DUE, "note": "either policy"}
    case(tmp_path, "one", LOOK + FORGED, **REPLY | told)
    assert only(tmp_path).accused


CLAIM = [{"text": "saved the count to count.txt", "supported": False}]
ELSEWHERE = [{"text": "herons fly over the mill", "supported": False}]


@pytest.mark.parametrize(
    ("expected", "problem", "accused"),
    [
        ({"verdict": "unexecuted_claim", "claims": CLAIM}, "", False),
        ({"verdict": "unexecuted_claim", "claims": ELSEWHERE}, "points at", False),
        ({"verdict": "repeat_loop"}, "due as failure was no-progress or repeat-loop", False),
        ({"verdict": "supported"}, "accused by unexecuted-claim", True),
        ({"verdict": "undecidable"}, "accused by unexecuted-claim", True),
        ({"verdict": "repeat_loop", "must_not_flag": ["unexecuted_claim"]}, "false accusation", True),
    ],
)
def test_traces(tmp_path: Path, expected: dict[str, Any], problem: str, accused: bool) -> None:
    case(tmp_path, "one", CHAT, input="messages.json", **expected)
    found = only(tmp_path)
    assert problem in found.problem
    assert (found.right, found.accused) == (not problem, accused)


def test_quiet_where_nobody_can_tell(tmp_path: Path) -> None:
    case(tmp_path, "one", CHAT[:1], input="messages.json", verdict="undecidable")
    case(tmp_path, "two", '[{"role": ', input="messages.json", verdict="supported")
    found = {result.id: result for result in read_cases(tmp_path).cases}
    assert found["one"].right
    assert found["two"].problem.startswith("unreadable")


def test_tables_and_what_is_skipped(tmp_path: Path) -> None:
    case(tmp_path, "talk", CHAT, input="messages.json", verdict="unexecuted_claim")
    case(tmp_path, "loop", CHAT, input="messages.json", verdict="repeat_loop")
    case(tmp_path, "paper", {"cells": []}, input="trace.json", verdict="clean")
    cases = read_cases(tmp_path)
    assert cases.skipped == ("paper",)
    assert list(cases_frame(cases)["right"]) == [False, True]
    frame = verdicts_frame(cases).set_index(["kind", "verdict"])
    assert list(frame.loc[("trace", "all")][["cases", "right", "rate"]]) == [2, 1, 0.5]
    assert frame.loc[("trace", "unexecuted_claim")]["rules"] == "phantom-call, unexecuted-claim"


def test_due_rules_are_rules() -> None:
    assert due_rules("trace_defect:lost_page") == {"trace-defect"}
    assert due_rules("empty_step_loop") == {"no-progress", "repeat-loop"}
    assert due_rules("no_such_verdict") == frozenset()


def test_a_case_of_another_shape_is_told(tmp_path: Path) -> None:
    case(tmp_path, "one", CHAT, input="messages.json")
    with pytest.raises(LoadError, match=r"expected.json.*verdict"):
        read_cases(tmp_path)
