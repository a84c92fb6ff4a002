from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.markers.lexicon import LABELS, TAGS, TOKENS, by_word, fold, pattern, squeeze, words


@given(st.text())
def test_every_place_of_a_folded_text_has_one_in_the_original(text: str) -> None:
    folded = fold(text)
    assert len(folded.origin) == len(folded.text) + 1
    places = list(folded.origin)
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
    assert places[-1] == len(text)


_ODD = "aB:\u200b\u00ad\u2028é…½—’ﬁ\x07Ａ観İςᎠ\n\r\t"
_SIGNS = st.sampled_from(_ODD + "察行動結果出力入答案助手工具")


@given(st.one_of(st.text(), st.text(st.sampled_from(_ODD)), st.text(_SIGNS)))
def test_a_text_folds_as_its_characters_do(text: str) -> None:
    text = re.sub("[\x1b\x9b\x9d]", "", text)  # a terminal's command is more than its characters
    folded = fold(text)
    origin: list[int] = []
    end = 0
    for place, char in enumerate(text):
        piece = fold(char).text
        if piece:
            origin += [end] * len(piece)
            end = place + 1
    assert folded.text == "".join(fold(char).text for char in text)
    assert list(folded.origin) == [*origin, len(text)]


@given(st.text())
def test_folding_is_stable(text: str) -> None:
    once = fold(text).text
    assert fold(once).text in (once, once.casefold())


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Observation", "observation"),
        ("ＯＢＳ：", "obs:"),
        ("Ob\u200bs\u00ad", "obs"),
        ("Оbs", "obs"),
        ("Réponse", "reponse"),
        ("Re\u0301ponse", "reponse"),
        ("a\u2028b\r\x85c", "a\nb\n\nc"),
        ("𝐎𝐛𝐬∶", "obs:"),
        ("ﬁn\u00a0ish\u3000", "fin ish "),
    ],
)
def test_what_looks_alike_is_alike(written: str, folded: str) -> None:
    assert fold(written).text == folded


def test_composed_and_decomposed_hangul_are_alike() -> None:
    assert fold("관찰").text == fold("관찰").text


def test_an_invisible_character_belongs_to_what_it_stands_before() -> None:
    folded = fold("x \u200bObs")
    assert folded.origin[folded.text.index("o")] == 2


@pytest.mark.parametrize("table", [LABELS, TAGS, TOKENS])
def test_no_word_announces_two_things(table: dict[str, str]) -> None:
    listed = [word for row in table.values() for word in words(row)]
    assert all(listed)
    assert len(listed) == len(set(listed)) == len(by_word(table))  # type: ignore[arg-type]


def test_no_label_announces_two_things_when_its_blanks_are_gone() -> None:
    listed = [squeeze(word) for row in LABELS.values() for word in words(row)]
    assert len(listed) == len(set(listed))


@given(st.lists(st.text(alphabet="ab c", min_size=1, max_size=5).map(str.strip).filter(bool), min_size=1, max_size=8))
def test_a_pattern_matches_its_words_and_nothing_else(listed: list[str]) -> None:
    listed = [" ".join(word.split()) for word in listed]
    compiled = re.compile(pattern(set(listed)))
    for word in listed:
        assert compiled.fullmatch(word)
        assert compiled.fullmatch(word.replace(" ", "_"))
    wanted = {squeeze(word) for word in listed}
    assert all(bool(compiled.fullmatch(word)) == (word in wanted) for word in ("a", "ab", "abc", "ba", "cab", "bb"))


def test_control_characters_and_a_terminals_commands_are_folded_away() -> None:
    for text in ("a\x00b\x08\x1b[1;31mc\x1b[0md\x9b2Je\x7f", "ä\x1b[Kb\x01c\x1f\x1bd\x80e"):
        folded = fold(text)
        assert folded.text == "abcde"
        assert [text[at] for at in (end - 1 for end in folded.origin[1:-1])] == list(text[0] + "bcd")
        assert folded.origin[-1] == len(text)
    assert fold("a\tb\nc\rd\x0be\x85f").text == "a\tb\nc\nd\ne\nf"


def test_a_command_takes_no_letter_of_a_word() -> None:
    assert fold("\x1b[Observation").text == "[observation"
    assert fold("\x1b[2Action").text == "[2action"
    assert fold("\x1b[2AAction").text == "action"
