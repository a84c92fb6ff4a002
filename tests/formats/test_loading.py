from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentlab.errors import LoadError
from agentlab.formats.files.records import Record
from agentlab.formats.files.source import Source
from agentlab.formats.loading import Row, each_row, no_object, rows_of
from agentlab.formats.shapes.fields import ShapeError, text
from agentlab.trace.model import Trace


def split(record: Record) -> Iterator[Row | ShapeError]:
    for value, place, key in rows_of(record):
        yield Row(value=value, place=place, key=key) if isinstance(value, dict) else no_object(value, place)


def read(row: Row, path: str) -> Trace:
    raise ShapeError(f"name is {text(row.value, 'name')}, key ends in {row.key[-1]}")


def told(folder: Path, content: str) -> list[str]:
    path = folder / "rows"
    path.write_text(content, encoding="utf-8")
    found: list[Any] = list(each_row(split, read)(Source.at(path)))
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


def test_the_only_value_of_a_file_has_no_place(tmp_path: Path) -> None:
    assert told(tmp_path, '{"name": "a"}') == ["name is a, key ends in 0"]
