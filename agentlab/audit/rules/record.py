"""The rule about the record itself."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule
from agentlab.audit.values import Where

__all__ = ["TRACE_DEFECT"]


def _defects(reading: Reading) -> Iterator[Crossing]:
    defect = reading.trace.defect
    if defect:
        last = reading.trace.events[-1]
        yield Crossing(
            message=f"The record is not whole: {defect}. What it does not hold cannot be audited.",
            where=(Where(event=last.id, field="type", start=0, end=len(last.type), text=last.type),),
        )


TRACE_DEFECT = Rule(
    id="trace-defect",
    severity="warning",
    meaning=(
        "A part of the record could not be read, or contradicts another part, and the rest was read all the same: a "
        "line that is cut or broken, an event that is missing, counts of tokens or times that cannot be true. The "
        "message says which. The place named is the last event that could be read. A record that ends early between "
        "two lines has no defect: then the end of the attempt is missing."
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
