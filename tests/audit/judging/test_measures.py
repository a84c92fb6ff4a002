from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.judging.measures import differing, measures
from tests.audit.dialogues import Call, chat, rules


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 50 minutes.", [("duration", 50)]),
        ("3h 10m, 2 hours, 1.5 h and 4 hours and 5 min", [("duration", 190), ("duration", 120), ("duration", 90),
                                                           ("duration", 245)]),
        ("航程 3 小时 10 分钟", [("duration", 190)]),
        ("up 12 % or 3.5 percent", [("percentage", 12), ("percentage", "3.5")]),
        ("$40 and € 12,50", [("sum of money", 40), ("sum of money", "12.50")]),
        ("一共约50分钟。", [("duration", 50)]),
        ("80 EUR or 12.50 元", [("sum of money", 80), ("sum of money", "12.50")]),
        ('{"fare": 80}', [("sum of money", 80)]),
        ("-3 °C, 21 degrees", [("temperature", -3), ("temperature", 21)]),
        ("at 10:30, 5 metres, 7 mph, v1.2, 30m wide", []),
    ],
)  # fmt: skip
def test_measures(text: str, found: list[tuple[str, int | str]]) -> None:
    assert [(each.kind, each.value) for each in measures(text)] == [(kind, Decimal(value)) for kind, value in found]


@given(st.text(alphabet="0123456789hm%$. ,:minutes", max_size=60))
def test_places(text: str) -> None:
    assert all(text[each.start : each.end] == each.text for each in measures(text))


@pytest.mark.parametrize(
    ("answer", "results", "told", "differs"),
    [
        ("It takes 50 minutes.", ['{"duration": "3h 10m"}'], [], True),
        ("It takes 3 hours and 10 minutes.", ['{"duration": "3h 10m"}'], [], False),
        ("The ferry is 49 EUR.", ['{"fare": 80.5, "currency": "EUR"}'], [], True),
        ("Two berths are 161 EUR.", ['{"fare": 80.5, "currency": "EUR"}'], [], False),
        ("With the discount it is 60.50 EUR.", ['{"fare": 80.5, "discount": 20}'], [], False),
        ("利率是3.1%。", ["利率 4.25%"], [], True),
        ("75 percent came.", ['{"away": "25 %"}'], [], False),
        ("It is 21 degrees.", ['{"temp": 4}'], [], True),
        ("It is 39 °F.", ['{"temp_c": 4}'], [], False),
        ("It lands at 10:45.", ["leaves 07:40, lands 09:15"], [], True),
        ("It lands at 11:15.", ["leaves 07:40, lands 09:15"], [], False),
        ("Be on the quay at 07:05.", ["the ferry leaves 07:40"], [], False),
        ("How about 14:35?", ['{"start": "10:00", "end": "11:00"}'], [], False),
        ("Boil it at 220 degrees.", ['{"temp": 14}'], [], True),
        ("Set the oven to 220 degrees.", ['{"temp": 14}'], [], False),
        ("It is 14 °C.", ['{"temp": 287.15}'], [], False),
        ("Such boats usually cost 80 EUR.", ['{"fare": 50}'], [], False),
        ("At 100 % I will tell you.", ["41 %"], [], False),
        ("It departs at 10:20.", ["departs 10:05, delay 15 min"], [], False),
        ("With duty it is 120 EUR.", ['{"fare": 100}'], ["Add 20 % of duty."], False),
        ("It lands at 7:15 pm.", ['{"lands": "19:15"}'], [], False),
        ("It lands at 10:45.", ["lands 09:15"], ["I was told 10:45."], False),
        ("It takes about 3 hours.", ['{"duration": "3h 2m"}'], [], False),
        ("It takes 50 minutes.", ['{"leaves": "08:00", "comes": "08:50", "stop": "20 min"}'], [], False),
        ("It takes 50 minutes.", ['{"a": "20 min", "b": "30 min"}'], [], False),
        ("It takes 50 minutes.", ['{"a": "20 min"}'], ["Be there in 50 minutes"], False),
        ("It takes 50 minutes.", ['{"price": "$40"}'], [], False),
        ("It costs $60.", ['{"price": "$40"}'], [], True),
        ("It rose 9 %.", ["growth 4 %"], [], True),
    ],
)
def test_what_differs_from_the_only_one_there_is(
    answer: str, results: list[str], told: list[str], differs: bool
) -> None:
    assert (differing(answer, results, told) is not None) is differs


ASKED: Call = ("get_ferry", {"to": "Hiiu"}, '{"crossing": "1h 15m"}')


def test_a_finding_points_at_the_figure() -> None:
    assert rules(chat(ASKED, "The crossing takes 40 minutes.")) == [("contradicted-claim", "failure")]
    assert rules(chat(ASKED, "The crossing takes 75 minutes.")) == []


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["5 % ", "it departs at 10:10 ", "$4 "])
def test_a_long_answer_is_read_quickly(piece: str) -> None:
    differing(piece * (200_000 // len(piece)), ["7 %, $9, departs 09:15"], [])
