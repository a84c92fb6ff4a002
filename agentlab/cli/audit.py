"""`agentlab audit` and `agentlab show`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from agentlab.audit.account import account
from agentlab.audit.document import document
from agentlab.audit.report import AuditReport, audit_trace
from agentlab.cli.console import PATH, example, print_json, print_table, print_text, progress_bar, say
from agentlab.errors import LoadError, UsageError
from agentlab.trace.context import Context
from agentlab.trace.formatting import shorten
from agentlab.trace.locate import Located, locate
from agentlab.trace.model import Trace
from agentlab.trace.store import read_journal
from agentlab.views.style import picture
from agentlab.views.timeline import timeline, timeline_text

__all__ = ["audit_command", "show_command"]


_LOUD = {"failure": {"failure"}, "warning": {"failure", "warning"}, "never": set[str]()}
_MANY = 3
"""More complaints of one kind about one folder make one line."""


@click.command(
    "audit",
    epilog=example("agentlab study mcp-mentions --attempts 3 --out runs/small", "agentlab audit runs/small --json"),
)
@click.argument("paths", type=PATH, nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the document agentlab.audit/1 and nothing else.")
@click.option(
    "--fail-on",
    type=click.Choice(list(_LOUD)),
    default="failure",
    show_default=True,
    help="Exit with 1 at findings of this severity.",
)
@click.pass_context
def audit_command(context: click.Context, paths: tuple[Path, ...], as_json: bool, fail_on: str) -> None:
    """Reconcile what the model claimed with what the harness executed.

    PATHS are journals, run folders, or folders of them. Exits with 1 where there are findings, and with 2 where a
    file cannot be read.
    """
    located = locate(paths)
    skipped = [*map(str, located.skipped)]
    unreadable = [(str(path), reason) for path, reason in located.unreadable]
    reports = _audit_all(located.journals, unreadable)
    if as_json:
        print_json(document(reports, unreadable=unreadable, skipped=skipped))
    else:
        _print_findings(reports, skipped, len(unreadable))
    for line in _complaints(unreadable):
        say(f"agentlab: {line}")
    found = {finding.severity for report in reports for finding in report.findings}
    context.exit(2 if unreadable else 1 if found & _LOUD[fail_on] else 0)


@click.command(
    "show",
    epilog=example(
        "agentlab study mcp-mentions --loop react-v1 --attempts 1 --out runs/one",
        "agentlab show runs/one",
        "agentlab show runs/one --context 1",
        "agentlab show runs/one --png one.png",
    ),
)
@click.argument("path", type=PATH)
@click.option("--attempt", default="", help="Id of the attempt, or its beginning; needed where there are several.")
@click.option("--context", type=int, help="Print the exact context of this step instead.")
@click.option("--png", type=PATH, help="Write the timeline as a picture.")
def show_command(path: Path, attempt: str, context: int | None, png: Path | None) -> None:
    """Show one attempt: its timeline and what it rests on, or one exact context.

    PATH is a journal or a run folder.
    """
    if context is not None and png is not None:
        raise UsageError("--context prints text and --png writes a picture of the timeline; give one of them.")
    trace = _one(locate([path]), path, attempt)
    if context is not None:
        print_text(_context(trace, context))
        return
    report = audit_trace(trace)
    if png is not None:
        png.write_bytes(picture(timeline(report)))
        say(f"Wrote {png}.")
        return
    if trace.defect:
        print_text(f"The record is not whole: {trace.defect}.")
    print_text(timeline_text(report))
    print_text("")
    print_text(str(account(report)))


def _audit_all(journals: Sequence[Path], unreadable: list[tuple[str, str]]) -> list[AuditReport]:
    """The reports; what cannot be read joins the unreadable."""
    reports: list[AuditReport] = []
    with progress_bar("traces") as progress:
        for number, path in enumerate(journals, 1):
            try:
                reports.append(audit_trace(read_journal(path)))
            except LoadError as error:
                unreadable.append((error.path, error.problem))
            progress(number, len(journals))
    return reports


def _complaints(unreadable: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A line for each path that cannot be read; one line for many in one folder with the same reason."""
    groups: dict[tuple[Path, str], list[str]] = {}
    for path, reason in unreadable:
        groups.setdefault((Path(path).parent, reason), []).append(path)
    for (folder, reason), paths in groups.items():
        if len(paths) > _MANY:
            yield f"{folder}: {len(paths)} files, {Path(paths[0]).name} to {Path(paths[-1]).name}, of each: {reason}"
        else:
            yield from (f"{path}: {reason}" for path in paths)


def _print_findings(reports: Sequence[AuditReport], skipped: Sequence[str], unreadable: int) -> None:
    rows = [[report.trace.id[:16], *row] for report in reports for row in _rows(report)]
    found = sum(len(report.findings) for report in reports)
    title = f"{found} findings in {len(reports)} traces" + (f"; {unreadable} unreadable" if unreadable else "")
    print_table(title, ["attempt", "severity", "rule", "event", "finding"], rows)
    if skipped:
        print_text(f"Skipped, because no format claims them: {len(skipped)} ({shorten(', '.join(skipped), 200)})")


def _rows(report: AuditReport) -> Iterator[tuple[str, str, str, str]]:
    """Severity, rule, event and message of the findings of one trace; equal ones make one row with their number."""
    rows = Counter((f.severity, f.rule, f.where[0].event, f.message) for f in report.findings)
    for (severity, rule, event, message), number in rows.items():
        yield severity, rule, event, message if number == 1 else f"{message} ({number} times)"


def _one(located: Located, path: Path, attempt: str) -> Trace:
    fitting = [journal for journal in located.journals if journal.stem.startswith(attempt)]
    if len(fitting) == 1:
        return read_journal(fitting[0])
    for lost, reason in located.unreadable:
        if not fitting and lost.stem.startswith(attempt):
            raise LoadError(lost, reason)
    names = ", ".join(journal.stem for journal in (fitting or located.journals)[:3])
    held = f"{str(path)!r} holds {len(located.journals)} attempts"
    which = f", {len(fitting) or 'none'} of which begin with {attempt!r}" if attempt else ""
    raise UsageError(f"{held}{which}. Name one with --attempt{f', e.g. {names}' if names else ''}.")


def _context(trace: Trace, step: int) -> str:
    requests = [event for event in trace.events if event.type == "request" and event.step == step]
    if not requests:
        raise UsageError(f"There is no request in step {step}; the last step is {max(e.step or 0 for e in trace)}.")
    return str(Context(messages=trace.contexts[requests[-1].id]))
