"""N/K: of N attempts at least K must succeed, each within its cost bounds. The third layer of regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab.errors import UsageError
from agentlab.experiments.bounds import Bounds
from agentlab.experiments.results import AttemptResult, ConditionResult, StudyResult
from agentlab.stats import attempts_needed

__all__ = ["Formal", "Requirement", "Verdict", "evaluate"]


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """How many attempts of a condition must succeed, and at what cost.

    Raises:
        UsageError: for a number that cannot be required.
    """

    k: int
    bounds: Bounds
    difference: float = 0.2
    """A difference of two success rates, for which the attempts that are needed to see it are told."""

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError(f"At least one attempt must be required to succeed; --require is {self.k!r}.")
        if not 0 < self.difference <= 1:
            raise UsageError(f"A difference of two rates is above 0 and at most 1; it is {self.difference!r}.")

    def check(self, attempts: int) -> None:
        """Refuse to require more successes than there are attempts.

        Raises:
            UsageError: if they are.
        """
        if self.k > attempts:
            raise UsageError(f"{self.k} successes are required of {attempts} attempts; require fewer, or run more.")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One attempt held to the requirement."""

    attempt: AttemptResult
    why: str
    """Why it does not count; empty where it does."""


@dataclass(frozen=True, kw_only=True)
class Formal:
    """One condition held to the requirement."""

    condition: ConditionResult
    verdicts: Sequence[Verdict]
    requirement: Requirement

    @property
    def succeeded(self) -> int:
        """Attempts that succeeded within their bounds."""
        return sum(not verdict.why for verdict in self.verdicts)

    @property
    def passed(self) -> bool:
        return self.succeeded >= self.requirement.k

    @property
    def sentence(self) -> str:
        met = "met" if self.passed else "not met"
        return f"{self.condition.name}: {self.succeeded} of {len(self.verdicts)}, {self.requirement.k} required: {met}"

    @property
    def needed(self) -> int | None:
        """Attempts a condition needs to see a rate that differs so much; None where no attempt counts."""
        rate = self.condition.success.rate
        if rate is None:
            return None
        other = rate - self.requirement.difference
        return attempts_needed(rate, other if other >= 0 else rate + self.requirement.difference)


def evaluate(result: StudyResult, requirement: Requirement) -> list[Formal]:
    """Hold every condition of a study to a requirement.

    Raises:
        UsageError: if more successes are required than there are attempts.
    """
    requirement.check(result.store.manifest.attempts_per_condition)
    return [
        Formal(
            condition=condition,
            verdicts=[_verdict(each, requirement.bounds) for each in result.select(condition=condition.name)],
            requirement=requirement,
        )
        for condition in result.conditions
    ]


def _verdict(attempt: AttemptResult, bounds: Bounds) -> Verdict:
    if attempt.outcome != "correct_with_evidence":
        return Verdict(attempt=attempt, why=f"it ended as {attempt.outcome.replace('_', ' ')}")
    tokens = None if attempt.input_tokens is None else attempt.input_tokens + (attempt.output_tokens or 0)
    beyond = bounds.exceeded(tokens=tokens, calls=attempt.executions, steps=attempt.steps, seconds=attempt.seconds)
    return Verdict(attempt=attempt, why="; ".join(beyond))
