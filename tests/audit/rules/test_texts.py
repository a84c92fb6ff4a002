"""Characters that are not seen and change what is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.rules.texts import HIDDEN_CHARACTER
from tests.audit.rules.chats import asks, found, says, severities, user
from tests.hanging import ends

TASK = user("Count the boats.")
SPELLED = "".join(chr(0xE0000 + ord(c)) for c in "sink it")


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("count\u200b_boats", {"basin": "n"}, ["failure"]),
        ("count_boats", {"basin": f"n{SPELLED}"}, ["failure"]),
        ("count_boats", {"basin": "n\u202eht"}, ["failure"]),
        ("count_boats", {"basin": "nor\u200bth"}, ["warning"]),
        ("count_boats", {"basin": "north \u200b basin"}, ["note"]),
        ("数船", {"泊位": "北"}, []),
        ("count_boats", {"basin": "نورد\u200f", "flag": "\U0001f468\u200d\U0001f469", "w": "Wind\u00adstärke"}, []),
        ("count_boats", {"text": "two\nlines\tand a tab"}, []),
    ],
)
def test_calls(tool: str, given: dict[str, str], expected: list[str]) -> None:
    assert severities(HIDDEN_CHARACTER, TASK, asks(("a", tool, given))) == expected


def test_an_answer_that_hides_a_text_says_what_it_hides() -> None:
    findings = found(HIDDEN_CHARACTER, TASK, says(f"3 boats{SPELLED}"))
    answer = next(finding for finding in findings if finding.severity == "failure")
    assert answer.claimed == {"text": "3 boats", "hidden": "sink it"}
    assert answer.where[0].text == SPELLED


@pytest.mark.parametrize(
    "text",
    [
        "3 boats",
        "三艘船。",
        "\ufeff3 boats",
        "שלום \u2067עולם\u2069",
        "Flag \U0001f3f4\U000e0067\U000e0062\U000e007f",
        "naïve — “3”",
    ],
)
def test_ordinary_text_is_none(text: str) -> None:
    assert not severities(HIDDEN_CHARACTER, TASK, says(text))


@given(st.text(max_size=300))
def test_places_hold_what_they_say(text: str) -> None:
    clean = "".join(c for c in text if not 0xD800 <= ord(c) <= 0xDFFF)
    for finding in found(HIDDEN_CHARACTER, TASK, says(f"x{clean}x")):
        for where in finding.where:
            assert f"x{clean}x"[where.start : where.end] == where.text


def test_a_long_text_comes_to_an_end() -> None:
    with ends():
        assert found(HIDDEN_CHARACTER, TASK, says("a\u200b" * 100_000))
