from __future__ import annotations

from pathlib import Path

import pytest

from agentlab.clock import TickClock
from agentlab.trace.codec import encode
from agentlab.trace.frames import write_tables
from agentlab.trace.lost import belongs_to_run, lost_attempts
from agentlab.trace.store import RunStore
from tests.trace.samples import ATTEMPT, play, started
from tests.trace.test_store import MANIFEST

OTHER = MANIFEST.attempts[1].id


def run(folder: Path) -> Path:
    """A run of two attempts of which one was made; its journal."""
    store = RunStore.create(folder, MANIFEST)
    recorder, journal = store.recorder(ATTEMPT, clock=TickClock())
    play(recorder)
    journal.close()
    store.write_environment({"python": "3.11"})
    write_tables(folder / "tables", store.traces())
    return store.journal_path(ATTEMPT)


def lost(folder: Path) -> dict[str, str]:
    return {Path(error.path).stem: error.problem for error in lost_attempts(folder)}


def test_an_attempt_without_a_journal_is_lost(tmp_path: Path) -> None:
    run(tmp_path / "run")
    assert lost(tmp_path / "run") == {OTHER: "the manifest names this attempt and there is no journal of it"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "its journal is empty"),
        (b"all is well\n", "what lies in its place is not a journal"),
        (b'{"type":"answer"}\n', "what lies in its place is not a journal"),
        (b"[1]\n", "what lies in its place is not a journal"),
        (b"\xff\n", "what lies in its place is not a journal"),
        (encode(started(attempt="attempt_" + "f" * 32)), "what lies in its place is the journal of another"),
    ],
)
def test_what_lies_in_place_of_a_journal(content: bytes, reason: str, tmp_path: Path) -> None:
    run(tmp_path / "run").write_bytes(content)
    assert lost(tmp_path / "run")[ATTEMPT] == f"the manifest names this attempt and {reason}"


def test_a_folder_in_its_place_is_no_journal(tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    journal.unlink()
    journal.mkdir()
    assert "not a journal" in lost(tmp_path / "run")[ATTEMPT]


@pytest.mark.parametrize("line", [b' { "schema": 1, "type": "attempt_started" }\n', b'{"type":"attempt_started",\n'])
def test_a_journal_that_only_begins_as_one_is_not_lost(line: bytes, tmp_path: Path) -> None:
    run(tmp_path / "run").write_bytes(line)
    assert ATTEMPT not in lost(tmp_path / "run")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", [b"[" * 3_000_000, b'"' + b"x" * 3_000_000, b"{" * 3_000_000])
def test_a_huge_first_line_is_passed_over(content: bytes, tmp_path: Path) -> None:
    run(tmp_path / "run").write_bytes(content)
    assert "not a journal" in lost(tmp_path / "run")[ATTEMPT]


def test_a_manifest_that_cannot_be_read_is_an_error_of_a_run_only(tmp_path: Path) -> None:
    run(tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_text("{")
    assert lost(tmp_path / "run").keys() == {"manifest"}
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "manifest.json").write_text("{")
    assert not lost(tmp_path / "notes")


def test_what_belongs_to_a_run_and_is_no_journal(tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    for name in ("manifest.json", "environment.json", "tables/calls.parquet", "quarantine/" + "0" * 64):
        assert belongs_to_run(tmp_path / "run" / name), name
    for name in (str(journal), "run/notes.json", "environment.json", "quarantine/text"):
        assert not belongs_to_run(tmp_path / name), name
