"""`agentlab audit` and `agentlab show`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from agentlab.audit.account import account
from agentlab.audit.document import document
from agentlab.audit.report import AuditReport, audit_trace
from agentlab.cli.console import PATH, print_json, print_table, print_text, progress_bar, say
from agentlab.errors import LoadError, UsageError
from agentlab.trace.formatting import shorten
from agentlab.trace.locate import Located, locate
from agentlab.trace.model import Trace
from agentlab.trace.store import read_journal
from agentlab.views.style import picture
from agentlab.views.timeline import timeline, timeline_text

__all__ = ["audit_command", "show_command"]


_LOUD = {"failure": {"failure"}, "warning": {"failure", "warning"}, "never": set[str]()}


@click.command("audit")
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

    Example: agentlab audit runs/run_0123 --json
    """
    located = locate(paths)
    reports, unreadable = _audit_all(located)
    if as_json:
        print_json(document(reports, unreadable=unreadable, skipped=[str(path) for path in located.skipped]))
    else:
        _print_findings(reports, located.skipped)
    for path, reason in unreadable:
        say(f"agentlab: {path}: {reason}")
    found = {finding.severity for report in reports for finding in report.findings}
    context.exit(2 if unreadable else 1 if found & _LOUD[fail_on] else 0)


@click.command("show")
@click.argument("path", type=PATH)
@click.option("--attempt", default="", help="Id of the attempt, or its beginning; needed where there are several.")
@click.option("--context", type=int, help="Print the exact context of this step instead.")
@click.option("--png", type=PATH, help="Write the timeline as a picture.")
def show_command(path: Path, attempt: str, context: int | None, png: Path | None) -> None:
    """Show one attempt: its timeline, and the questions one asks after a wrong answer.

    PATH is a journal or a run folder.

    Example: agentlab show runs/run_0123 --attempt attempt_4f --png timeline.png
    """
    trace = _one(locate([path]), path, attempt)
    if context is not None:
        print_text(_context(trace, context))
        return
    report = audit_trace(trace)
    if png is not None:
        png.write_bytes(picture(timeline(report)))
        say(f"Wrote {png}.")
        return
    print_text(timeline_text(report))
    print_text("")
    print_text(str(account(report)))


def _audit_all(located: Located) -> tuple[list[AuditReport], list[tuple[str, str]]]:
    reports: list[AuditReport] = []
    unreadable: list[tuple[str, str]] = []
    with progress_bar("traces") as progress:
        for number, path in enumerate(located.journals, 1):
            try:
                reports.append(audit_trace(read_journal(path)))
            except LoadError as error:
                unreadable.append((error.path, error.problem))
            progress(number, len(located.journals))
    return reports, unreadable


def _print_findings(reports: Sequence[AuditReport], skipped: Sequence[Path]) -> None:
    rows = [
        [report.trace.id[:16], finding.severity, finding.rule, finding.where[0].event, finding.message]
        for report in reports
        for finding in report.findings
    ]
    print_table(
        f"{len(rows)} findings in {len(reports)} traces", ["attempt", "severity", "rule", "event", "finding"], rows
    )
    if skipped:
        print_text(
            f"Skipped, because no format claims them: {len(skipped)} ({shorten(', '.join(map(str, skipped)), 200)})"
        )


def _one(located: Located, path: Path, attempt: str) -> Trace:
    fitting = [journal for journal in located.journals if journal.stem.startswith(attempt)]
    if len(fitting) == 1:
        return read_journal(fitting[0])
    names = ", ".join(journal.stem for journal in (fitting or located.journals)[:5])
    what = "No attempt" if not fitting else f"{len(fitting)} attempts"
    raise UsageError(
        f"{what} of {str(path)!r} begin with {attempt!r}. Name one with --attempt, e.g. {names or 'none is there'}."
    )


def _context(trace: Trace, step: int) -> str:
    requests = [event for event in trace.events if event.type == "request" and event.step == step]
    if not requests:
        raise UsageError(f"There is no request in step {step}; the last step is {max(e.step or 0 for e in trace)}.")
    return "\n\n".join(
        f"--- {m.role} · written by {m.author} · {m.trust} · from {m.origin or 'the setup'}\n{m.text}"
        for m in trace.contexts[requests[-1].id]
    )
