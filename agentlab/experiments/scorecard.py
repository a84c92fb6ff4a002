"""How right the audit is: its findings against labels of other people, and against your own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from agentlab.errors import UsageError
from agentlab.experiments.scoring.agentdojo import read_agentdojo
from agentlab.experiments.scoring.agentrx import read_agentrx
from agentlab.experiments.scoring.cases import CaseSet, read_cases
from agentlab.experiments.scoring.own import read_own
from agentlab.experiments.scoring.tables import (
    cases_frame,
    categories_frame,
    clean_frame,
    disagreements_frame,
    groups_frame,
    rules_frame,
    verdicts_frame,
)
from agentlab.experiments.scoring.trail import read_trail
from agentlab.experiments.scoring.values import LabelledSet
from agentlab.trace.formatting import html_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SETS", "Scorecard", "save_scorecard", "score_audit", "shared_folder"]

SETS: Mapping[str, str] = {
    "cases": "cases",
    "trail": "labelled/trail",
    "agentrx": "labelled/agentrx",
    "agentdojo": "labelled/agentdojo",
}
"""Sets that a shared folder may hold, and where."""


@dataclass(frozen=True, kw_only=True)
class Scorecard:
    """Labelled sets with the findings of the audit; each method is a table of them."""

    sets: tuple[LabelledSet, ...]
    case_set: CaseSet | None
    """None where there are no cases."""
    absent: Mapping[str, str]
    """Sets that were looked for and are not there, with the reason."""
    seed: int = 0
    """Of the draws behind the intervals of an F1."""

    def __repr__(self) -> str:
        found = [f"{each.name} ({len(each.traces)} traces)" for each in self.sets]
        found += [f"cases ({len(self.case_set.cases)})"] if self.case_set else []
        return f"<Scorecard {', '.join(found) or 'nothing found'}; absent: {', '.join(self.absent) or 'none'}>"

    def _repr_html_(self) -> str:
        rows = self.found().astype(str).itertuples(index=False)
        return f"<p><code>{escape(repr(self))}</code></p>{html_table(self.found().columns, rows)}"

    def found(self) -> pd.DataFrame:
        """One row a set that was looked for.

        Columns:
            set (str).
            found (bool).
            traces (int): cases, for the cases.
            labels (int): those that count.
            set_aside (int): labels that are artefacts, or cases that cannot be audited.
            clean (int): runs that people found nothing wrong in.
            what (str): what is asked of the audit, or why the set is not there.
        """
        import pandas as pd

        rows: list[tuple[object, ...]] = []
        if self.case_set:
            cases = self.case_set.cases
            innocent, words = sum(case.innocent for case in cases), "small inputs with the right verdict for each"
            rows.append(("cases", True, len(cases), len(cases), len(self.case_set.skipped), innocent, words))
        for each in self.sets:
            labels, clean = sum(len(t.labels) for t in each.traces), sum(t.clean for t in each.traces)
            rows.append((each.name, True, len(each.traces), labels, each.set_aside, clean, each.words))
        rows += [(name, False, 0, 0, 0, 0, reason) for name, reason in self.absent.items()]
        return pd.DataFrame(rows, columns=["set", "found", "traces", "labels", "set_aside", "clean", "what"])

    @cached_property
    def groups(self) -> pd.DataFrame:
        """Precision, recall and F1 of each group of rules; columns as `groups_frame` says."""
        return groups_frame(self.sets, seed=self.seed)

    @cached_property
    def rules(self) -> pd.DataFrame:
        """The same for each rule alone; columns as `rules_frame` says."""
        return rules_frame(self.sets, seed=self.seed)

    @cached_property
    def categories(self) -> pd.DataFrame:
        """How many labels of each category were found; columns as `categories_frame` says."""
        return categories_frame(self.sets)

    @cached_property
    def clean(self) -> pd.DataFrame:
        """False alarms on clean runs; columns as `clean_frame` says."""
        return clean_frame(self.sets)

    @cached_property
    def disagreements(self) -> pd.DataFrame:
        """Every miss and every false alarm; columns as `disagreements_frame` says."""
        return disagreements_frame(self.sets)

    @cached_property
    def cases(self) -> pd.DataFrame:
        """Every case; columns as `cases_frame` says."""
        return cases_frame(self._cases)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """The cases by verdict; columns as `verdicts_frame` says."""
        return verdicts_frame(self._cases)

    @property
    def _cases(self) -> CaseSet:
        return self.case_set or CaseSet(folder="", cases=(), skipped=())


def shared_folder() -> Path | None:
    """The folder of labelled sets: the one `AGENTLAB_SHARED` names, else `shared` beside the checkout.

    None where the one is empty or unset and the other does not exist.

    Raises:
        UsageError: if the named one is no folder.
    """
    named = os.environ.get("AGENTLAB_SHARED", "")
    if named and not Path(named).is_dir():
        raise UsageError(f"AGENTLAB_SHARED is {named!r}, and there is no such folder. Name one, or unset it.")
    checkout = Path(__file__).resolve().parents[2]
    beside = checkout.parent / "shared"
    return Path(named) if named else beside if (checkout / "pyproject.toml").is_file() and beside.is_dir() else None


def score_audit(
    folder: str | os.PathLike[str] | None = None,
    *,
    labels: str | os.PathLike[str] = "",
    traces: str | os.PathLike[str] = "",
    seed: int = 0,
) -> Scorecard:
    """Audit every labelled set that is there, and hold the findings against the labels.

    Args:
        folder: holds the sets as `SETS` says; what is not in it is told and left out. None for no such folder.
        labels: a table of your own labels, as `agentlab.experiments.scoring.own` describes it; empty for none.
        traces: the file or folder of traces that it speaks about; the folder of the table by default.
        seed: of the draws behind the intervals of an F1.

    Raises:
        LoadError: if a file is not what it should be.
        UsageError: if there is no such folder, if a label speaks of a trace that is not there, or if `traces` is given
            without `labels`.
    """
    if folder and not Path(folder).is_dir():
        raise UsageError(f"There is no folder {os.fspath(folder)!r} of labelled sets. Name one, or none at all.")
    if traces and not labels:
        raise UsageError(f"traces is {os.fspath(traces)!r} and there are no labels to hold them against. Give both.")
    places = {name: Path(folder) / below for name, below in SETS.items()} if folder else {}
    there = {name: place for name, place in places.items() if place.is_dir()}
    sets = [
        *([read_trail(there["trail"])] if "trail" in there else ()),
        *([read_agentrx(there["agentrx"])] if "agentrx" in there else ()),
        *(read_agentdojo(there["agentdojo"]) if "agentdojo" in there else ()),
        *([read_own(Path(labels), Path(traces or Path(labels).parent))] if labels else ()),
    ]
    reasons = dict.fromkeys(SETS, "not in the shared folder" if folder else "there is no shared folder")
    return Scorecard(
        sets=tuple(sets),
        case_set=read_cases(there["cases"]) if "cases" in there else None,
        absent={name: reason for name, reason in reasons.items() if name not in there},
        seed=seed,
    )


def save_scorecard(folder: str | os.PathLike[str], card: Scorecard) -> Path:
    """Write every table as Parquet below `scorecard/` of a folder, and return that folder."""
    place = Path(folder) / "scorecard"
    place.mkdir(parents=True, exist_ok=True)
    tables = ("groups", "rules", "categories", "clean", "disagreements", "cases", "verdicts")
    for name in tables:
        getattr(card, name).to_parquet(place / f"{name}.parquet", index=False)
    return place
