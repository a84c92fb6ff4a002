"""Numbers and names that texts state."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.stated import Result, loose_numbers, plain_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('{"count": 0, "hits": []}', {0}),
        ('{"depth": 2.50, "unit": "m"}', {Decimal("2.5")}),
        ("[1,234]", {1, 234}),
        ('{"boats": ["a", "b"]}', {2}),
        ('{"boats": [], "note": null}', {0}),
        ('{"found": true}', set()),
        ('{"report": "3 boats, no ferry"}', {3}),
        ('{"2031": "dry"}', {2031}),
        ("No boats there.", {0}),
        ("The log lists three boats.", {3}),
        ("There are 1,200 boats and no ferry.", {1200}),
        ("", set()),
    ],
)
def test_a_result_comes_to_its_digits_or_else_to_its_sizes_and_words(text: str, numbers: set[int]) -> None:
    assert Result(text).numbers == numbers


def test_names_are_texts_that_are_not_keywords() -> None:
    result = Result('{"kind": "text", "boat": "Ada III", "berth": "b-7", "x": ["Oslo", "abc"], "船": "海鸥一号"}')
    assert set(result.names) == {"Ada III", "Oslo", "海鸥一号"}
    assert Result("The Ada III").names == ("The Ada III",)


def test_words_with_other_uses_are_loose() -> None:
    text = "No doubt: once there were two boats, none of them in 2031, 三艘？共三次"
    assert [number.text for number in plain_numbers(text)] == ["two", "2031", "三"]
    assert [number.text for number in loose_numbers(text)] == ["No", "once", "none"]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists))
def test_any_value_is_read(value: object) -> None:
    result = Result(json.dumps(value))
    assert all(isinstance(number, (int, Decimal)) for number in result.figures | result.sizes)
    assert all(isinstance(name, str) for name in result.names)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    result = Result(text)
    assert result.numbers >= (result.figures or result.sizes)
