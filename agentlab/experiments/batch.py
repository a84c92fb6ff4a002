"""Notebooks as batch jobs, through papermill: executed notebook, HTML report, and results as files.

Success is judged from the executed cells, because papermill's own metadata calls cells completed that never ran.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentlab.errors import LoadError, UsageError, unknown_name
from agentlab.experiments.parameters import check_values, parameters_of
from agentlab.experiments.report import write_report
from agentlab.experiments.resources import resource_folders
from agentlab.experiments.saving import results_folder

__all__ = ["BatchResult", "FailedCell", "find_notebook", "run_notebook"]

_TRIES = 3
"""Parallel kernels can race for a port; the loser dies before any cell has run, so starting again is safe."""
_LOST_RACE = "Kernel died before replying to kernel_info"


@dataclass(frozen=True, kw_only=True)
class FailedCell:
    """The first cell that did not run through."""

    number: int
    """Place in the notebook, from 1, text cells counted."""
    source: str
    problem: str

    def __str__(self) -> str:
        first = next((line for line in self.source.splitlines() if line.strip()), "")
        return f"Cell {self.number} ({first.strip()[:60]!r}) failed: {self.problem}"


@dataclass(frozen=True, kw_only=True)
class BatchResult:
    """What a run of a notebook left behind."""

    folder: Path
    notebook: Path
    report: Path
    failed: FailedCell | None

    @property
    def results(self) -> dict[str, Any] | None:
        """The content of `results.json`, where the notebook wrote one."""
        path = self.folder / "results.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def find_notebook(name: str | Path) -> Path:
    """The notebook at a path, or the one of this name that comes with agentlab.

    Raises:
        UsageError: if there is none.
    """
    given = Path(name)
    if given.is_file():
        return given.resolve()
    known = {path.stem: path for root in reversed(list(resource_folders("notebooks"))) for path in root.glob("*.ipynb")}
    if given.name.removesuffix(".ipynb") in known and given.parent in (Path(), Path("notebooks")):
        return known[given.name.removesuffix(".ipynb")]
    raise unknown_name("notebook", str(name), known)


def run_notebook(
    notebook: str | Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    out: Path | None = None,
    timeout: int = 1800,
    progress: bool = False,
) -> BatchResult:
    """Run a notebook with parameters into a folder.

    Args:
        notebook: a path, or the name of a notebook that comes with agentlab.
        parameters: values by name; text is read as the type of the parameter's default.
        out: a new folder; `runs/<notebook>-<n>` below the current one by default.
        timeout: seconds a single cell may take.
        progress: whether papermill shows its bar on stderr.

    Raises:
        UsageError: for a notebook or parameter that does not exist, or a value of another type. Nothing has run then.
        LoadError: if the file is not a notebook with a cell tagged `parameters`.
    """
    source = find_notebook(notebook)
    known = parameters_of(_read(source), source)
    values = check_values(known, parameters or {})
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(
            f"The folder {str(out)!r} is not empty, and a run is never written over another. Name a new one."
        )
    folder = results_folder(out, source.stem)
    if "out" in known:
        values.setdefault("out", str(folder))
    executed = folder / source.name
    problem = _execute(source, executed, values, folder, timeout=timeout, progress=progress)
    failed = _failed_cell(_read(executed), problem)
    return BatchResult(folder=folder, notebook=executed, report=write_report(executed), failed=failed)


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise LoadError(path, f"a notebook is one JSON object in UTF-8; {error}") from None
    if not isinstance(value, dict) or not isinstance(value.get("cells"), list):
        raise LoadError(path, "a notebook has a list of cells; this file has none")
    return value


def _execute(
    source: Path, executed: Path, values: dict[str, Any], folder: Path, *, timeout: int, progress: bool
) -> str | None:
    """Run the cells; returns what stopped the kernel, in a sentence, or None."""
    import papermill
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

    for tries_left in reversed(range(_TRIES)):
        try:
            papermill.execute_notebook(
                str(source),
                str(executed),
                parameters=values,
                kernel_name="python3",
                progress_bar=progress,
                execution_timeout=timeout,
                coalesce_streams=True,
                store_widget_state=False,
                extra_arguments=["--log-level=50"],
                resources={"metadata": {"path": str(folder)}},
                config=Config({"KernelManager": {"transport_encryption": "auto"}}),
            )
        except PapermillExecutionError:
            return None  # the failing cell holds its own error
        except (TimeoutError, RuntimeError) as error:
            if _LOST_RACE in str(error) and tries_left:
                continue
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return None
    raise AssertionError("every way out of the loop returns")


def _failed_cell(notebook: Mapping[str, Any], problem: str | None) -> FailedCell | None:
    """The first code cell that holds an error, or else that never ran."""
    code = [
        (number, cell, "".join(cell["source"]))
        for number, cell in enumerate(notebook["cells"], 1)
        if cell["cell_type"] == "code" and "".join(cell["source"]).strip()
    ]
    for number, cell, source in code:
        for output in cell.get("outputs", ()):
            if output.get("output_type") == "error":
                said = f"{output.get('ename')}: {output.get('evalue')}"
                return FailedCell(number=number, source=source, problem=said)
    for number, cell, source in code:
        if cell.get("execution_count") is None:
            return FailedCell(
                number=number, source=source, problem=problem or "it never ran; a cell before it ended the kernel"
            )
    return None
