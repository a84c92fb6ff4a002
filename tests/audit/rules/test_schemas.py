"""Whether arguments fit a tool's schema."""

from __future__ import annotations

from typing import Any

import pytest

from agentlab.audit.rules.schemas import misfit

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "basin": {"type": "string", "enum": ["n", "s"]},
        "deep": {"type": ["integer", "null"]},
        "load": {"type": "number"},
        "tags": {"type": "array"},
        "free": {},
    },
    "required": ["basin"],
}


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"basin": "n"}, ""),
        ({"basin": "n", "deep": 3, "load": 2, "tags": [], "free": {"x": 1}}, ""),
        ({"basin": "n", "deep": None}, ""),
        ({"basin": "n", "deep": 3.0}, ""),
        ({}, "'basin' is missing"),
        ({"basin": "w"}, "'basin' is none of n, s"),
        ({"basin": "n", "deep": "3"}, "'deep' is not of type integer or null"),
        ({"basin": "n", "deep": True}, "'deep' is not of type integer or null"),
        ({"basin": "n", "load": "2"}, "'load' is not of type number"),
        ({"basin": "n", "wide": 1}, "it has no 'wide'"),
    ],
)
def test_names_presence_and_types_are_compared(given: dict[str, Any], wrong: str) -> None:
    assert misfit(given, SCHEMA) == wrong


@pytest.mark.parametrize(
    "schema",
    [{}, {"type": "string"}, {"properties": []}, {"properties": {"a": {"type": "odd"}}, "additionalProperties": True}],
)
def test_a_schema_that_does_not_decide_decides_nothing(schema: dict[str, Any]) -> None:
    assert misfit({"a": 1, "b": 2}, schema) == ""
