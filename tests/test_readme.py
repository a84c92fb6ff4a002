"""What the README shows runs as it stands there, and what it names exists."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import click
import pytest

from agentlab.cli.main import cli
from agentlab.formats.catalogue import all_formats

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROSE = re.sub(r"^```python\n.*?^```", "", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = sorted(set(re.findall(r"agentlab [a-z]+[^`\n&]*", "".join(re.findall(r"`+[^`]+`+", PROSE)))))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_the_main_command_runs(tmp_path: Path) -> None:
    """The first line of the first block, without the installation, from the checkout."""
    first = blocks("console")[0].splitlines()[0]
    installation, _, command = first.partition(" && ")
    assert installation == "pip install -e ."
    program, *arguments = shlex.split(command)
    assert program == "agentlab"
    code = "from agentlab.cli.main import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--out", str(tmp_path / "run")],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert {"report.html", "results.json", Path(arguments[-1]).name} <= {p.name for p in (tmp_path / "run").iterdir()}


def test_the_python_block_runs(tmp_path: Path) -> None:
    (code,) = blocks("python")
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    v1, v2, *_ = run.stdout.splitlines()
    assert re.fullmatch(r"react-v1 \d+ right, [1-9]\d* forged", v1)
    assert re.fullmatch(r"react-v2 \d+ right, 0 forged", v2)
    assert (tmp_path / "timeline.png").read_bytes().startswith(b"\x89PNG")


def test_the_readme_names_every_command() -> None:
    context = click.Context(cli)
    named = {command.split()[1] for command in COMMANDS}
    assert named == set(cli.list_commands(context))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_it_names_exists(command: str) -> None:
    _, name, *rest = command.split()
    found = cli.get_command(click.Context(cli), name)
    options = {option for parameter in found.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("-")} <= options


def test_the_test_command_is_the_one_that_is_run_before_a_release() -> None:
    command = blocks("console")[0].splitlines()[1].rpartition(" && ")[2]
    assert command == "pytest"
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(rf"^\s*{command}\b", script, re.MULTILINE)
    assert '-e ".[test' in script


def test_the_line_about_tables_runs(tmp_path: Path) -> None:
    (line,) = re.findall(r"`(agentlab\.\w+_frame\([^`]+\))`", README)
    (tmp_path / "logs").symlink_to(ROOT / "data" / "samples" / "openhands.folder")
    code = f"import agentlab; print(len({line}))"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert int(run.stdout) > 0, run.stderr


def test_a_sample_lies_there_for_every_format_but_the_one_it_names() -> None:
    (but,) = re.findall(r"a small file of each but `([\w-]+)`", README)
    samples = {path.name.partition(".")[0] for path in (ROOT / "data" / "samples").iterdir()}
    assert {form.name for form in all_formats()} - samples == {but}


def test_every_file_it_names_exists() -> None:
    names = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(r"`((?:notebooks|data|tests)/[\w./-]+)`", README)
    missing = [name for name in names if not (ROOT / name).exists()]
    assert names
    assert not missing


def test_the_table_of_formats_is_what_the_formats_say() -> None:
    rows = [f"| `{form.name}` | {' | '.join(astuple(form.proofs))} |" for form in all_formats()]
    start = README.index("| format | proposals | executions | results | errors | times | usage |")
    assert README[start:].split("\n\n")[0].splitlines()[2:] == rows
