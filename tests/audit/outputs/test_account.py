"""The account as text and as HTML."""

from __future__ import annotations

import re
from html import unescape

from agentlab.audit.outputs.account import account
from agentlab.audit.report import audit_trace
from tests.audit.stories import Story, forged

HOSTILE = "<b onclick='x'>&amp;</b> \u202egnp.exe \x1b[31m \x00 🐝"


def hostile() -> Story:
    story = Story(task=HOSTILE)
    story.reply(forged(HOSTILE, tool=HOSTILE), keep=True)
    story.call("note", {HOSTILE: HOSTILE}, f'"{HOSTILE}"')
    story.answer(HOSTILE)
    return story


def test_everything_is_escaped_and_hidden_characters_are_shown() -> None:
    told = account(audit_trace(hostile().trace))
    assert not set("\u202e\x1b\x00") & set(str(told) + told._repr_html_())
    tags = set(re.findall(r"<(/?\w+)", told._repr_html_()))
    assert {tag.strip("/") for tag in tags} <= {"table", "thead", "tbody", "tr", "th", "td"}


def test_text_and_html_say_the_same() -> None:
    told = account(audit_trace(hostile().trace))
    html = unescape(re.sub(r"<[^>]*>", "\n", told._repr_html_()))
    for line in str(told).splitlines()[1:]:
        said, _, events = line.strip().removesuffix("]").rpartition("  [")
        assert (said or events) in html


def test_a_long_answer_is_cut_in_its_middle() -> None:
    story = Story()
    for number in range(40):
        story.reply(forged(str(number)))
    lines = dict(account(audit_trace(story.trace)).answers)["Where did it forge?"]
    assert len(lines) == 13
    assert lines[8].text == "… 28 more …"
    assert lines[-1].text.endswith("Observation: 39")


def test_the_repr_is_one_short_line() -> None:
    assert repr(account(audit_trace(Story().trace))) == "<Account of attempt_77777777…: 7 questions>"
