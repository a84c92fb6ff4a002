from __future__ import annotations

from agentlab.formats.shapes.calls import beside_calls


def test_each_call_has_its_further_fields_where_one_has_any() -> None:
    calls = [{"id": "1"}, {"id": "2", "risk": "low", "note": None}]
    assert beside_calls(calls, {"id"}) == {"tool_calls": [{}, {"risk": "low"}]}
    assert beside_calls(calls[:1], {"id"}) == {}
    assert beside_calls([], {"id"}) == {}
