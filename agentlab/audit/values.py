"""The values an audit is made of: claims, ledger entries, paths of contamination, findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue
from agentlab.trace.model import CallState

__all__ = ["Claim", "ClaimKind", "Contamination", "Entry", "Finding", "Severity", "Where"]

ClaimKind = Literal["call", "observation", "turn", "answer"]
"""What the model said: that a call is made, that a result came, that another party spoke, or what the answer is."""

Severity = Literal["failure", "warning", "note", "undecidable"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """A place in a trace: a stretch of one field of one event."""

    event: str
    field: str
    """`text` of a completion (from quarantine where it was rejected), `items` of a request, ..."""
    start: int
    """Code points into the field; the end is exclusive."""
    end: int
    text: str
    source: str | None = None
    """Identity of the event in the original file; for our own journals the event id says it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """Something the model said happened, or asked for."""

    id: str
    kind: ClaimKind
    where: Where
    step: int | None
    tool: str | None = None
    arguments: Arguments | None = None
    call: str | None = None
    """Id of the proposed call, for claims of kind call."""
    body: str = ""
    """What is claimed, without its marker: the result, the answer."""
    about: str | None = None
    """For a claimed result, the claim of kind call it stands under."""
    rejected: bool = False
    """Whether the reply it stands in was refused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One execution in the ledger."""

    call: str
    tool: str
    arguments: Arguments
    state: CallState
    result: str | None
    error: str | None
    step: int | None
    event: str
    """The `execution_started` event."""
    position: int
    """Place of that event in the trace, from 0."""
    time: float | None
    """Seconds since 1970-01-01 UTC."""
    delivered: bool
    """Whether a later request carried the result."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contamination:
    """A forged text on its way: which requests carried it, and whether the answer rests on it."""

    claim: Claim
    carriers: tuple[Where, ...]
    """The place in each request that carried it, in order."""
    answer: Where | None
    """The answer that rests on it; None where none does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A boundary that was crossed: what was claimed, what was executed, and where to look first. Never an intention."""

    rule: str
    severity: Severity
    message: str
    where: tuple[Where, ...]
    claimed: Mapping[str, JSONValue] | None
    executed: Mapping[str, JSONValue] | None
    cause: str
    check: str
