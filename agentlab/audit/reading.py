"""One reading of a trace: what was claimed, what was executed, what belongs together, what travelled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agentlab.audit.arguments import CallKey, call_key
from agentlab.audit.claims import claims_of
from agentlab.audit.ledger import ledger
from agentlab.audit.matching import executed_as
from agentlab.audit.provenance import Provenance
from agentlab.audit.support import Support
from agentlab.audit.values import FORGED, Claim, Contamination, Entry
from agentlab.trace.model import Trace

__all__ = ["Reading", "read"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the rules judge."""

    trace: Trace
    claims: tuple[Claim, ...]
    recalled: tuple[Claim, ...]
    """Results and turns that repeat word for word what the model had been shown; they are not among the claims."""
    ledger: tuple[Entry, ...]
    executed: Mapping[str, Entry]
    """What each claim of kind call was executed as, by claim id; matched by event, never by value."""
    contaminations: tuple[Contamination, ...]
    """None are looked for where the record does not say who wrote what."""
    support: Support
    attributed: bool
    """Whether the record says who wrote what; where it does not, text in a reply may be anybody's."""

    @property
    def forged(self) -> tuple[Claim, ...]:
        """Results and turns that the model wrote itself."""
        return tuple(claim for claim in self.claims if claim.kind in FORGED)

    @property
    def executions_recorded(self) -> bool:
        return self.trace.evidence.executions != "not_recorded"

    def call_of(self, claim: Claim) -> Claim | None:
        """The call that a claimed result stands under."""
        return self._by_id[claim.about] if claim.about else None

    def executions_of(self, call: Claim) -> tuple[Entry, ...]:
        """The execution a call was run as; where there is none, those of the same tool with the same arguments."""
        own = self.executed.get(call.id)
        return (own,) if own else self._same.get(call_key(call.tool, call.arguments), ())

    def nearest(self, claim: Claim, entries: Sequence[Entry]) -> Entry | None:
        """The execution that began next after a claim, else the last before it."""
        born = self.trace.positions[claim.where.event]
        return next((entry for entry in entries if entry.position > born), entries[-1] if entries else None)

    def executions_with(self, tool: str | None) -> tuple[Entry, ...]:
        """The executions of a tool, whatever its arguments were."""
        return tuple(entry for entry in self.ledger if entry.tool == tool)

    @cached_property
    def _by_id(self) -> Mapping[str, Claim]:
        return {claim.id: claim for claim in self.claims}

    @cached_property
    def _same(self) -> Mapping[CallKey, tuple[Entry, ...]]:
        found: dict[CallKey, list[Entry]] = defaultdict(list)
        for entry in self.ledger:
            found[call_key(entry.tool, entry.arguments)].append(entry)
        return {key: tuple(entries) for key, entries in found.items()}


def read(trace: Trace) -> Reading:
    """Read a trace once, for all rules."""
    entries = ledger(trace)
    provenance = Provenance(trace, entries)
    support = Support(trace, entries)
    said = claims_of(trace)
    recalled = {claim.id: claim for claim in said if provenance.is_recalled(claim)}
    claims = tuple(claim for claim in said if claim.id not in recalled)
    attributed = trace.evidence.authorship != "not_recorded"
    return Reading(
        trace=trace,
        claims=claims,
        recalled=tuple(recalled.values()),
        ledger=entries,
        executed=executed_as(trace, claims, entries),
        contaminations=tuple(provenance.contaminations(claims, support)) if attributed else (),
        support=support,
        attributed=attributed,
    )
