"""What the record answers to each question."""

from __future__ import annotations

import pytest

from agentlab.audit.outputs.account import account
from agentlab.audit.outputs.questions import QUESTIONS
from agentlab.audit.report import audit_trace
from agentlab.harness.history import DROP, REACT_V1, REACT_V2, RETRY
from agentlab.harness.limits import Limits
from agentlab.trace.model import Trace
from agentlab.trace.values import ProposedCall, Span
from tests.agents.attempts import DONE, GOOD, attempt
from tests.audit.stories import Story, forged
from tests.views import foreign

FORGED = 'Thought: I count.\nAction: count_bees[{"hive": "east"}]\nObservation: {"bees": 12}'
TWELVE = "Action: Finish[There are 12 bees.]"
CALL = 'count_bees({"hive":"east"})'
RESULT = '{"tool":"count_bees","hive":"east","bees":40}'


def answers(trace: Trace) -> dict[str, list[str]]:
    told = account(audit_trace(trace)).answers
    known = {event.id for event in trace}
    for _, lines in told:
        for line in lines:
            assert set(line.events) <= known
    return {question: [line.text for line in lines] for question, lines in told}


def test_a_contaminated_attempt() -> None:
    trace, _ = attempt([FORGED, TWELVE], policy=REACT_V1)
    assert list(answers(trace).items()) == [
        (
            "What did the model output?",
            [
                'Step 1, refused: Thought: I count. ⏎ Action: count_bees[{"hive": "east"}] ⏎ Observation: {"bees": 12}',
                "Step 2, accepted: Action: Finish[There are 12 bees.]",
            ],
        ),
        ("Where did it forge?", ['Step 1, field text, characters 55 to 80: Observation: {"bees": 12}']),
        (
            "Why was a reply refused?",
            ["Step 1, forged_observation: The reply holds an observation, which only the harness may write."],
        ),
        ("What evidence did it hold?", ["None: nothing was executed."]),
        (
            "What did it believe it held?",
            ['Its own words of step 1, as if they had been returned, in 1 later request: Observation: {"bees": 12}'],
        ),
        (
            "Did the history policy change what followed?",
            [
                (
                    "Step 1 refused: react-v1 kept its text in the history and told the model of the error (e5); "
                    "the next reply answered."
                )
            ],
        ),
        (
            "What did it answer?",
            [
                "There are 12 bees.",
                (
                    "Text that the model forged came back to it in request e6; the answer states 12 as this text does, "
                    "and no delivered result of the tool does."
                ),
                "The answer states 12, and no successful tool result had reached the model.",
            ],
        ),
    ]


def test_a_contained_attempt() -> None:
    told = answers(attempt([FORGED, GOOD, DONE], policy=REACT_V2)[0])
    assert told["What evidence did it hold?"] == [f"Step 2, {CALL} → {RESULT}"]
    assert told["What did it believe it held?"] == [
        "As far as the record shows, no more than that: nothing it forged came back to it."
    ]
    assert told["Did the history policy change what followed?"] == [
        (
            "Step 1 refused: react-v2 left its text out and told the model of the error (e5); "
            "the next reply had count_bees executed."
        )
    ]
    assert told["What did it answer?"] == ["There are 40 bees."]


def test_a_retried_attempt() -> None:
    told = answers(attempt([FORGED, GOOD, DONE], policy=RETRY)[0])
    assert [text.partition(":")[0] for text in told["What did the model output?"]] == [
        "Step 1, refused", "Step 1 (asked again), accepted", "Step 2, accepted",
    ]  # fmt: skip
    (followed,) = told["Did the history policy change what followed?"]
    assert followed.startswith("Step 1 refused: retry left its text out and said nothing of it;")


def test_a_dropped_attempt_that_forges_again_and_runs_out_of_steps() -> None:
    told = answers(attempt([FORGED, FORGED, "Action: swarm[{}]"], policy=DROP, limits=Limits(steps=3))[0])
    ends = [text.rpartition("; ")[2] for text in told["Did the history policy change what followed?"]]
    assert ends == [
        "the next reply forged again.",
        "the next reply was refused too.",
        "Step 3 refused: no request followed.",
    ]
    (answer,) = told["What did it answer?"]
    assert answer.startswith("No answer: step_limit. It stopped after 3 steps")


def test_a_clean_attempt() -> None:
    told = answers(attempt([GOOD, DONE])[0])
    assert told["Where did it forge?"] == ["Nowhere."]
    assert told["Why was a reply refused?"] == ["None was."]
    assert told["Did the history policy change what followed?"] == [
        "No reply was refused, so it had nothing to decide."
    ]


def test_failed_unended_and_undelivered_executions_are_told_apart() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, error="closed")
    story.call("count_boats", {"basin": "south"}, "4", deliver=False)
    story.call("note", {})
    held = answers(story.trace)["What evidence did it hold?"]
    assert [text.partition(") ")[2] for text in held] == [
        "failed: closed", "→ 4 (it reached no request)", "began, and no end of it was recorded",
    ]  # fmt: skip


def test_a_killed_attempt_says_that_the_record_breaks_off() -> None:
    trace, _ = attempt([FORGED, GOOD, DONE])
    for cut in range(1, len(trace) - 1):
        told = answers(Trace(events=trace.events[:cut], quarantine=trace.quarantine))
        if trace.positions["e13"] >= cut:
            assert told["What did it answer?"][0].startswith("No answer, and the record breaks off")


def test_of_a_lost_text_it_says_so() -> None:
    story = Story()
    story.reply(forged("3"), lose=True)
    told = answers(story.trace)
    assert told["What did the model output?"] == ["Step 1, refused: its text is lost"]
    assert told["Where did it forge?"] == ["Step 1 cannot be told: the text of the reply is lost."]
    assert told["What did it believe it held?"] == [
        "It cannot be told whether text it forged came back to it: the text of 1 reply is not in quarantine."
    ]


def test_what_the_harness_marked_in_a_lost_text_is_told() -> None:
    story = Story()
    story.mark(story.reply(forged("3"), lose=True), Span(start=9, end=12, kind="observation"))
    assert answers(story.trace)["Where did it forge?"] == [
        (
            "Step 1: the harness marked observation at characters 9 to 12; what that said cannot be told: the text of "
            "the reply is lost."
        )
    ]


def test_a_text_that_a_later_request_shows_is_not_lost() -> None:
    story = Story()
    story.reply(forged("3"), lose=True, keep=True)
    story.answer("3 boats")
    told = answers(story.trace)
    assert "cannot be told" not in str(told)
    assert "1 later request" in told["What did it believe it held?"][0]


def test_text_that_a_tool_gave_back_is_said_to_have_come_by_it() -> None:
    story = Story()
    story.reply(forged("12 boats in the basin"))
    story.call("note", {"text": "12 boats in the basin"}, '{"stored":"12 boats in the basin"}')
    story.answer("12")
    (believed,) = answers(story.trace)["What did it believe it held?"]
    assert "by way of e" in believed


def test_repetition_is_called_repetition() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, "3 boats")
    story.reply("Observation: 3 boats")
    assert answers(story.trace)["Where did it forge?"] == [
        "Step 2 only repeats what it had been shown: Observation: 3 boats"
    ]


@pytest.mark.parametrize("recorded", ["present", "not_recorded"])
def test_nothing_executed_is_not_nothing_recorded(recorded: str) -> None:
    (held,) = answers(Story(executions=recorded).trace)["What evidence did it hold?"]
    assert held == ("None: nothing was executed." if recorded == "present" else "Executions are not recorded.")


def test_of_another_harness_nothing_is_asked_that_only_ours_can_answer() -> None:
    told = answers(foreign.harbour())
    assert "Did the history policy change what followed?" not in told
    assert "Why was a reply refused?" not in told
    assert list(answers(attempt([GOOD, DONE])[0])) == [question.text for question in QUESTIONS]


def test_a_refusal_by_another_harness_is_told() -> None:
    told = foreign.builder()
    told.reply("", calls=[told.propose("open", {}, call="c1")], source="1")
    told.refuse("c1", code="not_permitted", reason="The lock is shut.", source="1")
    told.reply("I stop.", source="2")
    asked = answers(told.build())
    assert asked["Why was a reply refused?"] == ["Step 1, not_permitted: The lock is shut."]
    assert "Did the history policy change what followed?" not in asked


def test_a_reply_that_is_only_calls_names_them_and_its_agent() -> None:
    told = answers(foreign.harbour())
    assert told["What did the model output?"] == [
        'Step 1, accepted: no text; it calls ask({"whom":"scout"})',
        "Step 2 of scout, accepted: no text; it calls count(…)",
        "Step 3 of scout, accepted: I see three boats, all of them blue.",
        "Step 4, accepted: There are three.",
    ]
    assert told["What evidence did it hold?"][1].startswith("Step 2, count(…) → 3")


def test_a_reply_with_nothing_in_it_says_so() -> None:
    story = Story()
    story.reply("", accepted=True, calls=[ProposedCall(call=f"c{n}", tool="note", arguments={}) for n in range(6)])
    story.reply("", accepted=True)
    first, second = answers(story.trace)["What did the model output?"]
    assert first.endswith("no text; it calls note({}), note({}), note({}), note({}), 2 more")
    assert second == "Step 2, accepted: no text"
