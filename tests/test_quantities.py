"""Counts as people and models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.quantities import quantities


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The word stands there 14 times.", [14]),
        ("twice, never, none", [2, 0, 0]),
        ("Seven hits in TWO files", [7, 2]),
        ("一共出现了三次，另有12处", [3, 12]),
        ("文中没有出现", [0]),
        ('{"count":0,"hits":[]}', [0]),
        ("5次", [5]),
        ("十二次", []),
        ("MP3, v1.2, 0.5, x86 and e7", []),
        ("someone nonetheless", []),
        ("It ended at 9.", [9]),
    ],
)
def test_numbers_are_read(text: str, values: list[int]) -> None:
    assert [quantity.value for quantity in quantities(text)] == values


@given(st.text())
def test_any_text_is_read_and_each_place_is_true(text: str) -> None:
    for quantity in quantities(text):
        assert text[quantity.start : quantity.end] == quantity.text


@given(st.integers(min_value=0, max_value=10**14))
def test_digits_keep_their_value(value: int) -> None:
    assert [quantity.value for quantity in quantities(f"it says {value} there")] == [value]
