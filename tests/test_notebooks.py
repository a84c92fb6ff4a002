"""Notebooks as they are stored, and as batch jobs without a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from agentlab.experiments.batch import BatchResult, run_notebook
from agentlab.trace.store import RunStore
from agentlab.views.fonts import HINT

ROOT = Path(__file__).parents[1]
STORED = sorted((ROOT / "notebooks").glob("*.ipynb"))

NO_NETWORK = """
import ipaddress, sys

def refuse(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        try:
            local = ipaddress.ip_address(arguments[1][0]).is_loopback
        except ValueError:
            local = arguments[1][0] == "localhost"
        if not local:
            raise OSError(f"no network here: {arguments[1]}")

sys.addaudithook(refuse)
"""
"""Put before every program of a kernel: only this machine can be reached."""


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def test_there_are_notebooks() -> None:
    assert STORED
    assert all(re.fullmatch(r"\d\d_[a-z_]+", path.stem) for path in STORED)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_notebook_is_clean(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.keys() <= {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ())]
    assert [cell.cell_type for cell in tagged] == ["code"]
    for cell in notebook.cells:
        assert cell.metadata.keys() <= {"tags"}
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_about_half_of_a_notebook_is_prose(path: Path) -> None:
    cells = read(path).cells
    prose = sum(cell.cell_type == "markdown" for cell in cells) / len(cells)
    assert 0.4 <= prose <= 0.65
    assert cells[0].cell_type == "markdown"
    assert cells[0].source.startswith("# ")


@pytest.fixture(scope="module")
def contamination(tmp_path_factory: pytest.TempPathFactory) -> BatchResult:
    """The first notebook, run with its defaults where no other machine can be reached."""
    folder = tmp_path_factory.mktemp("contamination")
    (folder / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{folder}:{ROOT}")
        result = run_notebook(ROOT / "notebooks" / "01_contamination.ipynb", out=folder / "run")
    assert result.failed is None
    return result


def test_the_executed_notebook_is_whole(contamination: BatchResult) -> None:
    cells = read(contamination.notebook).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    streams = [output for cell in code for output in cell.outputs if output.output_type == "stream"]
    warned = [output.text.strip() for output in streams if output.name != "stdout"]
    assert warned in ([], [HINT]), "no cell warns, but for the one hint where no Chinese font is installed"
    shown = "".join(str(output.get("data", "")) for cell in code for output in cell.outputs)
    assert shown.count("data:image/png;base64,") >= 3


def test_the_report_can_be_read_offline(contamination: BatchResult) -> None:
    report = contamination.report.read_text(encoding="utf-8")
    loads = re.findall(r"""(?:src|href)\s*=\s*["']?\s*(?!data:|#)([^"'\s>]+)""", report)
    assert loads == []
    assert not re.search(r"""(?:import\s*\(|@import|url\()\s*["']?\s*(?:https?:)?//""", report)
    assert "data:image/png;base64," in report


def test_the_results_show_the_fault_and_its_mend(contamination: BatchResult) -> None:
    assert contamination.results is not None
    studies = {study.title: study for study in contamination.results.studies}
    assert len(studies) == 2
    for study in studies.values():
        for condition in study.conditions:
            if condition.name.startswith("react-v1"):
                assert condition.forged.count > 0
            if condition.name.startswith(("react-v2", "react-v3")):
                assert condition.forged.count == 0


def test_traces_tables_and_pictures_are_left_behind(contamination: BatchResult) -> None:
    folders = sorted(path.parent for path in contamination.folder.glob("*/manifest.json"))
    assert len(folders) == 2
    for folder in folders:
        store = RunStore.open(folder)
        assert len(list(store.traces())) == len(store.manifest.attempts) > 0
        outcomes = pd.read_parquet(folder / "tables" / "outcomes.parquet")
        assert list(outcomes["attempt"]) == [entry.id for entry in store.manifest.attempts]
        assert {path.stem for path in (folder / "tables").iterdir()} == {"attempts", "calls", "events", "outcomes"}
    pictures = [path.read_bytes()[:8] for path in contamination.folder.glob("*.png")]
    assert pictures
    assert set(pictures) == {b"\x89PNG\r\n\x1a\n"}
