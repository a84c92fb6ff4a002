"""The audit of one trace: claims minus ledger is findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import get_args

from agentlab.audit.catalogue import RULES
from agentlab.audit.diagnosis.context import ContextCheck, context_checks
from agentlab.audit.diagnosis.symptoms import Diagnosis, diagnose
from agentlab.audit.reading import Reading, read
from agentlab.audit.values import Claim, Contamination, Entry, Finding, Severity
from agentlab.trace.formatting import html_table, shorten, visible
from agentlab.trace.model import Trace
from agentlab.trace.several import checked

__all__ = ["AuditReport", "audit_trace"]


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """What was claimed, what was executed, and every boundary that was crossed."""

    reading: Reading
    findings: tuple[Finding, ...]

    @property
    def trace(self) -> Trace:
        return self.reading.trace

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.reading.claims

    @property
    def ledger(self) -> tuple[Entry, ...]:
        return self.reading.ledger

    @property
    def pairs(self) -> Mapping[str, str]:
        """Claim id of kind call to the `execution_started` event of its execution."""
        return {claim: entry.event for claim, entry in self.reading.executed.items()}

    @property
    def contaminations(self) -> tuple[Contamination, ...]:
        return self.reading.contaminations

    @cached_property
    def forged_answer(self) -> bool:
        """Whether the answer rests on text the model forged."""
        return any(path.answer is not None for path in self.contaminations)

    @cached_property
    def diagnosis(self) -> tuple[Diagnosis, ...]:
        """The symptoms that failures and warnings show, in the order in which to look."""
        return diagnose(self.trace, self.findings)

    @cached_property
    def context_checks(self) -> tuple[ContextCheck, ...]:
        """Three questions to the largest context, answered from the record."""
        return context_checks(self.trace)

    def __repr__(self) -> str:
        counts = Counter(finding.severity for finding in self.findings)
        found = " ".join(f"{severity}={counts[severity]}" for severity in get_args(Severity) if counts[severity])
        return (
            f"<AuditReport {shorten(self.trace.id, 17)} claims={len(self.claims)} executions={len(self.ledger)} "
            f"findings: {found or 'none'}>"
        )

    def _repr_html_(self) -> str:
        rows = (
            (f.severity, f.rule, f.message, shorten(" ".join(w.event for w in f.where)), shorten(f.where[0].text))
            for f in self.findings
        )
        head = ("severity", "rule", "finding", "events", "text")
        return f"<p><code>{escape(visible(repr(self)))}</code></p>{html_table(head, rows)}{self._diagnosis_html()}"

    def _diagnosis_html(self) -> str:
        """The diagnosis as a table; empty where no symptom is shown."""
        if not self.diagnosis:
            return ""
        rows = (
            (
                d.symptom.layer.replace("_", " "),
                d.symptom.name,
                d.symptom.cause,
                d.symptom.check,
                shorten(" ".join(dict.fromkeys(finding.rule for finding in d.findings))),
                " ".join(check.detail for check in d.context),
            )
            for d in self.diagnosis
        )
        head = ("look at", "symptom", "likeliest root cause", "check first", "shown by", "in this context")
        return f"<p>Diagnosis, in the order in which to look:</p>{html_table(head, rows)}"


def audit_trace(trace: Trace) -> AuditReport:
    """Audit one trace with every rule; the findings come in the order of the places they are about.

    Raises:
        UsageError: for anything but a trace.
    """
    reading = read(checked(trace, Trace, "read_traces reads it from a file"))
    findings = [finding for rule in RULES.values() for finding in rule.judge(reading)]
    findings.sort(key=lambda finding: trace.positions[finding.where[0].event])
    return AuditReport(reading=reading, findings=tuple(findings))
