"""`agentlab study`."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from agentlab.cli.console import PATH, example, print_json, print_table, print_text, progress_bar, say
from agentlab.errors import UsageError
from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import condition_of, load_condition
from agentlab.experiments.document import document
from agentlab.experiments.results import StudyResult, rate_text
from agentlab.experiments.study import Study, run_study
from agentlab.trace.formatting import shorten

__all__ = ["study_command"]

_DEFAULT_LOOPS = "react-v1,react-v2"
_LOOPS = f"History policies, separated by commas; one condition each. [default: {_DEFAULT_LOOPS}, without --condition]"
_PROVIDERS = "simulated, scripted:FILE, openai:MODEL, ollama:MODEL, http://host:port/v1#MODEL, ..."
_EXAMPLE = example("agentlab study mcp-mentions --loop react-v1,react-v2 --attempts 10 --seed 1 --out runs/first")


@click.command("study", epilog=_EXAMPLE)
@click.argument("case")
@click.option("--loop", default="", help=_LOOPS)
@click.option("--condition", type=PATH, multiple=True, help="A TOML file describing a condition; may be repeated.")
@click.option("--attempts", default=10, show_default=True, help="Attempts per condition.")
@click.option("--provider", default="simulated", show_default=True, help=_PROVIDERS)
@click.option("--seed", default=0, show_default=True, help="Seed of everything that is drawn at random.")
@click.option("--language", type=click.Choice(["en", "zh"]), default="en", help="For conditions made by --loop.")
@click.option("--temperature", type=float, help="Sampling temperature, for conditions made by --loop.")
@click.option("--out", type=PATH, help="Folder of the run; must be new. [default: runs/RUN-ID]")
@click.option("--workers", type=click.IntRange(1, 64), help="Attempts under way at once.")
@click.option("--json", "as_json", is_flag=True, help="Print the document agentlab.study/1 and nothing else.")
def study_command(
    case: str,
    loop: str,
    condition: tuple[Path, ...],
    attempts: int,
    provider: str,
    seed: int,
    language: str,
    temperature: float | None,
    out: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Run N attempts of a CASE under each condition, and count what became of them.

    CASE is the name of a case (see `agentlab cases`) or its folder.
    """
    conditions = [load_condition(path) for path in condition]
    for name in _names(loop or ("" if conditions else _DEFAULT_LOOPS)):
        values = {"name": name, "loop": name, "language": language, "temperature": temperature}
        conditions.append(condition_of(values))
    study = Study(case=load_case(case), conditions=conditions, attempts=attempts, provider=provider, seed=seed)
    with progress_bar("attempts") as progress:
        result = run_study(study, out=out, workers=workers, progress=progress)
    if as_json:
        print_json(document(result))
    else:
        _print(result)
    _warn_of_infrastructure(result)


def _names(loops: str) -> list[str]:
    names = [name.strip() for name in loops.split(",") if name.strip()]
    if loops and not names:
        raise UsageError(f"--loop takes names of history policies, separated by commas; it was {loops!r}.")
    return names


def _print(result: StudyResult) -> None:
    used = [name for name in result.conditions[0].outcomes if any(c.outcomes[name] for c in result.conditions)]
    head = ["condition", "n", *(name.replace("_", " ") for name in used), "success", "forged answer", "forged a result"]
    rows = [
        [
            c.name,
            str(c.n),
            *(str(c.outcomes[name]) for name in used),
            rate_text(c.success),
            rate_text(c.forged),
            f"{c.forged_attempts}/{c.attempts}",
        ]
        for c in result.conditions
    ]
    print_table(f"{result.case}: {result.store.manifest.provider}, seed {result.store.manifest.seed}", head, rows)
    folder = quote(str(result.store.folder))
    shown = next(result.select(outcome="wrong_forged"), result.attempts[0])
    print_text(f"Traces: {result.store.folder}")
    print_text(f"One attempt: agentlab show {folder} --attempt {shown.attempt}")


def _warn_of_infrastructure(result: StudyResult) -> None:
    lost = list(result.select(outcome="infrastructure"))
    if lost:
        end = result.trace(lost[0].attempt).finished
        detail = shorten(end.detail, 300) if end else "its end was not recorded."
        say(f"agentlab: {len(lost)} of {len(result.attempts)} attempts do not count in n. The first: {detail}")
