"""Results travel by files: one JSON document, Parquet tables and pictures beside the traces."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from agentlab.experiments.document import ResultsDocument, TitledStudy, document
from agentlab.experiments.results import StudyResult
from agentlab.trace.frames import write_tables

__all__ = ["results_folder", "save_results"]


def results_folder(out: str | Path | None, stem: str) -> Path:
    """The folder results go to, made where it is missing, as an absolute path.

    Args:
        out: the folder wanted; where it is empty or None, the next free `runs/<stem>-<n>` below the current folder.
        stem: what the results are of.
    """
    if out:
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        return folder.resolve()
    runs = Path("runs")
    runs.mkdir(exist_ok=True)
    numbers = count(1)
    while True:
        folder = runs / f"{stem}-{next(numbers)}"
        with suppress(FileExistsError):
            folder.mkdir()  # and not a look first: of two processes only one can make it
            return folder.resolve()


def save_results(folder: str | Path, studies: Mapping[str, StudyResult]) -> Path:
    """Write `results.json` and the tables of several studies.

    Args:
        folder: where to; each study's tables go into its own run folder, below `tables/`.
        studies: judged studies by title.

    Returns:
        The path of `results.json`, format `agentlab.results/1`: a list of titled `agentlab.study/1` documents.
    """
    for result in studies.values():
        run = result.store.folder
        tables = run / "tables"
        # Paths as seen from the run's folder, which may be moved, and whose tables do not depend on where it lies.
        write_tables(tables, (replace(t, path=str(Path(t.path).relative_to(run))) for t in result.store.traces()))
        result.frame().to_parquet(tables / "outcomes.parquet", index=False)
    found = ResultsDocument(
        studies=[TitledStudy(title=title, **dict(document(result))) for title, result in studies.items()]
    )
    path = Path(folder) / "results.json"
    path.write_text(found.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return path
