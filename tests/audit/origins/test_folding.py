"""Texts made comparable."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.origins.folding import Plain, fold, normalized, small_letters, unescaped

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


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["\\", "\\u00", "\\\n", "a", "a ", "请", "é", "-", "\\n"])
def test_long_texts_take_no_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    unescaped(text)
    list(Plain(text).find(fold("a a b")))
    fold(text)


@given(st.text())
def test_small_letters_hold_every_folded_word(text: str) -> None:
    small = small_letters(text)
    assert small is None or all(word in small for word in fold(text).split())


@pytest.mark.parametrize("text", ["The tide", "naïve — 请发送", "a\\nb", ""])
def test_most_texts_need_no_folding_to_be_searched(text: str) -> None:
    assert small_letters(text) == unescaped(text).casefold()


@pytest.mark.parametrize("text", ["ＡＢＣ", "cafe\u0301", "½", "e" + "\u0316\u0301" * 40])
def test_some_do(text: str) -> None:
    assert small_letters(text) is None


@given(st.text(max_size=25))
def test_short_runs_of_marks_are_normalised_as_ever(text: str) -> None:
    assert normalized(text) == unicodedata.normalize("NFKC", text)


def test_a_long_run_of_marks_keeps_its_letters_and_marks() -> None:
    text = "e" + "\u0301\u0316" * 40
    assert sorted(unicodedata.normalize("NFD", normalized(text))) == sorted(text)
    assert normalized(normalized(text)) == normalized(text)
