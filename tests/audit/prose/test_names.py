from __future__ import annotations

import pytest

from agentlab.audit.prose.names import names_in


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("saved to notes.md.", "notes.md", "path"),
        ("saved to out/notes.md", "out/notes.md", "path"),
        ("see /etc/hosts", "/etc/hosts", "path"),
        ("see `notes.md`", "notes.md", "path"),
        ("see `two words`", "two words", "quoted"),
        ('it says "not found"', "not found", "quoted"),
        ("see https://example.org/a?b=1.", "https://example.org/a?b=1", "url"),
        ("commit 4be77a1 is in", "4be77a1", "hash"),
        ("set max_rows to", "max_rows", "identifier"),
        ("call readRows now", "readRows", "identifier"),
        ("order #B77 is", "#B77", "identifier"),
        ("ticket OPS-12", "OPS-12", "identifier"),
        ("to ann@example.org.", "ann@example.org", "identifier"),
        ("保存到notes.md。", "notes.md", "path"),
    ],
)
def test_a_name(text: str, name: str, kind: str) -> None:
    assert [(one.text, one.kind) for one in names_in(text, 0, len(text))] == [(name, kind)]


@pytest.mark.parametrize("text", ["plain words only", "e.g. this", "and/or that", "The Harbour Master", "a full stop."])
def test_no_name(text: str) -> None:
    assert names_in(text, 0, len(text)) == ()


def test_a_tool_may_look_like_any_word() -> None:
    assert [(one.text, one.kind) for one in names_in("ask atlas (again)", 0, 17, ["atlas"])] == [("atlas", "tool")]


def test_only_the_stretch_is_read() -> None:
    assert [one.start for one in names_in("a.py b.py c.py", 5, 9)] == [5]
