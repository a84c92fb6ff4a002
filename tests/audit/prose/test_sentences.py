from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.prose.sentences import Sentence, clauses, sentences


def _texts(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sentences(text)]


def _clauses(text: str) -> list[str]:
    return [text[one.start : one.end] for one in clauses(text, Sentence(0, len(text), "?" in text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two. three four.", ["one two.", "three four."]),
        ("saved to a.md. done", ["saved to a.md.", "done"]),
        ("e.g. this one", ["e.g. this one"]),
        ("一句。两句！", ["一句。", "两句！"]),
        ("a line\nthat goes on", ["a line\nthat goes on"]),
        ("a line\n- an item", ["a line", "an item"]),
        ("done:\n1. one\n2. two", ["done:", "one", "two"]),
        ("next steps:\n- one\n- two\n\nthree", ["next steps:", "three"]),
        ("- [ ] one\n- [x] two", ["[x] two"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert _texts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i read it and i saved it", ["i read it", "i saved it"]),
        ("i read it and saved it", ["i read it", "saved it"]),
        ("i read bread and butter", ["i read bread and butter"]),
        ("it failed, so it stopped", ["it failed", "it stopped"]),
        ("summary: saved it", ["summary", "saved it"]),
        ("它失败了，停止了", ["它失败了", "停止了"]),
        ("it is done, is it?", []),
        ("is it done?", []),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert _clauses(text) == expected


@given(st.text())
def test_sentences_stand_in_order(text: str) -> None:
    at = 0
    for one in sentences(text):
        assert at <= one.start < one.end <= len(text)
        at = one.end
