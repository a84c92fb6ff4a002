"""Small inputs with a verdict each: is a reply taken as it should be, and does a trace get the finding that is due?

A folder holds one folder a case, with an input (`completion.txt`, `messages.json` or `trace.json`) and
`expected.json`. Containers that hold no spans are for reading and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from agentlab.audit.catalogue import RULES
from agentlab.audit.report import AuditReport, audit_trace
from agentlab.audit.values import Finding
from agentlab.errors import LoadError
from agentlab.experiments.scoring.auditing import LOUD, read_json, shaped
from agentlab.experiments.scoring.replies import problem_of_reply
from agentlab.formats.reading import read_traces

__all__ = ["CaseResult", "CaseSet", "due_rules", "read_cases"]

CaseKind = Literal["completion", "trace"]

_ALSO_DUE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "unexecuted_claim": ("phantom-call",),
        "unsupported_answer": ("unexecuted-claim",),
        "forged_error": ("forged-observation",),
        "repeat_loop": ("no-progress",),
        "empty_step_loop": ("no-progress", "repeat-loop"),
        "parse_error_loop": ("repeat-loop", "no-progress"),
        "vacuous_evidence": ("contradicted-claim",),
        "unparsed_call": ("malformed-call", "phantom-call"),
        "error_as_answer": ("ignored-error", "contradicted-claim"),
        "id_mismatch": ("trace-defect", "missing-result"),
        "stale_memory": ("unsupported-memory", "contradicted-claim", "stale-evidence"),
        "capability_mismatch": ("subagent-claim", "unexecuted-claim"),
        "transport_error": ("infrastructure",),
    }
)
"""Rules that say what a verdict says, beside the one of its own name where there is such a rule."""
_INNOCENT = frozenset({"clean", "supported", "clean_with_warning", "clean_call", "honest_nonexecution"})
_MOST_FAILURES = 4
"""Rules that may raise a failure in one case; more are scattered, and one of them would be right by chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseResult:
    """What became of one case."""

    id: str
    kind: CaseKind
    verdict: str
    severity: str
    innocent: bool
    """Whether nothing is wrong in it, or nobody can tell."""
    problem: str
    """Why it is not right; empty where it is."""
    accused: bool
    """Whether it is wrong because something innocent was accused."""
    path: str

    @property
    def right(self) -> bool:
        return not self.problem


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseSet:
    """Every case of a folder."""

    folder: str
    cases: tuple[CaseResult, ...]
    skipped: tuple[str, ...]
    """Ids of cases whose container holds no spans."""


def due_rules(verdict: str) -> frozenset[str]:
    """The rules one of which should be raised."""
    name = verdict.partition(":")[0]
    own = name.replace("_", "-")
    return frozenset({*({own} & RULES.keys()), *_ALSO_DUE.get(name, ())})


def read_cases(folder: Path) -> CaseSet:
    """Try every case of a folder.

    Raises:
        LoadError: if a case is not what it should be.
    """
    results, skipped = [], []
    for expected in sorted(folder.glob("*/expected.json")):
        with shaped(expected, "a case with its verdict"):
            case = read_json(expected)
            path = expected.with_name(case["input"])
            if path.name == "trace.json" and "spans" not in read_json(path):
                skipped.append(case["id"])
                continue
            results.append(_result(case, path))
    return CaseSet(folder=str(folder), cases=tuple(results), skipped=tuple(skipped))


def _result(case: Mapping[str, Any], path: Path) -> CaseResult:
    is_reply = path.name == "completion.txt"
    problem, accused = problem_of_reply(case, path.read_text(encoding="utf-8")) if is_reply else _of_trace(case, path)
    verdict = case["verdict"]
    return CaseResult(
        id=case["id"],
        kind="completion" if is_reply else "trace",
        verdict=verdict,
        severity=case["severity"],
        innocent=verdict in _INNOCENT or verdict == "undecidable",
        problem=problem,
        accused=accused,
        path=str(path),
    )


def _of_trace(case: Mapping[str, Any], path: Path) -> tuple[str, bool]:
    """What is wrong with the audit of a trace, and whether it is a false accusation."""
    try:
        reports = [audit_trace(trace) for trace in read_traces(path)]
    except LoadError as error:
        return f"unreadable: {error.problem}", False
    if not reports:
        return "unreadable: there is no trace in it", False
    findings = [finding for report in reports for finding in report.findings]
    verdict = case["verdict"]
    due = frozenset() if verdict in _INNOCENT else due_rules(verdict)
    barred = {label.replace("_", "-") for label in case.get("must_not_flag", ())} - due
    if wrong := sorted({f.rule for f in findings if f.severity in LOUD} & barred):
        return f"raised {', '.join(wrong)}, which would be a false accusation", True
    if verdict in _INNOCENT or verdict == "undecidable":
        return _of_innocent(verdict, findings, reports)
    return _of_guilty(case, findings, due), False


def _of_innocent(verdict: str, findings: Sequence[Finding], reports: Iterable[AuditReport]) -> tuple[str, bool]:
    accusing = LOUD if verdict in _INNOCENT - {"clean_with_warning"} else ("failure",)
    if raised := sorted({finding.rule for finding in findings if finding.severity in accusing}):
        return f"accused by {', '.join(raised)}", True
    if verdict != "undecidable" or any(finding.severity == "undecidable" for finding in findings):
        return "", False
    unknown = any(report.trace.evidence.executions != "present" for report in reports)
    return ("", False) if unknown else ("nothing says that the record cannot tell", False)


def _of_guilty(case: Mapping[str, Any], findings: Sequence[Finding], due: frozenset[str]) -> str:
    severities = ("failure",) if case["severity"] == "failure" else LOUD
    fitting = [finding for finding in findings if finding.rule in due and finding.severity in severities]
    if not fitting:
        raised = ", ".join(sorted({f"{finding.rule} ({finding.severity})" for finding in findings})) or "nothing"
        return f"raised {raised}; due as {' or '.join(severities)} was {' or '.join(sorted(due))}"
    failures = sorted({finding.rule for finding in findings if finding.severity == "failure"})
    if len(failures) > _MOST_FAILURES:
        return f"scattered over {', '.join(failures)}"
    unsupported = [claim["text"] for claim in case.get("claims", ()) if claim.get("supported") is False]
    pieces = [*(case.get("forged_text") or ()), *unsupported]
    shown = [where.text for finding in fitting for where in finding.where]
    if pieces and not any(_touches(text, piece) for text in shown for piece in pieces):
        return f"points at {shown[0][:60]!r} and not at {pieces[0][:60]!r}"
    return ""


def _touches(text: str, piece: str) -> bool:
    """Whether one holds the other, or the text half of the piece's words."""
    if not text:
        return False
    words = set(piece.split())
    return text in piece or piece in text or 2 * len(words & set(text.split())) >= len(words)
