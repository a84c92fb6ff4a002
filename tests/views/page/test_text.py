"""Texts as HTML."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.trace.formatting import visible
from agentlab.views.page.text import Spot, inline_text, language, shown_text
from tests.hanging import ends

SPOTS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5)


def spot(start: int, end: int, rule: str = "forged-turn") -> Spot:
    return Spot(start=start, end=end, rule=rule, severity="failure", link="t1-f1")


def plain(html: str) -> str:
    """What a browser shows, without the tags of findings."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r'<a class="tag.*?</a>', "", html)))


@given(st.text(max_size=60), SPOTS)
def test_every_character_is_shown_once_whatever_is_marked(text: str, places: list[tuple[int, int]]) -> None:
    spots = [spot(min(a, b, len(text)), min(max(a, b), len(text))) for a, b in places]
    assert plain(inline_text(text, spots)) == visible(text)


@given(st.text(min_size=1, max_size=60), st.data())
def test_the_mark_covers_its_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    html = inline_text(text, [spot(start, end)])
    assert "".join(map(plain, re.findall(r"<mark.*?</mark>", html, re.DOTALL))) == visible(text[start:end])
    assert html.count('<a class="tag failure" href="#t1-f1">✖ forged-turn</a>') == 1


def test_nothing_of_a_text_is_markup_and_nothing_turns_it_round() -> None:
    html = shown_text("<script>alert(1)</script>\u202e\x1b[31m\u200b&amp;")
    assert "<script" not in html
    assert "\u202e" not in html
    for shown in ("&lt;script&gt;", r"\u{202e}", r"\u{1b}", r"\u{200b}", "&amp;amp;"):
        assert shown in html


def test_long_texts_are_folded_and_open_where_something_is_marked() -> None:
    assert "<details" not in shown_text("short")
    assert shown_text("x" * 5000).startswith("<details><summary>5,000 characters")
    assert shown_text("x\n" * 100).startswith("<details>")
    assert shown_text("x" * 5000, [spot(10, 20)]).startswith("<details open>")


def test_what_is_left_out_is_counted_and_what_is_marked_stays() -> None:
    text = "a" * 40_000 + "MARKED" + "b" * 40_000
    html = shown_text(text, [spot(40_000, 40_006)])
    assert '<mark class="failure">MARKED</mark>' in html
    gaps = [int(gap.replace(",", "")) for gap in re.findall(r"… ([\d,]+) characters are left out", html)]
    assert len(gaps) == 2
    shown = re.sub(r"… [\d,]+ characters are left out of this page …", "", plain(html.partition("</summary>")[2]))
    assert len(re.findall("[ab]", shown)) + sum(gaps) == 80_000


@pytest.mark.parametrize(
    ("text", "chinese"), [("数一数船", True), ("船を数える", False), ("boats", False), ("배 船", False)]
)
def test_chinese_is_said_to_be_chinese(text: str, chinese: bool) -> None:
    assert (language(text) == ' lang="zh"') is chinese


def test_a_hostile_text_comes_to_an_end() -> None:
    text = "\u202e<" * 100_000
    with ends():
        shown_text(text, [spot(n, n + 50) for n in range(0, 100_000, 1000)])
