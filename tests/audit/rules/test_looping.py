"""Going round in circles, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from agentlab.audit.rules.looping import NO_PROGRESS, REPEAT_LOOP
from tests.audit.rules.chats import asks, found, gives, rounds, says, severities, user

TASK = user("See to the boats.")


def test_the_same_call_with_the_same_result_is_a_loop() -> None:
    (finding,) = found(REPEAT_LOOP, TASK, *rounds("add_berth", [{"name": "n"}] * 4, ["ok"] * 4), says("Added."))
    assert finding.severity == "failure"
    assert "4 times with the same arguments" in finding.message
    assert len(finding.where) == 4


def test_what_only_counts_up_is_no_other_call() -> None:
    given = [{"cmd": "tides --now", "label": f"try{k}"} for k in range(3)]
    assert severities(REPEAT_LOOP, TASK, *rounds("run", given, ["low"] * 3)) == ["failure"]


@pytest.mark.parametrize(
    ("tool", "given", "result"),
    [
        ("run", [{"cmd": "tides --now", "step": k} for k in range(3)], "low"),
        ("click_buoy", [{"x": 3}] * 3, "chart unchanged"),
    ],
)
def test_a_counter_beside_a_command_and_a_call_that_changes_nothing(tool: str, given: list[Any], result: str) -> None:
    assert severities(REPEAT_LOOP, TASK, *rounds(tool, given, [result] * 3)) == ["failure"]


@pytest.mark.parametrize(("task", "accused"), [("Load a crate three times", False), ("Load the crates", True)])
def test_what_was_to_be_done_again(task: str, accused: bool) -> None:
    calls = rounds("load_crate", [{"kind": "salt"}] * 3, ["loaded"] * 3)
    assert bool(severities(REPEAT_LOOP, user(task), *calls)) is accused


def test_a_step_that_is_what_the_call_is_about() -> None:
    given = [{"robot": "crane", "step": k} for k in range(4)]
    assert not severities(REPEAT_LOOP, TASK, *rounds("lift", given, ["ok"] * 4))


@pytest.mark.parametrize(
    ("first", "second", "turns", "accused"),
    [
        ("list_files", "read_file", 4, True),
        ("list_files", "read_file", 3, False),
        ("berth_status", "crane_status", 4, False),
        ("moor", "cast_off", 4, False),
    ],
)
def test_short_looks_that_take_turns(first: str, second: str, turns: int, accused: bool) -> None:
    turn = [*rounds(first, [{"path": "."}], ["a.txt"]), *rounds(second, [{"path": "a.txt"}], ["hello"])]
    assert bool(severities(NO_PROGRESS, TASK, *turn * turns)) is accused


@pytest.mark.parametrize(
    ("tool", "given", "results"),
    [
        ("tide_status", [{"id": 5}] * 3, ["rising 40%", "rising 80%", "high"]),
        ("tide_status", [{"id": 5}] * 4, ["rising"] * 3 + ["high"]),
        ("press_key", [{"key": "Down"}] * 5, ["ok"] * 5),
        ("next_page", [{}] * 3, ["done"] * 3),
        ("wait", [{"seconds": 3}] * 3, ["waited"] * 3),
        ("shell", [{"command": "sleep 30"}] * 3, [""] * 3),
        ("put_berth", [{"slug": f"b{k}"} for k in range(4)], ["ok"] * 4),
        ("count", [{"basin": "n"}] * 2, ["3", "3"]),
        ("create_label", [{"label": f"pier {k}"} for k in range(3)], ["ok"] * 3),
        ("create_page", [{"title": f"Pier {k}", "parent": "quay"} for k in range(3)], ["ok"] * 3),
        (
            "find_owner",
            [{"mail": "a@x.test"}, {"mail": "b@x.test"}, {"mail": "c@y.test"}],
            ["Error: owner not found"] * 3,
        ),
        ("put_berth", [{"slug": "b1"}, {"slug": "b2"}, {"slug": "b3"}], ["Error: column too short"] * 3),
    ],
)
def test_waiting_paging_and_new_work_are_no_loop(tool: str, given: list[object], results: list[str]) -> None:
    assert not severities(REPEAT_LOOP, TASK, *rounds(tool, given, results), says("The tide is high."))


def test_the_same_failure_in_other_spellings_is_a_loop() -> None:
    given: list[object] = [{"": ""}, {"": {}}, {"arguments": {}}]
    results = [f"Error: moor() got an unexpected keyword argument '{k}'" for k in ("", "", "arguments")]
    (finding,) = found(REPEAT_LOOP, TASK, *rounds("moor", given, results))
    assert finding.severity == "failure"


def test_an_identical_failure_tried_again_at_once_is_a_warning() -> None:
    assert severities(REPEAT_LOOP, TASK, *rounds("moor", [{"b": 1}] * 2, ["Error: berth taken"] * 2)) == ["warning"]


def test_a_retry_after_a_network_fault_is_none() -> None:
    assert not severities(REPEAT_LOOP, TASK, *rounds("moor", [{"b": 1}] * 2, ["Error: connection refused"] * 2))


# --- no-progress ---


@pytest.mark.parametrize("count", [2, 3])
def test_empty_replies_in_a_row_are_a_failure(count: int) -> None:
    assert severities(NO_PROGRESS, TASK, *[says("")] * count) == ["failure"]


def test_the_same_reply_to_the_same_format_error_is_a_failure() -> None:
    told = user("Observation: Invalid format, no 'Action:' after 'Thought:'")
    (finding,) = found(NO_PROGRESS, TASK, says("There are 3."), told, says("There are 3."), told, says("There are 3."))
    assert finding.severity == "failure"
    assert "3 replies in a row were the same" in finding.message


ASKED = "Action: count_boats\nAction Input: {}"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (["fog"] * 3, ["failure"]),
        (["fog", "fog", "3"], []),
        (["fog", "rain", "3"], []),
    ],
)
def test_the_same_action_of_a_text_protocol_with_the_same_result_is_a_failure(
    results: list[str], expected: list[str]
) -> None:
    told = [message for result in results for message in (says(ASKED), user(f"Observation: {result}"))]
    assert severities(NO_PROGRESS, TASK, *told, says("I stop here.")) == expected


@pytest.mark.parametrize(
    "messages",
    [
        [says("HEARTBEAT_OK"), user("[heartbeat]"), says("HEARTBEAT_OK"), user("[heartbeat]"), says("HEARTBEAT_OK")],
        [says("Yes."), user("And the south basin?"), says("Yes."), user("And the east one?"), says("Yes.")],
        [says(""), user("Are you there?"), says("Yes.")],
        [asks(("a", "moor", {})), gives("a", ""), asks(("b", "cast_off", {})), gives("b", "")],
    ],
)
def test_short_answers_to_new_words_are_progress(messages: list[dict[str, object]]) -> None:
    assert not severities(NO_PROGRESS, TASK, *messages)


def test_calls_that_take_turns_bring_nothing() -> None:
    long = "a list of all the boats that lie in the northern basin today"
    turn = [*rounds("list_boats", [{}], [long]), *rounds("open_plan", [{"n": 1}], ["Error: no plan"])]
    (finding,) = found(NO_PROGRESS, TASK, *turn, *turn)
    assert finding.severity == "warning"
    assert severities(NO_PROGRESS, TASK, *turn, *turn, *turn) == ["failure"]
    assert not severities(NO_PROGRESS, TASK, *turn, *rounds("list_boats", [{}], [long]))


def test_searches_for_nearly_the_same_are_told_once() -> None:
    asked = [
        "harbour of Wessel tide table 1987",
        "Wessel harbour tide table 1987 pdf",
        "tide table harbour Wessel 1987 scan",
    ]
    (finding,) = found(NO_PROGRESS, TASK, *rounds("web_search", [{"q": q} for q in asked], ["a", "b", "c"]))
    assert finding.severity == "warning"
    assert len(finding.where) == 3


@pytest.mark.parametrize(
    "asked",
    [
        ["population of Bergen in 2020", "population of Oslo in 2020", "population of Moss in 2020"],
        ["tides north basin today", "who owns the red boat", "harbour fees for June"],
        ["Bergen", "Oslo", "Moss"],
    ],
)
def test_a_series_of_questions_is_none(asked: list[str]) -> None:
    assert not severities(NO_PROGRESS, TASK, *rounds("web_search", [{"q": q} for q in asked], ["a", "b", "c"]))


def test_forms_filled_in_again_are_none() -> None:
    given = [{"from": "Bergen", "to": "Oslo", "date": f"2024-05-0{k}"} for k in (1, 2, 3)]
    assert not severities(NO_PROGRESS, TASK, *rounds("search_ferry", given, ["a", "b", "c"]))


@pytest.mark.timeout(60)
def test_long_traces_take_their_time_and_no_more() -> None:
    given = [{"q": f"tide table of harbour {k % 7} in the year {k}"} for k in range(1500)]
    found(NO_PROGRESS, TASK, *rounds("web_search", given, ["x"] * 1500))
    found(REPEAT_LOOP, TASK, *rounds("moor", given, ["Error: taken"] * 1500))
