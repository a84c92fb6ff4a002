from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlab.formats.catalogue import FORMATS
from agentlab.formats.reading import read_traces
from tests.cli.conftest import Call

SAMPLES = Path(__file__).parents[2] / "data" / "samples"


def test_every_format_is_listed_with_what_it_can_prove(call: Call) -> None:
    called = call("formats")
    assert (called.code, called.err) == (0, "")
    for name in FORMATS.names():
        assert name in called.out
    assert "present" in called.out
    assert "depends" in called.out


def test_a_format_has_a_page(call: Call) -> None:
    for name in FORMATS.names():
        page = call("formats", name)
        assert page.code == 0
        assert page.out.startswith(f"{name}\n\n{FORMATS.get(name).sentence}\n{FORMATS.get(name).url}")
    assert "There is no format 'nonsense'" in call("formats", "nonsense").refusal


def test_a_foreign_trace_becomes_a_journal(call: Call, tmp_path: Path) -> None:
    called = call("convert", SAMPLES / "openai-chat.json", "--to", "jsonl", "--out", "out.jsonl")
    assert (called.code, called.err) == (0, "Wrote 1 traces to out.jsonl.\n")
    (first,), (again,) = read_traces(SAMPLES / "openai-chat.json"), read_traces(tmp_path / "out.jsonl")
    assert again.events == first.events


def test_what_cannot_be_read_is_named_and_the_rest_is_written(call: Call, tmp_path: Path) -> None:
    good = json.dumps({"messages": [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}]})
    (tmp_path / "a.jsonl").write_text(f"{good}\n{{broken\n{good[:-1]}}}\n")
    called = call("convert", "a.jsonl", "--to", "jsonl", "--out", "out.jsonl")
    assert called.code == 2
    assert "a.jsonl: line 2 is not JSON" in called.err
    assert called.err.endswith("Wrote 2 traces to out.jsonl.\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere", "--to", "otlp", "--out", "x"), "nowhere: there is no such file"),
        ((SAMPLES, "--to", "word", "--out", "x"), "'word'"),
        ((SAMPLES, "--to", "otlp", "--out", "x", "--format", "nonsense"), "There is no format 'nonsense'"),
    ],
)
def test_what_is_refused(arguments: tuple[object, ...], said: str, call: Call) -> None:
    called = call("convert", *arguments)
    assert called.code == 2
    assert said in called.err


def test_a_folder_without_traces_says_so(call: Call, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("plain words")
    called = call("convert", "notes", "--to", "jsonl", "--out", "out.jsonl")
    assert "No format claims a file there" in called.err
