"""The document `agentlab audit --json` prints: `agentlab.audit/1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentlab.audit.arguments import plain
from agentlab.audit.diagnosis.context import Verdict
from agentlab.audit.diagnosis.symptoms import Diagnosis, Layer
from agentlab.audit.report import AuditReport
from agentlab.audit.values import Severity
from agentlab.messages import Arguments
from agentlab.trace.calls import CallState, TracedCall
from agentlab.trace.model import Trace
from agentlab.trace.values import Caller, EvidenceState

__all__ = ["AuditDocument", "TracePart", "document", "trace_part"]


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", from_attributes=True, serialize_by_alias=True, validate_by_name=True
    )


class EvidencePart(_Part):
    """What the trace can prove."""

    proposals: EvidenceState
    executions: EvidenceState
    results: EvidenceState
    errors: EvidenceState
    times: EvidenceState
    usage: EvidenceState
    authorship: EvidenceState


class CallPart(_Part):
    """A call and what became of it."""

    id: str
    step: int | None
    """Round of the loop, from 1; null outside the loop."""
    agent: str
    """Which agent it belongs to where several work in one attempt; empty for the main one."""
    source: str | None
    """Identity in the foreign file of the reply that proposed it, or else of its execution or its answer."""
    tool: str
    arguments: dict[str, Any] | str | None
    """Null where the reply was rejected and its text is lost: the journal holds only a digest."""
    state: CallState
    delivered: bool | None
    """Whether a later request carried the result; null where that is not recorded."""
    by: Caller
    """Who asked for it; not recorded for an execution without a proposal."""


class WherePart(_Part):
    """A place; offsets count Unicode code points in the named field."""

    event: str
    source: str | None
    field: str
    start: int
    end: int
    text: str


class FindingPart(_Part):
    """A boundary that was crossed."""

    rule: str
    severity: Severity
    message: str
    where: list[WherePart]
    claimed: dict[str, Any] | None
    executed: dict[str, Any] | None
    cause: str
    check: str


class DiagnosisPart(_Part):
    """A symptom that failures and warnings show; those of one trace stand in the order in which to look."""

    symptom: str
    layer: Layer
    cause: str
    """The likeliest root cause."""
    check: str
    """The first thing to look at."""
    findings: list[int]
    """Places in the trace's `findings`, from 0, of those that show it."""
    context: list[str]
    """Names of the poor `context_checks` that make it likelier."""


class ContextCheckPart(_Part):
    """What came of one question to the largest context that the main agent sent; it is no finding."""

    name: str
    """irrelevant_text, tool_descriptions or instruction_place."""
    verdict: Verdict
    detail: str
    """A sentence with the figure it rests on."""
    event: str | None
    """The request it was read from; null where none was."""


class TracePart(_Part):
    """One audited trace."""

    path: str
    trace_id: str
    format: str
    events: int
    evidence: EvidencePart
    calls: list[CallPart]
    findings: list[FindingPart]
    diagnosis: list[DiagnosisPart]
    context_checks: list[ContextCheckPart]


class UnreadablePart(_Part):
    """A file that could not be read, and why."""

    path: str
    reason: str


class AuditDocument(_Part):
    """Everything an audit found."""

    schema_: Annotated[Literal["agentlab.audit/1"], Field(alias="schema")] = "agentlab.audit/1"
    traces: list[TracePart]
    unreadable: list[UnreadablePart]
    skipped: list[str]


def document(
    traces: Sequence[TracePart], *, unreadable: Sequence[tuple[str, str]] = (), skipped: Sequence[str] = ()
) -> AuditDocument:
    """The document for audited traces, each from `trace_part`, and for files that were not audited."""
    return AuditDocument(
        traces=list(traces),
        unreadable=[UnreadablePart(path=path, reason=reason) for path, reason in unreadable],
        skipped=list(skipped),
    )


def trace_part(report: AuditReport) -> TracePart:
    """What the document says of one audited trace; small beside the trace itself, which can then be forgotten."""
    trace = report.trace
    said = {(claim.where.event, claim.call): claim.arguments for claim in report.claims if claim.call is not None}
    return TracePart(
        path=trace.path,
        trace_id=trace.id,
        format=trace.started.format or "agentlab",
        events=len(trace),
        evidence=EvidencePart.model_validate(trace.evidence),
        calls=[_call_part(trace, call, said.get((call.proposed_in or "", call.id))) for call in trace.calls],
        findings=[FindingPart.model_validate(finding) for finding in report.findings],
        diagnosis=_diagnosis(report),
        context_checks=[ContextCheckPart.model_validate(check) for check in report.context_checks],
    )


def _diagnosis(report: AuditReport) -> list[DiagnosisPart]:
    places = {id(finding): place for place, finding in enumerate(report.findings)}
    return [_diagnosis_part(diagnosis, places) for diagnosis in report.diagnosis]


def _diagnosis_part(diagnosis: Diagnosis, places: Mapping[int, int]) -> DiagnosisPart:
    symptom = diagnosis.symptom
    return DiagnosisPart(
        symptom=symptom.name,
        layer=symptom.layer,
        cause=symptom.cause,
        check=symptom.check,
        findings=[places[id(finding)] for finding in diagnosis.findings],
        context=[check.name for check in diagnosis.context],
    )


def _call_part(trace: Trace, call: TracedCall, said: Arguments | None) -> CallPart:
    """A call; the arguments of a refused one are read from the quarantined reply."""
    stated = trace.by_id[call.proposed_in or call.executed_in or call.observed_in or ""]
    return CallPart(
        id=call.id,
        step=call.step,
        agent=stated.agent_name,
        source=stated.source or None,
        tool=call.tool,
        arguments=plain(said if call.arguments is None else call.arguments),
        state=call.state,
        delivered=call.delivered,
        by=call.by,
    )
