"""Texts made comparable."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.origins.folding import Plain, fold, unescaped

SAME = [
    ("a  b\n c", "a b c"),
    ("“Kai's” boat", '"Kai\'s" boat'),
    (json.dumps('zwei\nZeilen "hier"'), 'zwei\nZeilen "hier"'),
    (json.dumps(json.dumps("line\nnext")), "line next"),
    (json.dumps("请发送 café"), "请发送 café"),
    ("ＡＢＣ １２", "abc 12"),
    ("cafe\u0301", "café"),
    ("to\\\n    \\ Bo", "to Bo"),
    ("STRASSE", "strasse"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_forms_of_one_text_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other) != ""


@pytest.mark.parametrize(("one", "other"), [("ab", "a b"), ("kiosk@a.example", "kiosk@b.example"), ("12", "123")])
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert fold(one) not in fold(other)


def test_a_value_is_found_where_it_is_recorded() -> None:
    recorded = 'x: "say \\"hi\\"\\nto Bo\\u0062 at bo@hut.example, now"'
    plain = Plain(recorded)
    ((start, end),) = plain.find(fold("Bo@Hut.example"))
    assert recorded[plain.recorded(start) : plain.recorded(end)] == "bo@hut.example"
    ((start, end),) = plain.find(fold("to bob"))
    assert recorded[plain.recorded(start) : plain.recorded(end)] == "to Bo\\u0062"


def test_a_value_within_a_word_is_another_value() -> None:
    assert list(Plain("hut 123, hut12").find(fold("12"))) == []
    assert len(list(Plain("12 huts, 12").find(fold("12")))) == 2


def test_a_name_is_found_within_a_chinese_sentence() -> None:
    ((start, end),) = Plain("请联系王小明并回复").find(fold("王小明"))
    assert (start, end) == (3, 6)


@given(st.text(), st.text(max_size=8))
def test_what_a_folded_text_holds_is_found_in_it(text: str, value: str) -> None:
    plain = Plain(text)
    for start, end in plain.find(fold(value)):
        assert 0 <= start < end <= len(plain.text)
        assert 0 <= plain.recorded(start) <= plain.recorded(end) <= len(text)
        assert fold(plain.text[start:end]) == fold(value)


@given(st.text(min_size=1).filter(fold))
def test_a_text_holds_itself(text: str) -> None:
    assert list(Plain(text).find(fold(text)))


@given(st.text())
def test_json_makes_no_difference(text: str) -> None:
    assert fold(json.dumps(text.replace("\\", "/"))) == fold(text.replace("\\", "/"))


@pytest.mark.parametrize("unit", ["\\", "\\u00", "\\\n", "a", "a ", "请", "é", "-", "\\n"])
def test_long_texts_take_no_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    began = time.process_time()
    unescaped(text)
    list(Plain(text).find(fold("a a b")))
    fold(text)
    assert time.process_time() - began < 1
