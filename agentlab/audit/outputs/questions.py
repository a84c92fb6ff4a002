"""The questions one asks after a wrong answer, each with what the record answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agentlab.audit.arguments import written
from agentlab.audit.report import AuditReport
from agentlab.audit.rules.base import tool_name
from agentlab.audit.values import Entry
from agentlab.messages import Arguments
from agentlab.trace.events import Answer, CallRefused, CompletionEvent, Notice, ProtocolErrorEvent, Request
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["QUESTIONS", "Line", "Question"]

_SHOWN = 240
"""Characters of a text that a line shows; the rest is found by the event named beside it."""
_NAME = 40
"""Characters of an agent's name."""
_NAMED = 4
"""Events that a line names of one kind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One answer, and the events it was read from."""

    text: str
    events: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """Something to ask of an audited attempt."""

    text: str
    answer: Callable[[AuditReport], Iterator[Line]]
    otherwise: str = ""
    """What is said where there is nothing to say."""
    foreign: bool = True
    """Whether it is also asked where nothing is to be said of a trace that another harness left."""


def _output(report: AuditReport) -> Iterator[Line]:
    trace = report.trace
    for reply in trace.of(CompletionEvent):
        text = trace.completion_text(reply)
        asked = trace.by_id.get(reply.request)
        again = " (asked again)" if isinstance(asked, Request) and asked.attempt_of_step > 1 else ""
        fate = "accepted" if reply.accepted else "refused"
        shown = "its text is lost" if text is None else _shown(text) or _asked_for(reply)
        whose = f" of {shorten(reply.agent_name, _NAME)}" if reply.agent_name else ""
        yield Line(text=f"{_step(reply.step)}{whose}{again}, {fate}: {shown}", events=(reply.id,))


def _asked_for(reply: CompletionEvent) -> str:
    """What a reply without text holds."""
    calls = [f"{tool_name(call.tool)}({_passed(call.arguments)})" for call in reply.calls[:_NAMED]]
    more = [f"{len(reply.calls) - _NAMED} more"] if len(reply.calls) > _NAMED else []
    return f"no text; it calls {', '.join((*calls, *more))}" if calls else "no text"


def _forged(report: AuditReport) -> Iterator[Line]:
    if not report.trace.is_heard:
        yield Line(text="That cannot be told: no reply of the model is on record.")
    for claim in report.reading.forged:
        where = claim.where
        place = f"{_step(claim.step)}, field {where.field}, characters {where.start} to {where.end}"
        yield Line(text=f"{place}: {_shown(where.text)}", events=(where.event,))
    for claim in report.reading.recalled:
        text = f"{_step(claim.step)} only repeats what it had been shown: {_shown(claim.where.text)}"
        yield Line(text=text, events=(claim.where.event,))
    for reply in report.trace.lost:
        marks = report.trace.marks.get(reply.id, ())
        places = ", ".join(f"{mark.kind} at characters {mark.start} to {mark.end}" for mark in marks[:_NAMED])
        known = f": the harness marked {places}; what that said" if places else ""
        yield Line(
            text=f"{_step(reply.step)}{known} cannot be told: the text of the reply is lost.", events=(reply.id,)
        )


def _refusals(report: AuditReport) -> Iterator[Line]:
    for event in report.trace:
        if isinstance(event, (ProtocolErrorEvent, CallRefused)):
            yield Line(text=f"{_step(event.step)}, {event.code}: {event.reason}", events=(event.id,))


def _held(report: AuditReport) -> Iterator[Line]:
    if not report.reading.executions_recorded:
        yield Line(text="Executions are not recorded.")
    for entry in report.ledger:
        call = f"{tool_name(entry.tool)}({_passed(entry.arguments)})"
        yield Line(text=f"{_step(entry.step)}, {call} {_outcome(entry)}", events=(entry.event,))


def _believed(report: AuditReport) -> Iterator[Line]:
    if not report.trace.is_heard:
        yield Line(text="That cannot be told either.")
    for path in report.contaminations:
        requests = tuple(carrier.event for carrier in path.carriers)
        shown = f"{len(requests)} later request{'s' if len(requests) > 1 else ''}"
        through = f" by way of {', '.join(path.relays[:_NAMED])}" if path.relays else ""
        whose = f"Its own words of {_step(path.claim.step).lower()}, as if they had been returned, in {shown}{through}"
        yield Line(text=f"{whose}: {_shown(path.claim.where.text)}", events=requests[:_NAMED])
    if lost := report.trace.lost:
        replies = "1 reply is" if len(lost) == 1 else f"{len(lost)} replies is"
        yield Line(
            text=f"Whether more that it forged came back to it cannot be told: the text of {replies} not in quarantine."
            if report.contaminations
            else f"It cannot be told whether text it forged came back to it: the text of {replies} not in quarantine.",
            events=tuple(reply.id for reply in lost[:_NAMED]),
        )


def _followed(report: AuditReport) -> Iterator[Line]:
    """What our own harness did after a refusal; another one has no history policy that is known here."""
    trace = report.trace
    if trace.started.format:
        return
    told = {notice.about: notice.id for notice in trace.of(Notice)}
    asked = _requests_after(trace)
    replies = {reply.request: reply for reply in trace.of(CompletionEvent)}
    version = trace.started.loop_version or "the harness"
    for reply in trace.of(CompletionEvent):
        if reply.accepted:
            continue
        after = asked.get(reply.id)
        if after is None:
            yield Line(text=f"{_step(reply.step)} refused: no request followed.", events=(reply.id,))
            continue
        is_kept = any(item.origin == reply.id for item in trace.contexts[after])
        kept = "kept its text in the history" if is_kept else "left its text out"
        notice = f"told the model of the error ({told[reply.id]})" if reply.id in told else "said nothing of it"
        then = _next(report, replies.get(after))
        yield Line(
            text=f"{_step(reply.step)} refused: {version} {kept} and {notice}; {then}.", events=(reply.id, after)
        )


def _requests_after(trace: Trace) -> dict[str, str]:
    """The request that followed each reply, by event id."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    for event in trace:
        if isinstance(event, CompletionEvent):
            waiting.append(event.id)
        elif isinstance(event, Request):
            found.update(dict.fromkeys(waiting, event.id))
            waiting.clear()
    return found


def _next(report: AuditReport, reply: CompletionEvent | None) -> str:
    if reply is None:
        return "no reply followed"
    claims = [claim for claim in report.claims if claim.where.event == reply.id]
    if any(claim.kind in ("observation", "turn") for claim in claims):
        return "the next reply forged again"
    if not reply.accepted:
        return "the next reply was refused too"
    if any(answer.completion == reply.id for answer in report.trace.of(Answer)):
        return "the next reply answered"
    ran = [entry for claim in claims if (entry := report.reading.executed.get(claim.id)) is not None]
    return f"the next reply had {tool_name(ran[0].tool)} executed" if ran else "the next reply had nothing executed"


def _answered(report: AuditReport) -> Iterator[Line]:
    trace = report.trace
    if trace.answer is not None:
        yield Line(text=_shown(trace.answer.text), events=(trace.answer.id,))
        for finding in report.findings:
            if finding.rule in ("unsupported-answer", "contamination"):
                yield Line(text=finding.message, events=(finding.where[0].event,))
    elif trace.finished is not None:
        reason, detail = trace.finished.reason, trace.finished.detail
        said = f"It ended as answered ({detail}), and the text of the answer is not on record."
        yield Line(text=said if reason == "answered" else f"No answer: {reason}. {detail}", events=(trace.finished.id,))
        if trace.finished.server_said:
            words = shorten(trace.finished.server_said, 300)
            yield Line(text=f"The model server's own words: {words}", events=(trace.finished.id,))
    else:
        yield Line(text="No answer, and the record breaks off: no end of the attempt was written.")


def _passed(arguments: Arguments | None) -> str:
    """What a call was given; that it is unknown is not that it was nothing."""
    return "…" if arguments is None else shorten(written(arguments), 80)


def _outcome(entry: Entry) -> str:
    if entry.state == "unanswered":
        return "began, and no end of it was recorded"
    failed = entry.state == "failed"
    came = f"failed: {_shown(entry.error or '')}" if failed else f"→ {_shown(entry.result or '')}"
    if entry.delivered is None:
        return f"{came} (whether it reached a request is not recorded)"
    return came if entry.delivered else f"{came} (it reached no request)"


def _step(step: int | None) -> str:
    return "Outside the loop" if step is None else f"Step {step}"


def _shown(text: str) -> str:
    return shorten(text.strip().replace("\n", " ⏎ "), _SHOWN)


QUESTIONS: Sequence[Question] = (
    Question(text="What did the model output?", answer=_output, otherwise="No reply was recorded."),
    Question(text="Where did it forge?", answer=_forged, otherwise="Nowhere."),
    Question(text="Why was a reply refused?", answer=_refusals, otherwise="None was.", foreign=False),
    Question(text="What evidence did it hold?", answer=_held, otherwise="None: nothing was executed."),
    Question(
        text="What did it believe it held?",
        answer=_believed,
        otherwise="As far as the record shows, no more than that: nothing it forged came back to it.",
    ),
    Question(
        text="Did the history policy change what followed?",
        answer=_followed,
        otherwise="No reply was refused, so it had nothing to decide.",
        foreign=False,
    ),
    Question(text="What did it answer?", answer=_answered),
)
