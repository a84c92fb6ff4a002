from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.shell import exit_owners, split_line


def programs(line: str) -> list[str]:
    return [command.program for command in split_line(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a | b && c || d; e & f", ["a", "b", "c", "d", "e", "f"]),
        ("echo 'a | b && c'", ["echo"]),
        ('echo "a; b" # c | d', ["echo"]),
        ("X=1 Y='2 3' /usr/bin/a --b", ["a"]),
        ("cat <<'E' > f\na | b\nE\nc", ["cat", "c"]),
        ("(a; b) && { c; }", ["a", "b", "c"]),
        ("echo $(a | b) `c; d`", ["echo"]),
        ("a \\\n  b\nc", ["a", "c"]),
        ("if a; then b; else c; fi", ["a", "b", "c"]),
        ("", []),
        ("a 2>&1 | b |& c", ["a", "b", "c"]),
    ],
)
def test_a_line_falls_into_its_commands(line: str, expected: list[str]) -> None:
    assert programs(line) == expected


def test_redirections_are_no_words() -> None:
    (command,) = split_line("sort < in.txt > out.txt 2>> log.txt &> all.txt 2>&1 -r")
    assert command.argv == ["sort", "-r"]
    assert command.reads == ["in.txt"]
    assert command.writes == ["out.txt", "log.txt", "all.txt"]


def test_quotes_are_taken_off() -> None:
    (command,) = split_line("""a 'b c' "d \\"e\\"" f\\ g""")
    assert command.argv == ["a", "b c", 'd "e"', "f g"]


@pytest.mark.parametrize(
    ("line", "code", "owners"),
    [
        ("a", 0, ["a"]),
        ("a | b", 0, ["b"]),
        ("set -o pipefail; a | b", 0, ["a", "b"]),
        ("a; b", 1, ["b"]),
        ("a && b", 0, ["a", "b"]),
        ("a && b | c", 0, ["a", "c"]),
        ("a || true", 0, ["true"]),
        ("a || b", 1, ["a", "b"]),
    ],
)
def test_whose_exit_code_it_is(line: str, code: int, owners: list[str]) -> None:
    assert [command.program for command in exit_owners(split_line(line), code)] == owners


@given(st.text(alphabet="ab |&;<>()'\"`$\\\n#=E0-"))
def test_any_line_is_read(line: str) -> None:
    for command in split_line(line):
        assert command.argv or command.writes
