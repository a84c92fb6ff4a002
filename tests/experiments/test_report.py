from __future__ import annotations

import base64
import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from agentlab.experiments.report import write_report

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    marker = new_markdown_cell("papermill was here", metadata={"tags": ["papermill-error-cell-tag"]})
    code = new_code_cell("draw()", execution_count=1)
    code.outputs = [
        new_output("stream", name="stdout", text="<script>alert(1)</script>\x1b[31mred\x1b[0m"),
        new_output("display_data", data={"image/png": PIXEL}),
        new_output("error", ename="Lost", evalue="<b>", traceback=["Lost: <b>"]),
    ]
    cells = [marker, new_markdown_cell("# Über 字\n\n$x^2$"), code]
    path = tmp_path_factory.mktemp("report") / "small.ipynb"
    written = write_report(new_notebook(cells=cells), path)
    assert written == path.with_name("report.html")
    return written.read_text(encoding="utf-8")


def test_it_shows_text_outputs_and_errors(report: str) -> None:
    assert "Über 字" in report
    assert "Lost" in report
    assert "<title>small</title>" in report


def test_outputs_are_escaped(report: str) -> None:
    assert "<script>alert(1)" not in report
    assert "&lt;script&gt;alert(1)" in report


def test_papermill_s_own_cells_are_left_out(report: str) -> None:
    assert "papermill was here" not in report


def test_nothing_is_loaded_from_anywhere(report: str) -> None:
    assert f"data:image/png;base64,{PIXEL}" in report
    loads = re.findall(r"""(?:src|href)\s*=\s*["']?\s*(?!data:|#)([^"'\s>]+)""", report)
    assert loads == []
    assert not re.search(r"""(?:import\s*\(|@import|url\()\s*["']?\s*https?:""", report)
    assert "cdnjs" not in report
