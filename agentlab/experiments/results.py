"""What a study found: one row an attempt, one summary a condition, every pair of conditions compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from agentlab.audit.report import AuditReport, audit_trace
from agentlab.errors import unknown_name
from agentlab.experiments.case import Case
from agentlab.experiments.checks import Executed
from agentlab.experiments.outcomes import OUTCOMES, Outcome, outcome_of
from agentlab.stats import Difference, Rate, compare, wilson
from agentlab.trace.events import CompletionEvent
from agentlab.trace.formatting import html_table
from agentlab.trace.model import Trace
from agentlab.trace.store import RunStore

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AttemptResult", "Comparison", "ConditionResult", "Cost", "Measure", "StudyResult", "judge", "rate_text"]

Measure = Literal["success", "forged"]
"""success: `correct_with_evidence`. forged: `wrong_forged`."""
_CLASS: dict[Measure, Outcome] = {"success": "correct_with_evidence", "forged": "wrong_forged"}


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptResult:
    """One attempt, judged."""

    attempt: str
    condition: str
    index: int
    outcome: Outcome
    answer: str | None
    ended: str
    """Termination reason; `killed` where no end was recorded."""
    steps: int
    requests: int
    executions: int
    executed_tools: str
    """Names of the tools that really ran, in order, separated by blanks."""
    called_the_tool: bool
    """Whether a tool that the case's `executed` checks name ran and succeeded at least once."""
    forged_observations: int
    """Results the model wrote itself."""
    empty_replies: int
    """Replies that ended of themselves and hold nothing: a stop string may have hidden what they began with."""
    carried: int
    """Requests that carried text the model forged."""
    rests_on_forged: bool
    input_tokens: int | None
    output_tokens: int | None
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What a condition used up, all attempts together."""

    requests: int
    steps: int
    executions: int
    input_tokens: int
    output_tokens: int
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionResult:
    """One condition's counts and rates; `n` leaves out attempts that ended for infrastructure."""

    name: str
    attempts: int
    n: int
    outcomes: dict[Outcome, int]
    success: Rate
    forged: Rate
    forging: Rate
    """Attempts of `n` in which the model wrote a tool result itself."""
    forged_attempts: int
    """Attempts in which the model wrote a tool result itself, whatever came of it."""
    executed_attempts: int
    """Attempts in which a tool that the case's `executed` checks name ran and succeeded at least once."""
    cost: Cost


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The difference a − b of two conditions in one measure."""

    a: str
    b: str
    measure: Measure
    difference: Difference


@dataclass(frozen=True, kw_only=True)
class StudyResult:
    """A study, judged. `conditions`, `comparisons` and `frame()` are its tables; `report(id)` audits one attempt."""

    store: RunStore
    case: str
    attempts: tuple[AttemptResult, ...]
    names: tuple[str, ...]
    """Conditions, in the order they were asked for."""

    def __repr__(self) -> str:
        shown = "; ".join(
            f"{c.name}: {c.success.count}/{c.n} success, {c.forged.count} forged" for c in self.conditions
        )
        return f"<StudyResult {self.case} {shown}>"

    def _repr_html_(self) -> str:
        used = self.occurring
        titles = (outcome.replace("_", " ") for outcome in used)
        head = ("condition", "n", "success", "forged", "really called the tool", *titles)
        rows = (
            (
                c.name,
                str(c.n),
                rate_text(c.success),
                rate_text(c.forged),
                f"{c.executed_attempts}/{c.attempts}",
                *(str(c.outcomes[outcome]) for outcome in used),
            )
            for c in self.conditions
        )
        return html_table(head, rows)

    @property
    def occurring(self) -> tuple[Outcome, ...]:
        """The outcomes that any attempt had, in the order in which they are decided."""
        found = {attempt.outcome for attempt in self.attempts}
        return tuple(outcome for outcome in OUTCOMES if outcome in found)

    @cached_property
    def conditions(self) -> tuple[ConditionResult, ...]:
        return tuple(_summary(name, [a for a in self.attempts if a.condition == name]) for name in self.names)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every pair of conditions, in both measures."""
        return tuple(_compare(a, b, measure) for a, b in combinations(self.conditions, 2) for measure in _CLASS)

    def trace(self, attempt: str) -> Trace:
        return self.store.trace(attempt)

    def report(self, attempt: str) -> AuditReport:
        """The audit of one attempt."""
        return audit_trace(self.trace(attempt))

    def select(self, *, condition: str | None = None, outcome: Outcome | None = None) -> Iterator[AttemptResult]:
        """The attempts of a condition, an outcome, or both.

        Raises:
            UsageError: for an outcome that does not exist.
        """
        if outcome not in (None, *OUTCOMES):
            raise unknown_name("outcome", outcome, OUTCOMES)
        return (a for a in self.attempts if condition in (None, a.condition) and outcome in (None, a.outcome))

    def frame(self) -> pd.DataFrame:
        """One row an attempt; the columns are the fields of `AttemptResult`."""
        import pandas as pd

        columns = [f.name for f in fields(AttemptResult)]
        rows = [[getattr(result, name) for name in columns] for result in self.attempts]
        return pd.DataFrame(rows, columns=columns)


def judge(store: RunStore, case: Case, names: Sequence[str]) -> StudyResult:
    """Audit and classify every recorded attempt of a run."""
    results = tuple(_judge_attempt(trace, case) for trace in store.traces())
    return StudyResult(store=store, case=case.name, attempts=results, names=tuple(names))


def rate_text(rate: Rate) -> str:
    """A rate as a person reads it: count of n, and the interval in per cent."""
    return f"{rate.count}/{rate.n} ({100 * rate.low:.0f}–{100 * rate.high:.0f} %)"


def _judge_attempt(trace: Trace, case: Case) -> AttemptResult:
    report = audit_trace(trace)
    start, end = trace.started, trace.finished
    wanted = {check.tool for check in case.file.checks if isinstance(check, Executed)}
    carriers = {carrier.event for path in report.contaminations for carrier in path.carriers}
    return AttemptResult(
        attempt=trace.id,
        condition=start.condition,
        index=start.index,
        outcome=outcome_of(report, case.file.checks),
        answer=trace.answer.text if trace.answer else None,
        ended=end.reason if end else "killed",
        steps=end.steps if end else max((event.step or 0 for event in trace), default=0),
        requests=end.requests if end else 0,
        executions=len(report.ledger),
        executed_tools=" ".join(entry.tool for entry in report.ledger),
        called_the_tool=any(call.tool in wanted and call.state == "succeeded" for call in trace.calls),
        forged_observations=sum(claim.kind == "observation" for claim in report.claims),
        empty_replies=sum("empty_reply" in reply.remarks for reply in trace.of(CompletionEvent)),
        carried=len(carriers),
        rests_on_forged=report.forged_answer,
        input_tokens=end.input_tokens if end else None,
        output_tokens=end.output_tokens if end else None,
        seconds=end.duration or 0.0 if end else 0.0,
    )


def _summary(name: str, attempts: Sequence[AttemptResult]) -> ConditionResult:
    counts = Counter(attempt.outcome for attempt in attempts)
    n = len(attempts) - counts["infrastructure"]
    return ConditionResult(
        name=name,
        attempts=len(attempts),
        n=n,
        outcomes={outcome: counts[outcome] for outcome in OUTCOMES},
        success=wilson(counts["correct_with_evidence"], n),
        forged=wilson(counts["wrong_forged"], n),
        forging=wilson(sum(a.forged_observations > 0 and a.outcome != "infrastructure" for a in attempts), n),
        forged_attempts=sum(attempt.forged_observations > 0 for attempt in attempts),
        executed_attempts=sum(attempt.called_the_tool for attempt in attempts),
        cost=Cost(
            requests=sum(a.requests for a in attempts),
            steps=sum(a.steps for a in attempts),
            executions=sum(a.executions for a in attempts),
            input_tokens=sum(a.input_tokens or 0 for a in attempts),
            output_tokens=sum(a.output_tokens or 0 for a in attempts),
            seconds=round(sum(a.seconds for a in attempts), 6),
        ),
    )


def _compare(a: ConditionResult, b: ConditionResult, measure: Measure) -> Comparison:
    outcome = _CLASS[measure]
    difference = compare(a.outcomes[outcome], a.n, b.outcomes[outcome], b.n)
    return Comparison(a=a.name, b=b.name, measure=measure, difference=difference)
