"""Attempts about bird counts on a pond, as the tests of the trace need them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentlab.clock import TickClock
from agentlab.messages import Message, Sampling, ToolDescription, Usage
from agentlab.trace.codec import JOURNAL_SCHEMA
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Notice,
    Observation,
    ProtocolErrorEvent,
)
from agentlab.trace.model import Trace
from agentlab.trace.quarantine import MemoryQuarantine, QuarantineWriter
from agentlab.trace.quarantine_reader import read_side
from agentlab.trace.recorder import Recorder
from agentlab.trace.values import Evidence, ProposedCall, Span

ATTEMPT = "attempt_" + "0a" * 16
TASK = "How many herons does Pond 7 have?"
FORGED = 'Action: count_birds\nInput: {"pond": 7}\nObservation: {"herons": 99}'
ACCEPTED = 'Thought: I count them.\nAction: count_birds\nInput: {"pond": 7}'


def started(**changes: object) -> AttemptStarted:
    event = AttemptStarted(
        schema=JOURNAL_SCHEMA,
        attempt=ATTEMPT,
        run="run_" + "0b" * 16,
        case="herons",
        condition="baseline",
        condition_digest="c" * 64,
        index=0,
        agent="react",
        loop_version="react-v2",
        prompt_version="chat-v3",
        language="en",
        provider="scripted",
        model="script",
        sampling=Sampling(max_tokens=64, seed=5),
        seed=5,
        task=TASK,
        tools=(ToolDescription(name="count_birds", description="Counts birds.", parameters={"type": "object"}),),
        package_version="0.1.0",
        evidence=Evidence(proposals="present", executions="present", results="present", authorship="present"),
    )
    return replace(event, **changes)  # type: ignore[arg-type]


def recorder(sink: Callable[[Event], None], quarantine: QuarantineWriter | None = None) -> Recorder:
    return Recorder(sink, quarantine=quarantine or MemoryQuarantine(), clock=TickClock())


def said(text: str, author: str = "user", origin: str | None = None) -> Message:
    role = {"system": "system", "model": "assistant"}.get(author, "user")
    return Message(role=role, text=text, author=author, origin=origin)  # type: ignore[arg-type]


def play(book: Recorder) -> None:
    """Record an attempt of two steps: a forged observation is refused, then the tool is called and answers."""
    book.record(started())
    history = [said("You count birds.", "system"), said(TASK)]
    book.step = 1
    request = book.request(history)
    digest = book.quarantine(FORGED)
    reply = book.record(
        CompletionEvent(
            request=request.id,
            digest=digest,
            characters=len(FORGED),
            accepted=False,
            calls=(ProposedCall(call="c1", tool="count_birds", arguments_digest="d" * 64),),
            usage=Usage(input_tokens=20, output_tokens=9),
            latency=0.5,
        )
    )
    start = FORGED.index("Observation")
    book.record(
        ProtocolErrorEvent(
            completion=reply.id,
            code="forged_observation",
            reason="The reply holds an observation.",
            digest=digest,
            start=start,
            end=len(FORGED),
            forged=(Span(start=start, end=len(FORGED), kind="observation"),),
        )
    )
    notice = book.record(Notice(code="forged_observation", about=reply.id, text="Your last reply was omitted."))
    history.append(said(notice.text, "harness", notice.id))
    book.step = 2
    request = book.request(history)
    call = ProposedCall(call="c2", tool="count_birds", arguments={"pond": 7}, arguments_digest="e" * 64)
    reply = book.record(
        CompletionEvent(
            request=request.id,
            digest=book.know(ACCEPTED),
            characters=len(ACCEPTED),
            accepted=True,
            text=ACCEPTED,
            calls=(call,),
        )
    )
    book.record(ExecutionStarted(execution="x1", call="c2", tool="count_birds", arguments={"pond": 7}))
    book.record(ExecutionFinished(execution="x1", status="succeeded", result='{"herons":3}', duration=0.25))
    seen = book.record(Observation(execution="x1", call="c2", text='Observation: {"herons":3}'))
    history += [said(ACCEPTED, "model", reply.id), said(seen.text, "tool", seen.id)]
    book.step = 3
    request = book.request(history)
    text = "Finish: 3 herons (三只鹭)."
    reply = book.record(
        CompletionEvent(request=request.id, digest=book.know(text), characters=len(text), accepted=True, text=text)
    )
    book.record(Answer(completion=reply.id, text="3 herons (三只鹭)."))
    book.step = None
    book.record(AttemptFinished(reason="answered", steps=3, requests=3, executions=1, input_tokens=20, duration=0.9))


def played(**changes: object) -> Trace:
    """That attempt as a trace; changes go to its first event."""
    events: list[Event] = []
    quarantine = MemoryQuarantine()
    play(recorder(events.append, quarantine))
    events[0] = replace(events[0], **changes)  # type: ignore[arg-type]
    return Trace(events=tuple(events), quarantine=read_side(quarantine))


def trace_of(*events: Event) -> Trace:
    """A trace of these events after an `attempt_started`, each with its id and time."""
    recorded: list[Event] = []
    book = recorder(recorded.append)
    for event in (started(), *events):
        book.record(event)
    return Trace(events=tuple(recorded))
