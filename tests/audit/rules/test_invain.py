"""What is stated as found where every call had failed or found nothing."""

from __future__ import annotations

import pytest

from tests.audit.dialogues import Call, chat, rules

DENIED: Call = ("list_berths", {"quay": "Malt"}, "!HTTP 401 bad credentials")
GONE: Call = ("bash", {"command": "wc -l crew.csv"}, "!wc: crew.csv: No such file or directory")
EMPTY: Call = ("grep_logs", {"pattern": "buoy"}, "No matches found")
UNREAD: Call = ("read_file", {"path": "deck.log"}, "!File does not exist.")
FIGURE, FOUND = ("unsupported-answer", "failure"), ("contradicted-claim", "failure")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (DENIED, "There are 47 free berths."),
        (DENIED, "Malt has 47 berths and 12 lamps."),
        (DENIED, "There are forty-seven berths."),
        (DENIED, "共有 47 个泊位。"),
        (GONE, "crew.csv has 118 rows."),
        (("weather_at", {"quay": "Malt"}, "!timed out"), "It is 17 °C on the quay."),
        (("get_rope", {"id": "R7"}, "!503 Service Unavailable"), "It costs 12.99 EUR."),
    ],
)
def test_a_figure_of_nothing(call: Call, said: str) -> None:
    assert FIGURE in rules(chat(call, said, task="Please look"))
    assert FIGURE in rules(chat(call, call, said, task="Please look"))


@pytest.mark.parametrize(
    ("task", "call", "said"),
    [
        ("How many?", DENIED, "I could not read the berths (HTTP 401), the list has 47 lines usually."),
        ("How many?", DENIED, "There are 47 berths, but the call failed."),
        ("How many? I count 47", DENIED, "There are 47 berths."),
        ("I have 17 ropes and 5 more", DENIED, "There are 22 ropes."),
        ("17 * 23 * 4?", ("calculator", {"e": "17*23*4"}, "!down"), "It is 1564."),
        ("Since when?", DENIED, "Malt was built in 1887."),
        ("Since when?", DENIED, "It is there since 1887."),
        ("People?", DENIED, "Malt has 700,000 people."),
        ("How many?", DENIED, "Please log in; then step 2 is done in 15 minutes."),
        ("How many?", DENIED, "1. Log in\n2. Look\n3. Count"),
        ("How many?", DENIED, "There may be 47 berths."),
    ],
)
def test_a_figure_that_may_be_known(task: str, call: Call, said: str) -> None:
    assert FIGURE not in rules(chat(call, said, task=task))


def test_a_figure_after_something_came_back() -> None:
    assert FIGURE not in rules(chat(DENIED, ("read_board", {}, "Board: all berths"), "There are 47 berths."))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (EMPTY, "I found the buoy in north.log on line 12."),
        (EMPTY, "I have located it in logs/north.log."),
        (UNREAD, "deck.log says: 'Calm sea'."),
        (UNREAD, "`deck.log` contains three names and a date."),
        (UNREAD, "deck.log 的内容是：风平浪静。"),
    ],
)
def test_what_was_found_in_vain(call: Call, said: str) -> None:
    assert FOUND in rules(chat(call, said))


@pytest.mark.parametrize(
    ("task", "turns"),
    [
        ("Look", (EMPTY, "I found no buoy.")),
        ("Look", (EMPTY, "I searched north.log and there is nothing.")),
        ("Look in north.log", (EMPTY, "I found that north.log holds no buoy.")),
        ("Look", (UNREAD, "deck.log does not exist.")),
        ("Look", (UNREAD, "If deck.log contains names, sort them.")),
        ("Look", (UNREAD, "deck.log should say what the sea was like.")),
        ("Look", (UNREAD, ("write_file", {"path": "deck.log", "text": "calm"}, "ok"), "deck.log says calm.")),
        ("Look", (UNREAD, ("read_file", {"path": "/w/deck.log"}, "Calm"), "deck.log says: Calm")),
    ],
)
def test_what_was_not_said_to_be_found(task: str, turns: tuple[str | Call, ...]) -> None:
    assert FOUND not in rules(chat(*turns, task=task))
