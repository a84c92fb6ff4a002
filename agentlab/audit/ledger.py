"""The ledger: what was executed, in order, with state and result. It is read from spans alone."""

from __future__ import annotations

from agentlab.audit.values import Entry
from agentlab.trace.events import ExecutionStarted
from agentlab.trace.model import Trace

__all__ = ["ledger"]


def ledger(trace: Trace) -> tuple[Entry, ...]:
    """Every call that began to run, in order of its start, with the tool and arguments it was run with."""
    calls = {call.executed_in: call for call in trace.calls if call.executed_in is not None}
    return tuple(
        Entry(
            call=call.id,
            tool=begun.tool,
            arguments=begun.arguments,
            state=call.state,
            result=call.result,
            error=call.error,
            step=call.step,
            event=begun.id,
            position=trace.positions[begun.id],
            time=begun.time,
            delivered=call.delivered,
        )
        for begun in trace.of(ExecutionStarted)
        if (call := calls.get(begun.id)) is not None
    )
