from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.spans.tree import put, unflattened

KEYS = st.lists(st.sampled_from(["", "a", "b", "0", "long.er"]), min_size=1, max_size=4).map(".".join)
DEEP = st.integers(11, 15).map(lambda dots: ".".join("abcdefghijklmnop"[: dots + 1]))
VALUES = st.recursive(
    st.none() | st.integers(0, 3), lambda inner: st.dictionaries(st.sampled_from(["a", "b"]), inner), max_leaves=5
)


@given(st.dictionaries(KEYS | DEEP, VALUES, max_size=12))
def test_all_keys_at_once_are_the_same_as_one_by_one(attributes: dict[str, Any]) -> None:
    one_by_one: dict[str, Any] = {}
    for key, value in deepcopy(attributes).items():
        put(one_by_one, key, value)
    assert unflattened(deepcopy(attributes)) == one_by_one


def test_only_keys_below_a_prefix_are_taken() -> None:
    found = unflattened({"ask.0.role": "user", "asks.0.role": "tool", "ask.0.content": "Rye?", "ask": 1}, "ask.")
    assert found == {"0": {"role": "user", "content": "Rye?"}}
