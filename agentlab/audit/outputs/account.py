"""The account of an attempt: the questions one asks after a wrong answer, each answered from the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab.audit.outputs.questions import QUESTIONS, Line
from agentlab.audit.report import AuditReport
from agentlab.trace.formatting import html_table, shorten, visible
from agentlab.trace.several import checked

__all__ = ["Account", "account"]

_FIRST, _LAST = 8, 4
"""Lines shown of a longer answer."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """Questions and answers about one attempt."""

    attempt: str
    answers: tuple[tuple[str, tuple[Line, ...]], ...]

    def __str__(self) -> str:
        parts = [f"Attempt {shorten(self.attempt)}"]
        for question, lines in self.answers:
            parts += ["", question, *(f"  {visible(line.text)}{_sources(line)}" for line in lines)]
        return "\n".join(parts)

    def __repr__(self) -> str:
        return f"<Account of {shorten(self.attempt, 17)}: {len(self.answers)} questions>"

    def _repr_html_(self) -> str:
        rows = (
            (question if number == 0 else "", line.text, " ".join(line.events))
            for question, lines in self.answers
            for number, line in enumerate(lines)
        )
        return html_table(("question", "answer", "events"), rows)


def account(report: AuditReport) -> Account:
    """Answer the questions of the case for one audited attempt; a long answer is cut in its middle.

    What only our own harness can answer is not asked of the trace of another one.

    Raises:
        UsageError: for anything but a report.
    """
    report = checked(report, AuditReport, "audit_trace makes one")
    asked = ((question, list(question.answer(report))) for question in QUESTIONS)
    answers = (
        (question.text, _cut(lines or [Line(text=question.otherwise)]))
        for question, lines in asked
        if lines or question.foreign or not report.trace.started.format
    )
    return Account(attempt=report.trace.id, answers=tuple(answers))


def _cut(lines: Sequence[Line]) -> tuple[Line, ...]:
    if len(lines) <= _FIRST + _LAST:
        return tuple(lines)
    return (*lines[:_FIRST], Line(text=f"… {len(lines) - _FIRST - _LAST} more …"), *lines[-_LAST:])


def _sources(line: Line) -> str:
    return f"  [{' '.join(line.events)}]" if line.events else ""
