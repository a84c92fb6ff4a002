"""`agentlab convert`: traces of any format in another form."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import get_args

import click

from agentlab.cli.console import PATH, example, say
from agentlab.cli.loading import Loading
from agentlab.cli.stopping import stopped_by_term
from agentlab.errors import UsageError
from agentlab.formats.exporting import EXPORTERS, otlp_exporter
from agentlab.formats.otel.inputs import Messages
from agentlab.trace.formatting import counted

__all__ = ["convert_command"]

_FORMS = "\n".join(("\b", "Forms:", *(f"  {each.name:<8} {each.sentence}" for each in EXPORTERS.values())))

_MESSAGES = """For otlp: which messages stand in the span of a request. all: its whole context, as the conventions have
it, and the file grows with the square of the steps. new: those that the agent's last request did not hold. auto, the
default: all where an attempt is short, else new. What agentlab reads back is the same."""


@click.command(
    "convert",
    epilog=_FORMS
    + "\n\n"
    + example(
        "agentlab study mcp-mentions --attempts 3 --out runs/small",
        "agentlab convert runs/small --to otlp --out small.jsonl",
        "agentlab convert runs/small --to parquet --out tables",
    ),
)
@click.argument("paths", nargs=-1, required=True)
@click.option("--to", type=click.Choice(list(EXPORTERS)), required=True, help="The form to write.")
@click.option("--out", type=PATH, required=True, help="The new file, or folder of tables.")
@click.option("--format", "form", default="", help="What the files are; their first bytes decide by default.")
@click.option("--messages", type=click.Choice(get_args(Messages)), help=_MESSAGES)
@click.pass_context
def convert_command(
    context: click.Context, paths: tuple[str, ...], to: str, out: Path, form: str, messages: Messages | None
) -> None:
    """Write traces of any format in another form.

    PATHS are trace files, run folders, folders of them, patterns or urls; urls other than file:// need the packages of
    their store, such as s3fs. Exits with 2 where a file, or a trace of it, cannot be read; what can be read is
    written all the same. A damaged record that could still be read is a trace-defect: it is written, and named.
    """
    if messages and to != "otlp":
        raise UsageError(f"--messages is for --to otlp only; {to} holds each message once.")
    exporter = otlp_exporter(messages) if messages else EXPORTERS[to]
    loading = Loading(paths, form)
    traces = loading.traces()
    first = next(traces, None)
    if first is None and not loading.unreadable:
        raise UsageError("No format claims a file there. `agentlab formats` lists what can be read.")
    with stopped_by_term():
        count = exporter.export(chain([first], traces), out) if first else 0
    loading.complain()
    say(f"Wrote {counted(count, 'trace')} to {out}{_damage(loading)}" if count else "Nothing was written.")
    context.exit(2 if loading.unreadable else 0)


def _damage(loading: Loading) -> str:
    """What continues the last sentence where records are damaged; several are named before it."""
    if len(loading.damaged) > 1:
        loading.complain_of_damage()
        return f"; {len(loading.damaged)} records are damaged."
    return "".join(f"; 1 record is damaged: {path}: {defect}" for path, defect in loading.damaged) + "."
