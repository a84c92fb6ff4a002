from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.counting import counts_in
from agentlab.audit.evidence.values import ListCount


def test_lists_are_counted_where_they_stand() -> None:
    found = counts_in('{"berths": [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": []}], "tide": 3.5, "open": true}')
    lists = {(each.path, each.length) for each in found.lists if not each.is_object}
    assert lists == {("berths", 2), ("berths.0.tags", 2), ("berths.1.tags", 0)}
    assert found.values == {"tide": (3.5,), "open": (True,), "id": (1, 2)}
    assert found.is_json


def test_an_object_of_names_is_counted_too() -> None:
    assert counts_in('{"mast": 1, "deck": 2}').lists == (ListCount(path="", length=2, is_object=True),)


def test_a_list_in_dashes_is_counted_and_prose_is_not() -> None:
    assert counts_in("- ship: Ann\n  berth: 4\n- ship: Bea\n  berth: 5").lists == (ListCount(path="", length=2),)
    assert counts_in("- ship: Ann\nand so on").lists == ()
    assert counts_in("two ships").lists == ()
    assert counts_in(None).lists == counts_in("").lists == ()


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_the_whole_is_counted_first(value: object) -> None:
    found = counts_in(json.dumps(value))
    if isinstance(value, (list, dict)):
        assert found.lists[0].length == len(value)
    else:
        assert found.lists == ()
