"""The words by which a text is known again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.provenance.telling import Wording, is_unspaced, stems


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Count the boats, please.", {"count", "boats"}),
        ("count_boats countBoats COUNT-BOATS", {"count", "boats"}),
        ("counted counting", {"count"}),
        ("pay 42 of 7, not 1999", {"42", "1999"}),
        ("größere Häuser", {"grösse", "häuse"}),
        ("北港船", {"北港", "港船"}),
        ("north北港12米", {"north", "北港", "12"}),
        ("use the tool for this task", set()),
        ("", set()),
    ],
)
def test_stems(text: str, known: set[str]) -> None:
    assert set(stems(text)) == known


def test_share() -> None:
    wording = Wording("Count the boats in the north basin.")
    assert wording.stems == {"count", "boats", "north", "basin"}
    assert wording.share(frozenset({"north", "basin", "south"})) == 0.5
    assert Wording("to do").share(frozenset({"north"})) == 0.0


@pytest.mark.parametrize(
    ("text", "unspaced"),
    [("北港有船", True), ("count 北", False), ("boats", False), ("用 grep 找泊位", True), ("", False)],
)
def test_scripts(text: str, unspaced: bool) -> None:
    assert is_unspaced(text) is unspaced


@given(st.text())
def test_a_text_holds_its_own_words(text: str) -> None:
    wording = Wording(text)
    assert wording.stems == set(stems(text))
    assert wording.share(frozenset(stems("and " + text + " too"))) == (1.0 if wording.stems else 0.0)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["aB" * 100_000, "的" * 200_000, "1a" * 100_000, "é" * 200_000, "_" * 200_000])
def test_long_texts_are_read_at_once(text: str) -> None:
    set(stems(text))
    is_unspaced(text)
