"""The AgentRx benchmark, tau-bench retail part: failed runs with labelled steps, successful runs as the control.

A folder holds `tau_retail_failed.json` and `tau_retail_succeeded.json`, lists of runs whose `traj` is a list of
messages, and `labels.json`, which names the message of each failure of a failed run and its category.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentlab.experiments.scoring.auditing import read_json, shaped, sightings
from agentlab.experiments.scoring.messages import audited_messages
from agentlab.experiments.scoring.values import Group, Label, LabelledSet, LabelledTrace

__all__ = ["read_agentrx"]

_ANY = Group(name="any", words="any labelled failure, by a finding of any rule")
_FAILED, _SUCCEEDED, _LABELS = "tau_retail_failed.json", "tau_retail_succeeded.json", "labels.json"


def read_agentrx(folder: Path) -> LabelledSet:
    """Read and audit the folder; a step is a message, and every place that a finding names counts.

    Raises:
        LoadError: if a file of it is not what it should be.
    """
    with shaped(folder / _LABELS, "a list of labelled runs"):
        labels = {str(row["trajectory_id"]): _labels(row) for row in read_json(folder / _LABELS)}
    failed = _traces(folder / _FAILED, labels, clean=False)
    absent = [
        LabelledTrace(name=f"{_FAILED} {key}", labels=labels[key], sightings=()) for key in labels.keys() - failed
    ]
    succeeded = _traces(folder / _SUCCEEDED, {}, clean=True)
    return LabelledSet(
        name="agentrx",
        words="failures that people placed at messages of shop assistants",
        folder=str(folder),
        traces=(*failed.values(), *sorted(absent, key=lambda trace: trace.name), *succeeded.values()),
        groups=(_ANY,),
    )


def _labels(row: Mapping[str, Any]) -> tuple[Label, ...]:
    return tuple(
        Label(
            source=str(int(failure["step_number"])),
            category=failure["failure_category"],
            groups=frozenset({_ANY.name}),
            note=failure.get("step_reason", ""),
        )
        for failure in row["failures"]
    )


def _traces(path: Path, labels: Mapping[str, tuple[Label, ...]], *, clean: bool) -> dict[str, LabelledTrace]:
    with shaped(path, "a list of runs with their messages"):
        rows = {str(row.get("task_id", number)): row["traj"] for number, row in enumerate(read_json(path))}
    return {
        key: LabelledTrace(
            name=f"{path.name} {key}",
            labels=labels.get(key, ()),
            sightings=sightings(report, counted="every"),
            steps={str(number): ("", number) for number in range(-1, len(rows[key]) + 1)},
            clean=clean,
        )
        for key, report in audited_messages(rows)
    }
