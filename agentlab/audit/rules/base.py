"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from agentlab.audit.arguments import plain
from agentlab.audit.reading import Reading
from agentlab.audit.values import Claim, Entry, Finding, Severity, Where
from agentlab.strictjson import JSONValue
from agentlab.trace.formatting import shorten

__all__ = ["Crossing", "Rule", "claimed_side", "executed_side", "tool_name"]

_UNKNOWN = "The record does not say what would decide it."
_RECORD = "Look for a record of what was executed, or of who wrote what, and audit that."
_SHOWN = 60
"""Characters of a tool's name that a message shows; a model can make up longer ones."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Crossing:
    """One place where a rule's boundary was crossed."""

    message: str
    where: tuple[Where, ...]
    claimed: Mapping[str, JSONValue] | None = None
    executed: Mapping[str, JSONValue] | None = None
    severity: Severity | None = None
    """None for the rule's own."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A boundary that can be crossed, and how to see that it was."""

    id: str
    severity: Severity
    meaning: str
    """What it means, and when it is not raised or weighs less."""
    cause: str
    """The likeliest root cause."""
    check: str
    """The first thing to look at."""
    find: Callable[[Reading], Iterable[Crossing]]

    def judge(self, reading: Reading) -> Iterator[Finding]:
        """What this rule finds in a trace."""
        for crossing in self.find(reading):
            severity = crossing.severity or self.severity
            yield Finding(
                rule=self.id,
                severity=severity,
                message=crossing.message,
                where=tuple(_with_source(place, reading) for place in crossing.where),
                claimed=crossing.claimed,
                executed=crossing.executed,
                cause=_UNKNOWN if severity == "undecidable" else self.cause,
                check=_RECORD if severity == "undecidable" else self.check,
            )


def _with_source(place: Where, reading: Reading) -> Where:
    event = reading.trace.by_id.get(place.event)
    return replace(place, source=event.source) if event is not None and event.source else place


def claimed_side(claim: Claim) -> dict[str, JSONValue]:
    """The claimed side of a finding: the tool and arguments of the call it stands under, and what was said."""
    return {"tool": claim.tool, "arguments": plain(claim.arguments), "text": claim.body or claim.where.text}


def executed_side(entry: Entry) -> dict[str, JSONValue]:
    """The executed side of a finding."""
    return {
        "tool": entry.tool,
        "arguments": plain(entry.arguments),
        "state": entry.state,
        "result": entry.result,
        "error": entry.error,
        "event": entry.event,
    }


def tool_name(name: str | None) -> str:
    """A tool's name as a message gives it."""
    return shorten(name, _SHOWN) if name else "an unnamed tool"
