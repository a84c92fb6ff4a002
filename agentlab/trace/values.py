"""The values events are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import eq, not_
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from agentlab.messages import Arguments, Author, Role, Trust
from agentlab.strictjson import JSONValue

__all__ = [
    "Caller",
    "ContextItem",
    "Evidence",
    "EvidenceState",
    "Extra",
    "Language",
    "OptionalText",
    "ProposedCall",
    "RefusalCode",
    "Span",
    "TerminationReason",
]

EvidenceState = Literal["present", "absent", "not_recorded"]
"""What a record holds of one kind of fact: some, none happened, or nobody wrote it down."""

Language = Literal["en", "zh"]

TerminationReason = Literal[
    "answered", "step_limit", "deadline", "token_budget", "provider_error", "interrupted", "other"
]
"""Why an attempt ended. A cap is not an answer: `attempt_finished` then says how far it got.

`other` is a reason that only foreign traces give; `detail` holds it in their own word.
"""

RefusalCode = Literal["unparsed", "unknown_tool", "invalid_arguments", "not_permitted"]
"""Why a proposed call was not dispatched."""

Caller = Literal["agent", "subagent", "user_simulator", "provider", "structured_output", "not_recorded"]
"""Who asked for a call: the agent itself, an agent it started, a simulated user, or the model's provider, which then
runs it too. `structured_output` is a call in form only: it holds an answer and nothing is ever run for it."""

Extra: TypeAlias = Annotated[Mapping[str, JSONValue], Field(exclude_if=not_)]
"""What a foreign record held beyond the fields here, under its own names; our own journals never write it."""

OptionalText: TypeAlias = Annotated[str, Field(exclude_if=not_)]
"""A text that a journal leaves out where it is empty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What a trace can prove, declared by whoever recorded or loaded it."""

    proposals: EvidenceState = "not_recorded"
    executions: EvidenceState = "not_recorded"
    results: EvidenceState = "not_recorded"
    errors: EvidenceState = "not_recorded"
    times: EvidenceState = "not_recorded"
    usage: EvidenceState = "not_recorded"
    authorship: EvidenceState = "not_recorded"


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A stretch of a text, in code points, end exclusive, with what it was judged to be."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextItem:
    """One message of a request; its text stands in full where the attempt first shows it, later only its digest."""

    role: Role
    author: Author
    trust: Trust
    digest: str
    text: str | None = None
    origin: str | None = None
    """Event the text came from; None for the prompt and the task."""
    source: OptionalText = ""
    """Identity of the message in the foreign file it was read from, e.g. its index."""
    call: OptionalText = ""
    """Of a tool's message: the native call that it answers."""
    calls: Annotated[tuple[str, ...], Field(exclude_if=not_)] = ()
    """Of a model's message: the native calls that it holds, as completions before proposed them."""
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposedCall:
    """A call a completion asked for. Of a rejected reply only the tool's name and the digest are kept."""

    call: str
    """Id of the call within the attempt."""
    tool: str
    arguments: Arguments | None = None
    arguments_digest: str = ""
    by: Annotated[Caller, Field(exclude_if=partial(eq, "agent"))] = "agent"
