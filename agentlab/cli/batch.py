"""`agentlab run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from agentlab.cli.console import PATH, print_table, print_text, say
from agentlab.experiments.batch import BatchResult, run_notebook

__all__ = ["run_command"]


@click.command("run")
@click.argument("notebook")
@click.option(
    "--parameter", "-p", type=(str, str), multiple=True, metavar="NAME VALUE", help="A parameter; may be repeated."
)
@click.option("--out", type=PATH, help="Folder for all that is left behind; must be new.")
@click.option("--timeout", default=1800, show_default=True, help="Seconds a single cell may take.")
@click.pass_context
def run_command(
    context: click.Context, notebook: str, parameter: tuple[tuple[str, str], ...], out: Path | None, timeout: int
) -> None:
    """Run a NOTEBOOK as a batch job: executed notebook, HTML report, tables, traces.

    NOTEBOOK is a path, or the name of one that comes with agentlab. Exits with 1 where a cell failed; the partial
    notebook is kept.

    Example: agentlab run notebooks/01_contamination.ipynb -p attempts 20 -p seed 7
    """
    result = run_notebook(notebook, dict(parameter), out=out, timeout=timeout, progress=sys.stderr.isatty())
    if result.failed is None:
        _print_results(result)
    print_text(f"Notebook: {result.notebook}")
    print_text(f"Report:   {result.report}")
    if result.failed is not None:
        say(f"agentlab: {result.failed}")
        context.exit(1)


def _print_results(result: BatchResult) -> None:
    for study in (result.results or {}).get("studies", ()):
        print_table(
            study["title"], ["condition", "n", "success", "forged answer"], [_row(c) for c in study["conditions"]]
        )


def _row(condition: dict[str, Any]) -> list[str]:
    return [
        condition["name"],
        str(condition["success"]["n"]),
        f"{condition['success']['count']} of {condition['success']['n']}",
        f"{condition['forged']['count']} of {condition['forged']['n']}",
    ]
