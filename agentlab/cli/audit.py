"""`agentlab audit` and `agentlab show`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from agentlab.audit.account import account
from agentlab.audit.document import TracePart, document, trace_part
from agentlab.audit.report import audit_trace
from agentlab.cli.console import PATH, example, print_json, print_table, print_text, progress_bar, say
from agentlab.errors import LoadError, UsageError
from agentlab.formats.catalogue import FORMATS
from agentlab.formats.finding import survey
from agentlab.trace.context import Context
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace
from agentlab.views.style import picture
from agentlab.views.timeline import timeline, timeline_text

__all__ = ["audit_command", "show_command"]


_LOUD = {"failure": {"failure"}, "warning": {"failure", "warning"}, "never": set[str]()}
_MANY = 3
"""More complaints of one kind about one folder make one line."""
_SHOWN = 3
"""Attempts that are named where there is a choice."""


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

    PATHS are trace files of any format, run folders, folders of them, patterns or urls. Exits with 1 where there are
    findings, and with 2 where something cannot be read.
    """
    audited = _audit_all(paths, form)
    if as_json:
        print_json(document(audited.parts, unreadable=audited.unreadable, skipped=audited.skipped))
    else:
        _print_findings(audited)
    for line in _complaints(audited.unreadable):
        say(f"agentlab: {line}")
    found = {finding.severity for part in audited.parts for finding in part.findings}
    context.exit(2 if audited.unreadable else 1 if found & _LOUD[fail_on] else 0)


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
@click.option("--attempt", default="", help="Id of the attempt, or its beginning; needed where there are several.")
@click.option("--context", type=int, help="Print the exact context of this step instead.")
@click.option("--png", type=PATH, help="Write the timeline as a picture.")
def show_command(path: str, attempt: str, context: int | None, png: Path | None) -> None:
    """Show one attempt: its timeline and what it rests on, or one exact context.

    PATH is a trace file of any format, a run folder or a url.
    """
    if context is not None and png is not None:
        raise UsageError("--context prints text and --png writes a picture of the timeline; give one of them.")
    trace = _one(path, attempt)
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


@dataclass
class _Audited:
    """What was audited and what was not; the traces themselves are forgotten, since there may be gigabytes of them."""

    parts: list[TracePart] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    skipped: tuple[str, ...] = ()


def _audit_all(paths: Sequence[str], form: str) -> _Audited:
    with progress_bar("files") as progress:
        files = survey(paths, format=FORMATS.get(form) if form else None)
        audited = _Audited(skipped=files.skipped)
        audited.unreadable += ((error.path, error.problem) for error in files.unreadable)
        for number, found in enumerate(files.found, 1):
            for loaded in found.load():
                if isinstance(loaded, LoadError):
                    audited.unreadable.append((loaded.path, loaded.problem))
                else:
                    audited.parts.append(trace_part(audit_trace(loaded)))
            progress(number, len(files.found))
    return audited


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


def _print_findings(audited: _Audited) -> None:
    parts, unreadable, skipped = audited.parts, audited.unreadable, audited.skipped
    rows = [[part.trace_id[:16], *row] for part in parts for row in _rows(part)]
    found = sum(len(part.findings) for part in parts)
    title = f"{found} findings in {len(parts)} traces" + (f"; {len(unreadable)} unreadable" if unreadable else "")
    print_table(title, ["attempt", "severity", "rule", "event", "finding"], rows)
    if skipped:
        print_text(f"Skipped, because no format claims them: {len(skipped)} ({shorten(', '.join(skipped), 200)})")


def _rows(part: TracePart) -> Iterator[tuple[str, str, str, str]]:
    """Severity, rule, event and message of the findings of one trace; equal ones make one row with their number."""
    rows = Counter((f.severity, f.rule, f.where[0].event, f.message) for f in part.findings)
    for (severity, rule, event, message), number in rows.items():
        yield severity, rule, event, message if number == 1 else f"{message} ({number} times)"


def _one(path: str, attempt: str) -> Trace:
    """The only attempt there, or the only one whose id begins so."""
    files = survey([path])
    fitting: list[Trace] = []
    names: list[str] = []
    errors = list(files.unreadable)
    for loaded in files.load():
        if isinstance(loaded, LoadError):
            errors.append(loaded)
            continue
        names.append(loaded.id)
        if loaded.id.startswith(attempt) and len(fitting) < _SHOWN:
            fitting.append(loaded)
    if len(fitting) == 1:
        return fitting[0]
    if not fitting and (lost := [error for error in errors if attempt in error.path or not names]):
        raise lost[0]
    shown = ", ".join(trace.id for trace in fitting) or ", ".join(names[:_SHOWN])
    held = f"{path!r} holds {len(names)} attempts"
    which = f", {len(fitting) or 'none'} of which begin with {attempt!r}" if attempt else ""
    raise UsageError(f"{held}{which}. Name one with --attempt{f', e.g. {shown}' if shown else ''}.")


def _context(trace: Trace, step: int) -> str:
    requests = [event for event in trace.events if event.type == "request" and event.step == step]
    if not requests:
        raise UsageError(f"There is no request in step {step}; the last step is {max(e.step or 0 for e in trace)}.")
    return str(Context(messages=trace.contexts[requests[-1].id]))
