"""`agentlab audit`: the findings of any traces, and a diagnosis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from agentlab.audit.outputs.document import TracePart, document, trace_part
from agentlab.audit.outputs.gathering import SeenSymptom, gather
from agentlab.audit.report import AuditReport, audit_trace
from agentlab.cli.console import PATH, example, one_line, print_json, print_table, print_text, say
from agentlab.cli.leaving import Leaving
from agentlab.cli.loading import Loading
from agentlab.cli.naming import short_paths
from agentlab.errors import UsageError
from agentlab.experiments.judge import Judge
from agentlab.providers.specs import open_provider
from agentlab.trace.formatting import counted

__all__ = ["audit_command"]


_LOUD = {"failure": {"failure"}, "warning": {"failure", "warning"}, "never": set[str]()}
_LISTED = 20
"""Skipped files that are named."""


@click.command(
    "audit",
    epilog=example("agentlab study mcp-mentions --attempts 3 --out runs/small", "agentlab audit runs/small --json"),
)
@click.argument("paths", nargs=-1, required=True)
@click.option("--format", "form", default="", help="What the files are; their first bytes decide by default.")
@click.option("--json", "as_json", is_flag=True, help="Print the document agentlab.audit/1 and nothing else.")
@click.option("--html", type=PATH, help="Write a page to read, to a new file.")
@click.option("--out", type=PATH, help="Leave the page, the document and a table of findings in a new folder.")
@click.option(
    "--judge",
    default="",
    metavar="PROVIDER",
    help="Let a model point out claims as well; what is held of them still comes from the record.",
)
@click.option(
    "--fail-on",
    type=click.Choice(list(_LOUD)),
    default="failure",
    show_default=True,
    help="Exit with 1 at findings of this severity.",
)
@click.pass_context
def audit_command(
    context: click.Context,
    paths: tuple[str, ...],
    form: str,
    as_json: bool,
    html: Path | None,
    out: Path | None,
    judge: str,
    fail_on: str,
) -> None:
    """Reconcile what the model claimed with what the harness executed.

    It ends with a diagnosis: each symptom with its likeliest root cause and what to check first.

    PATHS are trace files of any format, run folders, folders of them, patterns or urls; urls other than file:// need
    the packages of their store, such as s3fs. Exits with 1 where there are findings, and with 2 where a file,
    or a trace of it, cannot be read; a damaged record that could still be read is a trace-defect.
    """
    leaving = Leaving(html, out)
    loading = Loading(paths, form)
    reader = Judge(open_provider(judge, behaviour=None)) if judge else None
    parts = list(_parts(loading, leaving, reader))
    _tell(parts, loading, leaving, as_json=as_json)
    found = {finding.severity for part in parts for finding in part.findings}
    if not parts and not loading.unreadable:
        raise UsageError("There is no trace in what was named, so nothing was audited.")
    context.exit(2 if loading.unreadable else 1 if found & _LOUD[fail_on] else 0)


def _parts(loading: Loading, leaving: Leaving, judge: Judge | None) -> Iterator[TracePart]:
    """What is said of each trace; the trace itself is forgotten."""
    for trace in loading.traces():
        report = audit_trace(trace)
        if judge is not None:
            report = _judged(judge, report)
        part = trace_part(report)
        leaving.add(report, part)
        yield part


def _judged(judge: Judge, report: AuditReport) -> AuditReport:
    """The report with what a judge adds; says what came of it."""
    found = judge.judge(report)
    held = sum(not each.discarded for each in found.assessments)
    say(
        f"{report.trace.id[:16]}: the judge proposed {counted(len(found.assessments), 'claim')}, of which {held} stand "
        f"there; {counted(len(found.added), 'finding')} added"
        + (f"; {len(found.unread)} of its answers could not be read" if found.unread else "")
    )
    return found.report


def _tell(parts: Sequence[TracePart], loading: Loading, leaving: Leaving, *, as_json: bool) -> None:
    """Write the files first, because whoever reads stdout may leave before its end; tell what was found in any case."""
    told = document(parts, unreadable=loading.unreadable, skipped=loading.skipped)
    unwritten = None
    try:
        leaving.write(told, loading)
    except UsageError as error:
        unwritten = error
    if as_json:
        print_json(told)
    else:
        _print_findings(parts, loading)
    loading.complain(listed=as_json)
    if unwritten is not None:
        raise unwritten


def _print_findings(parts: Sequence[TracePart], loading: Loading) -> None:
    unreadable, skipped = loading.unreadable, loading.skipped
    names = short_paths({part.path for part in parts})
    rows = [[part.trace_id[:16], one_line(names[part.path]), *row] for part in parts for row in _rows(part)]
    found = sum(len(part.findings) for part in parts)
    title = f"{counted(found, 'finding')} in {counted(len(parts), 'trace')}" + (
        f"; {len(unreadable)} unreadable" if unreadable else ""
    )
    print_table(title, ["attempt", "file", "severity", "rule", "event", "finding"], rows)
    unknown = sum(part.evidence.executions == "not_recorded" for part in parts)
    if unknown:
        among = f"In {unknown} of {counted(len(parts), 'trace')}"
        print_text(f"{among} executions are not recorded: what ran there, nobody can tell.")
    if skipped:
        more = [f"and {len(skipped) - _LISTED} more, which --json lists"] if len(skipped) > _LISTED else []
        print_text(
            "\n  ".join(
                [f"Skipped, because no format claims them: {len(skipped)}", *map(one_line, skipped[:_LISTED]), *more]
            )
        )
    _print_diagnosis(gather(parts), len(parts), names)


def _print_diagnosis(seen: Sequence[SeenSymptom], traces: int, names: Mapping[str, str]) -> None:
    if seen:
        print_text("\nDiagnosis, in the order in which to look: context, loop, tool calls, model")
    for number, each in enumerate(seen, start=1):
        found = each.part.findings[each.finding]
        place = f"{each.part.trace_id[:16]} {found.where[0].event}, {names[each.part.path]}"
        lines = [
            f"{number}. {each.layer.replace('_', ' ')}: {each.symptom}, in {each.traces} of {counted(traces, 'trace')}",
            f"Likeliest root cause: {each.cause}",
            f"Check first: {each.check}",
            f"Example: {one_line(f'{place}: {found.message}')}",
            *(f"The context feeds it, in {counted(n, 'trace')}: {one_line(detail)}" for detail, n in each.context),
        ]
        print_text("\n   ".join(lines))


def _rows(part: TracePart) -> Iterator[tuple[str, str, str, str]]:
    """Severity, rule, event and message of the findings of one trace; equal ones make one row with their number."""
    rows = Counter((f.severity, f.rule, f.where[0].event, f.message) for f in part.findings)
    for (severity, rule, event, message), number in rows.items():
        yield severity, rule, event, message if number == 1 else f"{message} ({number} times)"
