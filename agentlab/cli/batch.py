"""`agentlab run`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from agentlab.cli.console import PATH, example, print_table, print_text, say
from agentlab.cli.words import POLICIES, SCRIPTS
from agentlab.experiments.batch import run_notebook
from agentlab.experiments.document import ConditionPart, ResultsDocument
from agentlab.trace.formatting import shorten
from agentlab.trace.store import RunStore

__all__ = ["run_command"]


_EXAMPLE = example("agentlab run 01_contamination -p attempts 20 -p loops react-v1,react-v2")


@click.command("run", epilog="\n\n".join((POLICIES, SCRIPTS, _EXAMPLE)))
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
    left behind, beside what the notebook itself writes. Exits with 1 where a cell failed (the partial notebook is
    kept), or where the notebook's studies hold no attempt that counts, because the provider failed in all; with 2 where
    what it was given was refused, such as a file that is not there.
    """
    result = run_notebook(notebook, dict(parameter), out=out, timeout=timeout, progress=sys.stderr.isatty())
    if result.failed is None and result.results is not None:
        _print_results(result.results)
    print_text(f"Notebook: {result.notebook}")
    print_text(f"Report:   {result.report}")
    if result.failed is not None:
        say(f"agentlab: {result.failed}")
        context.exit(2 if result.failed.misuse else 1)
    if result.results is not None and not _any_counts(result.results, result.folder):
        context.exit(1)


def _any_counts(results: ResultsDocument, folder: Path) -> bool:
    """Whether any attempt counts, or there is none; says how many do not."""
    conditions = [condition for study in results.studies for condition in study.conditions]
    attempts, lost = sum(c.attempts for c in conditions), sum(c.outcomes["infrastructure"] for c in conditions)
    if lost:
        say(f"agentlab: {lost} of {attempts} attempts do not count in n. {_first_problem(folder)}")
    return lost < attempts or not attempts


def _first_problem(folder: Path) -> str:
    """What the first attempt that says so ended of, in the runs that lie in the folder of the notebook."""
    for manifest in sorted(folder.glob("*/manifest.json")):
        for trace in RunStore.open(manifest.parent).traces():
            if trace.finished and trace.finished.reason == "provider_error":
                return f"The first: {shorten(trace.finished.detail, 300)}"
    return "Their traces say how they ended."


def _print_results(results: ResultsDocument) -> None:
    for study in results.studies:
        head = ["condition", "n", "success", "forged answer", "really called the tool"]
        print_table(study.title, head, [_row(condition) for condition in study.conditions])


def _row(condition: ConditionPart) -> list[str]:
    rates = (condition.success, condition.forged)
    called = f"{condition.executed_attempts}/{condition.attempts}"
    return [condition.name, str(condition.success.n), *(f"{rate.count} of {rate.n}" for rate in rates), called]
