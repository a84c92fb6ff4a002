"""Which claim belongs to which execution: by the reply and the place of the proposal in it, never by value alone."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

from agentlab.audit.values import Claim, Entry
from agentlab.trace.calls import TracedCall
from agentlab.trace.model import Trace

__all__ = ["executed_as"]


def executed_as(trace: Trace, claims: Sequence[Claim], ledger: Sequence[Entry]) -> Mapping[str, Entry]:
    """The execution of each claim of kind call that was executed, by the claim's id.

    Call ids repeat in some servers' replies, so a claim is led to its proposal by the reply it stands in and its place
    there, and from the proposal to its execution by event.
    """
    entries = {entry.event: entry for entry in ledger}
    proposals: dict[str, deque[TracedCall]] = defaultdict(deque)
    for call in trace.calls:
        if call.proposed_in is not None:
            proposals[call.proposed_in].append(call)
    found: dict[str, Entry] = {}
    for claim in claims:
        if claim.call is None:
            continue
        made = proposals[claim.where.event]
        call = made.popleft()
        while call.id != claim.call:  # a proposal that is nobody's claim
            call = made.popleft()
        if call.executed_in is not None:
            found[claim.id] = entries[call.executed_in]
    return found
