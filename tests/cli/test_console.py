from __future__ import annotations

import json

import pytest

from agentlab.cli.console import print_json, print_table, print_text, progress_bar, say


def test_a_table_takes_cells_literally(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("[b]Title\x1b[31m", ["a", "[red]b"], [["1", "[/red] :smile:"], ["字" * 3, "\u202e"]])
    out = capsys.readouterr().out
    assert r"[b]Title\u{1b}[31m" in out
    assert "│ 1      │ [/red] :smile: │" in out
    assert r"│ 字字字 │ \u{202e}" in out


@pytest.mark.parametrize("size", [1, 3, 8])
def test_no_word_is_broken_and_no_line_too_long(size: int, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [f"word{number} " * (number + 1) for number in range(size)]
    print_table("Title", [f"head {number}" for number in range(size)], [cells] * 3)
    out = capsys.readouterr().out
    assert all(len(line) <= 120 for line in out.splitlines())
    for number in range(size):
        assert out.count(f"word{number} ") == 3 * (number + 1)


def test_what_fits_in_no_table_becomes_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("Title", ["a", "b"], [["x" * 70, "y" * 70], ["1", "2"]])
    assert capsys.readouterr().out == f"Title\na: {'x' * 70}\n  b: {'y' * 70}\na: 1\n  b: 2\n"


def test_without_rows_there_is_the_title_alone(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("0 findings", ["a", "b"], [])
    assert capsys.readouterr().out == "0 findings\n"


def test_empty_cells(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", ["", "b"], [["", ""]])
    assert "b" in capsys.readouterr().out


def test_hidden_characters_are_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("a\x1b[2Jb\nc")
    say("d\u200be")
    said = capsys.readouterr()
    assert said.out == "a\\u{1b}[2Jb\nc\n"
    assert said.err == "d\\u{200b}e\n"


def test_a_document_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_json('{"a": "字"}')
    assert capsys.readouterr().out == '{"a": "字"}\n'


def test_progress_is_silent_where_stderr_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("things") as progress:
        progress(1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_sentence_stays_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\nagentlab: b\tc")
    assert capsys.readouterr().err == "a\\u{a}agentlab: b\\u{9}c\n"


def test_a_document_commands_no_terminal_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    value = "\u009b2J \u202e \x7f \u200b \U000e0041 字 é"
    print_json(json.dumps({"a": value}, ensure_ascii=False))
    out = capsys.readouterr().out
    assert json.loads(out) == {"a": value}
    assert not set("\u009b\u202e\x7f\u200b\U000e0041") & set(out)
    assert "字 é" in out
