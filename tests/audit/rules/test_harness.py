"""Results and replies that the harness wrote in another's place, and honest words of its own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.reading import read
from agentlab.audit.rules.harness import HARNESS_FORGED_RESULT
from agentlab.trace.events import CallRefused, ExecutionFinished, Observation
from agentlab.trace.model import Trace
from agentlab.trace.values import ProposedCall
from tests.audit.rules.chats import Message, asks, found, gives, says, severities, user
from tests.audit.stories import Story

MOORED = "moored at berth seven"


def rule(trace: Trace) -> list[str]:
    return [finding.severity for finding in HARNESS_FORGED_RESULT.judge(read(trace))]


def looped(last: Message) -> list[Message]:
    rounds = [m for k in range(3) for m in (asks((f"c{k}", "moor", {"b": 1})), gives(f"c{k}", "ok"))]
    return [user("Moor the boats"), *rounds, last]


@pytest.mark.parametrize("said", ["Done mooring, the boats lie well.", "Task completed successfully.", "任务已完成。"])
def test_a_success_that_the_loop_guard_wrote(said: str) -> None:
    (finding,) = found(HARNESS_FORGED_RESULT, *looped(says(said, author="harness")))
    assert finding.severity == "failure"
    assert finding.where[0].text in said


@pytest.mark.parametrize(
    "last",
    [
        says("Task completed successfully."),
        says("Stopped after the same call had come three times.", author="harness"),
        says("The step limit was reached.", author="harness"),
        says("How can I help you today?", author="harness"),
        says("The task was not completed.", author="harness"),
    ],
)
def test_the_models_own_words_and_an_honest_stop(last: Message) -> None:
    assert severities(HARNESS_FORGED_RESULT, *looped(last)) == []


def test_what_a_call_bears_out_may_be_said_for_the_model() -> None:
    wrote = asks(("w", "write_file", {"path": "tide.md", "text": "high"})), gives("w", "written 4 bytes to tide.md")
    last = says("I saved the table to tide.md.", author="harness")
    assert severities(HARNESS_FORGED_RESULT, user("Save it"), *wrote, last) == []


@pytest.mark.parametrize("mark", [{"author": "harness"}, {"synthetic": True}, {"generated_by": "framework"}])
def test_a_result_that_the_record_gives_to_the_harness(mark: dict[str, Any]) -> None:
    told = [user("Moor"), asks(("a", "moor", {"b": 1})), gives("a", MOORED, **mark), says("It is moored.")]
    assert severities(HARNESS_FORGED_RESULT, *told) == ["failure"]


@pytest.mark.parametrize(
    "text", ["[placeholder: the call was interrupted]", "error: not permitted", "Tool was not executed.", "未执行", " "]
)
def test_a_placeholder_that_says_so(text: str) -> None:
    told = [user("Moor"), asks(("a", "moor", {"b": 1})), gives("a", text, author="harness"), says("It failed.")]
    assert severities(HARNESS_FORGED_RESULT, *told) == []


def test_a_result_without_a_mark_is_a_result() -> None:
    told = [user("Moor"), asks(("a", "moor", {"b": 1})), gives("a", MOORED, author="moor"), says("It is moored.")]
    assert severities(HARNESS_FORGED_RESULT, *told) == []


@pytest.mark.parametrize(
    ("text", "raised"), [('{"success": true}', ["failure"]), ("refused: not permitted", []), ("wait", [])]
)
def test_a_refused_call_with_a_result(text: str, raised: list[str]) -> None:
    story = Story()
    reply = story.reply("x", accepted=True, calls=[ProposedCall(call="c1", tool="note", arguments={"text": "a"})])
    story._book.record(
        CallRefused(completion=reply.id, call="c1", code="not_permitted", reason="no", digest=reply.digest)
    )
    story._book.record(Observation(execution="", call="c1", text=text))
    story.ask()
    assert rule(story.trace) == raised


@pytest.mark.parametrize(
    ("second", "shown", "raised"),
    [
        ({"basin": "south"}, "twelve boats at rest", ["failure"]),
        ({"basin": "south"}, "no boats in sight", []),
        ({"basin": "south"}, "Observation: no boats in sight", []),
        ({"basin": "north"}, "twelve boats at rest", []),
        ({"basin": "south"}, "nothing new", []),
    ],
)
def test_the_result_of_one_call_under_the_id_of_another(second: dict[str, str], shown: str, raised: list[str]) -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, "twelve boats at rest")
    begun = story.execute("c2", "count_boats", second)
    story._book.record(ExecutionFinished(execution="x2", status="succeeded", result="no boats in sight"))
    story._book.record(Observation(execution="x2", call="c2", text=shown))
    assert begun
    assert rule(story.trace) == raised


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for finding in found(HARNESS_FORGED_RESULT, *looped(says(text, author="harness"))):
        assert text[finding.where[0].start : finding.where[0].end] == finding.where[0].text
