"""How commands speak: documents and tables on stdout, progress and complaints on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agentlab.errors import UsageError
from agentlab.trace.formatting import visible

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "PATH",
    "check_new",
    "example",
    "json_text",
    "one_line",
    "print_json",
    "print_table",
    "print_text",
    "progress_bar",
    "say",
]

PATH = click.Path(path_type=Path)

_WIDTH = 120
"""Columns of a table where stdout is no terminal."""


def example(*commands: str) -> str:
    """The end of a command's help: lines that can be typed as they stand."""
    return "\n".join(("\b", "Example:", *(f"  {command}" for command in commands)))


def check_new(path: Path, option: str) -> None:
    """See that a file can be written anew before anything is read for it.

    Args:
        path: of the file.
        option: that names it.

    Raises:
        UsageError: if it is `-`, exists, or would lie in a folder that does not.
    """
    if str(path) == "-":
        raise UsageError(f"{option} writes a file, and '-' names none; name a new file.")
    if path.exists():
        raise UsageError(f"{str(path)!r} exists, and {option} writes over nothing; name a new file.")
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}; make it first.")


def one_line(text: str) -> str:
    """The text with all hidden characters made visible, line ends too: a file's name can forge no line."""
    return visible(text).replace("\n", "\\u{a}").replace("\t", "\\u{9}")


def say(text: str) -> None:
    """One sentence for the person, on one line of stderr, with hidden characters made visible."""
    print(one_line(text), file=sys.stderr)


def print_text(text: str) -> None:
    """Text on stdout, as it is but for hidden characters."""
    print(visible(text), flush=True)


def json_text(document: BaseModel | str) -> str:
    """A document as indented JSON with a newline at its end.

    What a terminal would obey or turn round, and what nobody can see, is escaped as JSON does it.
    """
    text = document if isinstance(document, str) else document.model_dump_json(indent=2)
    return text.translate(_ESCAPES) + "\n"


def print_json(document: BaseModel | str) -> None:
    """One JSON document on stdout and nothing else, in UTF-8 whatever the terminal's encoding is.

    See `json_text`.
    """
    sys.stdout.buffer.write(json_text(document).encode())
    sys.stdout.buffer.flush()


class _Escapes(dict[int, int | str]):
    """What becomes of each character of a JSON document, by its code point."""

    def __missing__(self, code: int) -> int | str:
        char = chr(code)
        self[code] = code if char == "\n" or visible(char) == char else json.dumps(char)[1:-1]
        return self[code]


_ESCAPES = _Escapes()


def print_table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """A title and a table on stdout; cells are taken literally, as wide as a terminal allows and 120 columns elsewhere.

    Where words would have to be broken, each row is a list of lines instead. Without rows there is the title alone.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    title, head, rows = visible(title), [*map(visible, head)], [[*map(visible, row)] for row in rows]
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)
    widths = _widths([*zip(head, *rows, strict=True)], console.width - 3 * len(head) - 1)
    if not rows or widths is None:
        print_text("\n".join([title, *(_lines(head, row) for row in rows)]))
        return
    table = Table(title=Text(title), title_justify="left")
    for name, width in zip(head, widths, strict=True):
        table.add_column(Text(name), overflow="fold", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _widths(columns: list[tuple[str, ...]], room: int) -> list[int] | None:
    """The width of each column, so that no word is broken and as few lines as possible; None where there is no room.

    Room goes to the cells first and to the heads, which are the first of each column, with what is left.
    """
    from rich.cells import cell_len

    widths = [max([1, *(cell_len(word) for cell in cells for word in cell.split())]) for cells in columns]
    if sum(widths) > room:
        return None
    for first in (1, 0):
        wanted = [
            max((cell_len(line) for cell in cells[first:] for line in cell.splitlines()), default=0)
            for cells in columns
        ]
        _widen(widths, wanted, room)
    return widths


def _widen(widths: list[int], wanted: list[int], room: int) -> None:
    """Give the columns what they want as far as there is room, always to the one that lacks most."""
    for _ in range(room - sum(widths)):
        tightest = max(range(len(widths)), key=lambda column: wanted[column] / widths[column])
        if wanted[tightest] <= widths[tightest]:
            break
        widths[tightest] += 1


def _lines(head: list[str], row: list[str]) -> str:
    pairs = (f"{name}: {cell}" for name, cell in zip(head, row, strict=True))
    return "\n  ".join(pairs)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A bar on stderr that is told (done, planned or None); silent where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, planned: bar.update(task, completed=done, total=planned)
