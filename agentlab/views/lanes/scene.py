"""What a timeline shows of one attempt, before anything is drawn: rounds, slots, and the ways of forged texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from agentlab.audit.values import Claim, Contamination, Entry, Finding, Where
from agentlab.trace.events import Answer, CallRefused, CompletionEvent, ProtocolErrorEvent, Request
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace
from agentlab.views.lanes.labels import call_text
from agentlab.views.lanes.rounds import places_of
from agentlab.views.style import ANSWER, CALL, EXECUTED, FAILED, FORGED, REFUSED, SAID, UNENDED, UNMATCHED, Mark

__all__ = ["STRUCTURED", "Audited", "Flow", "Round", "Scene", "Slot", "entry_mark"]

STRUCTURED = "structured output, nothing to run"
"""What is said below a call that is one in form only."""

_SAID = 400
"""Characters of a reply in prose; the boxes and lines show fewer."""
_STATES: Mapping[str, Mark] = {"succeeded": EXECUTED, "failed": FAILED}


class Audited(Protocol):
    """An attempt with the audit of it."""

    @property
    def trace(self) -> Trace: ...
    @property
    def claims(self) -> tuple[Claim, ...]: ...
    @property
    def ledger(self) -> tuple[Entry, ...]: ...
    @property
    def pairs(self) -> Mapping[str, str]:
        """Id of each claim of kind call that was executed -> `event` of its ledger entry."""
        ...

    @property
    def contaminations(self) -> tuple[Contamination, ...]: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """A claim above what became of it, a reply that claims nothing, or what no claim stands for."""

    claim: Claim | None = None
    entry: Entry | None = None
    """None where nothing was executed."""
    mark: Mark | None = None
    """What the claim turned out to be."""
    fate: str = ""
    """What is said in place of the execution: `no execution`, `refused`, ..."""
    reason: str = ""
    """Why it was refused, as a code."""
    said: str | None = None
    """The text of a reply that is prose only."""
    event: str = ""
    """What places it where there is neither a claim nor an execution: the event it was read from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One step of the loop."""

    label: str
    requests: tuple[str, ...]
    """Event ids, in order."""
    slots: tuple[Slot, ...]
    agent: str = ""
    """Whose step it is, where several agents are at work."""

    @property
    def title(self) -> str:
        """`step 3 · scout`."""
        return f"{self.label} · {self.agent}" if self.agent else self.label


@dataclass(frozen=True, kw_only=True, slots=True)
class Flow:
    """The way of one forged text."""

    letter: str
    """Names it in the picture; empty where there is only one."""
    claim: str
    carriers: tuple[str, ...]
    """Requests that carried it, by event id, in order."""
    answer: str | None
    """The claim of kind answer that rests on it."""
    rests: bool
    """Whether an answer rests on it, be that answer among the claims or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """One attempt, ready to be drawn or told."""

    rounds: tuple[Round, ...]
    flows: tuple[Flow, ...]
    recorded: bool
    """Whether the trace records executions at all."""
    heard: bool = True
    """Whether it is on record what the model wrote."""
    lost: int = 0
    """Replies whose text is nowhere and of which no claim is drawn."""
    marked: int = 0
    """Forged texts in lost replies, as far as the harness marked them when it refused these."""

    @classmethod
    def of(cls, report: Audited) -> Scene:
        """Lay out an audited attempt; never fails, whatever the report's ids point to."""
        read = {claim.where.event for claim in report.claims}
        lost = [reply.id for reply in report.trace.lost if reply.id not in read]
        return cls(
            rounds=tuple(_rounds(report)),
            flows=tuple(_flows(report)),
            recorded=report.trace.evidence.executions != "not_recorded",
            heard=report.trace.is_heard,
            lost=len(lost),
            marked=sum(len(report.trace.marks.get(reply, ())) for reply in lost),
        )

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(slot for stage in self.rounds for slot in stage.slots)

    @property
    def requests(self) -> tuple[str, ...]:
        return tuple(request for stage in self.rounds for request in stage.requests)

    def carried(self) -> Mapping[str, str]:
        """Each request that carried forged text, with the letters of what it carried."""
        known = set(self.requests)
        carried: dict[str, list[str]] = {}
        for flow in self.flows:
            for request in dict.fromkeys(flow.carriers):
                if request in known:
                    carried.setdefault(request, []).append(flow.letter)
        return {request: " ".join(letters) for request, letters in carried.items()}


def entry_mark(entry: Entry) -> Mark:
    """How an execution is marked."""
    return _STATES.get(entry.state, UNENDED)


def _rounds(report: Audited) -> Iterator[Round]:
    labels, places = places_of(report.trace)
    order = {event.id: number for number, event in enumerate(report.trace)}
    requests: list[list[str]] = [[] for _ in labels]
    for request in report.trace.of(Request):
        requests[places[request.id]].append(request.id)
    slots: list[list[tuple[int, int, Slot]]] = [[] for _ in labels]
    last = len(labels) - 1
    replies = {answer.id: answer.completion for answer in report.trace.of(Answer) if answer.completion in order}
    for slot in _slots(report):
        event, start = _position(slot)
        event = replies.get(event, event)  # an answer may be noted down long after the reply that gave it
        slots[places.get(event, last)].append((order.get(event, len(order)), start, slot))
    for (label, agent), sent, found in zip(labels, requests, slots, strict=True):
        found.sort(key=lambda item: item[:2])
        yield Round(label=label, agent=agent, requests=tuple(sent), slots=tuple(slot for _, _, slot in found))


def _position(slot: Slot) -> tuple[str, int]:
    """The event that places a slot, and how far into it."""
    if slot.claim is not None:
        return slot.claim.where.event, slot.claim.where.start
    return (slot.entry.event if slot.entry else slot.event), 0


def _slots(report: Audited) -> Iterator[Slot]:
    executed = {entry.event: number for number, entry in reversed(list(enumerate(report.ledger)))}
    fates = _Fates(report.trace)
    used: set[int] = set()
    for claim in _claims(report):
        number = executed.get(report.pairs.get(claim.id, "")) if claim.kind == "call" else None
        if number is None:
            yield fates.slot(claim)
        elif number in used:
            yield Slot(claim=claim, mark=CALL, fate="same execution")
        else:
            used.add(number)
            yield Slot(claim=claim, entry=report.ledger[number], mark=CALL)
    for number, entry in enumerate(report.ledger):
        if number not in used:
            yield Slot(entry=entry)
    yield from _prose(report, fates)
    yield from _unasked(report.trace)


def _prose(report: Audited, fates: _Fates) -> Iterator[Slot]:
    """Replies that claim nothing: a step in which somebody only spoke is no empty step."""
    trace = report.trace
    told = {claim.where.event for claim in report.claims}
    told |= {trace.answer.completion} if trace.answer else set()
    for reply in trace.of(CompletionEvent):
        if reply.id in told or any(call.by == "not_recorded" for call in reply.calls):
            continue
        text = trace.completion_text(reply)
        said = "(its text is lost)" if text is None else shorten(text, _SAID) or "(no text)"
        if reply.accepted:
            yield Slot(said=said, mark=SAID, event=reply.id)
        else:
            yield Slot(said=said, mark=REFUSED, fate="refused", reason=fates.code_of_reply(reply.id), event=reply.id)


def _unasked(trace: Trace) -> Iterator[Slot]:
    """Calls that were answered, of which neither who asked for them nor an execution is on record."""
    for call in trace.calls:
        if call.by == "not_recorded" and call.executed_in is None:
            yield Slot(
                fate=shorten(call_text(call.tool, call.arguments), _SAID),
                reason=f"{call.state}; who asked for it is not recorded",
                event=call.proposed_in or call.observed_in or "",
            )


def _claims(report: Audited) -> tuple[Claim, ...]:
    """The claims, with the answer where the auditor took it from no text, as in a reply by native tool call."""
    answer = report.trace.answer
    if answer is None:
        return report.claims
    if any(claim.kind == "answer" and claim.where.event in (answer.id, answer.completion) for claim in report.claims):
        return report.claims
    where = Where(event=answer.id, field="text", start=0, end=len(answer.text), text=answer.text)
    return (*report.claims, Claim(id="answer", kind="answer", where=where, step=answer.step, body=answer.text))


class _Fates:
    """What becomes of claims without an execution."""

    def __init__(self, trace: Trace) -> None:
        recorded = trace.evidence.executions != "not_recorded"
        self._none = "no execution" if recorded else "no execution recorded"
        self._proposed = {(call.proposed_in, call.id): call for call in trace.calls}
        self._calls = {event.call: event.code for event in trace.of(CallRefused)}
        self._replies = {event.completion: event.code for event in trace.of(ProtocolErrorEvent)}

    def code_of_reply(self, reply: str) -> str:
        """Why a whole reply was refused, as a code; empty where it was not."""
        return self._replies.get(reply, "")

    def slot(self, claim: Claim) -> Slot:
        if claim.kind in ("observation", "turn"):
            return Slot(claim=claim, mark=FORGED, fate=self._none)
        code = self._calls.get(claim.call or "") or self._replies.get(claim.where.event, "")
        if claim.rejected or code:
            return Slot(claim=claim, mark=REFUSED, fate="refused", reason=code)
        if claim.kind == "answer":
            return Slot(claim=claim, mark=ANSWER)
        return Slot(claim=claim, mark=UNMATCHED, fate=self._unexecuted(claim))

    def _unexecuted(self, claim: Claim) -> str:
        """What is said of a call that no execution answers."""
        call = self._proposed.get((claim.where.event, claim.call or ""))
        if call is None:
            return "no execution recorded"
        if call.by == "structured_output":
            return STRUCTURED
        return _WITHOUT_EXECUTION.get(call.state, "no execution recorded")


_WITHOUT_EXECUTION: Mapping[str, str] = {
    "answered": "answered, no execution recorded",
    "dropped": "dropped, no execution recorded",
    "unanswered": "no answer recorded",
}


def _flows(report: Audited) -> Iterator[Flow]:
    many = len(report.contaminations) > 1
    for number, contamination in enumerate(report.contaminations):
        answer = contamination.answer
        yield Flow(
            letter=_letter(number) if many else "",
            claim=contamination.claim.id,
            carriers=tuple(where.event for where in contamination.carriers),
            answer=_answer(report, answer.event) if answer else None,
            rests=answer is not None,
        )


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"A{number + 1}"


def _answer(report: Audited, event: str) -> str | None:
    """The claim of kind answer that stands in an event: in the reply, or in the answer event made of it."""
    same = [{a.id, a.completion} for a in report.trace.of(Answer)]
    places = {event}.union(*(pair for pair in same if event in pair))
    answers = [claim for claim in _claims(report) if claim.kind == "answer"]
    return next((claim.id for claim in reversed(answers) if claim.where.event in places), None)
