from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.trace.events import Answer, Event, Notice
from agentlab.trace.formatting import counted, event_content, event_line, html_table, shorten, visible
from tests.trace.values import EVENTS

ANYTHING = st.text(st.characters())
HOSTILE = "\x1b[31mred\x1b[0m \u202eevil\u2066 \u2028line \x00 \ud800 </td><script>alert(1)</script> & '\""


@given(ANYTHING)
def test_visible_text_can_be_printed_and_hides_nothing(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(c) for c in shown if c not in "\n\t"} & {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    assert len(shown) >= len(text)
    shown.encode()


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Grüße, 三只鹭:\n\t3 herons 🐦"
    assert visible(text) == text
    assert visible("\u202e\x1b\u200b") == "\\u{202e}\\u{1b}\\u{200b}"


@given(ANYTHING, st.integers(1, 200))
def test_shortened_text_is_one_line_within_the_limit(text: str, limit: int) -> None:
    line = shorten(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


def test_shortening_says_that_something_is_missing() -> None:
    assert shorten("a b\n c", 5) == "a b c"
    assert shorten("abcdef", 5) == "abcd…"
    assert shorten(" " * 500 + "x", 100) == "…"


@given(EVENTS)
def test_event_line_is_one_short_line_with_the_same_content(event: Event) -> None:
    line = event_line(event)
    assert len(line) <= 160
    assert len(line.splitlines()) == 1
    assert len(event_content(event).splitlines()) <= 1


def test_event_line_says_id_type_and_own_fields() -> None:
    event = Notice(id="e3", time=1.0, step=2, code="forged", about="e2", text=HOSTILE)
    line = event_line(event)
    assert line.startswith("e3 notice code='forged' about='e2' text='\\x1b[31mred")
    assert event_content(event, 30) == "code='forged' about='e2' text…"


@given(st.lists(st.lists(ANYTHING, min_size=2, max_size=2), max_size=4))
def test_table_escapes_every_cell(rows: list[list[str]]) -> None:
    html = html_table(("a<b", "c"), rows)
    tags = {part.partition(">")[0].split(" ")[0] for part in html.split("<")[1:]}
    assert tags <= {"table", "/table", "thead", "/thead", "tbody", "/tbody", "tr", "/tr", "th", "/th", "td", "/td"}
    assert html.count("<td") == 2 * len(rows)
    html.encode()


def test_table_shows_hostile_text_as_text() -> None:
    html = html_table(["x"], [[HOSTILE]])
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert not set("\x1b\u202e\u2066\u2028\x00\ud800") & set(html)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["\x1b" * 2_000_000, "\u202e" * 2_000_000, "a " * 1_000_000, "<" * 2_000_000])
def test_long_hostile_text_takes_linear_time(text: str) -> None:
    visible(text)
    shorten(text)
    event_line(Answer(completion="e", text=text))
    html_table(["x"], [[text]])


def test_numbers_have_their_plural() -> None:
    numbers = (0, 1, 2, 1000)
    assert [counted(number, "trace") for number in numbers] == ["0 traces", "1 trace", "2 traces", "1,000 traces"]
