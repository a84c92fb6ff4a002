"""Results travel by files: one JSON document, Parquet tables and pictures beside the traces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from agentlab.experiments.document import document
from agentlab.experiments.results import StudyResult
from agentlab.trace.frames import write_tables

__all__ = ["RESULTS_SCHEMA", "results_folder", "save_results"]

RESULTS_SCHEMA = "agentlab.results/1"


def results_folder(out: str | Path | None, stem: str) -> Path:
    """The folder results go to, made where it is missing, as an absolute path.

    Args:
        out: the folder wanted; where it is empty or None, the next free `runs/<stem>-<n>` below the current folder.
        stem: what the results are of.
    """
    folder = Path(out) if out else next(f for n in count(1) if not (f := Path("runs") / f"{stem}-{n}").exists())
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def save_results(folder: Path, studies: Mapping[str, StudyResult]) -> Path:
    """Write `results.json` and the tables of several studies.

    Args:
        folder: where to; each study's tables go into its own run folder, below `tables/`.
        studies: judged studies by title.

    Returns:
        The path of `results.json`, format `agentlab.results/1`: a list of titled `agentlab.study/1` documents.
    """
    for result in studies.values():
        tables = result.store.folder / "tables"
        write_tables(tables, result.store.traces())
        result.frame().to_parquet(tables / "outcomes.parquet", index=False)
    parts = [{"title": title, **document(result).model_dump(mode="json")} for title, result in studies.items()]
    path = folder / "results.json"
    path.write_text(
        json.dumps({"schema": RESULTS_SCHEMA, "studies": parts}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    return path
