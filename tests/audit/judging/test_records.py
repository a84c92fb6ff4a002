"""Counts, missing fields and field values, held against JSON results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentlab.trace.model import Trace
from tests.audit.dialogues import Call, chat, found

BERTHS = {
    "name": "North Basin",
    "berths": [{"berth": f"N{n}", "free": n % 3 > 0, "side": "east" if n < 4 else "west"} for n in range(1, 8)],
}
FERRY: dict[str, Any] = {
    "trip": "T4711",
    "boats": [{"name": "Ferry"}],
    "mooring": [{"berth_code": "BX-1204"}],
    "seal": None,
}
TUG: dict[str, Any] = {"trip": "T4822", "boats": [{"name": "Tugboat"}], "mooring": [{"berth_code": "BX-7781"}]}


def looked(tool: str, result: object, **given: Any) -> Call:
    return tool, given, json.dumps(result)


def contradicted(trace: Trace) -> list[str]:
    return [each.message for each in found(trace) if each.rule == "contradicted-claim"]


LIST = looked("list_berths", BERTHS, basin="north")  # seven, of which 1, 2, 4, 5 and 7 are free, three lie east


@pytest.mark.parametrize(
    "said",
    [
        "There are 6 free berths in the harbour.",
        "There are eight berths.",
        "The list has **9** berths in total.",
        "There are 2 free west berths.",
        "It has 4 free berths.",
    ],
)
def test_a_count_that_the_list_does_not_give(said: str) -> None:
    (message,) = contradicted(chat(LIST, said))
    assert "berths that list_berths returned has 7 entries" in message


@pytest.mark.parametrize(
    "said",
    [
        "There are 7 berths.",
        "There are 5 free berths.",
        "There are two free east berths.",
        "There are 4 berths.",  # which may be those in the west
        "There are about 6 berths.",
        "There are at least 6 berths.",
        "There are 6 berths with water.",  # of which nothing is known
        "There are 6 lovely berths.",
        "There are 6 lamps.",
        "If there are 6 berths, the boats fit.",
        "There may be 6 berths.",
        "Are there 6 berths?",
        "There are 6 different berths.",
        "> There are 6 berths.",
    ],
)
def test_a_count_that_may_be_right_is_not_held_against_anybody(said: str) -> None:
    assert contradicted(chat(LIST, said)) == []


def test_two_lists_of_one_name_and_a_change_leave_it_open() -> None:
    other = looked("list_berths", {"berths": [{"berth": "S1"}]}, basin="south")
    assert contradicted(chat(LIST, other, "There are 9 berths.")) == []
    change: Call = ("delete_berth", {"berth": "N7"}, "ok")
    assert contradicted(chat(LIST, change, "There are 9 berths.")) == []


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("The trip T4711 does not have a berth code.", True),
        ("Trip T4711 has no berth because it was cancelled.", True),
        ("The trip T4711 has no seal.", False),
        ("The trip T4711 has no captain.", False),
        ("The trip T9999 has no berth.", False),
        ("The trips T4711 and T4822 have no common berth.", False),
        ("It would be odd if trip T4711 did not have a berth.", False),
    ],
)
def test_a_field_that_is_denied(said: str, wrong: bool) -> None:
    messages = contradicted(chat(looked("get_trip", FERRY, trip="T4711"), said))
    assert bool(messages) is wrong
    assert not messages or "mooring.berth_code of T4711 is 'BX-1204'" in messages[0]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("The berth code for the tugboat you ordered is **BX-1204**.", True),
        ("The berth code for the tugboat is BX-7781.", False),
        ("The berth code for the ferry is BX-1204.", False),
        ("The berth code for the schooner is BX-1204.", False),  # of which nothing is known
        ("The berth code for your trip is BX-1204.", False),
    ],
)
def test_a_value_of_another_thing(said: str, wrong: bool) -> None:
    ferry, tug = looked("get_trip", FERRY, trip="T4711"), looked("get_trip", TUG, trip="T4822")
    messages = contradicted(chat(ferry, tug, said))
    assert bool(messages) is wrong
    assert not messages or "the one that does gives BX-7781" in messages[0]


def test_what_came_later_tells_whose_value_it_was() -> None:
    ferry, tug = looked("get_trip", FERRY, trip="T4711"), looked("get_trip", TUG, trip="T4822")
    assert contradicted(chat(ferry, "The berth code for the tugboat is BX-1204.", tug, "Sorry."))
