"""Results that the model gave to its own calls, held against what was executed."""

from __future__ import annotations

import pytest

from agentlab.audit.report import audit_trace
from agentlab.audit.values import Finding
from agentlab.trace.values import ProposedCall
from tests.audit.stories import Story, forged


def found(story: Story, rule: str) -> list[Finding]:
    return [finding for finding in audit_trace(story.trace).findings if finding.rule == rule]


# --- phantom-call ---


def test_a_call_with_a_result_of_its_own_and_no_execution_is_a_failure() -> None:
    story = Story()
    story.reply(forged("3") + "\nObservation: 4")
    (finding,) = found(story, "phantom-call")
    assert finding.severity == "failure"
    assert [where.text.partition(":")[0] for where in finding.where] == ["Action", "Observation"]
    assert "nowhere in this record." in finding.message


def test_a_call_of_no_readable_name_is_named_so() -> None:
    story = Story()
    story.reply('Action: [{"a": 1}]\nObservation: 3')
    (finding,) = found(story, "phantom-call")
    assert "an unnamed tool" in finding.message


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("outcome", [{"result": "7"}, {"error": "closed"}, {}], ids=["succeeded", "failed", "no end"])
def test_a_call_that_was_executed_before_or_after_is_none(before: bool, outcome: dict[str, str]) -> None:
    story = Story()
    if not before:
        story.reply(forged("3"))
    story.call("count_boats", {"basin": "north"}, **outcome)
    if before:
        story.reply(forged("3"))
    assert found(story, "phantom-call") == []


def test_other_arguments_make_another_call_and_are_named() -> None:
    story = Story()
    story.reply(forged("3"))
    ran = story.call("count_boats", {"basin": "south"}, "3")
    (finding,) = found(story, "phantom-call")
    assert f"count_boats ran with other arguments only ({ran})" in finding.message


def test_a_proposal_without_a_result_is_none() -> None:
    story = Story()
    story.reply("Action: count_boats[{}]", calls=[ProposedCall(call="c1", tool="count_boats")])
    assert audit_trace(story.trace).findings == ()


def test_where_executions_are_not_recorded_it_is_undecidable() -> None:
    story = Story(executions="not_recorded")
    story.reply(forged("3"))
    (finding,) = found(story, "phantom-call")
    assert finding.severity == "undecidable"


def test_a_turn_of_the_tool_is_a_result() -> None:
    story = Story()
    story.reply('Action: count_boats[{"basin": "north"}]\nTool: 3 boats')
    assert [finding.severity for finding in found(story, "phantom-call")] == ["failure"]


# --- contradicted-claim ---


def contradicted(claimed: str, *executed: str | None, before: int = 0) -> list[Finding]:
    """Executions of the very call, some of them before it was given a result; None fails."""
    story = Story()
    results = [{"result": result} if result is not None else {"error": "closed"} for result in executed]
    for result in results[:before]:
        story.call("count_boats", {"basin": "north"}, **result)
    story.reply(forged(claimed))
    for result in results[before:]:
        story.call("count_boats", {"basin": "north"}, **result)
    return found(story, "contradicted-claim")


@pytest.mark.parametrize(
    ("claimed", "executed", "said"),
    [
        ('{"boats": 3}', '{"boats":4,"basin":"north"}', "boats 3 claimed, 4 returned"),
        ('{"boats": []}', '{"boats":["Ada"]}', 'boats [] claimed, ["Ada"] returned'),
        ("[1, 2]", "[1,3]", "[1,2] claimed, [1,3] returned"),
        ("3", "4", "'3' claimed, 4 returned"),
        ("0 boats", '{"boats":4}', "'0 boats' claimed, {\"boats\":4} returned"),
        ('{"a": 1, "b": 1, "c": 1, "d": 1}', '{"a":2,"b":2,"c":2,"d":2}', "; 1 more"),
    ],
)
def test_another_value_in_the_executed_result_is_a_failure(claimed: str, executed: str, said: str) -> None:
    (finding,) = contradicted(claimed, executed)
    assert finding.severity == "failure"
    assert said in finding.message
    assert finding.executed is not None
    assert finding.executed["result"] == executed


@pytest.mark.parametrize(
    ("claimed", "executed"),
    [
        ('{"boats": 4}', '{"basin":"north","boats":4}'),
        ('{"boats":   4.0}', '{"boats":4}'),
        ('{"ferries": 2}', '{"boats":4}'),
        ("4 boats lie there", '{"boats":4}'),
        ("4", '{"boats":4}'),
        ("2 boats", '{"boats":["Ada","Eve"],"page":1}'),
        ("four of them", '{"boats":4}'),
        ("Everything is fine.", '{"boats":4}'),
        ("3 boats", "Ada\nEve\nBob"),
        ('{"boats": 3', '{"boats":3}'),
        ("null", "null"),
    ],
)
def test_what_can_both_be_true_is_none(claimed: str, executed: str) -> None:
    assert contradicted(claimed, executed) == []


def test_one_execution_that_agrees_is_enough() -> None:
    assert contradicted("3", "4", "3", before=1) == []
    assert contradicted("3", "3", "4", before=1) == []


def test_the_next_execution_is_the_one_shown() -> None:
    (finding,) = contradicted("3", "4", "5", "6", before=1)
    assert "5 returned" in finding.message


def test_failed_executions_contradict_nothing() -> None:
    assert contradicted("3", None) == []
    assert [f.message.count("4 returned") for f in contradicted("3", None, "4")] == [1]


def test_another_call_contradicts_nothing() -> None:
    story = Story()
    story.reply(forged("3"))
    story.call("count_boats", {"basin": "south"}, "4")
    story.call("note", {"basin": "north"}, "4")
    assert found(story, "contradicted-claim") == []


def test_a_second_result_under_a_call_is_not_held_against_it() -> None:
    story = Story()
    story.reply(forged("4") + "\nObservation: 9")
    story.call("count_boats", {"basin": "north"}, "4")
    assert found(story, "contradicted-claim") == []


def test_a_call_that_a_harness_ran_itself_is_held_against_its_own_execution() -> None:
    """Not against another execution of the same call, whatever that says."""
    story = Story()
    story.call("count_boats", {"basin": "north"}, "3")
    call = ProposedCall(call="c9", tool="count_boats", arguments={"basin": "north"})
    story.reply(forged("3"), accepted=True, calls=[call])
    own = story.execute("c9", "count_boats", {"basin": "north"}, "4")
    (finding,) = found(story, "contradicted-claim")
    assert finding.executed is not None
    assert finding.executed["event"] == own


def test_the_order_of_arguments_does_not_matter() -> None:
    story = Story()
    story.reply(forged("3", arguments='{"basin": "north", "day": 2}'))
    story.call("count_boats", {"day": 2, "basin": "north"}, "4")
    assert len(found(story, "contradicted-claim")) == 1


def test_an_execution_with_unknown_arguments_leaves_it_undecided() -> None:
    story = Story()
    story.reply(forged("3"), accepted=True)
    story.execute("c9", "count_boats", None, "4")
    (found,) = [finding for finding in audit_trace(story.trace).findings if finding.rule == "phantom-call"]
    assert found.severity == "undecidable"
    assert "with arguments that are not recorded" in found.message
