from __future__ import annotations

import threading
from pathlib import Path

import pandas as pd
import pytest

from agentlab.experiments.saving import results_folder, save_results
from agentlab.trace.store import RunStore, read_journal
from tests.experiments.lighthouse import CALL, FORGED, OUTCOMES, WRONG, scripted


def test_a_folder_that_is_named_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert results_folder("a/b", "stem") == tmp_path / "a" / "b"
    assert results_folder(tmp_path / "a" / "b", "stem") == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_the_next_free_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [results_folder(out, "stem").name for out in (None, "", None)] == ["stem-1", "stem-2", "stem-3"]
    assert results_folder(None, "other") == tmp_path / "runs" / "other-1"


def test_no_two_get_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given: list[Path] = []
    start = threading.Barrier(8)

    def take() -> None:
        start.wait()
        given.extend(results_folder(None, "stem") for _ in range(20))

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(given)) == len(given) == 160


def test_tables_lie_in_the_run_s_own_folder(tmp_path: Path) -> None:
    result = scripted(tmp_path, [FORGED, CALL, WRONG], attempts=2)
    save_results(tmp_path, {"only": result})
    tables = {path.stem: pd.read_parquet(path) for path in (result.store.folder / "tables").iterdir()}
    assert set(tables) == {"attempts", "calls", "events", "outcomes"}
    assert list(tables["outcomes"]["outcome"]) == ["wrong_forged"] * 2
    for path in tables["attempts"]["path"]:
        assert (result.store.folder / path).is_file()
        assert not Path(path).is_absolute()


def test_folders_and_files_may_be_named_by_text(tmp_path: Path) -> None:
    result = scripted(tmp_path, OUTCOMES["wrong_other"])
    path = save_results(str(tmp_path), {"one": result})
    assert path == tmp_path / "results.json"
    store = RunStore.open(str(tmp_path / "run"))
    trace = store.trace(result.attempts[0].attempt)
    assert read_journal(trace.path).events == trace.events
    assert read_journal(trace.path, quarantine_folder=str(tmp_path / "run" / "quarantine")).events == trace.events
