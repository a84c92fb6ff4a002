"""How commands speak: documents and tables on stdout, progress and complaints on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agentlab.trace.formatting import visible

__all__ = ["PATH", "print_json", "print_table", "print_text", "progress_bar", "say"]

PATH = click.Path(path_type=Path)


def say(text: str) -> None:
    """One sentence for the person, on stderr, with hidden characters made visible."""
    print(visible(text), file=sys.stderr)


def print_text(text: str) -> None:
    """Text on stdout, as it is but for hidden characters."""
    print(visible(text))


def print_json(document: BaseModel | str) -> None:
    """One JSON document on stdout and nothing else."""
    text = document if isinstance(document, str) else document.model_dump_json(indent=2)
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def print_table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """A table on stdout; cells are taken literally, as wide as a terminal allows and 120 columns elsewhere."""
    table = Table(title=Text(visible(title)), title_justify="left")
    for name in head:
        table.add_column(Text(name), overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else 120, highlight=False).print(table)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr that is told (done, planned); silent where stderr is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, planned: bar.update(task, completed=done, total=planned)
