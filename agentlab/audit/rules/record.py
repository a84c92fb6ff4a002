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
        "The file the trace was read from is damaged, as by a kill in the middle of a write. The place named is the "
        "last event that could be read; what came after it is not known. A record that ends early between two lines "
        "has no defect: then the end of the attempt is missing."
    ),
    cause="The process was killed, the disk was full, or the file was cut when it was copied.",
    check="Look for a whole copy of the file; else read what the last event before the cut was about.",
    find=_defects,
)
