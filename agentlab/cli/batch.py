"""`agentlab run`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from agentlab.cli.console import PATH, example, print_table, print_text, say
from agentlab.experiments.batch import run_notebook
from agentlab.experiments.document import ConditionPart, ResultsDocument

__all__ = ["run_command"]


@click.command("run", epilog=example("agentlab run 01_contamination -p attempts 20 -p loops react-v1,react-v2"))
@click.argument("notebook")
@click.option(
    "--parameter", "-p", type=(str, str), multiple=True, metavar="NAME VALUE", help="A parameter; may be repeated."
)
@click.option("--out", type=PATH, help="Folder for all that is left behind; must be new. [default: runs/NOTEBOOK-N]")
@click.option("--timeout", default=1800, show_default=True, help="Seconds a single cell may take.")
@click.pass_context
def run_command(
    context: click.Context, notebook: str, parameter: tuple[tuple[str, str], ...], out: Path | None, timeout: int
) -> None:
    """Run a NOTEBOOK as a batch job.

    NOTEBOOK is a path, or the name of one that comes with agentlab. The executed notebook and an HTML report of it are
    left behind, beside what the notebook itself writes. Exits with 1 where a cell failed; the partial notebook is kept.
    """
    result = run_notebook(notebook, dict(parameter), out=out, timeout=timeout, progress=sys.stderr.isatty())
    if result.failed is None and result.results is not None:
        _print_results(result.results)
    print_text(f"Notebook: {result.notebook}")
    print_text(f"Report:   {result.report}")
    if result.failed is not None:
        say(f"agentlab: {result.failed}")
        context.exit(1)


def _print_results(results: ResultsDocument) -> None:
    for study in results.studies:
        head = ["condition", "n", "success", "forged answer"]
        print_table(study.title, head, [_row(condition) for condition in study.conditions])


def _row(condition: ConditionPart) -> list[str]:
    rates = (condition.success, condition.forged)
    return [condition.name, str(condition.success.n), *(f"{rate.count} of {rate.n}" for rate in rates)]
