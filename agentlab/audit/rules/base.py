"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from agentlab.audit.reading import Reading
from agentlab.audit.values import Claim, Entry, Finding, Severity, Where
from agentlab.strictjson import JSONValue

__all__ = ["Rule", "claimed_side", "executed_side"]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A boundary that can be crossed, and how to see that it was."""

    id: str
    severity: Severity
    meaning: str
    """What it means, in a sentence or two."""
    cause: str
    """The likeliest root cause."""
    check: str
    """The first thing to look at."""
    find: Callable[[Rule, Reading], Iterable[Finding]]

    def finding(
        self,
        message: str,
        where: Iterable[Where],
        *,
        claimed: Mapping[str, JSONValue] | None = None,
        executed: Mapping[str, JSONValue] | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this rule."""
        return Finding(
            rule=self.id,
            severity=severity or self.severity,
            message=message,
            where=tuple(where),
            claimed=claimed,
            executed=executed,
            cause=self.cause,
            check=self.check,
        )


def claimed_side(claim: Claim, call: Claim | None = None) -> dict[str, JSONValue]:
    """The claimed side of a finding: the tool and arguments of the call it stands under, and what was said."""
    about = call or claim
    return {"tool": about.tool, "arguments": _plain(about.arguments), "text": claim.body or claim.where.text}


def executed_side(entry: Entry) -> dict[str, JSONValue]:
    """The executed side of a finding."""
    return {"tool": entry.tool, "arguments": _plain(entry.arguments), "state": entry.state, "result": entry.result}


def _plain(arguments: object) -> JSONValue:
    if isinstance(arguments, Mapping):
        return dict(arguments)
    return arguments if isinstance(arguments, str) else None
