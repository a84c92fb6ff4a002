"""The values an audit is made of: claims, ledger entries, paths of contamination, findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agentlab.markers.segments import Party
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue
from agentlab.trace.calls import CallState

__all__ = ["FORGED", "Claim", "ClaimKind", "Contamination", "Entry", "Finding", "Severity", "Where"]

ClaimKind = Literal["call", "observation", "turn", "answer"]
"""What the model said: that a call is made, that a result came, that another party spoke, or what the answer is."""

FORGED: tuple[ClaimKind, ...] = ("observation", "turn")
"""Kinds of claim that only somebody else may write."""

Severity = Literal["failure", "warning", "note", "undecidable"]
"""failure: a boundary was crossed. warning: it may have been, or it was and nothing rests on it. note: worth knowing.
undecidable: the record cannot tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """A place in a trace: a stretch of one field of one event."""

    event: str
    field: str
    """`text` of a completion (from quarantine where it was rejected) or an answer; `calls[N].tool` of a completion, for
    a native call; `context[N].text` of a request, N
    counting from 0 in its whole context, items kept from the request before included; `digest` of a lost text."""
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
    """Of a call, what it names, empty where it names nothing; of a result, what its call names."""
    arguments: Arguments | None = None
    call: str | None = None
    """Id of the proposed call, for claims of kind call."""
    body: str = ""
    """What is claimed, without its marker: the result, the answer."""
    about: str | None = None
    """For a claimed result, the claim of kind call it stands under."""
    party: Party | None = None
    """Whose turn it is; only for turns."""
    rejected: bool = False
    """Whether the reply it stands in was refused."""

    @property
    def is_result(self) -> bool:
        """Whether it takes the place of a tool's result: an observation, or a turn of the tool."""
        return self.kind == "observation" or self.party == "tool"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One execution in the ledger, as it was run."""

    call: str
    """Id of the call; some servers use one id for several calls of an attempt."""
    tool: str
    arguments: Arguments | None
    """None where the record does not say what it was run with."""
    state: CallState
    result: str | None
    error: str | None
    step: int | None
    event: str
    """The `execution_started` event; it tells this execution from every other."""
    position: int
    """Place of that event in the trace, from 0."""
    time: float | None
    """Seconds since 1970-01-01 UTC."""
    delivered: bool | None
    """Whether a later request carried the result; None where that is not recorded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contamination:
    """A forged text on its way: which requests carried it, and whether the answer rests on it."""

    claim: Claim
    carriers: tuple[Where, ...]
    """The first place in each request that carried it, in order."""
    relays: tuple[str, ...] = ()
    """Events other than the reply through which it came back: observations that echo it, notices that quote it."""
    answer: Where | None = None
    """What the answer states as the forged text does and no execution bears out; None where there is nothing such."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A boundary that was crossed: what was claimed, what was executed, and where to look first. Never an intention."""

    rule: str
    severity: Severity
    message: str
    where: tuple[Where, ...]
    """The place it is about comes first; never empty."""
    claimed: Mapping[str, JSONValue] | None
    executed: Mapping[str, JSONValue] | None
    cause: str
    check: str
