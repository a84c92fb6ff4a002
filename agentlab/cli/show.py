"""`agentlab show`: one attempt as a timeline, or one exact context of it."""

from __future__ import annotations

from pathlib import Path

import click

from agentlab.audit.diagnosis.context import context_checks
from agentlab.audit.outputs.account import account
from agentlab.audit.report import audit_trace
from agentlab.cli.choosing import choose
from agentlab.cli.console import PATH, check_new, example, one_line, print_text, say
from agentlab.errors import UsageError
from agentlab.trace.context import Context
from agentlab.trace.events import Request
from agentlab.trace.model import Trace
from agentlab.views.style import picture
from agentlab.views.timeline import timeline, timeline_text

__all__ = ["show_command"]


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
        if png.suffix.lower() != ".png":
            raise UsageError(f"--png writes a PNG picture, and {str(png)!r} does not end in .png; name it so.")
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
