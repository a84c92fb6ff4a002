"""The command line, called in this process or as a program, from an empty folder."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentlab.cli.main import main
from tests.experiments.lighthouse import CALL, FORGED, RIGHT, WRONG, scripted

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-c", "from agentlab.cli.main import main; main()"]


@dataclass(frozen=True, kw_only=True)
class Called:
    """What a call of the command line left: exit code and what it said."""

    code: int
    out: str
    err: str

    @property
    def refusal(self) -> str:
        """The one sentence of a refused call, once it is sure that there is nothing else."""
        assert self.code == 2
        assert self.out == ""
        assert self.err.startswith("agentlab: ")
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        return self.err


Call = Callable[..., Called]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the command line in this process."""
    monkeypatch.chdir(tmp_path)

    def call_it(*arguments: object, stdin: bytes = b"") -> Called:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Called(code=left.value.code, out=said.out, err=said.err)

    return call_it


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start the command line as a program of its own."""

    def start_it(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        variables = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}  # type: ignore[dict-item]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        command = [*PROGRAM, *map(str, arguments)]
        return subprocess.Popen(command, cwd=tmp_path, env=variables, **pipes)  # type: ignore[call-overload, no-any-return]

    return start_it


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs: in `forged` an answer rests on a forgery, in `honest` nothing is wrong."""
    folder = tmp_path_factory.mktemp("runs")
    for name, replies in (("forged", [FORGED, WRONG]), ("honest", [CALL, RIGHT])):
        (folder / name).mkdir()
        scripted(folder / name, replies, attempts=2)
    return folder


@pytest.fixture
def here(runs: Path, tmp_path: Path) -> Path:
    """The two runs, in the folder commands are called from."""
    for name in ("forged", "honest"):
        shutil.copytree(runs / name / "run", tmp_path / name)
    return tmp_path
