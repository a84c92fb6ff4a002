from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from tests.cli.conftest import Call, Start
from tests.experiments.notebooks import write_notebook


def test_a_failing_notebook_exits_with_1_and_keeps_what_there_is(call: Call, tmp_path: Path) -> None:
    write_notebook(tmp_path / "a b.ipynb", "print(count)", "1 / 0", "print('never')")
    called = call("run", "a b.ipynb", "-p", "count", "41", "--out", "out")
    assert called.code == 1
    assert called.err == "agentlab: Cell 4 ('1 / 0') failed: ZeroDivisionError: division by zero\n"
    assert called.out == f"Notebook: {tmp_path}/out/a b.ipynb\nReport:   {tmp_path}/out/report.html\n"
    assert "41" in str(nbformat.read(tmp_path / "out" / "a b.ipynb", as_version=4).cells)
    assert (tmp_path / "out" / "report.html").is_file()


def test_what_a_notebook_was_given_and_refused_exits_with_2(call: Call, tmp_path: Path) -> None:
    code = "import agentlab as al\nal.load_case('nothing')"
    write_notebook(tmp_path / "asks.ipynb", code)
    called = call("run", "asks.ipynb", "--out", "out")
    assert called.code == 2
    assert called.err.startswith(
        "agentlab: Cell 3 ('import agentlab as al') failed: UsageError: There is no case 'noth"
    )
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "There is no notebook 'nothing'. What there is: 01_contamination"),
        (["."], "There is no notebook"),
        (["binary"], "binary: not a Jupyter notebook of format 4: Invalid JSON"),
        (["bare.ipynb"], "a notebook to be run has a cell tagged `parameters`; this one has none"),
        (["small.ipynb", "-p", "colour", "red"], "What there is: anything, count, items, loud, name, out, share."),
        (["small.ipynb", "-p", "count", "two"], "'count' takes a value of type int, such as 1; 'two' is not one"),
        (["small.ipynb", "--timeout", "0"], "A cell may take at least 1 second"),
        (["small.ipynb", "--timeout", "soon"], "'soon' is not a valid integer"),
        (["small.ipynb", "--out", "."], "exists and is not an empty folder"),
        (["small.ipynb", "--out", "binary"], "exists and is not an empty folder"),
        (["small.ipynb", "--out", "binary/x"], "binary/x: Not a directory"),
    ],
)
def test_what_is_refused(arguments: list[str], said: str, call: Call, tmp_path: Path) -> None:
    write_notebook(tmp_path / "small.ipynb")
    write_notebook(tmp_path / "bare.ipynb", parameters=None)
    (tmp_path / "binary").write_bytes(b"\x7fELF\xd0\xff")
    assert said in call("run", *arguments).refusal
    assert not (tmp_path / "runs").exists(), "nothing has run"


def test_ctrl_c_keeps_the_notebook_so_far_and_ends_the_kernel(start: Start, tmp_path: Path) -> None:
    cells = (
        "import os, time\nprint('before', flush=True)",
        "open('kernel', 'w').write(str(os.getpid()))\nopen('kernel', 'a').close()\ntime.sleep(120)",
    )
    write_notebook(tmp_path / "long.ipynb", *cells)
    process = start("run", "long.ipynb", "--out", "out")
    marker = tmp_path / "out" / "kernel"
    _wait(lambda: marker.is_file() and marker.read_text() != "")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == b""
    notebook = tmp_path / "out" / "long.ipynb"
    said = f"agentlab: stopped. What had been recorded is kept. The notebook so far is {notebook}."
    assert err.decode().strip() == said
    assert "before" in str(nbformat.read(notebook, as_version=4).cells[3].outputs)
    kernel = Path(f"/proc/{marker.read_text()}")
    _wait(lambda: not kernel.exists())


def test_a_dead_server_is_told_and_exits_with_1(call: Call) -> None:
    arguments = ("-p", "provider", "http://127.0.0.1:9/v1#x", "-p", "attempts", 1, "-p", "loops", "drop")
    called = call("run", "01_contamination", *arguments, "--out", "out")
    assert called.code == 1
    assert "Report: " in called.out
    assert called.err.startswith("agentlab: 5 of 5 attempts do not count in n. The first: ")
    assert "127.0.0.1:9" in called.err
    assert called.err.count("\n") == 1


def _wait(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)
