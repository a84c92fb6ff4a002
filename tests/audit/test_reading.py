"""One reading for all rules."""

from __future__ import annotations

from agentlab.audit.reading import read
from tests.audit.stories import Story, forged


def test_executions_of_a_call_are_its_own_or_else_those_of_the_same_call() -> None:
    story = Story()
    first = story.call("count_boats", {"basin": "north"}, "3", name="0")
    second = story.call("count_boats", {"basin": "north"}, "5", name="0")
    story.reply(forged("4"))
    reading = read(story.trace)
    calls = [claim for claim in reading.claims if claim.kind == "call"]
    assert [[entry.event for entry in reading.executions_of(call)] for call in calls] == [
        [first], [second], [first, second],
    ]  # fmt: skip


def test_the_nearest_execution_is_the_next_one_else_the_last_before() -> None:
    story = Story()
    first = story.call("count_boats", {"basin": "north"}, "3")
    story.reply(forged("4"))
    story.reply(forged("4"))
    second = story.call("count_boats", {"basin": "north"}, "5")
    third = story.call("count_boats", {"basin": "north"}, "5")
    story.reply(forged("4"))
    reading = read(story.trace)
    near = [reading.nearest(claim, reading.ledger) for claim in reading.forged]
    assert [entry.event for entry in near if entry] == [second, second, third]
    assert first not in [entry.event for entry in near if entry]
    assert reading.nearest(reading.forged[0], ()) is None


def test_what_is_recalled_is_no_claim() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, "3 boats")
    story.reply("Observation: 3 boats")
    reading = read(story.trace)
    assert [claim.kind for claim in reading.claims] == ["call"]
    assert [claim.body for claim in reading.recalled] == ["3 boats"]


def test_lost_replies_are_known() -> None:
    story = Story()
    lost = story.reply(forged("3"), lose=True)
    story.reply(forged("4"))
    reading = read(story.trace)
    assert [reply.id for reply in reading.trace.lost] == [lost.id]
    assert len(reading.forged) == 1
