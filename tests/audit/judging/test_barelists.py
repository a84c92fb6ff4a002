"""How many entries a list without a name has, and which."""

from __future__ import annotations

import json

import pytest

from tests.audit.dialogues import Call, chat, rules

ACCUSED = ("contradicted-claim", "failure")
NAMES = ("Elsa", "Ida", "Odda", "Runa")
BOATS = json.dumps([{"name": name, "quay": "Malt"} for name in NAMES])


def listed(came: str = BOATS, tool: str = "list_boats", **given: object) -> Call:
    return tool, {"quay": "Malt", **given}, came  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "said",
    [
        "There are 7 boats.",
        "There are seven boats at Malt.",
        "list_boats returned 9 boats at Malt.",
        "The list holds 6 hulls.",
        "There are 6 hulls in the list.",
        "The result has 6 entries.",
        "I found 5 boats.",
        "It returned 12 items.",
        "The boats are Elsa, Ida, Odda, Runa and Tove.",
        "At Malt there are: Elsa, Ida, Tove, Odda and Runa.",
    ],
)
def test_more_than_the_list_has(said: str) -> None:
    assert ACCUSED in rules(chat(listed(), said, task="Which boats lie at Malt?"))


def test_plain_entries() -> None:
    came = json.dumps(NAMES)
    assert ACCUSED in rules(chat(listed(came), "There are 6 boats."))
    assert ACCUSED in rules(chat(listed(came), "The boats are Elsa, Ida, Odda, Runa and Tove."))
    assert ACCUSED not in rules(chat(listed(came), "The boats are Elsa, Ida, Odda and Runa."))


@pytest.mark.parametrize(
    "said",
    [
        "There are 4 boats.",
        "There are four boats at Malt.",
        "There are 2 boats.",
        "There are 6 hulls.",
        "There are 8 masts on 4 boats.",
        "There are 7 boats with those at Lee.",
        "There are about 7 boats.",
        "If there are 7 boats, the quay is full.",
        "Are there 7 boats?",
        "There are 7 boats on other quays.",
        "The list holds 4 hulls.",
        "There were 7 boats.",
        "There are 7 ways to moor there.",
        "I found 5 reasons to stay.",
        "The boats are Elsa, Ida, Odda and Runa.",
        "The boats are Elsa, Ida and Tove.",
        "The boats could be Elsa, Ida, Odda, Runa and Tove.",
    ],
)
def test_what_may_be_right(said: str) -> None:
    assert ACCUSED not in rules(chat(listed(), said, task="Which boats lie at Malt?"))


def test_what_leaves_it_open() -> None:
    said = "There are 7 boats."
    assert ACCUSED in rules(chat(listed(), said))
    assert ACCUSED not in rules(chat(listed(), said, task="Are there 7 boats?"))
    assert ACCUSED not in rules(chat(listed(limit=4), said))
    assert ACCUSED not in rules(chat(listed(), listed(tool="list_more_boats"), said))
    assert ACCUSED not in rules(chat(listed(), ("add_boat", {"name": "Tove"}, "ok"), said))
    assert ACCUSED not in rules(chat(listed(), ("count_boats", {}, "7 boats"), said))
    sums = json.dumps([{"kind": "tug", "boats": 5}, {"kind": "punt", "boats": 2}])
    assert ACCUSED not in rules(chat(listed(sums), said))
    nested = json.dumps([{"quay": "Malt", "boats": list("abcdefg")}, {"quay": "Lee", "boats": []}])
    assert ACCUSED not in rules(chat(listed(nested), said))
    assert ACCUSED not in rules(chat(listed(), "The boats are Elsa, Ida, Odda, Runa and Tove.", task="Mine is Tove"))


@pytest.mark.parametrize("piece", ["There are 7 ", "the list holds ", "are Elsa, ", "a_a "])
def test_hostile_texts(piece: str) -> None:
    rules(chat(listed(), piece * (200_000 // len(piece))))
