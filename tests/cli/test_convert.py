from __future__ import annotations

import json
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from agentlab.formats.catalogue import FORMATS
from agentlab.formats.exporting import EXPORTERS
from agentlab.formats.reading import read_traces
from tests.cli.conftest import Call, Start

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
    assert (called.code, called.err) == (0, "Wrote 1 trace to out.jsonl.\n")
    (first,), (again,) = read_traces(SAMPLES / "openai-chat.json"), read_traces(tmp_path / "out.jsonl")
    assert again.events == first.events


def test_what_cannot_be_read_is_named_and_the_rest_is_written(call: Call, tmp_path: Path) -> None:
    good = json.dumps({"messages": [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}]})
    (tmp_path / "a.jsonl").write_text(f"{good}\n{{broken\n{good[:-1]}}}\n")
    called = call("convert", "a.jsonl", "--to", "jsonl", "--out", "out.jsonl")
    assert called.code == 2
    assert "a.jsonl: line 2 is not JSON" in called.err
    assert called.err.endswith("Wrote 2 traces to out.jsonl.\n")


def broken_session(path: Path) -> str:
    """A session of which a line is broken; the name of the file."""
    first, second, *rest = (SAMPLES / "claude-code.jsonl").read_text().splitlines(keepends=True)
    path.write_text("".join([first, "{broken\n", second, *rest]))
    return path.name


def test_a_damaged_record_is_written_and_named(call: Call, tmp_path: Path) -> None:
    name = broken_session(tmp_path / "a.jsonl")
    called = call("convert", name, "--to", "jsonl", "--out", "out.jsonl")
    assert called.code == 0
    assert re.fullmatch(r"Wrote 1 trace to out.jsonl; 1 record is damaged: a.jsonl: line 2 [^\n]+\n", called.err)
    broken_session(tmp_path / "b.jsonl")
    shutil.copy(SAMPLES / "openai-chat.json", tmp_path / "c.json")
    called = call("convert", name, "b.jsonl", "c.json", "--to", "otlp", "--out", "two.jsonl")
    first, second, last = called.err.splitlines()
    assert first.startswith("agentlab: a.jsonl: the record is damaged: line 2 ")
    assert second.startswith("agentlab: b.jsonl: the record is damaged: line 2 ")
    assert last.endswith("to two.jsonl; 2 records are damaged.")


@pytest.mark.parametrize("name", ["audit", "convert"])
def test_both_helps_say_when_the_exit_code_is_2(name: str, call: Call) -> None:
    said = " ".join(call(name, "--help").out.split()).replace("- ", "-")
    assert "with 2 where a file, or a trace of it, cannot be read" in said
    assert "a damaged record that could still be read is a trace-defect" in said.lower()


@pytest.mark.parametrize("to", EXPORTERS)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_leaves_nothing_behind_and_says_so(
    to: str, number: signal.Signals, code: int, start: Start, tmp_path: Path
) -> None:
    line = chat(1)
    (tmp_path / "a.jsonl").write_text(f"{line}\n" * 60_000)
    process = start("convert", "a.jsonl", "--to", to, "--out", "new/out")
    while not list(tmp_path.glob("new/.*.part/*")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.decode().strip()) == (code, "agentlab: stopped. Nothing was written.")
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_of_many_that_write_to_one_place_one_does(start: Start, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{chat(1)}\n" * 300)
    running = [start("convert", "a.jsonl", "--to", "otlp", "--out", "same") for _ in range(3)]
    said = sorted((process.communicate(timeout=60)[1].decode(), process.returncode) for process in running)
    lost = ("agentlab: 'same' exists, and nothing is written over. Name a new file or folder.\n", 2)
    assert said == [("Wrote 300 traces to same.\n", 0), lost, lost]


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


def chat(steps: int) -> str:
    messages = [{"role": "user", "content": "Count the boats."}]
    for number in range(steps):
        messages += [{"role": "assistant", "content": f"{number}"}, {"role": "user", "content": "Go on. " * 9}]
    return json.dumps({"messages": messages})


def test_the_messages_of_a_request_are_written_as_asked(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(chat(60))
    sizes = {}
    for name in ("all", "new", "auto"):
        called = call("convert", "a.json", "--to", "otlp", "--out", f"{name}.jsonl", "--messages", name)
        assert (called.code, called.err) == (0, f"Wrote 1 trace to {name}.jsonl.\n")
        sizes[name] = (tmp_path / f"{name}.jsonl").stat().st_size
    call("convert", "a.json", "--to", "otlp", "--out", "default.jsonl")
    default = (tmp_path / "default.jsonl").read_bytes()
    assert default == (tmp_path / "auto.jsonl").read_bytes() == (tmp_path / "new.jsonl").read_bytes()
    assert sizes["all"] > 3 * sizes["new"]
    (first,) = read_traces(tmp_path / "a.json")
    for name in sizes:
        (again,) = read_traces(tmp_path / f"{name}.jsonl")
        assert again.events == first.events


def test_messages_are_chosen_for_spans_only(call: Call) -> None:
    called = call("convert", SAMPLES, "--to", "jsonl", "--out", "x", "--messages", "new")
    assert called.code == 2
    assert "--messages is for --to otlp only" in called.err


def test_help_says_how_such_a_file_grows(call: Call) -> None:
    said = " ".join(call("convert", "--help").out.split())
    assert "grows with the square of the steps" in said


def test_copies_of_a_file_are_all_read_back(call: Call, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(chat(2))
    called = call("convert", "a.json", "b.json", "--to", "otlp", "--out", "out.jsonl")
    assert called.err == "Wrote 2 traces to out.jsonl.\n"
    first, second = read_traces(tmp_path / "out.jsonl")
    assert first.events == second.events


def test_what_is_nested_too_deep_for_a_journal_is_refused_when_it_is_read(call: Call, tmp_path: Path) -> None:
    for name, levels in (("fits", 198), ("deep", 199)):
        value = "[" * levels + "]" * levels
        (tmp_path / f"{name}.json").write_text(f'{chat(1)[:-1]}, "mast": {value}}}')
    for to in ("jsonl", "otlp"):
        called = call("convert", "fits.json", "--to", to, "--out", f"fits.{to}")
        assert (called.code, called.err) == (0, f"Wrote 1 trace to fits.{to}.\n")
        (first,), (again,) = read_traces(tmp_path / "fits.json"), read_traces(tmp_path / f"fits.{to}")
        assert again.events == first.events
    called = call("convert", "deep.json", "--to", "jsonl", "--out", "deep.jsonl")
    assert called.code == 2
    assert "nested deeper than the 200 levels that a journal can hold" in called.err
    assert not (tmp_path / "deep.jsonl").exists()


def test_the_page_of_a_format_says_in_what_files_may_be_packed(call: Call) -> None:
    assert "packed as .gz, .bz2, .xz or .zst, and as members of a .zip" in call("formats", "openai-chat").out
