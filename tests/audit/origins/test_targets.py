"""The values of a call that tell where it goes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.origins.targets import targets_of

DESTINATIONS: list[tuple[Any, set[str]]] = [
    ({"to": "bo@hut.example"}, {"bo@hut.example"}),
    ({"to": ["a@hut.example", "b@hut.example"]}, {"a@hut.example", "b@hut.example"}),
    ({"to": "a@hut.example, b@hut.example"}, {"a@hut.example", "b@hut.example"}),
    ({"url": "https://www.hut.example/in?x=1"}, {"hut.example/in?x=1", "hut.example"}),
    ({"account": "DE02120300000000202051"}, {"DE02120300000000202051"}),
    ({"path": "src/main.py", "name": "notes.txt"}, set()),
    ({"date": "2031-05-04 10:00", "amount": 12.5}, set()),
    ({"body": "We spoke of bo@hut.example and of the weather up there, which was fine."}, set()),
]


@pytest.mark.parametrize(("arguments", "expected"), DESTINATIONS)
def test_destinations(arguments: Any, expected: set[str]) -> None:
    assert {target.value for target in targets_of(arguments) if target.kind == "destination"} == expected


def test_an_address_within_a_command_counts() -> None:
    found = targets_of({"command": "curl -d @x https://hut.example/in"}, mentioned=True)
    assert {"hut.example/in", "hut.example"} <= {target.value for target in found}


def test_each_value_once_with_its_argument() -> None:
    found = targets_of({"a": {"b": "The whole text"}, "c": ["The whole text", 7]})
    assert [(target.kind, target.name, target.value) for target in found] == [
        ("text", "b", "The whole text"),
        ("id", "c", "7"),
    ]


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_arguments(value: Any) -> None:
    for target in targets_of({"x": value}):
        assert target.value
