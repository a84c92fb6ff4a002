"""The account of an attempt: the questions one asks after a wrong answer, each answered from the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentlab.audit.report import AuditReport
from agentlab.audit.values import Claim
from agentlab.trace.events import CallRefused, CompletionEvent, Notice, ProtocolErrorEvent
from agentlab.trace.formatting import html_table, shorten, visible

__all__ = ["Account", "Line", "account"]

_SHOWN = 300
"""Characters of a model's text that a line shows; the rest is found by its digest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One answer, and the events it was read from."""

    text: str
    events: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Account:
    """Questions and answers about one attempt."""

    attempt: str
    answers: tuple[tuple[str, tuple[Line, ...]], ...]

    def __str__(self) -> str:
        parts = [f"Attempt {self.attempt}"]
        for question, lines in self.answers:
            parts += ["", question, *(f"  {visible(line.text)}{_sources(line)}" for line in lines)]
        return "\n".join(parts)

    def __repr__(self) -> str:
        return f"<Account of {self.attempt[:16]}… questions={len(self.answers)}>"

    def _repr_html_(self) -> str:
        rows = (
            (question if first else "", line.text, " ".join(line.events))
            for question, lines in self.answers
            for first, line in _marked(lines)
        )
        return html_table(("question", "answer", "events"), rows)


def account(report: AuditReport) -> Account:
    """Answer the questions of the case for one audited attempt."""
    questions = (
        ("What did the model output?", _output),
        ("Where did it forge?", _forged),
        ("Why was a reply refused?", _refusals),
        ("What evidence did it hold?", _held),
        ("What did it believe it held?", _believed),
        ("Did the history policy change what followed?", _followed),
        ("What did it answer?", _answered),
    )
    answers = tuple((question, tuple(answer(report)) or (Line(text="Nothing."),)) for question, answer in questions)
    return Account(attempt=report.trace.id, answers=answers)


def _output(report: AuditReport) -> Iterator[Line]:
    for event in report.trace.of(CompletionEvent):
        text = report.trace.completion_text(event)
        kept = "accepted" if event.accepted else f"refused, text in quarantine as {event.digest[:12]}…"
        shown = "its text is not in quarantine" if text is None else shorten(text, _SHOWN)
        yield Line(text=f"Step {event.step}, {kept}: {shown}", events=(event.id,))


def _forged(report: AuditReport) -> Iterator[Line]:
    for claim in report.reading.forged:
        where = claim.where
        place = f"characters {where.start} to {where.end} of the reply"
        yield Line(text=f"Step {claim.step}, {place}: {shorten(where.text, _SHOWN)}", events=(where.event,))


def _refusals(report: AuditReport) -> Iterator[Line]:
    for event in report.trace:
        if isinstance(event, (ProtocolErrorEvent, CallRefused)):
            yield Line(text=f"Step {event.step}, {event.code}: {event.reason}", events=(event.id,))


def _held(report: AuditReport) -> Iterator[Line]:
    for entry in report.ledger:
        if entry.delivered:
            came = entry.result if entry.result is not None else f"failed: {entry.error}"
            yield Line(text=f"Executed {entry.tool}: {shorten(came or '', _SHOWN)}", events=(entry.event,))


def _believed(report: AuditReport) -> Iterator[Line]:
    yield from _held(report)
    for path in report.contaminations:
        requests = " ".join(carrier.event for carrier in path.carriers)
        text = f"Forged by itself, then read in {requests}: {shorten(path.claim.where.text, _SHOWN)}"
        yield Line(text=text, events=(path.claim.where.event, *requests.split()))


def _followed(report: AuditReport) -> Iterator[Line]:
    carried = {path.claim.id: path.carriers for path in report.contaminations}
    notices = {notice.about: notice for notice in report.trace.of(Notice)}
    version = report.trace.started.loop_version
    for claim in report.reading.forged:
        yield Line(text=_fate(claim, len(carried.get(claim.id, ())), version, notices), events=(claim.where.event,))


def _fate(claim: Claim, carriers: int, version: str, notices: dict[str, Notice]) -> str:
    told = "with a notice" if claim.where.event in notices else "without a notice"
    if carriers:
        return f"Under {version} the forged text of step {claim.step} went into {carriers} later requests, {told}."
    return f"Under {version} the forged text of step {claim.step} went into no later request, {told}."


def _answered(report: AuditReport) -> Iterator[Line]:
    trace = report.trace
    if trace.answer is not None:
        rests = " It rests on text the model forged." if report.forged_answer else ""
        yield Line(text=f"{shorten(trace.answer.text, _SHOWN)}{rests}", events=(trace.answer.id,))
    elif trace.finished is not None:
        yield Line(text=f"No answer: {trace.finished.reason}. {trace.finished.detail}", events=(trace.finished.id,))
    else:
        yield Line(text="No answer, and no end of the attempt was recorded.")


def _sources(line: Line) -> str:
    return f"  [{' '.join(line.events)}]" if line.events else ""


def _marked(lines: tuple[Line, ...]) -> Iterator[tuple[bool, Line]]:
    yield from ((position == 0, line) for position, line in enumerate(lines))
