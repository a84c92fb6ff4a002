"""One reading of a trace: what was claimed, what was executed, what belongs together, what travelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentlab.audit.claims import claims_of
from agentlab.audit.ledger import ledger
from agentlab.audit.provenance import FORGED, contaminations
from agentlab.audit.values import Claim, Contamination, Entry
from agentlab.trace.model import Trace

__all__ = ["Reading", "read"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the rules judge."""

    trace: Trace
    claims: tuple[Claim, ...]
    ledger: tuple[Entry, ...]
    pairs: Mapping[str, str]
    """Claim id of kind call to the ledger's call id it was executed as: matched by call id, never by value."""
    contaminations: tuple[Contamination, ...]

    @property
    def forged(self) -> tuple[Claim, ...]:
        """Results and turns that the model wrote itself."""
        return tuple(claim for claim in self.claims if claim.kind in FORGED)

    def claim(self, name: str) -> Claim:
        return next(claim for claim in self.claims if claim.id == name)

    def entry(self, call: str) -> Entry:
        return next(entry for entry in self.ledger if entry.call == call)

    def executions_of(self, claim: Claim) -> tuple[Entry, ...]:
        """The successful executions of the call that a claimed result stands under: same tool, same arguments."""
        if claim.about is None:
            return ()
        call = self.claim(claim.about)
        return tuple(
            entry
            for entry in self.ledger
            if entry.state == "succeeded" and entry.tool == call.tool and entry.arguments == call.arguments
        )


def read(trace: Trace) -> Reading:
    """Read a trace once, for all rules."""
    claims = claims_of(trace)
    entries = ledger(trace)
    executed = {entry.call for entry in entries}
    pairs = {claim.id: claim.call for claim in claims if claim.call is not None and claim.call in executed}
    return Reading(
        trace=trace,
        claims=claims,
        ledger=entries,
        pairs=pairs,
        contaminations=contaminations(trace, claims, entries),
    )
