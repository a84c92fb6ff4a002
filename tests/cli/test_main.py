from __future__ import annotations

import inspect
import json
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from agentlab.cli.main import cli
from agentlab.version import VERSION
from tests.cli.conftest import PROGRAM, ROOT, Call, Start

CONTEXT = click.Context(cli)
NAMES = cli.list_commands(CONTEXT)
HEAVY = ("pydantic", "httpx", "rich", "pandas", "numpy", "matplotlib", "papermill", "nbformat", "IPython", "scipy")


def finish(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, (out or b"").decode(), err.decode()


# --- Help. ---


def test_help_lists_the_commands(call: Call) -> None:
    called = call("--help")
    assert called.code == 0
    assert called.err == ""
    assert re.findall(r"^  ([a-z]+)  ", called.out.partition("Commands:")[2], re.MULTILINE) == NAMES
    assert call("-h") == called


def test_version(call: Call) -> None:
    assert call("--version").out == f"agentlab, version {VERSION}\n"


def test_no_arguments_show_the_help(call: Call) -> None:
    called = call()
    assert called.code == 2
    assert called.err == call("--help").out


@pytest.mark.parametrize("name", NAMES)
def test_the_list_says_what_the_command_says_of_itself(name: str, call: Call) -> None:
    command = cli.get_command(CONTEXT, name)
    assert command.name == name
    first = inspect.getdoc(command.callback).splitlines()[0]  # type: ignore[union-attr]
    listed = " ".join(call("--help").out.partition("Commands:")[2].split())
    assert f"{name} {first}" in listed


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = f"""
import sys
from agentlab.cli.main import main
try:
    main(["--help"])
finally:
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
        times.append(time.perf_counter() - begun)
        assert run.stderr == "[]\n"
    assert min(times) < 0.4, times


def examples(name: str, call: Call) -> list[str]:
    help_text = call(name, "--help").out
    _, marker, lines = help_text.partition("\n  Example:\n")
    assert marker, help_text
    return [line.strip() for line in lines.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_in_the_help_work(name: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "agentlab"
    script.write_text(f"#!/bin/sh\nexec '{PROGRAM[0]}' -c '{PROGRAM[2]}' \"$@\"\n")
    script.chmod(0o755)
    variables = {**os.environ, "PATH": f"{script.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    lines = examples(name, call)
    assert any(f"agentlab {name}" in line for line in lines)
    for line in lines:
        run = subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=120
        )
        assert run.returncode in ((0, 1) if "agentlab audit" in line else (0,)), (line, run.stderr)
        assert run.stdout or "--png" in line or "agentlab convert" in line
        if "--json" in line:
            json.loads(run.stdout)


# --- What is refused. ---


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["stduy"], "There is no command 'stduy'. Did you mean 'study'? What there is: audit, cases, "),
        (["--verbose"], "--verbose"),
        (["study"], "Missing argument 'CASE'. See agentlab study --help."),
        (["study", "mcp-mentions", "--attempts", "few"], "'few' is not a valid integer"),
        (["study", "mcp-mentions", "--workers", "0"], "--workers"),
        (["study", "mcp-mentions", "--language", "fr"], "'fr'"),
        (["study", "mcp-mentions", "--json", "--nope"], "--nope"),
        (["run"], "Missing argument 'NOTEBOOK'"),
        (["run", "x", "-p", "name"], "-p"),
        (["rules", "a", "b"], "unexpected extra argument"),
        (["cases", "a"], "unexpected extra argument"),
        (["audit"], "PATHS"),
        (["show", "x", "--context", "one"], "'one' is not a valid integer"),
        (["parse"], "Missing argument 'FILE'"),
    ],
)
def test_bad_usage_is_one_sentence(arguments: list[str], said: str, call: Call) -> None:
    assert said in call(*arguments).refusal


def test_hidden_characters_of_an_argument_are_made_visible(call: Call) -> None:
    assert r"(\u{1b}[31mred\u{202e})" in call("cases", "\x1b[31mred\u202e").refusal
    assert r"'\x1b[31mred'" in call("study", "\x1b[31mred").refusal


def test_a_place_that_cannot_be_written_to_is_named(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "Not a directory" in call("study", "mcp-mentions", "--attempts", 1, "--out", "file/run").refusal


# --- Streams. ---


@pytest.mark.parametrize("arguments", [["cases"], ["rules"], ["schema", "study"], ["--help"]])
def test_nobody_reads_to_the_end(arguments: list[str], start: Start) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code, _, err = finish(start(*arguments, stdout=writing))
    os.close(writing)
    assert (code, err) == (141, "")


def test_stdout_is_closed_or_full(start: Start) -> None:
    command = [*PROGRAM, "schema", "study"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command], env=variables, capture_output=True, text=True, timeout=60
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    with Path("/dev/full").open("wb") as full:
        code, _, err = finish(start("schema", "study", stdout=full))
    assert (code, err) == (2, "agentlab: the system: No space left on device\n")


@pytest.mark.parametrize(
    "variables",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}],
)
def test_a_terminal_that_knows_ascii_only(variables: dict[str, str], start: Start, tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_text("Action: Finish[雾]", encoding="utf-8")
    code, out, err = finish(start("parse", "reply.txt", env=variables))
    assert (code, err) == (0, "")
    assert r"\u96fe" in out
    assert out.isascii()
    code, out, err = finish(start("parse", "reply.txt", "--json", env=variables))
    assert (code, err) == (0, "")
    assert json.loads(out)["answer"] == "雾"
    code, _, err = finish(start("study", "雾", env=variables))
    assert code == 2
    assert "There is no case" in err


def in_terminal(command: list[str], folder: Path, columns: int, **variables: str) -> str:
    """What a terminal of this width gets to see, both streams together."""
    main_side, process_side = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(columns), "TERM": "xterm", **variables}
    streams = {"stdin": process_side, "stdout": process_side, "stderr": process_side}
    process = subprocess.Popen([*PROGRAM, *command], cwd=folder, env=environment, **streams)
    os.close(process_side)
    seen = b""
    try:
        while piece := os.read(main_side, 65536):
            seen += piece
    except OSError:  # the way Linux says that the other side is closed
        pass
    os.close(main_side)
    assert process.wait(60) == 0
    return seen.decode()


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path, start: Start) -> None:
    study = ["study", "mcp-mentions", "--attempts", "20", "--out"]
    assert "40/40" in in_terminal([*study, "seen"], tmp_path, 100)
    code, out, err = finish(start(*study, "unseen", env={"FORCE_COLOR": "1"}))
    assert (code, err) == (0, "")
    assert "40/40" not in out


def test_no_color_and_a_narrow_terminal(tmp_path: Path) -> None:
    wide = in_terminal(["cases"], tmp_path, 100, NO_COLOR="1")
    assert "│ mcp-mentions │" in wide
    assert not re.search(r"\x1b\[3\dm", wide)
    narrow = in_terminal(["cases"], tmp_path, 24, NO_COLOR="1")
    assert "name: mcp-mentions\r\n  question: How often does the document mention MCP?" in narrow
    assert "│" not in narrow
