"""A trace: the record of one attempt, with its contexts restored and the state of every call worked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import Any, TypeVar

from agentlab.messages import Message, ToolCall, Usage
from agentlab.strictjson import digest
from agentlab.trace.calls import TracedCall, traced_calls
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
    ProtocolErrorEvent,
    Request,
    own_text,
)
from agentlab.trace.formatting import event_content, html_table, shorten, visible
from agentlab.trace.integrity import check_record
from agentlab.trace.quarantine_reader import EMPTY, QuarantineReader
from agentlab.trace.values import ContextItem, Evidence, EvidenceState, Span

__all__ = ["Trace"]

T = TypeVar("T", bound=Event)


@dataclass(frozen=True, kw_only=True)
class Trace:
    """The record of one attempt.

    Iterating gives the events in order; `trace.of(Request)` those of one type.

    Raises:
        ValueError: if the events cannot be one record; see `agentlab.trace.integrity`.
    """

    events: tuple[Event, ...]
    quarantine: QuarantineReader = field(default=EMPTY, repr=False, compare=False)
    """Where the texts of rejected replies are found again, by digest."""
    path: str = ""
    """The file it was read from, if any."""
    damage: str = ""
    """What reading this file found wrong with it, e.g. a last line cut short by a kill; empty where nothing is."""
    digests: InitVar[Mapping[str, str] | None] = None
    """SHA-256 of texts by text, where they were worked out before."""

    def __post_init__(self, digests: Mapping[str, str] | None) -> None:
        check_record(self.events, digests)

    @property
    def defect(self) -> str:
        """What is wrong with the record: what it says so itself, and what reading it found; empty where nothing is."""
        return "; ".join(filter(None, (self.started.defect, self.damage)))

    def telling_its_defect(self) -> Trace:
        """The same record, in whose first event stands what reading it found wrong, so that it is not lost."""
        if not self.damage:
            return self
        first = replace(self.started, defect=self.defect)
        return replace(self, events=(first, *self.events[1:]), damage="", digests=None)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __repr__(self) -> str:
        start, end = self.started, self.finished
        executed = sum(call.executed_in is not None for call in self.calls)
        return (
            f"<Trace {shorten(start.attempt, 17)} {shorten(f'{start.agent} {start.loop_version}', 40)} "
            f"case={shorten(start.case, 40)!r} events={len(self)} "
            f"executions={executed} ended={end.reason if end else 'not recorded'}>"
        )

    def _repr_html_(self) -> str:
        rows = ((e.id, str(e.step or ""), e.type, event_content(e)) for e in self)
        return (
            f"<p><code>{escape(visible(repr(self)))}</code></p>{html_table(('event', 'step', 'type', 'content'), rows)}"
        )

    def of(self, kind: type[T]) -> tuple[T, ...]:
        """The events of one type, in order."""
        found = self._of.get(kind)
        if found is None:
            found = self._of[kind] = tuple(event for event in self.events if isinstance(event, kind))
        return found

    @cached_property
    def _of(self) -> dict[type, tuple[Any, ...]]:
        """What was asked for already: an audit asks dozens of times."""
        return {}

    @cached_property
    def started(self) -> AttemptStarted:
        return self.of(AttemptStarted)[0]

    @cached_property
    def finished(self) -> AttemptFinished | None:
        """The end; None where the process was killed before it was written."""
        return next(reversed(self.of(AttemptFinished)), None)

    @property
    def id(self) -> str:
        return self.started.attempt

    @cached_property
    def evidence(self) -> Evidence:
        """What the record can prove: of what would have been recorded, whether there is any or it never happened.

        Tokens are spent in every completion, so where no server reported any they are not recorded, never absent.
        """
        ends = self.of(ExecutionFinished)
        refused = (*self.of(ProtocolErrorEvent), *self.of(CallRefused))
        tokens = (self.finished.input_tokens, self.finished.output_tokens) if self.finished else (None, None)
        reported = tokens != (None, None) or any(reply.usage != Usage() for reply in self.of(CompletionEvent))
        declared = self.started.evidence
        return replace(
            declared,
            proposals=self._proposals(declared.proposals),
            executions=_found(declared.executions, bool(self.of(ExecutionStarted))),
            results=_found(declared.results, bool(self.of(Observation)) or any(end.result is not None for end in ends)),
            errors=_found(declared.errors, bool(refused) or any(end.error is not None for end in ends)),
            usage=declared.usage if reported else "not_recorded",
        )

    def _proposals(self, declared: EvidenceState) -> EvidenceState:
        """Answers to calls that nobody is seen to propose show that proposals are missing from the record."""
        if any(reply.calls for reply in self.of(CompletionEvent)):
            return declared
        answered = any(call.state == "answered" for call in self.calls)
        return "not_recorded" if answered else _found(declared, any_there=False)

    @cached_property
    def answer(self) -> Answer | None:
        return next(reversed(self.of(Answer)), None)

    @cached_property
    def by_id(self) -> Mapping[str, Event]:
        return {event.id: event for event in self.events}

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Place of each event in the order of recording, from 0, by event id."""
        return {event.id: position for position, event in enumerate(self.events)}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Every text the journal shows in full, by SHA-256."""
        found: dict[str, str] = {}
        for event in self.events:
            if isinstance(event, Request):
                found.update((item.digest, item.text) for item in event.items if item.text is not None)
            elif (text := own_text(event)) is not None:
                found[digest(text)] = text
        return found

    @cached_property
    def contexts(self) -> Mapping[str, tuple[Message, ...]]:
        """The whole context of each request, by event id; of many long ones `context_of` gives one."""
        contexts: dict[str, tuple[Message, ...]] = {}
        last = ""
        for request in self.of(Request):
            kept = contexts[request.base or last][: request.kept] if request.kept else ()
            contexts[request.id] = (*kept, *map(self._message, request.items))
            last = request.id
        return contexts

    def context_of(self, request: Request) -> tuple[Message, ...]:
        """The whole context of one request."""
        requests = self.of(Request)
        before = {after.id: each.id for each, after in pairwise(requests)}
        by_id = {each.id: each for each in requests}
        parts, kept, at = [request.items], request.kept, request
        while kept:
            at = by_id[at.base or before[at.id]]
            parts.append(at.items[: max(kept - at.kept, 0)])
            kept = min(kept, at.kept)
        return tuple(self._message(item) for part in reversed(parts) for item in part)

    def _message(self, item: ContextItem) -> Message:
        return Message(
            role=item.role,
            author=item.author,
            trust=item.trust,
            origin=item.origin,
            text=self.texts[item.digest],
            call=item.call or None,
            calls=tuple(self._proposed[call] for call in item.calls if call in self._proposed),
        )

    @cached_property
    def _proposed(self) -> Mapping[str, ToolCall]:
        """The calls that replies proposed, as far as their arguments are on record, by id."""
        calls = (call for reply in self.of(CompletionEvent) for call in reply.calls)
        return {
            call.call: ToolCall(id=call.call, tool=call.tool, arguments=call.arguments)
            for call in calls
            if call.arguments is not None
        }

    def completion_text(self, event: CompletionEvent) -> str | None:
        """The whole text of a reply, from quarantine where it was rejected, else from a request that shows it again.

        None where it is lost.
        """
        if event.text is not None:
            return event.text
        kept = self.quarantine.get(event.digest)
        return kept if kept is not None else self.texts.get(event.digest)

    @cached_property
    def lost(self) -> tuple[CompletionEvent, ...]:
        """Replies whose text is nowhere: nothing they claimed, forged or asked for can be read."""
        return tuple(reply for reply in self.of(CompletionEvent) if self.completion_text(reply) is None)

    @property
    def is_heard(self) -> bool:
        """Whether it can be told what the model wrote: a foreign record may hold no reply, or none with its content."""
        known = (reply.calls or reply.extra.get("content") != "not recorded" for reply in self.of(CompletionEvent))
        return not self.started.format or any(known)

    @cached_property
    def marks(self) -> Mapping[str, tuple[Span, ...]]:
        """What the harness itself marked as forged when it refused a reply, by completion event."""
        return {event.completion: event.forged for event in self.of(ProtocolErrorEvent) if event.forged}

    @cached_property
    def calls(self) -> tuple[TracedCall, ...]:
        """Every call in the order of proposal, executions without a recorded proposal last."""
        return tuple(traced_calls(self.events))


def _found(declared: EvidenceState, any_there: bool) -> EvidenceState:
    return declared if any_there or declared != "present" else "absent"
