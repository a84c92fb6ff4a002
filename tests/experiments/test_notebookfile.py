from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from agentlab.errors import LoadError
from agentlab.experiments.notebookfile import read_notebook, tidy
from tests.experiments.notebooks import PARAMETERS, write_notebook


def test_a_source_in_lines_or_in_one_piece(tmp_path: Path) -> None:
    path = write_notebook(tmp_path / "small.ipynb", "a = 1\nb = 2")
    assert [cell["source"] for cell in read_notebook(path)["cells"]] == ["# Small", PARAMETERS, "a = 1\nb = 2"]
    text = json.dumps(nbformat.read(path, as_version=4))
    path.write_text(text, encoding="utf-8")
    assert read_notebook(path)["cells"][2]["source"] == "a = 1\nb = 2"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF\xd0", "Invalid JSON"),
        (b"", "Invalid JSON"),
        (b"[]", "Input should be an object"),
        (b"[" * 100_000, "Invalid JSON"),
        (b'{"schema": "other"}', "nbformat: Field required"),
        ({"nbformat": 3}, "nbformat: Input should be 4"),
        ({"cells": 3}, "cells: Input should be a valid array"),
        ({"cells": [3]}, "cells.0: Input should be an object"),
        ({"cells": [{"cell_type": "code", "metadata": {}}]}, "cells.0.source: Field required"),
        ({"cells": [{"cell_type": "code", "metadata": {}, "source": [1]}]}, "cells.0.source: "),
        ({"cells": [{"cell_type": "movie", "metadata": {}, "source": ""}]}, "cells.0.cell_type: "),
        ({"cells": [{"cell_type": "code", "metadata": {"tags": None}, "source": ""}]}, "cells.0.metadata.tags: "),
        ({"nbformat_minor": "5"}, "nbformat_minor: "),
    ],
)
def test_what_is_no_notebook_is_refused(content: bytes | dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.ipynb"
    if isinstance(content, dict):
        whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []} | content
        content = json.dumps(whole).encode()
    path.write_bytes(content)
    with pytest.raises(LoadError) as refusal:
        read_notebook(path)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_folder_is_no_notebook(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="Is a directory"):
        read_notebook(tmp_path)


def tidied(*outputs: tuple[str, str]) -> list[tuple[str, str]]:
    cell = new_code_cell("print()")
    for name, text in outputs:
        stream = name in ("stdout", "stderr")
        cell.outputs.append(new_output("stream", name=name, text=text) if stream else new_output(name))
    notebook = new_notebook(cells=[cell])
    tidy(notebook)
    nbformat.validate(notebook)
    return [(output.get("name", output.output_type), output.get("text", "")) for output in notebook.cells[0].outputs]


def test_streams_are_joined_up_to_the_next_picture() -> None:
    out = [("stdout", "a"), ("stderr", "!"), ("stdout", "b\n"), ("display_data", ""), ("stdout", "c"), ("stdout", "d")]
    assert tidied(*out) == [("stdout", "ab\n"), ("stderr", "!"), ("display_data", ""), ("stdout", "cd")]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("10 %\r20 %\r30 %\nnext", "30 %\nnext"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\rb\r", "b"),
        ("\r\r\n", "\n"),
        ("plain\n\n", "plain\n\n"),
        ("", ""),
    ],
)
def test_lines_that_were_written_over(text: str, left: str) -> None:
    assert tidied(("stdout", text)) == [("stdout", left)]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["x", "\r", "\rx", "\n", "\r\n"])
def test_a_long_output_takes_no_time(piece: str) -> None:
    tidied(("stdout", piece * 500_000), *[("stdout", piece)] * 5000)
