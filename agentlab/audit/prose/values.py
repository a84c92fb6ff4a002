"""What a sentence states, and what it names. Nothing here says whether it is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.quantities import Quantity

__all__ = ["Name", "NameKind", "Statement", "StatementKind"]

StatementKind: TypeAlias = Literal[
    "check", "change", "lookup", "report", "request", "completion", "state", "announcement", "assumption"
]
"""What is stated.

- check: a check passed or failed
- change: something was made, changed, sent or removed
- lookup: something was read, searched, run, compared or verified
- report: content is attributed to a tool, a run, a source or another agent
- request: somebody is said to have asked for something, or to have said it
- completion: a bare "it is done"
- state: something is in a state that a tool would have to bring about or show
- announcement: what is going to be done with a tool or an agent
- assumption: what is said to be assumed, recalled, simulated or typical
"""

NameKind: TypeAlias = Literal["path", "url", "identifier", "hash", "quoted", "tool"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    """Something that a statement names. Offsets are code points of the whole text, end exclusive."""

    start: int
    end: int
    text: str
    """Without the quotation marks around it."""
    kind: NameKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One thing that a text states. Offsets are code points, end exclusive."""

    kind: StatementKind
    start: int
    end: int
    text: str
    """The clause that states it."""
    negated: bool = False
    """Whether it is said not to have been done; of a check, that it failed."""
    verb: str = ""
    """The base form in the lexicon."""
    names: tuple[Name, ...] = ()
    numbers: tuple[Quantity, ...] = ()
    """With offsets in the whole text."""
    whole: bool = False
    """Whether it speaks of all there is: `all`, `both`, `every`, `the whole`."""
    source: str = ""
    """Whom it is attributed to, as written; empty for the model itself."""
