"""Several attempts in one place are listed, and each can be chosen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Call

QUESTIONS = [f"How many swans are on pond {number}?" for number in range(30)]


@pytest.fixture
def ponds(tmp_path: Path) -> Path:
    """30 chats in one file, called in the folder it lies in."""
    file = tmp_path / "ponds.jsonl"
    chats = [{"messages": [{"role": "user", "content": q}, {"role": "assistant", "content": "4"}]} for q in QUESTIONS]
    file.write_text("".join(f"{json.dumps(chat)}\n" for chat in chats))
    return file


def rows(out: str) -> list[list[str]]:
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if "│" in line]
    return [row for row in cells if row[0]]


@pytest.mark.usefixtures("ponds")
def test_attempts_are_listed_and_their_number_is_named(call: Call) -> None:
    called = call("show", "ponds.jsonl")
    assert called.code == 2
    assert called.out.startswith("30 attempts, the first 20 of them")
    assert called.err.startswith("agentlab: 'ponds.jsonl' holds 30 attempts. Name one with --attempt: its number")
    assert called.err.count("\n") == 1
    listed = rows(called.out)
    assert [row[0] for row in listed] == [str(number) for number in range(1, 21)]
    assert {row[2] for row in listed} == {"ponds.jsonl"}
    assert "swans are on pond 3?" in called.out


@pytest.mark.usefixtures("ponds")
@pytest.mark.parametrize("column", [0, 1, 3])
def test_what_the_list_shows_of_an_attempt_chooses_it(column: int, call: Call) -> None:
    name = rows(call("show", "ponds.jsonl").out)[16][column]
    called = call("show", "ponds.jsonl", "--attempt", name, "--context", "1")
    assert (called.code, called.err) == (0, "")
    assert QUESTIONS[16] in called.out


@pytest.mark.usefixtures("ponds")
def test_a_beginning_that_fits_all_is_said_to_fit_all(call: Call) -> None:
    assert "holds 30 attempts, 30 of which fit 'attempt_'" in call("show", "ponds.jsonl", "--attempt", "attempt_").err


@pytest.mark.usefixtures("ponds")
def test_a_name_of_none_lists_them_all(call: Call) -> None:
    called = call("show", "ponds.jsonl", "--attempt", "zzz")
    assert "holds 30 attempts, none of which fits 'zzz'" in called.err
    assert len(rows(called.out)) == 20


def test_copies_share_an_id_and_have_a_number_each(call: Call, tmp_path: Path, ponds: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "copies" / name).mkdir(parents=True)
        (tmp_path / "copies" / name / "chat.jsonl").write_text(ponds.read_text().splitlines()[0])
    called = call("show", "copies")
    assert [(row[0], row[2]) for row in rows(called.out)] == [("1", "a/chat.jsonl"), ("2", "b/chat.jsonl")]
    same = rows(called.out)[0][1]
    assert "2 of which fit" in call("show", "copies", "--attempt", same).err
    assert call("show", "copies", "--attempt", "2").code == 0
    shutil.rmtree(tmp_path / "copies" / "b")
    assert call("show", "copies").code == 0


def test_one_attempt_is_no_attempts(call: Call, tmp_path: Path) -> None:
    chat = {"messages": [{"role": "user", "content": "Which way?"}, {"role": "assistant", "content": "North."}]}
    (tmp_path / "a.json").write_text(json.dumps(chat))
    called = call("show", "a.json", "--attempt", "zzz")
    assert called.out.splitlines()[0].strip() == "1 attempt"
    assert "'a.json' holds 1 attempt, none of which fits 'zzz'" in called.err
