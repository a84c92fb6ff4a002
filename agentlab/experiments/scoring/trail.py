"""The TRAIL benchmark: span trees of a deep-research agent, with errors that people placed at spans.

Source: Deshpande et al. 2025, "TRAIL: Trace Reasoning and Agentic Issue Localization", arXiv:2505.08638. A folder
holds `traces/<id>.json.xz` and `annotations/<id>.json`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agentlab.experiments.scoring.auditing import audited, read_json, shaped, sightings
from agentlab.experiments.scoring.values import Group, Label, LabelledSet, LabelledTrace, Place, Sighting

__all__ = ["CATEGORY_OF", "FAILED_CALLS", "GROUPS", "REPETITION", "UNGROUNDED", "read_trail", "steps_of"]

UNGROUNDED, FAILED_CALLS, REPETITION = "ungrounded", "failed calls", "repetition"
"""Names of the groups; other scores of these labels call them U, M and R."""

CATEGORY_OF: Mapping[str, str] = MappingProxyType(
    {
        rule: category
        for category, rules in {
            "Tool-related": ("unexecuted-claim", "forged-observation", "forged-error"),
            "Tool Selection Errors": ("phantom-call", "unknown-tool"),
            "Goal Deviation": ("unsupported-answer", "premature-finish"),
            "Tool Output Misinterpretation": ("contradicted-claim",),
            "Language-only": ("vacuous-evidence",),
            "Task Orchestration": ("subagent-claim",),
            "Formatting Errors": ("malformed-call", "ignored-error"),
            "Service Errors": ("infrastructure",),
            "Resource Abuse": ("repeat-loop", "no-progress"),
        }.items()
        for rule in rules
    }
)
"""The category that annotators give most often where a rule looks; one a rule."""


def _rules_of(*categories: str) -> frozenset[str]:
    return frozenset(rule for rule, category in CATEGORY_OF.items() if category in categories)


_UNGROUNDED = frozenset(
    {
        "Language-only",
        "Tool-related",
        "Goal Deviation",
        "Tool Selection Errors",
        "Task Orchestration",
        "Tool Output Misinterpretation",
    }
)
_FAILED_CALL = frozenset(
    {
        "Formatting Errors",
        "Tool-related",
        "Environment Setup Errors",
        "Resource Not Found",
        "Service Errors",
        "Authentication Errors",
        "Timeout Issues",
        "Tool Definition Issues",
    }
)

GROUPS = (
    Group(name=UNGROUNDED, words="stated or used, and no call bears it out", rules=_rules_of(*_UNGROUNDED)),
    Group(
        name=FAILED_CALLS,
        words="calls that were malformed or failed",
        rules=_rules_of("Formatting Errors", "Service Errors"),
    ),
    Group(name=REPETITION, words="the same again, and no progress", rules=_rules_of("Resource Abuse")),
)
"""Annotators spread one phenomenon over several categories; a group takes them together."""

_STOP_SEQUENCE = "end_plan"
"""Labels that blame a model for not writing it are artefacts: the harness stops the reply there and strips it."""


def read_trail(folder: Path) -> LabelledSet:
    """Read and audit the folder.

    Raises:
        LoadError: if a file of it is not what it should be.
    """
    files = sorted((folder / "traces").glob("*.json.xz"))
    found: dict[str, tuple[Sighting, ...]] = defaultdict(tuple)
    for report in audited(*files) if files else ():
        found[_stem(Path(report.trace.path))] += sightings(report)
    traces, aside = [], 0
    for file in files:
        with shaped(file, "a trace with its annotations"):
            trace, artefacts = _labelled(folder, file, found[_stem(file)])
        traces.append(trace)
        aside += artefacts
    return LabelledSet(
        name="trail",
        words="errors that annotators placed at spans of a research agent",
        folder=str(folder),
        traces=tuple(traces),
        groups=GROUPS,
        category_of=CATEGORY_OF,
        set_aside=aside,
    )


def _stem(file: Path) -> str:
    return file.name.split(".")[0]


def _labelled(folder: Path, file: Path, found: tuple[Sighting, ...]) -> tuple[LabelledTrace, int]:
    errors = read_json(folder / "annotations" / f"{_stem(file)}.json")["errors"]
    tree = read_json(file)["spans"]
    kinds = {span["span_id"]: _kind(span) for span, _ in _walk(tree)}
    kept = [error for error in errors if not _is_artefact(error)]
    labels = tuple(_label(error, kinds.get(error["location"], "")) for error in kept)
    steps = steps_of(tree)
    trace = LabelledTrace(name=_stem(file), labels=labels, sightings=found, steps=steps, clean=not errors)
    return trace, len(errors) - len(kept)


def _is_artefact(error: Mapping[str, str]) -> bool:
    return _STOP_SEQUENCE in error.get("evidence", "") + error.get("description", "")


def _label(error: Mapping[str, str], kind: str) -> Label:
    """A label; what is tool-related at a tool's span is a call that failed, and elsewhere a call that never was."""
    category, at_tool, groups = error["category"], kind == "TOOL", set()
    if category in _UNGROUNDED and not at_tool:
        groups.add(UNGROUNDED)
    if category in _FAILED_CALL and (at_tool or category not in _UNGROUNDED):
        groups.add(FAILED_CALLS)
    if category == "Resource Abuse":
        groups.add(REPETITION)
    note = error.get("description", "") or error.get("evidence", "")
    return Label(source=error["location"], category=category, groups=frozenset(groups), note=note)


def _kind(span: Mapping[str, Any]) -> str:
    return str(span["span_attributes"].get("openinference.span.kind", ""))


def _walk(tree: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Every span with its parent, a parent before its children."""
    waiting: list[tuple[dict[str, Any], dict[str, Any] | None]] = [(span, None) for span in reversed(tree)]
    while waiting:
        span, parent = waiting.pop()
        yield span, parent
        waiting += [(child, span) for child in reversed(span.get("child_spans") or [])]


def steps_of(tree: list[dict[str, Any]]) -> dict[str, Place]:
    """The step of each span: steps are the chain spans below one parent that are named so, in the order of time.

    A span that is no chain belongs to the step it is a child of.
    """
    runs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for span, parent in _walk(tree):
        if parent and _kind(span) == "CHAIN" and span["span_name"].startswith("Step"):
            runs[parent["span_id"]].append(span)
    chains = {
        span["span_id"]: (run, number)
        for run, spans in runs.items()
        for number, span in enumerate(sorted(spans, key=lambda span: str(span["timestamp"])))
    }
    places = {}
    for span, parent in _walk(tree):
        step = span if _kind(span) == "CHAIN" else parent
        if step and step["span_id"] in chains:
            places[span["span_id"]] = chains[step["span_id"]]
    return places
