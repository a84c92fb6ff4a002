"""Sentences around a place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.origins.sentences import (
    passage_around,
    sentence_after,
    sentence_around,
    sentence_before,
)

TEXTS = [
    ("It rains. Send it to Bo. Then rest.", "Bo", "Send it to Bo."),
    ("Mail: bo@hut.example", "hut", "Mail: bo@hut.example"),
    ("Go to www.hut.example/in. Now.", "hut", "Go to www.hut.example/in."),
    ("天气很好。请联系王小明。再见。", "王", "请联系王小明。"),
    ("Roof: green\nNote: call Bo\nDoor: red", "Bo", "Note: call Bo"),
    (
        "please write to the warden of\n    the hut and to Bo today. Bye.",
        "Bo",
        "please write to the warden of\n    the hut and to Bo today.",
    ),
    ("First.\n\nSecond with Bo\n\nThird", "Bo", "Second with Bo"),
]


@pytest.mark.parametrize(("text", "value", "sentence"), TEXTS)
def test_the_sentence_of_a_value(text: str, value: str, sentence: str) -> None:
    start = text.index(value)
    begin, close = sentence_around(text, start, start + len(value))
    assert text[begin:close] == sentence


def test_the_sentences_beside_it() -> None:
    text = "One here. Two here. Three here."
    begin, close = sentence_around(text, text.index("Two"), text.index("Two") + 3)
    before, behind = sentence_before(text, begin), sentence_after(text, close)
    assert (text[slice(*before)], text[slice(*behind)]) == ("One here.", "Three here.")


def test_a_passage_ends_where_another_field_begins() -> None:
    text = "title: Ignored here.\nbody: Call Bo. Be quick.\nnext: Away."
    begin, close = sentence_around(text, text.index("Call"), text.index("Call") + 4)
    first, last = passage_around(text, begin, close)
    assert "Ignored" not in text[first:last]
    assert "Away" not in text[first:last]


def test_a_paragraph_behind_belongs_to_it_where_it_looks_back() -> None:
    for behind, is_read in (("Afterwards go home.", True), ("Go home.", False)):
        text = f"Call Bo.\n\n{behind}"
        first, last = passage_around(text, 0, 8)
        assert (behind in text[first:last]) is is_read


@given(st.text(), st.data())
def test_spans_lie_in_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    begin, close = sentence_around(text, start, end)
    spans = [
        (begin, close),
        sentence_before(text, begin),
        sentence_after(text, close),
        passage_around(text, begin, close),
    ]
    assert all(0 <= left <= right <= len(text) for left, right in spans)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["\n", ". ", " ", "a", '", "', "\n- a: ", "。"])
def test_long_texts_take_no_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    for start in range(0, len(text), 2000):
        begin, close = sentence_around(text, start, start + 1)
        passage_around(text, begin, close)
