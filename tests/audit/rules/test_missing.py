"""Calls that were never answered although the agent went on."""

from __future__ import annotations

from typing import Any

import pytest

from agentlab.audit.rules.missing import MISSING_RESULT
from tests.audit.rules.chats import asks, found, gives, rounds, says, severities, user

TASK = user("Count the boats in both basins.")


def test_an_id_that_was_answered_before_does_not_answer_again() -> None:
    first = [asks(("k", "count", {"basin": "n"})), gives("k", "4")]
    (finding,) = found(MISSING_RESULT, TASK, *first, asks(("k", "count", {"basin": "s"})), says("n 4, s 9"))
    assert finding.severity == "failure"
    assert "under an id that an earlier call was answered by" in finding.message
    assert finding.where[1].text == "n 4, s 9"


def test_two_calls_of_one_tool_with_one_answer_leave_one_open() -> None:
    both = asks(("p", "count", {"basin": "n"}), ("q", "count", {"basin": "s"}))
    (finding,) = found(MISSING_RESULT, TASK, both, gives("q", "9"), says("n has none, s has 9"))
    assert "one of 2 of this tool in one reply, of which 1 came back" in finding.message
    assert finding.where[0].field == "calls[0].tool"


@pytest.mark.parametrize(
    "messages",
    [
        [
            asks(("k", "count", {"basin": "n"})),
            gives("k", "4"),
            asks(("k", "count", {"basin": "s"})),
            gives("k", "9"),
            says("13"),
        ],
        [
            asks(("p", "count", {"basin": "n"}), ("q", "count", {"basin": "s"})),
            gives("q", "9"),
            gives("p", "4"),
            says("13"),
        ],
        [*rounds("count", [{"basin": "n"}], ["4"]), asks(("z", "count", {"basin": "s"}))],
        [*rounds("count", [{"basin": "n"}], ["4"]), asks(("z", "final_answer", {"answer": "4"})), says("4")],
        [asks(("a", "count", {"basin": "n"})), says("4")],
    ],
)
def test_whole_pairs_and_open_ends_are_none(messages: list[dict[str, Any]]) -> None:
    assert not severities(MISSING_RESULT, TASK, *messages)


def test_it_weighs_less_where_somebody_spoke_or_the_call_was_made_again() -> None:
    start = [*rounds("count", [{"basin": "n"}], ["4"]), asks(("z", "count", {"basin": "s"}))]
    assert severities(MISSING_RESULT, TASK, *start, user("Stop, never mind the south."), says("n 4")) == ["warning"]
    again = [*start, asks(("y", "count", {"basin": "s"})), gives("y", "9"), says("13")]
    assert severities(MISSING_RESULT, TASK, *again) == ["warning"]
