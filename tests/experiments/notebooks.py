"""Small notebooks, one behaviour each, written where a test wants them."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PARAMETERS = """count = 1
name = "sun"
share = 0.5
loud = True
items = ["a"]
anything = None
out = ""
"""


def write_notebook(path: Path, *cells: str, parameters: str | None = PARAMETERS) -> Path:
    """A notebook with a heading, the parameters cell, and these code cells, which are cell 3, 4, ..."""
    tagged = [new_code_cell(parameters, metadata={"tags": ["parameters"]})] if parameters is not None else []
    notebook = new_notebook(cells=[new_markdown_cell("# Small"), *tagged, *map(new_code_cell, cells)])
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path
