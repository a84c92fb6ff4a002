from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.messages import Completion, Message, Sampling, ToolCall, Usage, clean_text

VALUES = [Message, ToolCall, Usage, Sampling, Completion]


@given(st.text())
def test_text_without_halves_of_pairs_is_left_alone(text: str) -> None:
    assert clean_text(text) is text


@given(st.text(st.sampled_from("a鹭🐦\ud83d\udc26\udfff\ufeff\x00")))
def test_cleaned_text_can_be_stored_and_keeps_the_rest(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode()
    assert clean_text(cleaned) == cleaned
    assert [c for c in cleaned if c in "a鹭\ufeff\x00"] == [c for c in text if c in "a鹭\ufeff\x00"]


def test_halves_become_one_replacement_each_and_pairs_their_character() -> None:
    assert clean_text("a\ud83d") == "a\ufffd"
    assert clean_text("\udc26a\ud83db") == "\ufffda\ufffdb"
    assert clean_text("\ud83d\ud83d\udc26") == "\ufffd🐦"


@pytest.mark.parametrize("kind", VALUES)
def test_values_are_frozen_and_named(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert all(field.kw_only for field in dataclasses.fields(kind))
    assert not hasattr(kind, "__dict__") or "__slots__" in vars(kind)


def test_equal_content_is_equal() -> None:
    first, second = (ToolCall(id="c1", tool="count", arguments={"pond": 7}) for _ in range(2))
    assert first == second
    assert Completion(text="x", calls=(first,)) == Completion(text="x", calls=(second,))
    assert Message(role="user", text="x", author="user") != Message(role="user", text="x", author="model")


def test_what_nobody_says_is_not_trusted_not_measured_and_not_stopped() -> None:
    assert Message(role="user", text="x", author="tool").trust == "untrusted"
    completion = Completion(text="x")
    assert (completion.usage, completion.latency) == (Usage(), None)
    assert Usage().input_tokens is None
    assert Sampling().stop == ()
