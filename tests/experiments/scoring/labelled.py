"""Small labelled traces of a heronry, written where a test wants them."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.audit.values import Severity
from agentlab.experiments.scoring.values import Group, Label, LabelledSet, LabelledTrace, Sighting

NESTS = Group(name="nests", words="about nests", rules=frozenset({"phantom-call", "unexecuted-claim"}))
LOOPS = Group(name="loops", words="about loops", rules=frozenset({"repeat-loop"}))

STEPS = {"a1": ("a", 1), "a2": ("a", 2), "a3": ("a", 3), "a4": ("a", 4), "b2": ("b", 2)}


def label(source: str, category: str = "nest", *groups: str) -> Label:
    return Label(source=source, category=category, groups=frozenset(groups or {"nests"}), note=f"wrong at {source}")


def sighting(rule: str, *places: str, severity: Severity = "failure") -> Sighting:
    return Sighting(rule=rule, severity=severity, places=places, message=f"{rule} found", text="two eggs")


def trace(
    name: str, labels: tuple[Label, ...] = (), sightings: tuple[Sighting, ...] = (), *, clean: bool = False
) -> LabelledTrace:
    return LabelledTrace(name=name, labels=labels, sightings=sightings, steps=STEPS, clean=clean)


def heronry(*traces: LabelledTrace, category_of: Mapping[str, str] | None = None) -> LabelledSet:
    return LabelledSet(
        name="heronry",
        words="what wardens saw",
        folder="here",
        traces=traces,
        groups=(NESTS, LOOPS),
        category_of=category_of or {},
    )
