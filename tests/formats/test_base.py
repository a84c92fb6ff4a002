from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from agentlab.errors import LoadError
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.records import Record
from agentlab.formats.files.source import Source
from agentlab.formats.loading import each_record, key_of, misfit
from agentlab.formats.shapes.fields import ShapeError, text
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence


def read(record: Record, path: str) -> Iterator[Trace]:
    """A made-up format: {"says": text}."""
    value = record.value
    if not isinstance(value, dict):
        raise ShapeError("an object was expected")
    if value.get("twice"):
        raise ValueError("event 3 begins a second attempt")
    builder = TraceBuilder("parrot", path=path, key=[key_of(record)], evidence=Evidence())
    builder.reply(text(value, "says"), source=record.place)
    yield builder.build()


load = each_record(read)


def loaded(content: bytes, folder: Path) -> list[Trace | LoadError]:
    path = folder / "parrots.jsonl"
    path.write_bytes(content)
    return list(load(Source.at(path)))


def test_one_bad_record_loses_no_other(tmp_path: Path) -> None:
    found = loaded(b'{"says": "a"}\n7\n{"says": []}\n{"twice": true}\n{"says": \n{"says": "b"}\n', tmp_path)
    problems = [each.problem if isinstance(each, LoadError) else "" for each in found]
    assert problems[0] == problems[5] == ""
    assert problems[1] == "line 2: an object was expected"
    assert problems[2] == "line 3: says: a text was expected and a list found"
    assert problems[3] == "line 4: it is not the record of one attempt: event 3 begins a second attempt"
    assert problems[4].startswith("line 5 is not")
    assert len(problems) == 6


def test_the_only_record_of_a_file_has_no_place(tmp_path: Path) -> None:
    (error,) = loaded(b"7", tmp_path)
    assert isinstance(error, LoadError)
    assert error.problem == "an object was expected"


def test_the_key_of_a_record_is_that_of_its_bytes() -> None:
    record = Record(value={}, place="", line=1, raw=b"{ }")
    assert key_of(record) == hashlib.sha256(b"{ }").hexdigest()


def test_two_equal_records_are_two_reads_of_one(tmp_path: Path) -> None:
    first, second = loaded(b'{"says": "a"}\n{"says": "a"}\n', tmp_path)
    assert isinstance(first, Trace)
    assert isinstance(second, Trace)
    assert first.id == second.id


def test_an_error_names_the_file_and_the_place() -> None:
    error = misfit(Source.at("a.json"), "row 3", ShapeError("says: a text was expected"))
    assert str(error).startswith("a.json")
    assert error.problem == "row 3: says: a text was expected"
