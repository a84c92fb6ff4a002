from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.formats.reading import read_traces

CHAT = {"messages": [{"role": "user", "content": "Which way?"}, {"role": "assistant", "content": "North."}]}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(CHAT)}\n{{\n{json.dumps(CHAT)}\n")
    return path


def test_the_first_error_is_raised_after_the_traces_before_it(log: Path) -> None:
    traces = read_traces(log)
    assert next(traces).started.format == "openai-chat"
    with pytest.raises(LoadError, match="line 2"):
        next(traces)


def test_with_somebody_to_tell_reading_goes_on(log: Path) -> None:
    told: list[LoadError] = []
    assert len(list(read_traces(log, str(log.parent / "missing"), on_error=told.append))) == 2
    assert [Path(error.path).name for error in told] == ["missing", "log.jsonl"]


def test_nothing_is_no_error(tmp_path: Path) -> None:
    assert list(read_traces(tmp_path)) == []


def test_a_format_that_is_none(log: Path) -> None:
    with pytest.raises(UsageError, match="openai-chat"):
        list(read_traces(log, format="openai"))


def test_traces_come_while_the_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text((json.dumps(CHAT) + "\n") * 20_000 + "{")
    assert next(read_traces(path)).started.task == "Which way?"


@pytest.mark.parametrize("paths", [(), ("",), (["a", "b"],), (b"a",), (None,), ("a", "")])
def test_what_is_no_path_is_refused_before_anything_is_read(paths: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        read_traces(*paths)


def test_a_list_of_paths_is_told_how_to_be_given() -> None:
    with pytest.raises(UsageError, match=r"\['a', 'b'\] is none\. Give several one by one: read_traces\(\*paths\)"):
        read_traces(["a", "b"])  # type: ignore[arg-type]


def test_what_no_format_claims_is_told(log: Path) -> None:
    (log.parent / "notes.txt").write_text("hello")
    (log.parent / "b.yaml").write_text("a: 1")
    skipped: list[str] = []
    assert len(list(read_traces(log.parent, on_error=lambda _: None, on_skip=skipped.append))) == 2
    assert [Path(path).name for path in skipped] == ["b.yaml", "notes.txt"]
