"""What an audit found in one trace, as HTML: the table, a card for each finding, the evidence, the questions asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from html import escape

from agentlab.audit.diagnosis.context import ContextCheck
from agentlab.audit.values import Finding, Severity
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.formatting import shorten
from agentlab.trace.values import Evidence, EvidenceState
from agentlab.views.page.style import SYMBOLS
from agentlab.views.page.text import html_text, language

__all__ = [
    "TOLD",
    "card",
    "checks_list",
    "evidence_list",
    "finding_anchor",
    "findings_table",
    "severity_words",
    "table",
]

_SIDE = 600
"""Characters shown of one value on the claimed or the executed side."""
_PLACES = 6
"""Places of a finding that are linked."""
TOLD = 300
"""Findings of a trace that are told: in the table, and with a card and marks in the transcript."""
_NOTHING: Mapping[EvidenceState, str] = {
    "present": "nothing on record",
    "absent": "nothing on record: no call was executed in this attempt",
    "not_recorded": "not recorded: whether anything ran, nobody can tell",
}
"""What an empty side of what was executed says."""


def severity_words(severity: Severity) -> str:
    """A symbol and a word, so that nothing rests on colour."""
    return f'<span class="severity {severity}">{SYMBOLS[severity]} {severity}</span>'


def finding_anchor(trace: str, number: int) -> str:
    """The anchor of a finding's card.

    Args:
        trace: the anchor of the trace.
        number: place among its findings, from 0.
    """
    return f"{trace}-f{number + 1}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, tight: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; columns that are `tight` stay on one line."""
    top = "".join(f"<th{_tight(place, tight)}>{name}</th>" for place, name in enumerate(head))
    body = "".join(
        "<tr>" + "".join(f"<td{_tight(place, tight)}>{cell}</td>" for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _tight(place: int, tight: Sequence[int]) -> str:
    return ' class="tight"' if place in tight else ""


def findings_table(findings: Sequence[Finding], anchor: str, *, told: bool) -> str:
    """The findings of a trace; each leads to its place where the transcript is told."""
    rows = [
        (
            severity_words(finding.severity),
            f"<code>{escape(finding.rule)}</code>",
            f"<span{language(finding.message)}>{html_text(finding.message)}</span>",
            _place(finding, anchor if told else ""),
        )
        for finding in findings[:TOLD]
    ]
    more = len(findings) - TOLD
    rest = (
        f'<p class="cut">{more:,} more findings of this trace are left out of this page; --json gives all of them.</p>'
        if more > 0
        else ""
    )
    return table(("severity", "rule", "finding", "place"), rows, tight=(0, 1, 3)) + rest


def _place(finding: Finding, anchor: str) -> str:
    place = finding.where[0]
    words = html_text(shorten(f"{place.event} {place.field}", 40))
    return f'<a href="#{anchor}-{escape(place.event, quote=True)}">{words}</a>' if anchor else words


def card(finding: Finding, anchor: str, number: int, executions: EvidenceState) -> str:
    """One finding beside the text it is about: what was claimed, what was executed, where to look.

    Args:
        finding: what was found.
        anchor: of the trace on the page.
        number: place among the trace's findings, from 0.
        executions: what the record holds of them; where they are not recorded, an empty side proves nothing.
    """
    apart = list(dict.fromkeys(where.event for where in finding.where))
    places = ", ".join(_event_link(anchor, event) for event in apart[:_PLACES])
    source = f" · in the file: {html_text(shorten(s, 60))}" if (s := finding.where[0].source) else ""
    sides = ""
    if finding.claimed is not None or finding.executed is not None:
        ran = _side("executed", finding.executed, _NOTHING[executions])
        sides = f'<div class="sides">{_side("claimed", finding.claimed, "nothing on record")}{ran}</div>'
    return (
        f'<div class="card {finding.severity}" id="{finding_anchor(anchor, number)}">'
        f'<p class="title">{severity_words(finding.severity)} <code>{escape(finding.rule)}</code></p>'
        f"<p{language(finding.message)}>{html_text(finding.message)}</p>{sides}"
        f'<p class="meta">Likely cause: {html_text(finding.cause)} Check first: {html_text(finding.check)}</p>'
        f'<p class="meta">Places: {places}{source}</p></div>'
    )


def _event_link(anchor: str, event: str) -> str:
    return f'<a href="#{anchor}-{escape(event, quote=True)}">{html_text(shorten(event, 24))}</a>'


def _side(name: str, side: Mapping[str, JSONValue] | None, nothing: str) -> str:
    """One side; an empty one says so, since nothing on record may be the finding itself."""
    if side is None:
        return f'<div><h4>{name}</h4><p class="soft">{nothing}</p></div>'
    lines = "".join(f"<dt>{html_text(shorten(key, 40))}</dt>{_value(value)}" for key, value in side.items())
    return f"<div><h4>{name}</h4><dl>{lines}</dl></div>"


def _value(value: JSONValue) -> str:
    if value is None:
        return '<dd class="soft">none</dd>'
    text = value if isinstance(value, str) else dumps(value)
    cut = f'<span class="cut"> … {len(text) - _SIDE:,} characters more</span>' if len(text) > _SIDE else ""
    return f'<dd dir="auto"{language(text)}>{html_text(text[:_SIDE])}{cut}</dd>'


def evidence_list(evidence: Evidence) -> str:
    """What the record can prove, in words and with an outline of its own for each state."""
    items = "".join(
        f'<li class="{(state := getattr(evidence, field.name))}">{field.name}: {state.replace("_", " ")}</li>'
        for field in fields(evidence)
    )
    return f'<ul class="facts">{items}</ul>'


def checks_list(checks: Sequence[ContextCheck]) -> str:
    """The three questions to the context, with the figures they rest on."""
    rows = [
        (check.name.replace("_", " "), check.verdict.replace("_", " "), html_text(check.detail)) for check in checks
    ]
    return table(("question to the context", "verdict", "what it rests on"), rows, tight=(0, 1))
