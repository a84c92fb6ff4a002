"""Collections that can be counted, and records whose fields can be looked up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.records import collections_in, leaves_in, records_with, stem, stems

BOATS: dict[str, Any] = {
    "name": "North Basin",
    "berths": {
        "11": {"berth": "11", "free": True, "hull": {"colour": "red", "length": 9}},
        "12": {"berth": "12", "free": False, "hull": {"colour": "red", "length": 7}},
        "14": {"berth": "14", "free": True, "hull": {"colour": "blue", "length": 9}},
    },
    "pilots": ["Ada", "Bo"],
}


@pytest.mark.parametrize(
    ("word", "same"),
    [("boats", "boat"), ("entries", "entry"), ("boxes", "box"), ("glass", "glass"), ("is", "is"), ("Keys", "key")],
)
def test_plurals(word: str, same: str) -> None:
    assert stem(word) == same


def test_words_of_a_key() -> None:
    assert stems("trackingId") == stems("tracking_ids") == ("tracking", "id")


def test_collections_with_their_names_and_sizes() -> None:
    found = {each.path: each for each in collections_in(BOATS)}
    assert {path: each.size for path, each in found.items()} == {"berths": 3, "pilots": 2}
    assert found["berths"].nouns == {"berth", "north", "basin"}


def test_what_picks_out_entries() -> None:
    berths = next(each for each in collections_in(BOATS) if each.path == "berths")
    assert berths.with_all(frozenset({"free"})) == 2
    assert berths.with_all(frozenset({"free", "red"})) == 1
    assert [number for number in range(1, 5) if berths.could_be(number)] == [1, 2, 3]


@pytest.mark.parametrize("value", [{"a": {"x": 1}, "b": {"y": 2}}, {"a": 1}, 3, "text", None])
def test_an_object_of_parts_is_no_collection(value: Any) -> None:
    assert list(collections_in(value)) == []


def test_a_record_is_found_by_its_id() -> None:
    (record,) = records_with(BOATS, "#12")
    assert record["free"] is False
    assert list(records_with(BOATS, "13")) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_any_value(value: Any) -> None:
    for each in collections_in(value):
        assert each.could_be(each.size)
        assert len(each.kinds) == each.size
    assert all(not leaf.value or not isinstance(leaf.value, dict | list) for leaf in leaves_in(value))
