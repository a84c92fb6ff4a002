"""`agentlab study`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote

import click

from agentlab.cli.console import PATH, example, print_json, print_table, print_text, progress_bar, say
from agentlab.cli.grouped import Formally, condition_options, formal_options, server_options
from agentlab.cli.words import CONDITION, POLICIES, SCRIPTS
from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import Condition
from agentlab.experiments.document import document
from agentlab.experiments.formal import Formal, evaluate
from agentlab.experiments.junit import junit_xml
from agentlab.experiments.results import StudyResult, rate_text
from agentlab.experiments.saving import results_folder
from agentlab.experiments.study import Study, run_study
from agentlab.providers.server import ServerOptions
from agentlab.trace.formatting import shorten

__all__ = ["study_command"]

_PROVIDERS = (
    "simulated, scripted:FILE, cassette:FILE, openai:MODEL, anthropic:MODEL, deepseek:MODEL, ollama:MODEL or "
    "http://host:port/v1#MODEL."
)
_REASONS = 5
_EXAMPLE = example(
    "agentlab study mcp-mentions --loop react-v1,react-v2 --attempts 10 --seed 1 --out runs/first",
    "agentlab study mcp-mentions --loop react-v2 --attempts 10 --require 8 --junit verdicts.xml",
)


@click.command("study", epilog="\n\n".join((POLICIES, SCRIPTS, CONDITION, _EXAMPLE)))
@click.argument("case")
@condition_options
@click.option("--attempts", default=10, show_default=True, help="Attempts per condition.")
@click.option("--provider", default="simulated", show_default=True, help=_PROVIDERS)
@click.option("--seed", default=0, show_default=True, help="Seed of everything that is drawn at random.")
@click.option("--out", type=PATH, help="Folder of the run; must be new. [default: runs/CASE-N]")
@click.option("--workers", type=click.IntRange(1, 64), help="Attempts under way at once.")
@click.option("--resume", is_flag=True, help="Go on with the run in --out: only attempts that do not count yet run.")
@click.option("--record", type=PATH, help="Write every reply to this new cassette; repeat with cassette:FILE.")
@server_options
@formal_options
@click.option("--json", "as_json", is_flag=True, help="Print the document agentlab.study/1 and nothing else.")
@click.pass_context
def study_command(
    context: click.Context,
    case: str,
    conditions: list[Condition],
    attempts: int,
    provider: str,
    seed: int,
    out: Path | None,
    workers: int | None,
    resume: bool,
    record: Path | None,
    server: ServerOptions,
    formally: Formally,
    as_json: bool,
) -> None:
    """Run N attempts of a CASE under each condition, and count what became of them.

    CASE is the name of a case (see `agentlab cases`) or its folder. Exits with 1 where no attempt counts, because the
    provider failed in all, and where fewer succeed than --require asks for.
    """
    found = load_case(case)
    study = Study(case=found, conditions=conditions, attempts=attempts, provider=provider, seed=seed, server=server)
    requirement = formally.requirement(found.file.bounds, attempts)
    with progress_bar("attempts") as progress, _folder(out, study.case.name) as folder:
        result = run_study(study, out=folder, workers=workers, progress=progress, record=record, resume=resume)
    formal = evaluate(result, requirement) if requirement is not None else []
    _tell(result, formal, as_json=as_json, junit=formally.junit)
    if not any(each.n for each in result.conditions) or not all(each.passed for each in formal):
        context.exit(1)


def _tell(result: StudyResult, formal: Sequence[Formal], *, as_json: bool, junit: Path | None) -> None:
    if as_json:
        print_json(document(result, formal))
    else:
        _print(result)
        _print_formal(formal)
    if junit is not None:
        junit.write_text(junit_xml(result, formal), encoding="utf-8")
    _warn_of_infrastructure(result)


@contextmanager
def _folder(out: Path | None, case: str) -> Iterator[Path]:
    """The run's folder: the one wanted, or a new one that no other process has; gone where nothing has run."""
    if out is not None:
        yield out
        return
    found = Path(os.path.relpath(results_folder(None, case)))
    try:
        yield found
    finally:
        for folder in (found, found.parent):
            with suppress(OSError):  # it holds something
                folder.rmdir()


def _print(result: StudyResult) -> None:
    used = result.occurring
    outcomes = (name.replace("_", " ") for name in used)
    head = ["condition", "n", *outcomes, "success", "forged answer", "forged a result", "really called the tool"]
    rows = [
        [
            c.name,
            str(c.n),
            *(str(c.outcomes[name]) for name in used),
            rate_text(c.success),
            rate_text(c.forged),
            f"{c.forged_attempts}/{c.attempts}",
            f"{c.executed_attempts}/{c.attempts}",
        ]
        for c in result.conditions
    ]
    print_table(f"{result.case}: {result.store.manifest.provider}, seed {result.store.manifest.seed}", head, rows)
    folder = quote(str(result.store.folder))
    shown = next(result.select(outcome="wrong_forged"), result.attempts[0])
    print_text(f"Traces: {result.store.folder}")
    print_text(f"One attempt: agentlab show {folder} --attempt {shown.attempt}")


def _print_formal(formal: Sequence[Formal]) -> None:
    """The verdict of each condition, why its attempts do not count, and what it would take to see a difference."""
    for each in formal:
        print_text(each.sentence)
        for why, count in Counter(verdict.why for verdict in each.verdicts if verdict.why).most_common(_REASONS):
            print_text(f"  {count} of {len(each.verdicts)}: {why}")
        if each.needed is not None:
            points = f"{100 * each.requirement.difference:g}"
            print_text(f"  To see a difference of {points} points, {each.needed} attempts a condition are needed.")


def _warn_of_infrastructure(result: StudyResult) -> None:
    lost = list(result.select(outcome="infrastructure"))
    if lost:
        end = result.trace(lost[0].attempt).finished
        detail = shorten(end.detail, 300) if end else "its end was not recorded."
        say(f"agentlab: {len(lost)} of {len(result.attempts)} attempts do not count in n. The first: {detail}")
