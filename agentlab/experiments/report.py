"""The HTML report of an executed notebook: one file, nothing loaded from anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["write_report"]

_LIBRARIES = ("mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url", "mermaid_layout_elk_js_url")
"""What the exporter would have a browser load from elsewhere; a report must open offline."""

_PRINT = """
@media print{
.jp-Notebook *,.jp-OutputArea-output *{overflow:visible!important}
.jp-Notebook pre,.jp-Notebook code{white-space:pre-wrap!important;overflow-wrap:anywhere}
.jp-Notebook .jp-InputPrompt,.jp-Notebook .jp-OutputPrompt{display:none}
.jp-RenderedHTMLCommon table.dataframe,.jp-RenderedHTMLCommon table{font-size:7pt;max-width:100%;table-layout:auto;
 display:table}
.jp-RenderedHTMLCommon td,.jp-RenderedHTMLCommon th{white-space:normal!important;overflow-wrap:break-word;
 padding:2pt 3pt!important}
.jp-RenderedHTMLCommon img,.jp-RenderedImage img,svg{max-width:100%!important;height:auto!important}
}
"""
"""What scrolls on a screen is wrapped on paper, where nobody can scroll."""


def write_report(notebook: Any, path: Path) -> Path:
    """Write `report.html` beside an executed notebook and return its path. Pictures are embedded.

    Args:
        notebook: the executed notebook as nbformat reads it.
        path: where it lies.
    """
    import nbformat
    from nbconvert import HTMLExporter

    cells = [cell for cell in notebook.cells if "papermill-error-cell-tag" not in cell.metadata.get("tags", ())]
    content = nbformat.from_dict({**notebook, "cells": cells})  # type: ignore[no-untyped-call]
    exporter = HTMLExporter(embed_images=True, **dict.fromkeys(_LIBRARIES, ""))  # type: ignore[no-untyped-call]
    body, _ = exporter.from_notebook_node(content, resources={"metadata": {"name": path.stem}})
    report = path.with_name("report.html")
    report.write_text(body.replace("</head>", f"<style>{_PRINT}</style></head>", 1), encoding="utf-8")
    return report
