"""A trace: the record of one attempt, with its contexts restored and the state of every call worked out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Literal, TypeAlias, TypedDict, TypeVar

from agentlab.messages import Arguments, Message
from agentlab.strictjson import digest
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Notice,
    Observation,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.formatting import event_line, html_table, visible
from agentlab.trace.quarantine_reader import EMPTY, QuarantineReader
from agentlab.trace.values import Evidence

__all__ = ["CallState", "Trace", "TracedCall"]

CallState: TypeAlias = Literal["unanswered", "dropped", "refused", "failed", "succeeded"]
"""unanswered: it began and no end was recorded. dropped: nothing at all was recorded of it."""

T = TypeVar("T", bound=Event)


@dataclass(frozen=True, kw_only=True, slots=True)
class TracedCall:
    """One call a model proposed or a harness executed, with what became of it."""

    id: str
    tool: str
    arguments: Arguments | None
    """None where the reply was rejected and only its digest stands in the journal."""
    state: CallState
    delivered: bool
    """Whether a later request carried the result."""
    proposed_in: str | None
    """Completion event; None for an execution nobody proposed."""
    executed_in: str | None = None
    """`execution_started` event; None where nothing ran."""
    observed_in: str | None = None
    result: str | None = None
    error: str | None = None
    step: int | None = None


@dataclass(frozen=True, kw_only=True)
class Trace:
    """The record of one attempt.

    Iterating gives the events in order; `trace.of(Request)` those of one type.
    """

    events: tuple[Event, ...]
    quarantine: QuarantineReader = field(default=EMPTY, repr=False, compare=False)
    """Where the texts of rejected replies are found again, by digest."""
    path: str = ""
    """The file it was read from, if any."""
    defect: str = ""
    """What is wrong with the record, e.g. a last line cut short by a kill; empty where nothing is."""

    def __post_init__(self) -> None:
        if not self.events or not isinstance(self.events[0], AttemptStarted):
            raise ValueError("a trace begins with attempt_started")

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __repr__(self) -> str:
        start, end = self.started, self.finished
        executed = sum(call.executed_in is not None for call in self.calls)
        return (
            f"<Trace {start.attempt[:16]}… {start.agent} {start.loop_version} case={start.case!r} events={len(self)} "
            f"executions={executed} ended={end.reason if end else 'not recorded'}>"
        )

    def _repr_html_(self) -> str:
        rows = ((e.id, str(e.step or ""), e.type, event_line(e).split(" ", 2)[-1]) for e in self)
        return (
            f"<p><code>{escape(visible(repr(self)))}</code></p>{html_table(('event', 'step', 'type', 'content'), rows)}"
        )

    def of(self, kind: type[T]) -> tuple[T, ...]:
        """The events of one type, in order."""
        return tuple(event for event in self.events if isinstance(event, kind))

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

    @property
    def evidence(self) -> Evidence:
        return self.started.evidence

    @cached_property
    def answer(self) -> Answer | None:
        return next(reversed(self.of(Answer)), None)

    @cached_property
    def by_id(self) -> Mapping[str, Event]:
        return {event.id: event for event in self.events}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Every text the journal shows in full, by SHA-256."""
        found: dict[str, str] = {}
        for event in self.events:
            if isinstance(event, Request):
                found.update((item.digest, item.text) for item in event.items if item.text is not None)
            elif isinstance(event, (Observation, Notice, CompletionEvent)) and event.text is not None:
                found[digest(event.text)] = event.text
        return found

    @cached_property
    def contexts(self) -> Mapping[str, tuple[Message, ...]]:
        """The whole context of each request, by event id."""
        contexts: dict[str, tuple[Message, ...]] = {}
        last: tuple[Message, ...] = ()
        for request in self.of(Request):
            new = (
                Message(role=i.role, author=i.author, trust=i.trust, origin=i.origin, text=self.texts.get(i.digest, ""))
                for i in request.items
            )
            last = contexts[request.id] = (*last[: request.kept], *new)
        return contexts

    def completion_text(self, event: CompletionEvent) -> str | None:
        """The whole text of a reply, from quarantine where it was rejected; None where it is lost."""
        return event.text if event.text is not None else self.quarantine.get(event.digest)

    @cached_property
    def calls(self) -> tuple[TracedCall, ...]:
        """Every call in the order of proposal, executions without a recorded proposal last."""
        return tuple(_calls(self))


def _calls(trace: Trace) -> Iterator[TracedCall]:
    started = {event.call: event for event in trace.of(ExecutionStarted)}
    finished = {event.execution: event for event in trace.of(ExecutionFinished)}
    observed = {event.call: event for event in trace.of(Observation)}
    refused = {event.call for event in trace.of(CallRefused)}
    unparsed = {event.completion for event in trace.of(ProtocolErrorEvent)}
    shown = {message.origin for context in trace.contexts.values() for message in context}
    for completion in trace.of(CompletionEvent):
        for call in completion.calls:
            is_refused = call.call in refused or completion.id in unparsed
            begun = started.pop(call.call, None)
            facts = _facts(call.call, begun, finished, observed, shown, refused=is_refused)
            yield TracedCall(
                tool=call.tool, arguments=call.arguments, proposed_in=completion.id, step=completion.step, **facts
            )
    for begun in started.values():
        facts = _facts(begun.call, begun, finished, observed, shown, refused=False)
        yield TracedCall(tool=begun.tool, arguments=begun.arguments, proposed_in=None, step=begun.step, **facts)


class _Facts(TypedDict):
    id: str
    state: CallState
    delivered: bool
    executed_in: str | None
    observed_in: str | None
    result: str | None
    error: str | None


def _facts(
    call: str,
    begun: ExecutionStarted | None,
    finished: Mapping[str, ExecutionFinished],
    observed: Mapping[str, Observation],
    shown: Collection[str | None],
    *,
    refused: bool,
) -> _Facts:
    end = finished.get(begun.execution) if begun else None
    seen = observed.get(call)
    return _Facts(
        id=call,
        state=_state(begun, end, refused=refused),
        delivered=seen is not None and seen.id in shown,
        executed_in=begun.id if begun else None,
        observed_in=seen.id if seen else None,
        result=end.result if end else None,
        error=end.error if end else None,
    )


def _state(begun: ExecutionStarted | None, end: ExecutionFinished | None, *, refused: bool) -> CallState:
    if end is not None:
        return end.status
    if begun is not None:
        return "unanswered"
    return "refused" if refused else "dropped"
