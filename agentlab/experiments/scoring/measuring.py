"""From labels and findings to precision, recall and F1, each with the range that so few traces leave open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from agentlab.experiments.scoring.values import Grain, Group, Label, LabelledSet, LabelledTrace, Sighting
from agentlab.stats import Rate, wilson

if TYPE_CHECKING:
    import numpy as np

__all__ = ["RESAMPLES", "Score", "Tally", "by_category", "in_group", "meets", "of_rule", "score", "tally"]

RESAMPLES = 2000
"""Draws of as many traces as there are, with replacement, behind each interval of an F1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """The counts of one trace, or of several together."""

    found: int = 0
    """Places the audit points at."""
    right: int = 0
    """Those of them that a label is close enough to."""
    labelled: int = 0
    """Places a label points at."""
    met: int = 0
    """Those of them that a finding is close enough to."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            found=self.found + other.found,
            right=self.right + other.right,
            labelled=self.labelled + other.labelled,
            met=self.met + other.met,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Precision and recall with Wilson's intervals, F1 with one from resampled traces."""

    counts: Tally
    precision: Rate
    recall: Rate
    f1: float | None
    """Harmonic mean of both; 0 where either is 0 or nothing was found, None where nothing was found or labelled."""
    f1_low: float | None
    f1_high: float | None


def in_group(group: Group) -> Callable[[LabelledTrace], tuple[list[Sighting], list[Label]]]:
    """Picks the findings and labels of a group out of a trace."""
    return lambda trace: (
        [sighting for sighting in trace.sightings if group.takes(sighting.rule)],
        [label for label in trace.labels if group.name in label.groups],
    )


def of_rule(group: Group, rule: str) -> Callable[[LabelledTrace], tuple[list[Sighting], list[Label]]]:
    """Picks the findings of one rule, and the labels of its group: how the group would fare with this rule alone."""
    return lambda trace: (
        [sighting for sighting in trace.sightings if sighting.rule == rule],
        [label for label in trace.labels if group.name in label.groups],
    )


def meets(trace: LabelledTrace, sighting: Sighting, label: Label, grain: Grain) -> bool:
    """Whether a finding is close enough to a label."""
    if grain == "trace":
        return True
    if not label.source:
        return False
    if grain == "exact":
        return label.source in sighting.places
    return any(trace.near(place, label.source) for place in sighting.places)


def tally(trace: LabelledTrace, grain: Grain, sightings: Sequence[Sighting], labels: Sequence[Label]) -> Tally:
    """Count one trace; equal places count once.

    A label of the trace as a whole names no place, so findings beside it can be judged for the trace only: closer
    than that, the trace counts nothing.
    """
    if grain == "trace":
        both = bool(sightings and labels)
        return Tally(found=bool(sightings), right=both, labelled=bool(labels), met=both)
    if any(not label.source for label in labels):
        return Tally()
    found = {sighting.places: sighting for sighting in sightings}.values()
    wanted = {label.source: label for label in labels}.values()
    return Tally(
        found=len(found),
        right=sum(any(meets(trace, sighting, label, grain) for label in wanted) for sighting in found),
        labelled=len(wanted),
        met=sum(any(meets(trace, sighting, label, grain) for sighting in found) for label in wanted),
    )


def by_category(labelled: LabelledSet, trace: LabelledTrace, grain: Grain) -> Tally:
    """Count the pairs of place and category of one trace, each rule having one category."""
    names = {label.category for label in trace.labels} | set(labelled.category_of.values())
    counts = Tally()
    for name in sorted(names):
        sightings = [s for s in trace.sightings if labelled.category_of.get(s.rule) == name]
        counts += tally(trace, grain, sightings, [label for label in trace.labels if label.category == name])
    return counts


def score(tallies: Iterable[Tally], *, seed: int = 0, level: float = 0.95) -> Score:
    """Precision, recall and F1 of several traces together.

    Precision is right / found, recall is met / labelled. Their limits are Wilson's, which suppose that places are
    independent. Those of the F1 are the quantiles of `RESAMPLES` draws of whole traces, which places of one trace may
    depend on each other in: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13 (percentile
    interval). Where every draw gives the same F1, as with one trace or without any error, draws say nothing; the limits
    are then the F1 of both lower and of both upper limits.

    Args:
        tallies: one for each trace, those that count nothing included.
        seed: of the draws; the same seed gives the same limits.
        level: share of such intervals that hold the true value.
    """
    rows = list(tallies)
    counts = sum(rows, Tally())
    precision = wilson(counts.right, counts.found, level=level)
    recall = wilson(counts.met, counts.labelled, level=level)
    low, high = _f1_limits(rows, seed, level)
    if low is not None and low == high:
        low, high = _mean(precision.low, recall.low), _mean(precision.high, recall.high)
    return Score(
        counts=counts,
        precision=precision,
        recall=recall,
        f1=_f1(counts),
        f1_low=low,
        f1_high=high,
    )


def _f1(counts: Tally) -> float | None:
    if not counts.found and not counts.labelled:
        return None
    if not counts.right or not counts.met:
        return 0.0
    return _mean(counts.right / counts.found, counts.met / counts.labelled)


def _mean(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _f1_limits(rows: Sequence[Tally], seed: int, level: float) -> tuple[float | None, float | None]:
    if _f1(sum(rows, Tally())) is None:
        return None, None
    import numpy as np

    table = np.array([(row.found, row.right, row.labelled, row.met) for row in rows], dtype=float)
    found, right, labelled, met = (_draws(len(rows), seed) @ table).T
    kept = found + labelled > 0  # a draw without anything has no F1
    precision = right[kept] / np.maximum(found[kept], 1)
    recall = met[kept] / np.maximum(labelled[kept], 1)
    values = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@lru_cache(maxsize=8)
def _draws(n: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """How often each of n traces is in each draw: `RESAMPLES` rows, n columns."""
    import numpy as np

    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float)
