from __future__ import annotations

from pathlib import Path

import pytest

from agentlab.clock import TickClock
from agentlab.errors import LoadError
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
    with pytest.raises(LoadError, match=r"a\.txt: not a journal"):
        locate([tmp_path / "a.txt"])
    with pytest.raises(LoadError, match="missing: there is no such file or folder"):
        locate([tmp_path / "missing"])
