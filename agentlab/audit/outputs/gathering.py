"""The diagnoses of many traces as one: each symptom once, with how many traces show it and one place to look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agentlab.audit.diagnosis.symptoms import SYMPTOMS, Layer
from agentlab.audit.outputs.document import DiagnosisPart, TracePart

__all__ = ["LAYERS", "SeenSymptom", "gather"]

LAYERS: tuple[Layer, ...] = ("context", "loop", "tool_calls", "model")
"""The order in which to look: at the model last, the likeliest suspect and the least likely culprit."""

_PLACE = {symptom.name: (LAYERS.index(symptom.layer), place) for place, symptom in enumerate(SYMPTOMS)}


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenSymptom:
    """A symptom that at least one trace shows."""

    symptom: str
    layer: Layer
    cause: str
    """The likeliest root cause."""
    check: str
    """The first thing to look at."""
    traces: int
    """How many traces show it."""
    part: TracePart
    """The first trace that shows it."""
    finding: int
    """Place of an example in that trace's findings."""
    context: tuple[tuple[str, int], ...]
    """What of the context feeds it, said of the first trace of which that is true, and of how many it is."""


@dataclass(kw_only=True, slots=True)
class _Sum:
    first: DiagnosisPart
    part: TracePart
    traces: int = 0
    context: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By name of the check: its first sentence, and the number of traces."""


def gather(parts: Iterable[TracePart]) -> tuple[SeenSymptom, ...]:
    """Every symptom that is shown, in the order in which to look: context, loop, tool calls, model."""
    sums: dict[str, _Sum] = {}
    for part in parts:
        details = {check.name: check.detail for check in part.context_checks}
        for diagnosis in part.diagnosis:
            held = sums.setdefault(diagnosis.symptom, _Sum(first=diagnosis, part=part))
            held.traces += 1
            for name in diagnosis.context:
                detail, number = held.context.get(name, (details[name], 0))
                held.context[name] = detail, number + 1
    return tuple(_seen(sums[name]) for name in sorted(sums, key=_PLACE.__getitem__))


def _seen(held: _Sum) -> SeenSymptom:
    return SeenSymptom(
        symptom=held.first.symptom,
        layer=held.first.layer,
        cause=held.first.cause,
        check=held.first.check,
        traces=held.traces,
        part=held.part,
        finding=held.first.findings[0],
        context=tuple(held.context.values()),
    )
