"""The command line: one function a command, each one call into the package."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from agentlab.cli.console import say
from agentlab.cli.stopping import Terminated, farewell
from agentlab.errors import AgentlabError
from agentlab.registry import Registry
from agentlab.version import VERSION

__all__ = ["cli", "main"]

_HELPS = {
    "run": "Run a NOTEBOOK as a batch job.",
    "study": "Run N attempts of a CASE under each condition, and count what became of them.",
    "audit": "Reconcile what the model claimed with what the harness executed.",
    "show": "Show one attempt: its timeline and what it rests on, or one exact context.",
    "parse": "Show what the harness makes of one raw reply.",
    "convert": "Write traces of any format in another form.",
    "check": "Ask whether a PROVIDER can be used, what it can do, and what it ignores without a word.",
    "formats": "List the formats that can be read, or print the page of one, by NAME.",
    "cases": "List the cases that come with agentlab.",
    "rules": "List the audit's rules, or print the page of one RULE.",
    "schema": "Print the JSON Schema of a document agentlab reads or writes.",
}
"""The first line of each command's own help; it stands here so that the list imports no command."""

_COMMANDS: Registry[click.Command] = Registry(
    kind="command",
    builtin={
        "run": "agentlab.cli.batch:run_command",
        "study": "agentlab.cli.study:study_command",
        "audit": "agentlab.cli.audit:audit_command",
        "show": "agentlab.cli.show:show_command",
        "parse": "agentlab.cli.parse:parse_command",
        "convert": "agentlab.cli.convert:convert_command",
        "check": "agentlab.cli.check:check_command",
        "formats": "agentlab.cli.listing:formats_command",
        "cases": "agentlab.cli.listing:cases_command",
        "rules": "agentlab.cli.listing:rules_command",
        "schema": "agentlab.cli.listing:schema_command",
    },
)


class _LazyGroup(click.Group):
    """Imports a command when it is run or asked for its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_HELPS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        return _COMMANDS.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_HELPS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(VERSION, prog_name="agentlab")
def cli() -> None:
    """Analyse failing agents: what the model claimed beside what the harness executed.

    Start with: agentlab run notebooks/01_contamination.ipynb
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; bad input ends in one clear sentence on stderr and exit code 2.

    Args:
        arguments: what stands after the program's name; those of the process by default.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the program
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  for the whole run
        getattr(sys, name).reconfigure(errors="backslashreplace")  # a terminal may know ASCII only
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        return cli.main(arguments, prog_name="agentlab", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
    except click.ClickException as error:
        say(f"agentlab: {' '.join(error.format_message().split())}{_where_help_is(error)}")
    except AgentlabError as error:
        say(f"agentlab: {error}")
    except OSError as error:
        say(f"agentlab: {error.filename or 'the system'}: {error.strerror or error}")
    except (KeyboardInterrupt, click.Abort) as stopped:
        say(farewell(_begun(arguments), getattr(stopped.__cause__, "__notes__", ())))
        return 143 if isinstance(stopped.__cause__, Terminated) else 130
    except SystemExit:
        return 141  # click and rich leave so when nobody reads stdout any more; the shell calls it a broken pipe
    return 2


def _begun(arguments: Sequence[str] | None) -> str:
    """The command that was asked for; empty where none was."""
    return next(iter(sys.argv[1:] if arguments is None else arguments), "")


def _where_help_is(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f" See {context.command_path} --help." if context else ""
