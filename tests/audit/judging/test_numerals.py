from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.judging.numerals import may_be, may_follow, numerals, values_in


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It is 12,5 or 1.200 or 1,234,567", [{"12.5"}, {"1.200", "1200"}, {"1234567"}]),
        ("12 345 and 1'200", [{"12345"}, {"1200"}]),
        ("1.2k, 3 million and 5万", [{"1200"}, {"3000000"}, {"50000"}]),
        ("281 K and 5 m", [{"281000", "281"}, {"5000000", "5"}]),
        ("forty-one, sixty and two", [{"41"}, {"60"}, {"2"}]),
        ("there are no boats", [{"0"}]),
        ("码头有47个泊位,共1.5万人", [{"47"}, {"15000"}]),
        ("第3页,2024年6月14日12点,3号", []),
        ("-5 degrees", [{"-5"}]),
        ("2026-03-04, 10:30, v1.2, 1.2.3, a/7, #12, q3", []),
    ],
)
def test_what_a_number_can_be_read_as(text: str, read: list[set[str]]) -> None:
    assert [each.values for each in numerals(text)] == [{Decimal(value) for value in values} for values in read]


@pytest.mark.parametrize(
    ("said", "exact", "right"),
    [
        ("120", "118", True),
        ("181", "118", False),
        ("21", "21.37", True),
        ("21.4", "21.37", True),
        ("22.4", "21.37", False),
        ("88", "31", False),
        ("82", "41", False),
        ("3000", "3", False),
        ("117", "118", False),
        ("14", "41", False),
        ("40", "14", False),
        ("13", "33", False),
        ("90", "5400", False),
        ("5", "5242880", False),
        ("1.2 million", "1234567", True),
        ("0", "42", False),
    ],
)
def test_rounded_only_where_it_is_coarser(said: str, exact: str, right: bool) -> None:
    assert may_be(next(numerals(said)), Decimal(exact)) is right


@pytest.mark.parametrize(
    ("said", "exact", "beside", "right"),
    [
        ("88", "31", "It is 88 °F on the quay.", True),
        ("88", "31", '{"water_temp": 31}', True),
        ("88", "31", "码头水温 88 华氏度", True),
        ("88", "31", "There are 88 gulls on the quay.", False),
        ("87", "31", "It is 87 kg of herring.", False),
        ("90", "5400", "The tide took 90 minutes.", True),
        ("90", "5400", '{"lasted_s": 5400}', True),
        ("90", "5400", "There are 90 nets.", False),
        ("5", "5242880", "The log has 5 MB.", True),
        ("3000", "3", "It is 3 kg, or 3000 grams.", True),
        ("3000", "3", "There are 3000 nets.", False),
        ("37.5", "0.375", "The share of herring is 37.5 %.", True),
        ("82", "41", "The fare is 41, so both pay 82.", True),
        ("82", "41", '{"price": 41}', True),
        ("82", "41", "There are 82 crates of plums.", False),
        ("82", "41", "There are 82 plums in pairs.", True),
        ("24", "2", "Two dozen plums are 24.", True),
    ],
)
def test_converted_where_a_unit_is_named(said: str, exact: str, beside: str, right: bool) -> None:
    assert may_be(next(numerals(said)), Decimal(exact), beside, "crates") is right


def test_counts_follow_exactly() -> None:
    (said,) = numerals("799")
    assert may_follow(said, [Decimal(800)])
    assert not may_follow(said, [Decimal(800)], counted=True)
    assert may_follow(said, [Decimal(800), Decimal(1)], counted=True)  # without the header


def test_what_follows_from_others() -> None:
    (said,) = numerals("59")
    assert may_follow(said, [Decimal(100), Decimal(41)])
    assert not may_follow(said, [Decimal(41)])
    assert may_follow(said, [Decimal(1000 + number * 7) for number in range(50)])  # of so many something gives it


def test_digits_within_words_are_known() -> None:
    assert {Decimal(7), Decimal(12), Decimal("1.5")} <= values_in("B7 at 12:30, v1.5")


@given(st.text(alphabet="0123456789., -k万ao:'", max_size=60))
def test_places(text: str) -> None:
    assert all(text[each.start : each.end].strip() and each.values for each in numerals(text))


@pytest.mark.timeout(60)
def test_a_hostile_text_is_read_in_linear_time() -> None:
    for text in ("1,234" * 40_000, "1 234 567 " * 20_000, "no " * 60_000, "9" * 200_000):
        sum(1 for _ in numerals(text))
        values_in(text)
