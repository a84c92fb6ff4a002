"""`agentlab parse`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from agentlab.cli.console import PATH, example, print_json, print_text
from agentlab.errors import LoadError
from agentlab.harness.intents import parse_reply, to_document
from agentlab.strictjson import dumps
from agentlab.trace.formatting import shorten

__all__ = ["parse_command"]


@click.command(
    "parse", epilog=example("""echo 'Action: scan_term[{"term": "MCP"}]' | agentlab parse - --tools scan_term --json""")
)
@click.argument("file", type=PATH)
@click.option("--tools", default="", help="Names of the registered tools, separated by commas.")
@click.option("--json", "as_json", is_flag=True, help="Print the document agentlab.parse/1 and nothing else.")
def parse_command(file: Path, tools: str, as_json: bool) -> None:
    """Show what the harness makes of one raw reply.

    FILE holds its text in UTF-8; `-` is standard input. Exits with 0 whatever the reply is.
    """
    names = [name.strip() for name in tools.split(",") if name.strip()]
    found = to_document(parse_reply(_read(file), tools=names))
    if as_json:
        print_json(dumps(found))
        return
    for key, value in found.items():
        if key != "schema" and value not in (None, []):
            print_text(f"{key:12} {value if isinstance(value, str) else shorten(dumps(value), 400)}")


def _read(file: Path) -> str:
    try:
        return (sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()).decode()
    except OSError as error:
        raise LoadError(file, f"a reply was expected; the file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise LoadError(file, f"a reply is a text in UTF-8; byte {error.start} is something else") from None
