"""The rule about forged text that came back."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, claimed_side, executed_side
from agentlab.audit.values import Contamination
from agentlab.trace.formatting import shorten

__all__ = ["CONTAMINATION"]

_NAMED = 4
"""Events that a message names."""


def _contaminated(reading: Reading) -> Iterator[Crossing]:
    for path in reading.contaminations:
        ran = next((entry for entry in reading.ledger if entry.tool == path.claim.tool and entry.delivered), None)
        yield Crossing(
            message=f"Text that the model forged came back to it in {_way(path)}; {_end(reading, path)}.",
            where=(path.claim.where, *path.carriers, *([path.answer] if path.answer else [])),
            claimed=claimed_side(path.claim),
            executed=executed_side(ran) if ran else None,
            severity=None if path.answer else "warning",
        )


def _way(path: Contamination) -> str:
    events = [carrier.event for carrier in path.carriers]
    few = ", ".join(events) if len(events) <= _NAMED else f"{events[0]} to {events[-1]}"
    requests = f"request {few}" if len(events) == 1 else f"{len(events)} requests ({few})"
    return requests + (f" by way of {', '.join(path.relays[:_NAMED])}" if path.relays else "")


def _end(reading: Reading, path: Contamination) -> str:
    if reading.trace.answer is None:
        return "no answer was given"
    if not reading.support.recorded:
        return "whether the answer rests on it cannot be told, because executions are not recorded"
    if path.answer is None:
        return "the answer states nothing that stands only there"
    stated = shorten(path.answer.text, 40)
    return f"the answer states {stated} as this text does, and no delivered result of the tool does"


CONTAMINATION = Rule(
    id="contamination",
    severity="failure",
    meaning=(
        "Text in the form of a result or a turn that the model wrote itself stands in a later request, where it can be "
        "taken for a fact. A failure where the answer states what this text states and no delivered result of the tool "
        "does; else a warning. A real result that says the same is no copy."
    ),
    cause="The harness noted the protocol error and fed the raw text back, or a tool gave back what it was handed.",
    check="Read the context of the first request named here; change the history policy and run the attempt again.",
    find=_contaminated,
)
