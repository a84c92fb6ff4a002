"""The ledger: what was executed, in order, with state and result. It is read from spans alone."""

from __future__ import annotations

from agentlab.audit.values import Entry
from agentlab.trace.model import Trace

__all__ = ["ledger"]


def ledger(trace: Trace) -> tuple[Entry, ...]:
    """Every call that began to run, in order of its start."""
    entries = [
        Entry(
            call=call.id,
            tool=call.tool,
            arguments=call.arguments or {},
            state=call.state,
            result=call.result,
            error=call.error,
            step=call.step,
            event=call.executed_in,
            time=trace.by_id[call.executed_in].time,
            delivered=call.delivered,
            position=trace.positions[call.executed_in],
        )
        for call in trace.calls
        if call.executed_in is not None
    ]
    return tuple(sorted(entries, key=lambda entry: entry.position))
