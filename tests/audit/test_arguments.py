"""Arguments in one form."""

from __future__ import annotations

from types import MappingProxyType

from agentlab.audit.arguments import call_key, plain, written


def test_the_order_of_keys_makes_no_other_call() -> None:
    assert call_key("dig", {"a": 1, "b": [2]}) == call_key("dig", {"b": [2], "a": 1})


def test_tool_values_and_types_do() -> None:
    keys = {
        call_key("dig", {"a": 1}),
        call_key("fill", {"a": 1}),
        call_key("dig", {"a": "1"}),
        call_key("dig", {"a": True}),
    }
    assert len(keys | {call_key("dig", '{"a":1}'), call_key("dig", None)}) == 6


def test_any_mapping_is_an_object_and_raw_text_stays_raw() -> None:
    assert plain(MappingProxyType({"a": 1})) == {"a": 1}
    assert (plain("a=1"), plain(None)) == ("a=1", None)
    assert (written({"b": "ü", "a": 1}), written("a=1"), written(None)) == ('{"b":"ü","a":1}', "a=1", "{}")
