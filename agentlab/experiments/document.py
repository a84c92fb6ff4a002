"""The documents of studies: `agentlab.study/1`, which `agentlab study --json` prints, and `agentlab.results/1`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from operator import eq
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentlab.experiments.bounds import Bounds
from agentlab.experiments.formal import Formal
from agentlab.experiments.outcomes import Outcome
from agentlab.experiments.results import Measure, StudyResult
from agentlab.stats import Rate

__all__ = ["ResultsDocument", "StudyDocument", "TitledStudy", "document"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True, validate_by_name=True)


class RatePart(_Part):
    """A count of n attempts with its Wilson interval at the 95 % level; `rate` is null where n is 0."""

    count: int
    n: int
    rate: float | None
    low: float
    high: float


class CostPart(_Part):
    """What a condition used up, all attempts together."""

    requests: int
    steps: int
    executions: int
    input_tokens: int
    output_tokens: int
    seconds: float


class ConditionPart(_Part):
    """One condition; `n` leaves out attempts that ended for infrastructure."""

    name: str
    attempts: int
    outcomes: dict[Outcome, int]
    success: RatePart
    forged: RatePart
    forged_attempts: int
    """Attempts in which the model wrote a tool result itself, whatever came of it."""
    executed_attempts: int
    """Attempts in which a tool that the case's `executed` checks name ran and succeeded at least once."""
    cost: CostPart


class ComparisonPart(_Part):
    """The difference a − b with Newcombe's interval, and Fisher's exact p; `difference` is null where an n is 0."""

    a: str
    b: str
    measure: Measure
    difference: float | None
    low: float
    high: float
    p: float


class FormalPart(_Part):
    """A condition held to `--require K`."""

    name: str
    succeeded: int
    """Attempts that ended as `correct_with_evidence` within their cost bounds."""
    passed: bool
    refused: dict[str, str]
    """Attempts that do not count, each with the reason."""
    needed: int | None
    """Attempts a condition needs to see the difference; null where no attempt counts."""


class RequirementPart(_Part):
    """Of the attempts of each condition, at least `k` must succeed within the bounds."""

    k: int
    bounds: Bounds
    difference: float
    conditions: list[FormalPart]


class StudyDocument(_Part):
    """Everything a study found."""

    schema_: Annotated[Literal["agentlab.study/1"], Field(alias="schema")] = "agentlab.study/1"
    run: str
    case: str
    conditions: list[ConditionPart]
    comparisons: list[ComparisonPart]
    requirement: Annotated[RequirementPart | None, Field(exclude_if=partial(eq, None))] = None
    """Left out where nothing was required."""


class TitledStudy(StudyDocument):
    """A study beside others."""

    title: str


class ResultsDocument(_Part):
    """What a notebook leaves in `results.json`."""

    schema_: Annotated[Literal["agentlab.results/1"], Field(alias="schema")] = "agentlab.results/1"
    studies: list[TitledStudy]


def document(result: StudyResult, formal: Sequence[Formal] = ()) -> StudyDocument:
    """The document of a judged study.

    Args:
        result: the study.
        formal: its conditions held to a requirement, if there is one.
    """
    return StudyDocument(
        run=result.store.manifest.run,
        case=result.case,
        conditions=[
            ConditionPart(
                name=condition.name,
                attempts=condition.attempts,
                outcomes=condition.outcomes,
                success=_rate(condition.success),
                forged=_rate(condition.forged),
                forged_attempts=condition.forged_attempts,
                executed_attempts=condition.executed_attempts,
                cost=CostPart(**asdict(condition.cost)),
            )
            for condition in result.conditions
        ],
        comparisons=[
            ComparisonPart(
                a=comparison.a,
                b=comparison.b,
                measure=comparison.measure,
                difference=comparison.difference.difference,
                low=comparison.difference.low,
                high=comparison.difference.high,
                p=comparison.difference.p,
            )
            for comparison in result.comparisons
        ],
        requirement=_requirement(formal) if formal else None,
    )


def _requirement(formal: Sequence[Formal]) -> RequirementPart:
    wanted = formal[0].requirement
    return RequirementPart(
        k=wanted.k,
        bounds=wanted.bounds,
        difference=wanted.difference,
        conditions=[
            FormalPart(
                name=each.condition.name,
                succeeded=each.succeeded,
                passed=each.passed,
                refused={verdict.attempt.attempt: verdict.why for verdict in each.verdicts if verdict.why},
                needed=each.needed,
            )
            for each in formal
        ],
    )


def _rate(rate: Rate) -> RatePart:
    return RatePart(count=rate.count, n=rate.n, rate=rate.rate, low=rate.low, high=rate.high)
