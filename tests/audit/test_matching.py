"""Claims and executions, matched by event."""

from __future__ import annotations

from agentlab.audit.claims.claims import claims_of
from agentlab.audit.ledger import ledger
from agentlab.audit.matching import executed_as
from agentlab.trace.values import ProposedCall
from tests.audit.stories import Story, forged

CALL = 'Action: count_boats[{{"basin": "{}"}}]'


def pairs(story: Story) -> list[tuple[object, str | None]]:
    trace = story.trace
    claims = claims_of(trace)
    found = executed_as(trace, claims, ledger(trace))
    ran = {claim: entry.event for claim, entry in found.items()}
    return [(claim.arguments, ran.get(claim.id)) for claim in claims if claim.kind == "call"]


def test_one_id_for_the_calls_of_every_reply() -> None:
    story = Story()
    first = story.call("count_boats", {"basin": "north"}, "3", name="0")
    second = story.call("count_boats", {"basin": "south"}, "5", name="0")
    assert pairs(story) == [({"basin": "north"}, first), ({"basin": "south"}, second)]


def test_two_calls_of_one_reply_with_one_id() -> None:
    story = Story()
    calls = [ProposedCall(call="0", tool="count_boats", arguments={"basin": basin}) for basin in ("a", "b")]
    story.reply(f"{CALL.format('a')}\n{CALL.format('b')}", accepted=True, calls=calls)
    first = story.execute("0", "count_boats", {"basin": "a"}, "3")
    second = story.execute("0", "count_boats", {"basin": "b"}, "5")
    assert pairs(story) == [({"basin": "a"}, first), ({"basin": "b"}, second)]


def test_the_same_call_executed_later_is_not_the_refused_one() -> None:
    story = Story()
    story.reply(forged("3"), calls=[ProposedCall(call="c1", tool="count_boats")])
    later = story.call("count_boats", {"basin": "north"}, "3", name="c2")
    assert pairs(story) == [({"basin": "north"}, None), ({"basin": "north"}, later)]


def test_a_call_that_was_never_recorded_has_no_execution() -> None:
    story = Story()
    story.reply(CALL.format("north"), accepted=True)
    story.execute("c1", "count_boats", {"basin": "north"}, "3")
    assert pairs(story) == [({"basin": "north"}, None)]
