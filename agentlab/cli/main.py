"""The command line: one function a command, each one call into the package."""

from __future__ import annotations

import sys

import click

from agentlab.cli.audit import audit_command, show_command
from agentlab.cli.batch import run_command
from agentlab.cli.console import say
from agentlab.cli.listing import cases_command, rules_command, schema_command
from agentlab.cli.parse import parse_command
from agentlab.cli.study import study_command
from agentlab.errors import AgentlabError
from agentlab.version import VERSION

__all__ = ["cli", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(VERSION, prog_name="agentlab")
def cli() -> None:
    """Analyse failing agents: what the model claimed beside what the harness executed.

    Start with: agentlab run notebooks/01_contamination.ipynb
    """


for command in (
    run_command,
    study_command,
    audit_command,
    show_command,
    parse_command,
    cases_command,
    rules_command,
    schema_command,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line; bad input ends in one clear sentence on stderr and exit code 2."""
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = 2
    except AgentlabError as error:
        say(f"agentlab: {error}")
        code = 2
    except (KeyboardInterrupt, click.Abort):
        say("agentlab: stopped. What had been recorded is kept.")
        code = 130
    sys.exit(code if isinstance(code, int) else 0)
