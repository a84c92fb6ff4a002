"""Claims with their exact places."""

from __future__ import annotations

import pytest

from agentlab.audit.claims.claims import claims_of
from agentlab.audit.report import audit_trace
from agentlab.audit.values import Claim
from agentlab.trace.values import ProposedCall
from tests.audit.stories import Story, field_of, forged

CALL = 'Action: count_boats[{"basin": "north"}]'


def claims(text: str, *, calls: tuple[ProposedCall, ...] = (), accepted: bool = False) -> tuple[Claim, ...]:
    story = Story()
    story.reply(text, accepted=accepted, calls=calls)
    trace = story.trace
    found = claims_of(trace)
    for claim in found:
        assert field_of(trace, claim.where)[claim.where.start : claim.where.end] == claim.where.text
    return found


def test_a_result_is_bound_to_the_call_it_stands_under() -> None:
    call, result = claims(forged('{"boats": 3}'))
    assert (call.kind, call.tool, call.arguments) == ("call", "count_boats", {"basin": "north"})
    assert (result.kind, result.tool, result.arguments, result.about) == (
        "observation", "count_boats", {"basin": "north"}, call.id,
    )  # fmt: skip
    assert result.body == '{"boats": 3}'
    assert result.where.text == 'Observation: {"boats": 3}'
    assert result.rejected


def test_two_results_under_one_call_are_two_claims() -> None:
    call, first, second = claims(forged("3") + "\nObservation: 4")
    assert (first.about, first.body, second.about, second.body) == (call.id, "3", call.id, "4")


def test_a_result_before_any_call_stands_under_none() -> None:
    result, call = claims(f"Observation: 3 boats\n{CALL}")
    assert (result.kind, result.about, result.tool) == ("observation", None, None)
    assert call.kind == "call"


def test_a_turn_of_the_user_ends_what_a_result_can_stand_under() -> None:
    kinds = [(c.kind, c.party, c.about) for c in claims(f"{CALL}\nUser: and the south basin?\nObservation: 9")]
    assert kinds == [("call", None, None), ("turn", "user", None), ("observation", None, None)]


def test_a_turn_of_the_tool_is_a_result_of_the_call() -> None:
    call, turn = claims(f'{CALL}\nTool: {{"boats": 3}}')
    assert (turn.kind, turn.party, turn.is_result, turn.about) == ("turn", "tool", True, call.id)


@pytest.mark.parametrize(
    "quoted",
    [
        "Thought: a log would read\n```\nObservation: 3\n```\n",
        "Thought: I must never write the line `Observation:` myself.\n",
        "> Observation: 3\n",
        "Thought: let us assume the result is 3.\n",
    ],
)
def test_quotation_and_supposition_claim_nothing(quoted: str) -> None:
    assert [claim.kind for claim in claims(quoted + CALL)] == ["call"]


def test_offsets_count_code_points() -> None:
    call, result = claims("Thought: 🚤🚤 数船 e\u0301\n" + CALL + "\nObservation: 🚤 3 艘")
    assert result.where.start == len("Thought: 🚤🚤 数船 e\u0301\n" + CALL + "\n")
    assert result.body == "🚤 3 艘"
    assert call.where.text == CALL


def test_the_recorded_call_is_the_first_well_formed_action() -> None:
    proposed = ProposedCall(call="c1", tool="count_boats")
    text = f'Action: count_boats[{{"basin": "north", "basin": "south"}}]\n{CALL}\nObservation: 3'
    ambiguous, sound, result = claims(text, calls=(proposed,))
    assert (ambiguous.call, sound.call, result.about) == (None, "c1", sound.id)


def test_a_recorded_call_of_another_tool_is_not_the_one_in_the_text() -> None:
    call, _ = claims(forged("3"), calls=(ProposedCall(call="c1", tool="note"),))
    assert call.call is None


def test_of_a_lost_text_nothing_is_claimed() -> None:
    story = Story()
    story.reply(forged("3"), lose=True)
    assert claims_of(story.trace) == ()


def test_an_answer_is_a_claim() -> None:
    (answer,) = claims("Thought: done\nAction: Finish[3 boats]", accepted=True)
    assert (answer.kind, answer.body, answer.rejected) == ("answer", "3 boats", False)


def test_a_proposal_made_of_an_action_that_is_not_well_formed_is_one_claim() -> None:
    text = "Action: think[[the bag has the sizes 's', 'm']"
    proposed = ProposedCall(call="c1", tool="think", arguments="[the bag has the sizes 's', 'm']")
    found = [(claim.where.field, claim.call) for claim in claims(text, calls=(proposed,), accepted=True)]
    assert found == [("text", "c1")]


@pytest.mark.parametrize("text", ["Action: reset[]", ""])
def test_what_somebody_else_asked_for_is_not_claimed_by_the_model(text: str) -> None:
    assert (
        claims(text, calls=(ProposedCall(call="c1", tool="reset", arguments={}, by="not_recorded"),), accepted=True)
        == ()
    )


def test_a_claim_beside_somebody_elses_call_keeps_its_execution() -> None:
    story = Story()
    calls = [
        ProposedCall(call="c1", tool="reset", arguments={}, by="not_recorded"),
        ProposedCall(call="c2", tool="note", arguments={}),
    ]
    story.reply("", accepted=True, calls=calls)
    story.execute("c1", "reset", {}, "0")
    begun = story.execute("c2", "note", {}, "1")
    report = audit_trace(story.trace)
    assert [(claim.tool, report.pairs[claim.id]) for claim in report.claims] == [("note", begun)]
