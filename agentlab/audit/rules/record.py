"""The rule about the record itself."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule
from agentlab.audit.rules.seen import whole
from agentlab.audit.values import Where
from agentlab.trace.calls import TracedCall
from agentlab.trace.events import Observation
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["TRACE_DEFECT"]


def _defects(reading: Reading) -> Iterator[Crossing]:
    defect = reading.trace.defect
    if defect:
        last = reading.trace.events[-1]
        yield Crossing(
            message=f"The record is not whole: {defect}. What it does not hold cannot be audited.",
            where=(Where(event=last.id, field="type", start=0, end=len(last.type), text=last.type),),
        )
    yield from _nobodys(reading.trace)


def _nobodys(trace: Trace) -> Iterator[Crossing]:
    """Results under an id that no reply gave to a call, while a call before them has none."""
    if trace.evidence.proposals != "present":
        return
    asked = {call.id for call in trace.calls}
    open_since = [trace.positions[call.proposed_in] for call in trace.calls if call.proposed_in and _is_open(call)]
    first = min(open_since, default=len(trace))
    for event in trace.of(Observation):
        if event.call and event.call not in asked and not event.execution and trace.positions[event.id] > first:
            yield Crossing(
                message=f"A result names the call {shorten(event.call, 60)!r}, which no reply asked for, while a call "
                "before it has no result: which belongs to which is not on record.",
                where=(whole(event.id, "text", event.text),),
            )


def _is_open(call: TracedCall) -> bool:
    return call.observed_in is None and call.executed_in is None


TRACE_DEFECT = Rule(
    id="trace-defect",
    severity="warning",
    meaning=(
        "A part of the record could not be read, or contradicts another part, and the rest was read all the same: a "
        "line that is cut or broken, an event that is missing, counts of tokens or times that cannot be true. The "
        "message says which. The place named is the last event that could be read; of a result under an id that no "
        "call has, it is the result. A record that ends early between two lines has no defect: then the end of the "
        "attempt is missing."
    ),
    cause=(
        "The process was killed, the disk was full, or the file was cut when it was copied; where values contradict "
        "each other, whatever wrote them."
    ),
    check=(
        "Read the place that the message names in the file. Where something is cut, look for a whole copy; where "
        "values contradict each other, do not rest on them."
    ),
    find=_defects,
)
