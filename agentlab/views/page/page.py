"""The page of an audit: one HTML file that needs no network and no script, and says what it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import get_args

from agentlab.audit.outputs.document import TracePart, trace_part
from agentlab.audit.outputs.gathering import SeenSymptom, gather
from agentlab.audit.report import AuditReport
from agentlab.audit.values import Severity
from agentlab.trace.formatting import counted, shorten
from agentlab.trace.several import checked
from agentlab.views.page.findings import TOLD, checks_list, evidence_list, findings_table, severity_words, table
from agentlab.views.page.style import CSS
from agentlab.views.page.text import html_text
from agentlab.views.page.transcript import event_anchor, transcript

__all__ = ["AuditPage"]

_ROOM = 8_000_000
"""Characters of HTML for transcripts; those of later traces are left out, and the page says so."""
_LISTED = 500
"""Traces that each list names."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing is fetched and nothing runs, whatever a trace holds."""


class AuditPage:
    """Takes one audited trace after the other and forgets it; `html` is the page of all of them.

    Args:
        room: characters of HTML for the transcripts; the findings of every trace are named in any case.
    """

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._parts: list[TracePart] = []
        self._sections: list[str] = []
        self._anchors: dict[int, str] = {}
        """By `id` of a trace's part, where the trace has a section."""
        self._untold: set[str] = set()
        """Anchors of traces whose transcript is left out."""

    def add(self, report: AuditReport, part: TracePart | None = None) -> None:
        """Take in one trace; `part` is what the document says of it, where that is at hand.

        Raises:
            UsageError: for anything but a report.
        """
        report = checked(report, AuditReport, "audit_trace makes one")
        part = trace_part(report) if part is None else checked(part, TracePart, "trace_part makes one")
        self._parts.append(part)
        if not report.findings:
            return
        anchor = f"t{len(self._parts)}"
        self._anchors[id(part)] = anchor
        told = transcript(report, anchor) if self._room > 0 else ""
        if len(told) > self._room:
            told = ""
        if not told:
            self._untold.add(anchor)
        self._room -= len(told)
        self._sections.append(_section(report, anchor, told))

    def html(self, *, unreadable: Sequence[tuple[str, str]] = (), skipped: Sequence[str] = ()) -> str:
        """The whole page.

        Args:
            unreadable: paths of files that could not be read, and why.
            skipped: paths of files that no format claims.
        """
        body = "".join(
            [
                self._summary(unreadable, skipped),
                self._diagnosis(gather(self._parts)),
                self._list(),
                *self._sections,
                self._clean(),
                _files(unreadable, skipped),
            ]
        )
        return (
            (
                '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
                f"<title>Audit: {self._found()}</title><style>{CSS}</style></head><body>{body}</body></html>\n"
            )
            .encode(errors="backslashreplace")
            .decode()
        )

    def _found(self) -> str:
        number = sum(len(part.findings) for part in self._parts)
        return f"{counted(number, 'finding')} in {counted(len(self._parts), 'trace')}"

    def _summary(self, unreadable: Sequence[tuple[str, str]], skipped: Sequence[str]) -> str:
        counts = Counter(finding.severity for part in self._parts for finding in part.findings)
        each = [f"{severity_words(s)} {counts[s]:,}" for s in get_args(Severity) if counts[s]]
        unknown = sum(part.evidence.executions == "not_recorded" for part in self._parts)
        notes = [
            f"In {counted(unknown, 'trace')} executions are not recorded: what ran there, nobody can tell."
            if unknown
            else "",
            f"The page is full: {counted(len(self._untold), 'trace')} with findings: no transcript here."
            if self._untold
            else "",
            f"{counted(len(unreadable), 'file')} could not be read." if unreadable else "",
            f"{counted(len(skipped), 'file')} skipped, claimed by no format." if skipped else "",
        ]
        told = "".join(f"<p>{note}</p>" for note in notes if note)
        return (
            f"<header><h1>Audit: {self._found()}</h1><p>{' · '.join(each) or 'Nothing was found.'}</p>{told}</header>"
        )

    def _diagnosis(self, seen: Sequence[SeenSymptom]) -> str:
        if not seen:
            return ""
        items = "".join(self._symptom(each) for each in seen)
        return (
            "<h2>Diagnosis</h2><p class='soft'>In the order in which to look: the context, the loop, the tool calls, "
            f"and the model last.</p><ol class='diagnosis'>{items}</ol>"
        )

    def _symptom(self, seen: SeenSymptom) -> str:
        finding = seen.part.findings[seen.finding]
        place = finding.where[0]
        section = self._anchors[id(seen.part)]
        told = section not in self._untold and seen.finding < TOLD
        link = event_anchor(section, place.event) if told else section
        fed = "".join(
            f"<br><span class='meta'>The context feeds it, in {counted(number, 'trace')}; for example: "
            f"{html_text(detail)}</span>"
            for detail, number in seen.context
        )
        return (
            f"<li><span class='layer'>{seen.layer.replace('_', ' ')}</span>: <b>{escape(seen.symptom)}</b> "
            f"({counted(seen.traces, 'trace')})<br>Likeliest root cause: {escape(seen.cause)}<br>"
            f"Check first: {escape(seen.check)}<br>Example: <a href='#{link}'>"
            f"{html_text(shorten(seen.part.trace_id, 20))}, {html_text(shorten(place.event, 24))}</a> "
            f"<code>{escape(finding.rule)}</code> {html_text(finding.message)}{fed}</li>"
        )

    def _list(self) -> str:
        guilty = [part for part in self._parts if part.findings]
        if len(guilty) < 2:
            return ""
        rows = [
            (
                f'<a href="#{self._anchors[id(part)]}">{html_text(shorten(part.trace_id, 20))}</a>',
                _counts(part),
                html_text(shorten(", ".join(dict.fromkeys(finding.rule for finding in part.findings)), 120)),
                html_text(shorten(part.path, 200)),
            )
            for part in guilty[:_LISTED]
        ]
        head = ("attempt", "findings", "rules", "file")
        return f"<h2>Traces with findings</h2>{table(head, rows, tight=(0, 1))}{_more(len(guilty))}"

    def _clean(self) -> str:
        clean = [part for part in self._parts if not part.findings]
        if not clean:
            return ""
        rows = [
            (
                html_text(shorten(part.trace_id, 20)),
                f"{part.events:,}",
                part.evidence.executions.replace("_", " "),
                html_text(shorten(part.path, 200)),
            )
            for part in clean[:_LISTED]
        ]
        listed = table(("attempt", "events", "executions", "file"), rows, tight=(0, 1, 2))
        return f"<h2>Traces without findings</h2>{listed}{_more(len(clean))}"


def _section(report: AuditReport, anchor: str, told: str) -> str:
    trace = report.trace
    start = trace.started
    facts = [start.format or "agentlab", start.case, f"{start.agent} {start.loop_version}".strip(), start.model]
    known = " · ".join(html_text(shorten(fact, 80)) for fact in facts if fact)
    missing = '<p class="cut">The transcript is left out, because the page is full; the findings are all here.</p>'
    return (
        f'<section class="trace" id="{anchor}"><h2>Attempt {html_text(shorten(trace.id, 44))}</h2>'
        f'<p class="meta">{known} · {len(trace):,} events<br>{html_text(shorten(trace.path, 400))}</p>'
        f"<h3>What the record can prove</h3>{evidence_list(trace.evidence)}"
        f"<h3>Findings</h3>{findings_table(report.findings, anchor, told=bool(told))}"
        f"{_own_diagnosis(report)}<h3>Its context</h3>{checks_list(report.context_checks)}"
        f"<h3>Transcript</h3>{told or missing}</section>"
    )


def _own_diagnosis(report: AuditReport) -> str:
    rows = [
        (
            each.symptom.layer.replace("_", " "),
            escape(each.symptom.name),
            escape(each.symptom.cause),
            escape(each.symptom.check),
        )
        for each in report.diagnosis
    ]
    head = ("look at", "symptom", "likeliest root cause", "check first")
    return f"<h3>Diagnosis</h3>{table(head, rows, tight=(0,))}" if rows else ""


def _counts(part: TracePart) -> str:
    counts = Counter(finding.severity for finding in part.findings)
    return " ".join(f"{severity_words(s)} {counts[s]}" for s in get_args(Severity) if counts[s])


def _files(unreadable: Sequence[tuple[str, str]], skipped: Sequence[str]) -> str:
    rows = [(html_text(shorten(path, 200)), html_text(shorten(why, 400))) for path, why in unreadable[:_LISTED]]
    told = f"<h2>Could not be read</h2>{table(('file', 'why'), rows)}{_more(len(unreadable))}" if rows else ""
    if skipped:
        names = "".join(f"<li>{html_text(shorten(path, 200))}</li>" for path in skipped[:_LISTED])
        told += f"<details><summary>Skipped files: {len(skipped):,}</summary><ul>{names}</ul></details>"
        told += _more(len(skipped))
    return told


def _more(number: int) -> str:
    return f'<p class="cut">and {number - _LISTED:,} more</p>' if number > _LISTED else ""
