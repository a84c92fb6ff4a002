from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.building.opening import NothingToldError
from agentlab.formats.files.records import Record
from agentlab.formats.files.source import Source
from agentlab.formats.loading import Placed, Row, each_object, each_row, each_session, misfit
from agentlab.formats.shapes.fields import ShapeError, text
from agentlab.trace.model import Trace


def read(row: Row, path: str) -> Trace:
    raise ShapeError(f"name is {text(row.value, 'name')}, key ends in {row.key[-1]}")


def told(folder: Path, content: str) -> list[str]:
    path = folder / "rows"
    path.write_text(content, encoding="utf-8")
    found: list[Any] = list(each_row(each_object, read)(Source.at(path)))
    assert all(isinstance(each, LoadError) for each in found)
    return [str(each).removeprefix(f"{path}: ") for each in found]


def test_every_row_of_a_list_has_its_place_and_costs_only_itself(tmp_path: Path) -> None:
    assert told(tmp_path, json.dumps([{"name": "a"}, 7, {"name": []}, {"name": "b"}])) == [
        "row 0: name is a, key ends in 0",
        "row 1: an object was expected and a number found",
        "row 2: name: a text was expected and a list found",
        "row 3: name is b, key ends in 3",
    ]


def test_lines_may_hold_one_row_or_several(tmp_path: Path) -> None:
    assert told(tmp_path, '{"name": "a"}\n{"name"\n[{"name": "b"}, {"name": "c"}]\n"x"\n') == [
        "line 1: name is a, key ends in 0",
        "line 2 is not whole: the text ends inside an object at line 2 column 7",
        "line 3: row 0: name is b, key ends in 0",
        "line 3: row 1: name is c, key ends in 1",
        "line 4: an object was expected and a text found",
    ]


def test_a_session_is_known_by_all_that_was_read_and_a_bad_line_is_its_problem(tmp_path: Path) -> None:
    def parts(record: Record) -> Iterator[Placed]:
        yield record.place, record.value

    def tell(found: Sequence[Placed], path: str, digest: str, problems: list[str]) -> Trace:
        raise ShapeError(f"{[value for _, value in found]} {len(problems)} {digest}")

    def told_of(content: str) -> list[str]:
        path = tmp_path / "session"
        path.write_text(content, encoding="utf-8")
        return [str(each).removeprefix(f"{path}: ") for each in each_session(parts, tell)(Source.at(path))]

    (whole,) = told_of("1\n[\n2\n")
    (part,) = told_of("1\n[\n")
    assert whole.startswith("[1, 2] 1 ")
    assert part.startswith("[1] 1 ")
    assert whole.split()[-1] != part.split()[-1]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"b": 1, "a" * 50: 2}, f"an object with 'b', '{'a' * 40}'"),
        ([{"c": 1}, 2], "a list of which the first is an object with 'c'"),
        ([], "a list"),
        ("x", "a text"),
    ],
)
def test_where_nothing_is_of_the_format_it_says_what_is_there(value: Any, shown: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("1", encoding="utf-8")
    error = misfit(Source.at(path), "line 1", NothingToldError("a call was expected"), value)
    assert error.problem == f"line 1: a call was expected; {shown} was found"
    assert misfit(Source.at(path), "", ShapeError("no"), value).problem == "no"


def test_the_only_value_of_a_file_has_no_place(tmp_path: Path) -> None:
    assert told(tmp_path, '{"name": "a"}') == ["name is a, key ends in 0"]
