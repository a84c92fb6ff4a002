"""Several actions in one reply, and an end beside what it would have to wait for."""

from __future__ import annotations

from typing import Any

import pytest

from agentlab.audit.reading import read
from agentlab.audit.rules.finishing import MULTIPLE_ACTIONS, PREMATURE_FINISH
from agentlab.trace.events import Answer
from tests.audit.rules.chats import asks, found, gives, says, severities, user
from tests.audit.stories import Story, forged

TASK = user("Set both buoys, then finish.")
ONE = 'Thought: I count.\nAction: count_boats[{"basin": "north"}]'
TWO = f'{ONE}\nThought: few, I think.\nAction: note[{{"text": "few"}}]'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE, []),
        (TWO, ["warning"]),
        (f"{ONE}\n{ONE}", ["note"]),
        (f'{ONE}\nAction: submit[{{"text": "few"}}]', ["failure"]),
        (f"<think>{ONE}</think>\n{ONE}", []),
        (forged("3") + "\n" + ONE, []),
    ],
)
def test_several_actions_of_a_text_protocol(text: str, expected: list[str]) -> None:
    story = Story(tools=("count_boats", "note", "submit"))
    story.reply(text, accepted=True)
    assert [finding.severity for finding in MULTIPLE_ACTIONS.judge(read(story.trace))] == expected


def test_native_calls_side_by_side_are_none() -> None:
    both = asks(("a", "set_buoy", {"n": 1}), ("b", "set_buoy", {"n": 2}))
    assert not severities(MULTIPLE_ACTIONS, TASK, both, gives("a", "ok"), gives("b", "ok"), says("Done."))


# --- premature-finish ---

BATCH = asks(("a", "done", {"text": "both set"}), ("b", "set_buoy", {"n": 1}), ("c", "set_buoy", {"n": 2}))


@pytest.mark.parametrize("word", ["retry: no such buoy", "Error: no such buoy", "invalid depth"])
def test_a_finish_beside_a_call_that_failed_is_a_failure(word: str) -> None:
    (finding,) = found(PREMATURE_FINISH, TASK, BATCH, gives("a", "finished"), gives("b", "ok"), gives("c", word))
    assert finding.severity == "failure"
    assert "both set" in str((finding.claimed or {})["text"])
    assert finding.where[1].text == word


def test_a_finish_beside_calls_that_went_well_is_a_note() -> None:
    assert severities(PREMATURE_FINISH, TASK, BATCH, gives("a", "."), gives("b", "ok"), gives("c", "ok")) == ["note"]


def test_a_finish_of_its_own_is_none() -> None:
    assert not severities(PREMATURE_FINISH, TASK, asks(("a", "done", {"text": "x"})), gives("a", "finished"))


def test_an_answer_behind_an_action_that_never_ran_is_a_failure() -> None:
    story = Story()
    reply = story.reply(f"{ONE}\nFinal Answer: 3 boats", accepted=True)
    story._book.record(Answer(completion=reply.id, text="3 boats"))
    (finding,) = PREMATURE_FINISH.judge(read(story.trace))
    assert finding.severity == "failure"
    assert "count_boats" in finding.message


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Both are near. Let me check the depth with read_depth.", ["warning"]),
        ("Now I will run the survey:", ["warning"]),
        ("I will check with the harbour master tomorrow.", []),
        ("Shall I call read_depth? I will run it if you agree.", []),
        ("Both buoys are set.", []),
    ],
)
def test_an_answer_that_announces_a_call_is_a_warning(answer: str, expected: list[str]) -> None:
    messages: list[dict[str, Any]] = [TASK, asks(("a", "read_depth", {"n": 1})), gives("a", "4 m"), says(answer)]
    assert severities(PREMATURE_FINISH, *messages) == expected
