"""Contracts: what a signature allows runs, everything else is refused without quoting the model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import UsageError
from agentlab.harness.contracts import ToolBox


def weigh(item: str, times: int = 1, precise: bool | None = None) -> dict[str, object]:
    """Weigh an item.

    More that the model is not told.
    """
    return {"item": item, "times": times, "precise": precise}


def ping() -> dict[str, object]:
    """Say that you are there."""
    return {}


BOX = ToolBox([weigh, ping])
VALUE = "leaden-canary"


def test_a_tool_is_described_from_its_signature() -> None:
    described = BOX["weigh"].description
    assert (described.name, described.description) == ("weigh", "Weigh an item.")
    assert described.parameters["required"] == ["item"]
    assert set(described.parameters["properties"]) == {"item", "times", "precise"}
    assert described.parameters["additionalProperties"] is False


@pytest.mark.parametrize(
    "arguments",
    [{"item": "a"}, {"item": "a", "times": 3}, {"item": "a", "precise": None}, {"item": "a", "precise": True}],
)
def test_what_fits_is_allowed(arguments: dict[str, object]) -> None:
    assert BOX.refusal("weigh", arguments) is None


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "says"),
    [
        ("weigh", {"item": VALUE, VALUE: 4}, "invalid_arguments", "has an argument that is not among these"),
        ("weigh", {"times": 2}, "invalid_arguments", "The argument item is missing"),
        ("weigh", {"item": 7}, "invalid_arguments", "The argument item is not of its type"),
        ("weigh", {"item": "a", "times": "2"}, "invalid_arguments", "The argument times is not of its type"),
        ("weigh", {"item": "a", "times": True}, "invalid_arguments", "The argument times is not of its type"),
        ("weigh", VALUE, "invalid_arguments", "no JSON object"),
        ("ping", {VALUE: 1}, "invalid_arguments", "ping takes a JSON object with no arguments"),
        (VALUE, {}, "unknown_tool", "The tools are weigh, ping"),
    ],
)
def test_what_does_not_fit_is_refused_without_a_quotation(tool: str, arguments: object, code: str, says: str) -> None:
    refusal = BOX.refusal(tool, arguments)  # type: ignore[arg-type]
    assert refusal is not None
    assert refusal.code == code
    assert says in refusal.texts["en"]
    assert not any(VALUE in text for text in refusal.texts.values())
    assert set(refusal.texts) == {"en", "zh"}


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists)


@given(st.dictionaries(st.text(max_size=8) | st.sampled_from(["item", "times"]), JSON, max_size=4))
def test_any_arguments_are_judged(arguments: dict[str, object]) -> None:
    refusal = BOX.refusal("weigh", arguments)  # type: ignore[arg-type]
    fits = isinstance(arguments.get("item"), str) and set(arguments) <= {"item", "times", "precise"}
    assert refusal is not None or fits
    if refusal is None:
        assert weigh(**arguments)["item"] == arguments["item"]  # type: ignore[arg-type]


def test_a_tool_needs_types_and_a_docstring() -> None:
    def untyped(item) -> dict[str, object]:  # type: ignore[no-untyped-def]
        """Documented."""
        return {"item": item}

    def variadic(*items: str) -> dict[str, object]:
        """Documented."""
        return {"items": items}

    def undocumented(item: str) -> dict[str, object]:
        return {"item": item}

    for function, says in ((untyped, "'item'"), (variadic, "'items'"), (undocumented, "no docstring")):
        with pytest.raises(UsageError, match=says):
            ToolBox([function])
    with pytest.raises(UsageError, match="same name"):
        ToolBox([ping, ping])
