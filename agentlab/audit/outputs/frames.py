"""Findings as a table, for pandas: one row a finding, joined to the tables of traces by `attempt` and `event`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from agentlab.audit.report import AuditReport
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.several import several

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["finding_rows", "findings_frame", "frame_of"]

_HOW = "audit_trace makes one"
_COLUMNS = {
    "attempt": "string",
    "position": "Int64",
    **dict.fromkeys(("rule", "severity", "message", "event"), "string"),
    "step": "Int64",
    **dict.fromkeys(("agent_name", "source", "field"), "string"),
    **dict.fromkeys(("start", "end"), "Int64"),
    **dict.fromkeys(("text", "claimed", "executed", "cause", "check", "symptom", "layer", "format", "path"), "string"),
}


def findings_frame(reports: AuditReport | Iterable[AuditReport]) -> pd.DataFrame:
    """One row a finding, in the order given; the columns and their types never depend on the rows.

    Columns:
        attempt (string): id of the attempt.
        position (Int64): place among the attempt's findings, from 0.
        rule (string): id of the rule, as in `agentlab rules`.
        severity (string): failure, warning, note or undecidable.
        message (string): what was found, in a sentence.
        event (string): the event it is about; an event id is unique within its attempt.
        step (Int64): round of the loop, from 1; NA outside the loop.
        agent_name (string): which agent it belongs to; empty for the main one.
        source (string): identity of the event in the foreign file; empty for our own journals.
        field (string): field of the event, such as `text` or `context[3].text`.
        start, end (Int64): Unicode code points into that field, the end exclusive.
        text (string): what stands there.
        claimed, executed (string): the two sides as JSON text; NA where there is none.
        cause, check (string): the likeliest root cause, and the first thing to look at.
        symptom, layer (string): what it shows, and where to look: context, loop, tool_calls or model; NA where it shows
            no symptom.
        format (string): of the foreign file; empty for our own journals.
        path (string): the file it was read from; empty where none.
    """
    return frame_of([row for report in several(reports, AuditReport, _HOW) for row in finding_rows(report)])


def frame_of(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """The table of `findings_frame` for rows from `finding_rows`."""
    import pandas as pd

    return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=kind) for name, kind in _COLUMNS.items()})


def finding_rows(report: AuditReport) -> Iterator[dict[str, object]]:
    """A row for each finding of a trace, which can then be forgotten."""
    trace = report.trace
    shown = {id(finding): each.symptom for each in report.diagnosis for finding in each.findings}
    for position, finding in enumerate(report.findings):
        place, symptom = finding.where[0], shown.get(id(finding))
        event = trace.by_id[place.event]
        row: dict[str, object] = {
            "attempt": trace.id,
            "position": position,
            "rule": finding.rule,
            "severity": finding.severity,
            "message": finding.message,
            "event": place.event,
            "step": event.step,
            "agent_name": event.agent_name,
            "source": event.source,
            "field": place.field,
            "start": place.start,
            "end": place.end,
            "text": place.text,
            "claimed": _side(finding.claimed),
            "executed": _side(finding.executed),
            "cause": finding.cause,
            "check": finding.check,
            "symptom": symptom.name if symptom else None,
            "layer": symptom.layer if symptom else None,
            "format": trace.started.format,
            "path": trace.path,
        }
        yield {name: _storable(value) for name, value in row.items()}


def _side(side: Mapping[str, JSONValue] | None) -> str | None:
    return None if side is None else dumps(dict(side))


def _storable(value: object) -> object:
    """A text that any table can hold: a file's name need not be UTF-8."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value
