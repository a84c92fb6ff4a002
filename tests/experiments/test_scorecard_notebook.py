"""The scorecard notebook as a batch job: where nothing labelled is there, and where the shared folder is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from agentlab.experiments.batch import BatchResult, run_notebook
from agentlab.views.fonts import HINT
from tests.test_notebooks import NO_NETWORK

ROOT = Path(__file__).parents[2]


def run(folder: Path, shared: Path, **parameters: object) -> BatchResult:
    """The notebook, run where no other machine can be reached."""
    (folder / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{folder}:{ROOT}")
        patch.setenv("AGENTLAB_SHARED", str(shared))
        begun = time.monotonic()
        result = run_notebook(ROOT / "notebooks" / "06_scorecard.ipynb", parameters=parameters, out=folder / "run")
        assert time.monotonic() - begun < 180
    assert result.failed is None
    return result


def outputs(result: BatchResult) -> list[Any]:
    notebook = nbformat.read(result.notebook, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    return [output for cell in code for output in cell.outputs]


def printed(result: BatchResult) -> str:
    streams = [output for output in outputs(result) if output.output_type == "stream"]
    assert [output.text.strip() for output in streams if output.name != "stdout"] in ([], [HINT])
    return "".join(output.text for output in streams if output.name == "stdout")


def pictures(result: BatchResult) -> int:
    return "".join(str(output.get("data", "")) for output in outputs(result)).count("data:image/png;base64,")


def test_without_a_labelled_set_it_says_so_and_scores_its_example(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run(tmp_path, tmp_path / "empty")
    said = printed(result)
    assert "no labelled set; only the example at the end is scored" in said
    assert "trail (not in the shared folder)" in said
    assert pictures(result) == 1
    shown = "".join(str(output.get("data", {}).get("text/html", "")) for output in outputs(result))
    assert "unexecuted-claim 1.00" not in shown
    assert "precision 1.00" in shown
    assert "passes over the reading" in shown


def test_labels_of_your_own_are_scored(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    first = run(tmp_path, tmp_path / "empty")
    example = first.folder / "example"
    again = tmp_path / "again"
    again.mkdir()
    result = run(again, tmp_path / "empty", labels=str(example / "labels.csv"), traces=str(example), grain="exact")
    assert "Found:   own" in printed(result)
    groups = pd.read_parquet(result.folder / "scorecard" / "groups.parquet")
    row = groups.set_index(["set", "group", "grain"]).loc[("own", "unexecuted-claim", "exact")]
    assert list(row[["found", "right", "labelled", "met"]]) == [1, 1, 1, 1]
    assert (result.folder / "scorecard" / "groups.png").read_bytes()[:4] == b"\x89PNG"


def test_with_the_shared_folder_every_set_is_scored(shared: Path, tmp_path: Path) -> None:
    result = run(tmp_path, shared)
    found = printed(result).partition("\n")[0]
    there = [name for name in ("trail", "agentrx", "agentdojo") if (shared / "labelled" / name).is_dir()]
    assert all(name in found for name in there)
    assert pictures(result) == (3 if there else 1)
    tables = {path.stem: pd.read_parquet(path) for path in (result.folder / "scorecard").glob("*.parquet")}
    assert set(there) <= set(tables["groups"]["set"])
    report = result.report.read_text(encoding="utf-8")
    assert "Every miss and every false alarm" in report
