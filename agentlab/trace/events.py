"""The events of a trace: one frozen type each, told apart by `type` in a journal.

Every event has an `id` that is unique within its attempt, a `time` and the `step` it belongs to; the recorder sets
all three. No event but `Request` and an accepted `CompletionEvent` holds model text: the text of a rejected reply
lies in quarantine under its digest, and a journal holds that digest and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import eq, not_
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from agentlab.messages import Arguments, Author, FinishReason, Remark, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.framing import AttemptFinished, AttemptStarted, EventBase
from agentlab.trace.values import (
    Caller,
    ContextItem,
    OptionalText,
    ProposedCall,
    RefusalCode,
    Span,
)

__all__ = [
    "EVENT_TYPES",
    "Answer",
    "Approval",
    "AttemptFinished",
    "AttemptStarted",
    "CallRefused",
    "Checkpoint",
    "CompletionEvent",
    "Decision",
    "Event",
    "ExecutionFinished",
    "ExecutionStarted",
    "MemoryWrite",
    "Notice",
    "Observation",
    "ProtocolErrorEvent",
    "Request",
    "Summary",
    "Verification",
    "own_text",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Request(EventBase):
    """The exact context sent to the model."""

    type: Literal["request"] = "request"
    kept: int = 0
    """How many leading items of an earlier request stand unchanged before `items`; keeps a journal linear."""
    base: OptionalText = ""
    """That earlier request, on which no other was built; empty for the one just before."""
    items: tuple[ContextItem, ...]
    attempt_of_step: int = 1
    """2 where the same step was asked again by a retrying policy."""
    recorded: Annotated[bool, Field(exclude_if=bool)] = True
    """False where a foreign record says that a request was sent and not what stood in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CompletionEvent(EventBase):
    """A reply, written after the parser has seen it."""

    type: Literal["completion"] = "completion"
    request: str
    digest: str
    """SHA-256 of the whole text."""
    characters: int
    accepted: bool
    text: str | None = None
    """None where the reply was rejected: then it lies in quarantine. A foreign trace, whose harness kept it, has it."""
    reasoning: OptionalText = ""
    """What a provider returned as reasoning beside the text; of a rejected reply it lies in quarantine."""
    reasoning_digest: OptionalText = ""
    """SHA-256 of a rejected reply's reasoning."""
    calls: tuple[ProposedCall, ...] = ()
    discarded: tuple[Span, ...] = ()
    """What stood after the first action of an accepted reply and was not read."""
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    latency: float | None = None
    """Seconds, tries and the waits between them included."""
    first_byte: Annotated[float | None, Field(exclude_if=partial(eq, None))] = None
    """Seconds until the reply began; None where nobody measured."""
    tries: Annotated[int, Field(exclude_if=partial(eq, 1))] = 1
    """How often the request was sent until it was answered."""
    remarks: Annotated[tuple[Remark, ...], Field(exclude_if=not_)] = ()
    """What is odd about the reply, as the provider saw it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProtocolErrorEvent(EventBase):
    """A reply broke the protocol and was refused whole."""

    type: Literal["protocol_error"] = "protocol_error"
    completion: str
    code: str
    reason: str
    """A sentence that quotes nothing of the reply."""
    digest: str
    start: int
    end: int
    """Where in the quarantined text, in code points."""
    forged: tuple[Span, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CallRefused(EventBase):
    """A well-formed call was refused before it ran."""

    type: Literal["call_refused"] = "call_refused"
    completion: str
    call: str
    code: RefusalCode
    reason: str
    """What the schema expects; holds no value the model wrote. Of a foreign trace, its harness's own words."""
    digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionStarted(EventBase):
    """The executor begins to run a call."""

    type: Literal["execution_started"] = "execution_started"
    execution: str
    call: str
    tool: str
    arguments: Arguments | None
    """An object; a foreign harness may have run a text, e.g. a shell command; None where its record does not say."""
    by: Annotated[Caller, Field(exclude_if=partial(eq, "not_recorded"))] = "not_recorded"
    """Who asked for it, where no reply is on record that did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionFinished(EventBase):
    """The executor ran a call; the only proof that a tool acted."""

    type: Literal["execution_finished"] = "execution_finished"
    execution: str
    status: Literal["succeeded", "failed"]
    result: str | None = None
    """The payload as JSON text; None where the tool failed."""
    error: str | None = None
    error_kind: str | None = None
    duration: float | None = None
    """Seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation(EventBase):
    """What the harness will show the model of an execution."""

    type: Literal["observation"] = "observation"
    execution: str
    """Empty where no execution is on record: an answer to a call does not prove one."""
    call: str
    text: str
    tool: OptionalText = ""
    """Its tool, where neither a proposal nor an execution on record names it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice(EventBase):
    """What the harness tells the model about its own last reply."""

    type: Literal["notice"] = "notice"
    code: str
    about: str
    """Id of the event that caused it."""
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision(EventBase):
    """A choice that steers the loop, with the options there were."""

    type: Literal["decision"] = "decision"
    about: str
    options: tuple[str, ...]
    chosen: str
    by: Author
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Approval(EventBase):
    """A permission asked for a call, and the word given."""

    type: Literal["approval"] = "approval"
    call: str
    verdict: Literal["approve", "modify", "reject", "terminate", "escalate"]
    by: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary(EventBase):
    """Earlier items of a history were replaced by a shorter text."""

    type: Literal["summary"] = "summary"
    replaces: tuple[str, ...]
    text: str
    author: Author


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryWrite(EventBase):
    """Something was stored beyond the history."""

    type: Literal["memory_write"] = "memory_write"
    key: str
    text: str
    author: Author
    origin: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint(EventBase):
    """A point from which the attempt can go on after a kill."""

    type: Literal["checkpoint"] = "checkpoint"
    label: str
    state: Mapping[str, JSONValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification(EventBase):
    """A check of an answer or a claim, with its verdict and what it rests on."""

    type: Literal["verification"] = "verification"
    check: str
    verdict: Literal["SUPPORTED", "CONTRADICTED", "INCONCLUSIVE"]
    evidence: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer(EventBase):
    """The final text for the user."""

    type: Literal["answer"] = "answer"
    completion: str
    text: str


Event: TypeAlias = (
    AttemptStarted
    | Request
    | CompletionEvent
    | ProtocolErrorEvent
    | CallRefused
    | ExecutionStarted
    | ExecutionFinished
    | Observation
    | Notice
    | Decision
    | Approval
    | Summary
    | MemoryWrite
    | Checkpoint
    | Verification
    | Answer
    | AttemptFinished
)


def own_text(event: Event) -> str | None:
    """The text that the event shows in full and a later context may refer to by digest; None where it has none."""
    text: str | None = getattr(event, "text", None)  # no event has a field of this name for anything else
    return text


EVENT_TYPES: tuple[type[Event], ...] = get_args(Event)
