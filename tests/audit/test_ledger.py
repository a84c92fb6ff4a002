"""What was executed, from spans alone."""

from __future__ import annotations

from agentlab.audit.ledger import ledger
from agentlab.trace.values import ProposedCall
from tests.audit.stories import Story, forged


def test_every_execution_stands_in_it_in_order() -> None:
    story = Story()
    first = story.call("count_boats", {"basin": "north"}, '{"boats":3}')
    second = story.call("count_boats", {"basin": "dry"}, error="there is no water")
    third = story.call("note", {"text": "x"})
    found = ledger(story.trace)
    assert [(entry.event, entry.state) for entry in found] == [
        (first, "succeeded"), (second, "failed"), (third, "unanswered"),
    ]  # fmt: skip
    assert [entry.position for entry in found] == [story.trace.positions[entry.event] for entry in found]
    assert (found[0].result, found[1].error, found[2].result) == ('{"boats":3}', "there is no water", None)


def test_what_was_run_counts_and_not_what_was_proposed() -> None:
    """Whoever approves a call may change it."""
    story = Story()
    story.reply("Action: note[...]", accepted=True, calls=[ProposedCall(call="c1", tool="note", arguments={"n": 1})])
    story.execute("c1", "note", {"n": 2}, "1")
    (entry,) = ledger(story.trace)
    assert (entry.arguments, entry.call) == ({"n": 2}, "c1")


def test_an_execution_that_nobody_proposed_stands_in_it() -> None:
    story = Story()
    begun = story.execute("c9", "note", {}, "1")
    assert [(entry.event, entry.delivered) for entry in ledger(story.trace)] == [(begun, False)]


def test_a_proposal_is_no_entry() -> None:
    story = Story()
    story.reply(forged("3"), calls=[ProposedCall(call="c1", tool="count_boats")])
    assert ledger(story.trace) == ()
