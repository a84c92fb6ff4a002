from __future__ import annotations

import time
from pathlib import Path

import pytest

from agentlab.clock import TickClock
from agentlab.trace.codec import encode
from agentlab.trace.frames import write_tables
from agentlab.trace.locate import locate
from agentlab.trace.store import RunStore, read_journal
from tests.trace.samples import ATTEMPT, play, played, started
from tests.trace.test_store import MANIFEST


def run(folder: Path) -> Path:
    store = RunStore.create(folder, MANIFEST)
    recorder, journal = store.recorder(ATTEMPT, clock=TickClock())
    play(recorder)
    journal.close()
    store.write_environment({"python": "3.11"})
    write_tables(folder / "tables", store.traces())
    return store.journal_path(ATTEMPT)


def test_a_run_gives_its_journals_and_skips_nothing(tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    for path in (journal, tmp_path / "run", tmp_path):
        found = locate([path])
        assert (found.journals, found.skipped) == ((journal,), ())
    assert read_journal(journal).events == played().events


def test_other_files_in_folders_are_listed_as_skipped(tmp_path: Path) -> None:
    for name, content in {
        "b.jsonl": encode(started()),
        "a.jsonl": b'{"type":"answer"}\n',
        "notes/empty": b"",
        "notes/manifest.json": b"{}",
        "quarantine/text": b"not of a run",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    found = locate([tmp_path])
    assert [path.name for path in found.journals] == ["b.jsonl"]
    assert [path.name for path in found.skipped] == ["a.jsonl", "empty", "text"]


def test_a_file_named_by_itself_must_be_a_journal(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    found = locate([tmp_path / "a.txt", tmp_path / "missing"])
    assert found.unreadable == (
        (tmp_path / "a.txt", "not a journal: its first line should be an event of type attempt_started"),
        (tmp_path / "missing", "there is no such file or folder"),
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "there is no journal of it"),
        (b"", "its journal is empty"),
        (b"all is well\n", "what lies in its place is not a journal"),
        (encode(started(attempt="attempt_" + "f" * 32)), "what lies in its place is the journal of another"),
    ],
)
def test_an_attempt_of_the_manifest_without_its_journal_is_unreadable(
    content: bytes | None, reason: str, tmp_path: Path
) -> None:
    journal = run(tmp_path / "run")
    journal.unlink()
    if content is not None:
        journal.write_bytes(content)
    for path in (tmp_path, tmp_path / "run", journal.parent):
        found = locate([path])
        assert (found.journals, found.skipped) == ((), ())
        assert found.unreadable == (
            (journal, f"the manifest names this attempt and {reason}"),
            (
                journal.with_name(f"{MANIFEST.attempts[1].id}.jsonl"),
                "the manifest names this attempt and there is no journal of it",
            ),
        )


def test_a_run_whose_manifest_cannot_be_read_is_named(tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_text("{")
    found = locate([tmp_path])
    assert found.journals == (journal,)
    ((path, reason),) = found.unreadable
    assert path == tmp_path / "run" / "manifest.json"
    assert "a manifest is one JSON object" in reason


def test_what_is_given_twice_counts_once(tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    (tmp_path / "other").write_bytes(b"")
    found = locate([tmp_path / "run", tmp_path, journal, tmp_path / "run" / ".." / "run", tmp_path])
    assert found.journals == (journal,)
    assert found.skipped == (tmp_path / "other",)


@pytest.mark.parametrize("line", [b' { "schema": 1, "type": "attempt_started" }\n', b'{"type":"attempt_started",\n'])
def test_a_first_line_may_have_blanks_and_a_broken_one_is_not_passed_over(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(line)
    assert locate([tmp_path]).journals == (tmp_path / "a",)


@pytest.mark.parametrize("content", [b"[" * 3_000_000, b"\xff\n", b'"attempt_started"\n', b"[1]\n"])
def test_what_is_no_journal_is_skipped_fast(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    begun = time.perf_counter()
    assert locate([tmp_path]).skipped == (tmp_path / "a",)
    assert time.perf_counter() - begun < 2
