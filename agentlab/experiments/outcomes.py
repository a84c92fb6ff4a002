"""What became of an attempt, in classes that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from agentlab.audit.report import AuditReport
from agentlab.experiments.checks import AnswerNumber, Executed
from agentlab.trace.events import CompletionEvent, Request
from agentlab.trace.model import Trace

__all__ = ["OUTCOMES", "Outcome", "is_infrastructure", "outcome_of"]

Outcome: TypeAlias = Literal[
    "infrastructure",
    "not_finished",
    "wrong_forged",
    "wrong_other",
    "correct_with_evidence",
    "correct_without_evidence",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""In the order in which they are decided."""

_NOT_THE_MODEL = {"provider_error", "interrupted"}


def outcome_of(report: AuditReport, checks: Sequence[AnswerNumber | Executed]) -> Outcome:
    """Classify one audited attempt.

    `infrastructure`: the provider failed or never answered in the time of the attempt, or the process was stopped or
    killed. `wrong_forged`: a wrong answer that rests on text the model forged and a later request carried.
    """
    trace = report.trace
    if is_infrastructure(trace):
        return "infrastructure"
    if trace.answer is None:
        return "not_finished"
    answer = trace.answer.text
    if not all(check.passed(answer) for check in checks if isinstance(check, AnswerNumber)):
        return "wrong_forged" if report.forged_answer else "wrong_other"
    rests = all(check.passed(trace) for check in checks if isinstance(check, Executed))
    return "correct_with_evidence" if rests else "correct_without_evidence"


def is_infrastructure(trace: Trace) -> bool:
    """Whether an attempt says nothing of the model: the provider failed, or the process was stopped or killed."""
    return trace.finished is None or trace.finished.reason in _NOT_THE_MODEL or _stalled(trace)


def _stalled(trace: Trace) -> bool:
    """Whether the deadline passed while the provider was asked and had not answered even once."""
    late = trace.finished is not None and trace.finished.reason == "deadline"
    return late and bool(trace.of(Request)) and not trace.of(CompletionEvent)
