"""Notebooks as batch jobs, through papermill: executed notebook, HTML report, and results as files.

Success is judged from the executed cells, because papermill's own metadata calls cells completed that never ran.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentlab.errors import LoadError, UsageError, unknown_name
from agentlab.experiments.document import ResultsDocument
from agentlab.experiments.notebookfile import read_notebook, tidy
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
    """The cell at which a run of a notebook ended, or the first that reported an error."""

    number: int
    """Place in the notebook as its author wrote it, from 1, text cells counted."""
    source: str
    problem: str
    misuse: bool = False
    """Whether agentlab refused what it was given: a parameter's value, or a file that one names."""

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
    def results(self) -> ResultsDocument | None:
        """The content of `results.json`; None where the notebook wrote none, or one of another format."""
        path = self.folder / "results.json"
        try:
            return ResultsDocument.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None


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
    out: str | Path | None = None,
    timeout: int = 1800,
    progress: bool = False,
) -> BatchResult:
    """Run a notebook with parameters into a folder.

    Args:
        notebook: a path, or the name of a notebook that comes with agentlab.
        parameters: values by name; text is read as the type of the parameter's default.
        out: a new folder; `runs/<notebook>-<n>` below the current one by default.
        timeout: seconds a single cell may take, at least 1.
        progress: whether papermill shows its bar on stderr.

    Raises:
        UsageError: for a notebook or parameter that does not exist, or a value of another type. Nothing has run then.
        LoadError: if the file is not a notebook with a cell tagged `parameters`. Nothing has run then.
        KeyboardInterrupt: if a person stops it. The partial notebook is kept, and a note names it.
    """
    source = find_notebook(notebook)
    known = parameters_of(read_notebook(source), source)
    values = check_values(known, parameters or {})
    if timeout < 1:
        raise UsageError(f"A cell may take at least 1 second; the timeout is {timeout!r}.")
    folder = _new_folder(out, source.stem)
    if "out" in known:
        values.setdefault("out", str(folder))
    executed = folder / source.name
    try:
        stopped = _execute(source, executed, values, timeout=timeout, progress=progress)
    except KeyboardInterrupt as interrupt:
        interrupt.add_note(f"The notebook so far is {executed}.")
        raise
    content = _tidied(executed)
    report, failed = write_report(content, executed), _failed_cell(content, stopped)
    return BatchResult(folder=folder, notebook=executed, report=report, failed=failed)


def _new_folder(out: str | Path | None, stem: str) -> Path:
    if out and Path(out).exists() and (not Path(out).is_dir() or any(Path(out).iterdir())):
        raise UsageError(
            f"{str(out)!r} exists and is not an empty folder, and a run is never written over another. "
            "Name a new folder."
        )
    return results_folder(out, stem)


def _tidied(executed: Path) -> Any:
    import nbformat

    content = nbformat.read(executed, as_version=4)  # type: ignore[no-untyped-call]
    tidy(content)
    nbformat.write(content, executed)  # type: ignore[no-untyped-call]
    return content


def _execute(source: Path, executed: Path, values: Mapping[str, Any], *, timeout: int, progress: bool) -> str | None:
    """Run the cells; returns what stopped the kernel from outside the cells, in a sentence, or None."""
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

    log = logging.getLogger("papermill")
    if not log.handlers:  # or what it logs goes to stderr, and the result says it again
        log.addHandler(logging.NullHandler())
    for tries_left in reversed(range(_TRIES)):
        try:
            papermill.execute_notebook(
                _literal(source),
                _literal(executed),
                parameters=values,
                kernel_name="python3",
                language="python",
                progress_bar=progress,
                execution_timeout=timeout,
                store_widget_state=False,
                extra_arguments=["--log-level=50"],
                resources={"metadata": {"path": str(executed.parent)}},
                config=Config({"KernelManager": {"transport_encryption": "auto"}}),
            )
        except PapermillExecutionError:
            return None  # the failing cell holds its own error
        except TimeoutError:
            return f"it ran longer than {timeout} s, the timeout of a cell"
        except NoSuchKernel:
            raise UsageError("There is no Jupyter kernel 'python3'; install ipykernel.") from None
        except RuntimeError as error:
            if _LOST_RACE not in str(error):
                return f"the kernel ended while it ran ({str(error).splitlines()[0]})"
            if not tries_left:
                raise UsageError(f"The Jupyter kernel 'python3' did not start: {error}") from None
        else:
            return None
    raise AssertionError("every way out of the loop returns")


def _literal(path: Path) -> str:
    """The path for papermill, which reads braces as places for parameters."""
    return str(path).replace("{", "{{").replace("}", "}}")


def _failed_cell(notebook: Any, stopped: str | None) -> FailedCell | None:
    """The cell that was stopped, or else the first that holds an error, or else the first that never ran."""
    cells = list(_code_cells(notebook))
    if stopped:
        # papermill notes the start of each cell; a kernel that dies at once may never have confirmed it
        begun = [each for each in cells if each[1].metadata.papermill.start_time is not None]
        number, cell = (begun or cells)[-1 if begun else 0]
        return FailedCell(number=number, source=cell.source, problem=stopped)
    for number, cell in cells:
        for output in cell.outputs:
            if output.output_type == "error":
                problem = f"{output.ename}: {output.evalue}"
                misuse = output.ename in (UsageError.__name__, LoadError.__name__)
                return FailedCell(number=number, source=cell.source, problem=problem, misuse=misuse)
    for number, cell in cells:
        if cell.execution_count is None:
            return FailedCell(number=number, source=cell.source, problem="it never ran")
    return None


def _code_cells(notebook: Any) -> Iterator[tuple[int, Any]]:
    """The code cells that hold code, with their place among the author's own cells."""
    number = 0
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", ())
        if "papermill-error-cell-tag" in tags or "injected-parameters" in tags:
            continue
        number += 1
        if cell.cell_type == "code" and cell.source.strip():
            yield number, cell
