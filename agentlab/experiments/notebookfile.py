"""Notebook files: a stranger's is checked before it is used, an executed one is tidied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from agentlab.errors import LoadError
from agentlab.experiments.tomlfile import problems_of

__all__ = ["Cell", "Metadata", "Notebook", "read_notebook", "tidy"]


def _in_one_piece(text: object) -> object:
    return "".join(text) if isinstance(text, list) and all(isinstance(line, str) for line in text) else text


@with_config(ConfigDict(extra="allow"))
class Metadata(TypedDict):
    """What a cell says of itself."""

    tags: NotRequired[list[str]]


@with_config(ConfigDict(extra="allow"))
class Cell(TypedDict):
    """A cell; files may hold its source as a list of lines."""

    cell_type: Literal["code", "markdown", "raw"]
    source: Annotated[str, BeforeValidator(_in_one_piece)]
    metadata: Metadata


@with_config(ConfigDict(extra="allow"))
class Notebook(TypedDict):
    """What agentlab must know of a notebook before it hands it to a kernel; the rest is nbformat's business."""

    nbformat: Literal[4]
    nbformat_minor: int
    metadata: dict[str, Any]
    cells: list[Cell]


def read_notebook(path: Path) -> Notebook:
    """Read a notebook of format 4.

    Raises:
        LoadError: if it is not one; the message names the field.
    """
    try:
        return TypeAdapter(Notebook).validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise LoadError(path, f"a notebook was expected; the file cannot be read ({error.strerror})") from None
    except ValidationError as error:
        raise LoadError(path, f"not a Jupyter notebook of format 4: {problems_of(error)}") from None


def tidy(notebook: Any) -> None:
    """Join what each cell printed piece by piece, and keep of a line what its carriage returns left of it.

    nbclient and nbconvert offer the same, but their time grows with the square of a line's length.

    Args:
        notebook: an executed notebook as nbformat reads it; changed in place.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = list(_joined(cell.outputs))


def _joined(outputs: Iterable[Any]) -> Iterator[Any]:
    groups: list[list[Any]] = []
    streams: dict[str, list[Any]] = {}
    for output in outputs:
        if output.output_type == "stream" and output.name in streams:
            streams[output.name].append(output)
            continue
        groups.append([output])
        # What is printed after a picture stands after it.
        streams = {**streams, output.name: groups[-1]} if output.output_type == "stream" else {}
    for first, *more in groups:
        if first.output_type == "stream":
            first.text = _settled("".join(output.text for output in (first, *more)))
        yield first


def _settled(text: str) -> str:
    """What a terminal would show of lines that were written over."""
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
