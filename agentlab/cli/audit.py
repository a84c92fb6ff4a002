"""`agentlab audit` and `agentlab show`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from agentlab.audit.account import account
from agentlab.audit.diagnosis.context import context_checks
from agentlab.audit.document import TracePart, document, trace_part
from agentlab.audit.gathering import SeenSymptom, gather
from agentlab.audit.report import audit_trace
from agentlab.cli.choosing import choose
from agentlab.cli.console import PATH, check_new, example, one_line, print_json, print_table, print_text, say
from agentlab.cli.loading import Loading
from agentlab.cli.naming import short_paths
from agentlab.errors import UsageError
from agentlab.trace.context import Context
from agentlab.trace.events import Request
from agentlab.trace.formatting import counted
from agentlab.trace.model import Trace
from agentlab.views.page.page import AuditPage
from agentlab.views.style import picture
from agentlab.views.timeline import timeline, timeline_text

__all__ = ["audit_command", "show_command"]


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
@click.option(
    "--fail-on",
    type=click.Choice(list(_LOUD)),
    default="failure",
    show_default=True,
    help="Exit with 1 at findings of this severity.",
)
@click.pass_context
def audit_command(
    context: click.Context, paths: tuple[str, ...], form: str, as_json: bool, html: Path | None, fail_on: str
) -> None:
    """Reconcile what the model claimed with what the harness executed.

    It ends with a diagnosis: each symptom with its likeliest root cause and what to check first.

    PATHS are trace files of any format, run folders, folders of them, patterns or urls; urls other than file:// need
    the packages of their store, such as s3fs. Exits with 1 where there are findings, and with 2 where a file,
    or a trace of it, cannot be read; a damaged record that could still be read is a trace-defect.
    """
    if html is not None:
        check_new(html, "--html")
    loading = Loading(paths, form)
    page = None if html is None else AuditPage()
    parts = list(_parts(loading, page))
    if html is not None and page is not None:  # first, because whoever reads stdout may leave before its end
        _write_new(html, page.html(unreadable=loading.unreadable, skipped=loading.skipped))
        say(f"Wrote {html}.")
    if as_json:
        print_json(document(parts, unreadable=loading.unreadable, skipped=loading.skipped))
    else:
        _print_findings(parts, loading)
    loading.complain(listed=as_json)
    found = {finding.severity for part in parts for finding in part.findings}
    context.exit(2 if loading.unreadable else 1 if found & _LOUD[fail_on] else 0)


@click.command(
    "show",
    epilog=example(
        "agentlab study mcp-mentions --loop react-v1 --attempts 1 --out runs/one",
        "agentlab show runs/one",
        "agentlab show runs/one --context 1",
        "agentlab show runs/one --png one.png",
    ),
)
@click.argument("path")
@click.option(
    "--attempt", default="", help="Where there are several: a number in the list, an id or its beginning, a source."
)
@click.option("--context", type=int, help="Print the exact context of this step instead, and what can be asked of it.")
@click.option("--png", type=PATH, help="Write the timeline as a picture, to a new file.")
@click.option("--format", "form", default="", help="What the file is; its first bytes decide by default.")
def show_command(path: str, attempt: str, context: int | None, png: Path | None, form: str) -> None:
    """Show one attempt: its timeline and what it rests on, or one exact context.

    PATH is a trace file of any format, a run folder or a url. Where it holds several attempts and none is named, they
    are listed.
    """
    if context is not None and png is not None:
        raise UsageError("--context prints text and --png writes a picture of the timeline; give one of them.")
    if png is not None:
        check_new(png, "--png")
    trace = choose(path, attempt, form)
    if context is not None:
        print_text(_context(trace, context))
        return
    report = audit_trace(trace)
    if png is not None:
        png.write_bytes(picture(timeline(report)))
        say(f"Wrote {png}.")
        return
    if trace.defect:
        print_text(one_line(f"The record is not whole: {trace.defect}."))
    print_text(timeline_text(report))
    print_text("")
    print_text(str(account(report)))


def _parts(loading: Loading, page: AuditPage | None) -> Iterator[TracePart]:
    """What is said of each trace; the trace itself is forgotten."""
    for trace in loading.traces():
        report = audit_trace(trace)
        part = trace_part(report)
        if page is not None:
            page.add(report, part)
        yield part


def _write_new(path: Path, text: str) -> None:
    """Write a file that was not there."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}; name a new file.") from error


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


def _context(trace: Trace, step: int) -> str:
    requests = [event for event in trace.of(Request) if event.step == step]
    if not requests:
        raise UsageError(f"There is no request in step {step}; the last step is {max(e.step or 0 for e in trace)}.")
    request = requests[-1]
    shown = str(Context(messages=trace.contexts[request.id], recorded=request.recorded))
    return f"{shown}\n\n{_checks(trace, request)}"


def _checks(trace: Trace, request: Request) -> str:
    """The three questions to the context that is shown."""
    checks = context_checks(trace, request)
    head = f"Three questions to this context ({one_line(request.id)}):"
    lines = (f"  {c.name.replace('_', ' ')}: {c.verdict.replace('_', ' ')}. {one_line(c.detail)}" for c in checks)
    return "\n".join([head, *lines])
