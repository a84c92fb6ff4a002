"""Figures of an answer, held against the only result that gives one for the same thing."""

from __future__ import annotations

import pytest

from tests.audit.dialogues import Call, chat, found

WATER: Call = ("read_gauge", {"quay": "Malt"}, '{"water_temp_c": 21, "salinity": 64}')
CATCH: Call = ("count_catch", {"boat": "Elsa"}, '{"herring": 41}')
ROPE: Call = ("get_rope", {"id": "R7"}, '{"name": "Mooring rope", "price": 12.5, "stock": 33}')
LINES: Call = ("bash", {"command": "wc -l crew.csv"}, "118 crew.csv")
BARE: Call = ("count_gulls", {"quay": "Malt"}, "12")
PLAIN: Call = ("describe_log", {"log": "deck"}, "The log has 14 lines.")
NOTE: Call = ("read_board", {"quay": "Malt"}, "Tide: 21 C\nKnots: 14")
QUAYS: Call = ("harbour_info", {"port": "Malt"}, '{"open_locks": 42, "visits": 7000}')


def contradicted(*turns: str | Call, task: str = "How is it?") -> bool:
    return any(each.rule == "contradicted-claim" for each in found(chat(*turns, task=task)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (WATER, "It is 31 °C at the quay."),
        (WATER, "The salinity is 46 %."),
        (CATCH, "There are 14 herring."),
        (CATCH, "14 are herring."),
        (CATCH, 'count_catch returned {"herring": 14}. So 14 are herring.'),
        (CATCH, "Herring: 14"),
        (CATCH, "**Herring:** 14"),
        (CATCH, "There are fourteen herring, no, there are 52 herring."),
        (ROPE, "The price of the mooring rope is 15.2."),
        (ROPE, "The price is 15,20 €."),
        (ROPE, "The stock is 13."),
        (LINES, "There are 181 rows in crew.csv."),
        (LINES, "crew.csv has 181 lines."),
        (BARE, "There are 17 gulls."),
        (BARE, "The count is 17."),
        (BARE, "一共 17 个。"),
        (PLAIN, "The log has 40 lines."),
        (NOTE, "It is 31 C."),
        (QUAYS, "There are 24 open locks in Malt."),
        (QUAYS, "There are no open locks."),
        (("harbour_info", {}, "{'locks': 42}"), "There are 24 locks."),
        (CATCH, "There are 82 herring."),
        (CATCH, "There are 106 herring."),  # what 41 degrees are on another scale
        (CATCH, "There are 41000 herring."),
        (("count_catch", {"boat": "Elsa"}, '{"herring": 1400}'), "There are 1399 herring."),
        (("count_catch", {"boat": "Elsa"}, "1400"), "count_catch returned 1397."),
        (("count_crates", {"boat": "Elsa"}, '{"crates": 7}'), "There are 42 crates."),
        (("数鱼", {"船": "艾莎"}, '{"鱼": 41}'), "鱼: 82"),
    ],
)
def test_another_figure_than_the_only_one(call: Call, said: str) -> None:
    assert contradicted(call, said)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (WATER, "It is 21 °C."),
        (WATER, "It is 70 °F."),
        (WATER, "The water temp is 294 K."),
        (WATER, "Wear wool below 10 degrees."),
        (CATCH, "There are about 50 herring."),
        (CATCH, "There are 41 herring on board."),
        (("count_catch", {"boat": "Elsa"}, '{"herring": 1397}'), "There are 1400 herring."),
        (("weigh_catch", {"boat": "Elsa"}, '{"herring_kg": 41}'), "There are 41000 grams of herring."),
        (("stock", {"item": "eggs"}, '{"eggs": 7, "unit": "dozen"}'), "There are 84 eggs."),
        (("ask_price", {"item": "net"}, '{"net": 9, "currency": "EUR"}'), "The net is 27 EUR."),
        (("count_catch", {"boat": "Elsa"}, '{"herring": 7, "unit": "thousand"}'), "There are 7000 herring."),
        (("read_mast", {"boat": "Elsa"}, '{"mast": 7, "unit": "m"}'), "The mast is 700 cm."),
        (CATCH, "There should be 52 herring."),
        (CATCH, "There are 52 cod."),
        (CATCH, "There are 17 old herring."),
        (CATCH, "Are there 52 herring?"),
        (CATCH, "There are 41 herring, and 82 eyes of herring."),
        (CATCH, "17 herring are fewer than that."),
        (CATCH, "> There are 52 herring."),
        (ROPE, "Two ropes cost 25 EUR."),
        (ROPE, "The price is 12,50 €."),
        (ROPE, "The usual price is 15."),
        (ROPE, "The price is not 15."),
        (ROPE, "The sail price is 15."),
        (ROPE, "The price was 15."),
        (LINES, "There are 117 rows, without the header."),
        (LINES, "There are 117 data rows."),
        (LINES, "There are about 120 lines."),
        (LINES, "crew.csv has 3 columns."),
        (QUAYS, "There are 7k visits."),
        (QUAYS, "There are 42 open locks, 3 of them new."),
        (BARE, "There are 12 gulls and 3 kinds of gulls."),
        (("stat_log", {}, '{"weight_bytes": 5242880}'), "The weight is 5 MB."),
        (("stat_log", {}, '{"lasted_s": 5400}'), "It lasted 1.5 hours, so lasted is 90."),
        (("stat_log", {}, '{"share": 0.375}'), "The share is 37.5 %."),
        (("stat_log", {}, '{"souls": 1234567}'), "Souls: 1.23 million"),
        (("stat_log", {}, '{"founded": 1887}'), "It was founded in 1901."),
        (("stat_log", {}, '{"rope": 12.5, "currency": "USD"}'), "The rope is 11.40 EUR."),
        (("list_boats", {}, '{"boats": 9, "names": ["a", "b", "c", "d", "e", "f", "g"]}'), "4 boats"),
    ],
)
def test_a_figure_that_may_be_right_is_held_against_nobody(call: Call, said: str) -> None:
    assert not contradicted(call, said)


def test_what_the_user_said_and_what_follows_from_it() -> None:
    assert not contradicted(CATCH, "There are 100 herring.", task="Are there 100 herring?")
    assert not contradicted(CATCH, "There are 59 herring.", task="Of 100 fish all but the salted ones")
    assert not contradicted(ROPE, "The price is 14.88.", task="Give it with VAT of 19 percent")


def test_two_results_a_change_and_a_failure_leave_it_open() -> None:
    other: Call = ("count_catch", {"boat": "Ida"}, '{"herring": 90}')
    assert not contradicted(CATCH, other, "There are 17 herring.")
    assert not contradicted(
        CATCH, ("sell_catch", {"boat": "Elsa"}, "ok"), ("add_fish", {}, "ok"), "There are 17 herring."
    )
    assert not contradicted(("count_catch", {}, '!{"herring": 41}'), "There are 17 herring.")


def test_another_thing_that_was_asked_for() -> None:
    assert not contradicted(CATCH, "Ida has 17 herring.", task="Count for Elsa and Ida")
