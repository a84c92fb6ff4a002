"""The HTML report of an executed notebook: one file, nothing loaded from anywhere."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_report"]


def write_report(notebook: Path) -> Path:
    """Write `report.html` beside an executed notebook and return its path.

    Pictures are embedded. The addresses of MathJax and RequireJS are taken out, because a report must open offline.
    """
    import nbformat
    from nbconvert import HTMLExporter
    from traitlets.config import Config

    config = Config({"HTMLExporter": {"mathjax_url": "", "require_js_url": "", "embed_images": True}})
    content = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    content.cells = [cell for cell in content.cells if "papermill-error-cell-tag" not in cell.metadata.get("tags", ())]
    exporter = HTMLExporter(config=config)  # type: ignore[no-untyped-call]
    body, _ = exporter.from_notebook_node(content, resources={"metadata": {"name": notebook.stem}})
    report = notebook.with_name("report.html")
    report.write_text(body, encoding="utf-8")
    return report
