from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.shapes.fields import (
    ShapeError,
    arguments_of,
    boolean,
    integer,
    kind_of,
    listing,
    mapping,
    mappings,
    number,
    objects,
    rest,
    text,
)

READERS: list[Callable[[Any, str], Any]] = [text, number, integer, boolean, mapping, listing, mappings]
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner))


@pytest.mark.parametrize(
    ("reader", "absent"), [(text, ""), (number, None), (integer, None), (boolean, None), (mapping, {}), (listing, [])]
)
def test_a_field_that_is_null_counts_as_absent(reader: Callable[[Any, str], Any], absent: Any) -> None:
    assert reader({"a": None}, "a") == reader({}, "a") == absent


@pytest.mark.parametrize(
    ("reader", "value", "found"),
    [
        (text, "x", "x"),
        (text, 7, "7"),
        (text, 0.5, "0.5"),
        (number, 3, 3.0),
        (number, "3.5", 3.5),
        (number, "", None),
        (integer, 3, 3),
        (integer, "3", 3),
        (integer, 3.0, 3),
        (integer, 10**30, 10**30),
        (boolean, False, False),
        (mapping, {"b": 1}, {"b": 1}),
        (listing, [1], [1]),
        (mappings, [{"b": 1}], [{"b": 1}]),
    ],
)
def test_a_field_of_the_right_type(reader: Callable[[Any, str], Any], value: Any, found: Any) -> None:
    assert reader({"a": value}, "a") == found


@pytest.mark.parametrize(
    ("reader", "value", "problem"),
    [
        (text, True, "a: a text was expected and true or false found"),
        (text, ["x"], "a: a text was expected and a list found"),
        (number, "x", "a: a number was expected and a text found"),
        (number, "nan", "a: a number was expected and a text found"),
        (number, math.inf, "a: a number was expected and a number found"),
        (number, 10**400, "a: a number was expected and a number found"),
        (number, True, "a: a number was expected and true or false found"),
        (integer, 3.5, "a: a whole number was expected and a number found"),
        (boolean, 0, "a: true or false was expected and a number found"),
        (mapping, [], "a: an object was expected and a list found"),
        (listing, {}, "a: a list was expected and an object found"),
        (mappings, [{}, "x"], "a[1]: an object was expected and a text found"),
    ],
)
def test_another_type_is_an_error_that_names_the_field(
    reader: Callable[[Any, str], Any], value: Any, problem: str
) -> None:
    with pytest.raises(ShapeError) as caught:
        reader({"a": value}, "a")
    assert str(caught.value) == problem


@given(values)
def test_every_reader_gives_a_value_or_a_shape_error(value: Any) -> None:
    for reader in READERS:
        with contextlib.suppress(ShapeError):
            reader({"a": value}, "a")


def test_a_default_stands_for_what_is_absent_only() -> None:
    assert text({}, "a", "x") == text({"a": None}, "a", "x") == "x"
    assert text({"a": ""}, "a", "x") == ""


def test_objects_names_the_first_that_is_none() -> None:
    with pytest.raises(ShapeError, match=r"rows\[1\]: an object was expected and null found"):
        objects([{}, None, 3], "rows")


@pytest.mark.parametrize("known", [{"a"}, frozenset({"a"}), ("a",), ["a"]])
def test_the_rest_is_what_nobody_knows(known: Any) -> None:
    assert rest({"a": 1, "b": 2, "c": None, "d": False}, known) == {"b": 2, "d": False}
    assert rest({"a": 1}, known) == {}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ('{"a": ', '{"a": '),
        ("[1]", "[1]"),
        ("ls -l", "ls -l"),
        ("", {}),
        (None, {}),
        ('{"a": NaN}', '{"a": NaN}'),
    ],
)
def test_arguments_are_an_object_or_the_text_as_it_was(value: Any, found: Any) -> None:
    assert arguments_of(value) == found


@pytest.mark.parametrize("value", [3, [], True])
def test_arguments_are_nothing_else(value: Any) -> None:
    with pytest.raises(ShapeError, match="arguments: an object or a text"):
        arguments_of(value)


def test_kinds_in_words() -> None:
    every: list[object] = [{}, [], "", True, None, 1, 1.5]
    assert [kind_of(value) for value in every] == [
        *("an object", "a list", "a text", "true or false", "null", "a number", "a number"),
    ]
