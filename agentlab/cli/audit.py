"""`agentlab audit` and `agentlab show`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from agentlab.audit.account import account
from agentlab.audit.document import TracePart, document, trace_part
from agentlab.audit.report import audit_trace
from agentlab.cli.choosing import choose
from agentlab.cli.console import PATH, counted, example, one_line, print_json, print_table, print_text, say
from agentlab.cli.loading import Loading
from agentlab.cli.naming import short_paths
from agentlab.errors import UsageError
from agentlab.trace.context import Context
from agentlab.trace.events import Request
from agentlab.trace.model import Trace
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
@click.option(
    "--fail-on",
    type=click.Choice(list(_LOUD)),
    default="failure",
    show_default=True,
    help="Exit with 1 at findings of this severity.",
)
@click.pass_context
def audit_command(context: click.Context, paths: tuple[str, ...], form: str, as_json: bool, fail_on: str) -> None:
    """Reconcile what the model claimed with what the harness executed.

    PATHS are trace files of any format, run folders, folders of them, patterns or urls; urls other than file:// need
    the packages of their store, such as s3fs. Exits with 1 where there are findings, and with 2 where a file,
    or a trace of it, cannot be read; a damaged record that could still be read is a trace-defect.
    """
    loading = Loading(paths, form)
    parts = [trace_part(audit_trace(trace)) for trace in loading.traces()]
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
@click.option("--context", type=int, help="Print the exact context of this step instead.")
@click.option("--png", type=PATH, help="Write the timeline as a picture, to a new file.")
@click.option("--format", "form", default="", help="What the file is; its first bytes decide by default.")
def show_command(path: str, attempt: str, context: int | None, png: Path | None, form: str) -> None:
    """Show one attempt: its timeline and what it rests on, or one exact context.

    PATH is a trace file of any format, a run folder or a url. Where it holds several attempts and none is named, they
    are listed.
    """
    if context is not None and png is not None:
        raise UsageError("--context prints text and --png writes a picture of the timeline; give one of them.")
    if png is not None and png.exists():
        raise UsageError(f"{str(png)!r} exists, and --png writes over nothing; name a new file.")
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
    return str(Context(messages=trace.contexts[request.id], recorded=request.recorded))
