"""Numbers as people and models write them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.quantities import figures, quantities
from tests.hanging import ends


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The word stands there 14 times.", [14]),
        ("twice, never, none", [2, 0, 0]),
        ("Seven hits in TWO files", [7, 2]),
        ("一共出现了三次，另有12处", [3, 12]),
        ("共１２处", [12]),
        ("文中没有出现", [0]),
        ("这些词语未出现，未来也不会", [0]),
        ('{"count":0,"hits":[]}', [0]),
        ("5次", [5]),
        ("十二次", []),
        ("MP3, v1.2, 0.5, x86 and e7", []),
        ("someone nonetheless", []),
        ("a one-off, twenty-one, no-one", []),
        ("No. 3 of 10 and no 4", [3, 10, 4]),
        ("It ended at 9.", [9]),
        ("1,240 words, 12,34 and 1,2", [1240, 12, 34, 1, 2]),
        ("1,240,000", [1240000]),
        ("1234567890123456", []),
        ("10-12", [10, 12]),
    ],
)
def test_counts_are_read(text: str, values: list[int]) -> None:
    assert [quantity.value for quantity in quantities(text)] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2.50 m at 1,240.75 hPa", [Decimal("2.5"), Decimal("1240.75")]),
        ("３．５ 米", [Decimal("3.5")]),
        ("twice 3", [3]),
        ("v1.2, 1.2.3, .5 and x4", []),
        ("It ended at 9.", [9]),
        ("50% of 2031-05-04", [50, 2031, 5, 4]),
    ],
)
def test_figures_have_decimals_and_no_words(text: str, values: list[int | Decimal]) -> None:
    assert [figure.value for figure in figures(text)] == values


def test_words_with_other_uses_are_loose() -> None:
    assert [q.text for q in quantities("no doubt, one of three, once, 一次 3 两次") if q.is_loose] == [
        "no", "one", "once", "一",
    ]  # fmt: skip
    assert [q.is_digits for q in quantities("３ 3 three 三次")] == [True, True, False, False]


@given(st.text())
def test_any_text_is_read_and_each_place_is_true(text: str) -> None:
    for quantity in (*quantities(text), *figures(text)):
        assert text[quantity.start : quantity.end] == quantity.text


@given(st.integers(min_value=0, max_value=10**14))
def test_digits_keep_their_value_with_and_without_commas(value: int) -> None:
    assert [quantity.value for quantity in quantities(f"it says {value} there")] == [value]
    assert [figure.value for figure in figures(f"it says {value:,} there")] == [value]


@pytest.mark.parametrize("piece", ["1", "1,", "123,", "no ", "1.2", "1.5.", "-", "零", "1,234,567,", "twenty-"])
def test_the_cost_is_linear(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with ends():
        quantities(text)
        figures(text)
