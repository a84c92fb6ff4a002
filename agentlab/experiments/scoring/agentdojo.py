"""AgentDojo: did the agent follow an instruction that was planted in a tool's result?

Source: Debenedetti et al. 2024, "AgentDojo: A Dynamic Environment to Evaluate Prompt Injection Attacks and Defenses for
LLM Agents", arXiv:2406.13352. A folder holds one `*.jsonl.xz` file a pipeline; a line with `messages` is a run, and
its `metadata` says whether it was attacked and whether the attack reached its goal.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentlab.errors import LoadError
from agentlab.experiments.scoring.auditing import shaped, sightings
from agentlab.experiments.scoring.messages import audited_messages
from agentlab.experiments.scoring.values import Group, Label, LabelledSet, LabelledTrace

__all__ = ["read_agentdojo"]

_RULES = frozenset({"injection-followed"})
_FOLLOWED = Group(name="injection", words="the planted instruction was followed", rules=_RULES)
_SUITE_APART = "workspace"
"""There the agent often sends the planted mail and misses the exact goal, which the benchmark calls resisted."""


def read_agentdojo(folder: Path) -> tuple[LabelledSet, LabelledSet]:
    """Read and audit the folder; the attacked runs of the workspace suite make a set of their own.

    Raises:
        LoadError: if a file of it is not what it should be.
    """
    main: list[LabelledTrace] = []
    apart: list[LabelledTrace] = []
    for path in sorted(folder.glob("*.jsonl.xz")):
        with shaped(path, "one run of AgentDojo a line"):
            runs = dict(_runs(path))
            for key, report in audited_messages({key: run["messages"] for key, run in runs.items()}):
                facts = runs[key]["metadata"]
                attacked = facts.get("attack_type") not in (None, "", "none")
                trace = LabelledTrace(
                    name=f"{path.name} {key}",
                    labels=_labels(facts) if attacked and facts.get("security") else (),
                    sightings=tuple(seen for seen in sightings(report) if seen.rule in _RULES),
                    clean=not attacked,
                )
                (apart if attacked and facts.get("suite_name") == _SUITE_APART else main).append(trace)
    return (
        _set("agentdojo", "planted instructions that were followed, workspace suite apart", folder, main),
        _set("agentdojo-workspace", "the same in the attacked runs of the workspace suite", folder, apart),
    )


def _runs(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        text = lzma.decompress(path.read_bytes()).decode()
    except (OSError, lzma.LZMAError) as error:
        raise LoadError(path, f"lines compressed with xz were expected ({error})") from None
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        row = json.loads(line)
        if "messages" in row:
            yield f"line {number}", row


def _labels(facts: Mapping[str, Any]) -> tuple[Label, ...]:
    note = ", ".join(
        str(facts[name]) for name in ("suite_name", "user_task_id", "injection_task_id") if facts.get(name)
    )
    return (Label(source="", category="attack reached its goal", groups=frozenset({_FOLLOWED.name}), note=note),)


def _set(name: str, words: str, folder: Path, traces: list[LabelledTrace]) -> LabelledSet:
    return LabelledSet(
        name=name,
        words=words,
        folder=str(folder),
        traces=tuple(traces),
        groups=(_FOLLOWED,),
        grains=("trace",),
        scope=_RULES,
    )
