"""What a scorecard is made of: labels that somebody placed, findings that the audit placed, and what counts as near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from agentlab.audit.values import Severity

__all__ = ["GRAINS", "Grain", "Group", "Label", "LabelledSet", "LabelledTrace", "Place", "Sighting"]

Grain = Literal["exact", "step", "trace"]
"""How close a finding must be to a label: at the same place, at most one step away, or anywhere in the trace."""

GRAINS: tuple[Grain, ...] = ("exact", "step", "trace")

Place: TypeAlias = tuple[str, int]
"""A run of steps, and the number of a step in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """What somebody says is wrong, and where."""

    source: str
    """Identity of the place in the original file (span id, message index); empty for the trace as a whole."""
    category: str
    groups: frozenset[str] = frozenset()
    """Names of the groups it is counted in."""
    note: str = ""
    """The labeller's words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighting:
    """A finding of severity failure or warning, placed."""

    rule: str
    severity: Severity
    places: tuple[str, ...]
    """Where it counts, as identities in the original file; a place that has none is left out."""
    message: str
    text: str
    """The stretch it is about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledTrace:
    """A trace with the labels of a person and the findings of the audit."""

    name: str
    """How a person finds it: its file or its id, and the row in it."""
    labels: tuple[Label, ...]
    sightings: tuple[Sighting, ...]
    steps: Mapping[str, Place] = field(default_factory=dict)
    """The step of each place that has one."""
    clean: bool = False
    """Whether somebody looked at it and found nothing wrong."""

    def near(self, one: str, other: str) -> bool:
        """Whether two places are the same or at most one step of one run apart."""
        if one == other:
            return True
        if one not in self.steps or other not in self.steps:
            return False
        (run, number), (other_run, other_number) = self.steps[one], self.steps[other]
        return run == other_run and abs(number - other_number) <= 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Rules and categories that are about the same thing."""

    name: str
    words: str
    """What it is about."""
    rules: frozenset[str] | None = None
    """Rules that look for it; None for every rule."""

    def takes(self, rule: str) -> bool:
        return self.rules is None or rule in self.rules


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledSet:
    """Traces of one origin, labelled in one way."""

    name: str
    words: str
    """What is asked of the audit here."""
    folder: str
    traces: tuple[LabelledTrace, ...]
    groups: tuple[Group, ...]
    grains: tuple[Grain, ...] = GRAINS
    """How close a finding can be to a label here."""
    category_of: Mapping[str, str] = field(default_factory=dict)
    """One category a rule, for a score over (place, category); empty where the labels have no such categories."""
    scope: frozenset[str] | None = None
    """Rules that the labels speak about, so that the others accuse no clean run; None for every rule."""
    set_aside: int = 0
    """Labels that are known to be artefacts and count nowhere."""
