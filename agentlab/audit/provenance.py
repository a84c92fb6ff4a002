"""Provenance: how forged text travels, request by request, and whether the answer rests on it.

For our own traces authorship is recorded, so a copy is found by who wrote the item; a copy that came back through a
tool, where the tool is the author, is found by the text itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentlab.audit.values import Claim, Contamination, Entry, Where
from agentlab.quantities import quantities
from agentlab.trace.events import Request
from agentlab.trace.model import Trace

__all__ = ["FORGED", "contaminations", "rests_on"]

FORGED = ("observation", "turn")
"""Kinds of claim that only a harness may write."""

_USEFUL_LENGTH = 12
"""Shorter bodies occur by chance; a copy of one is not looked for by its text."""


def contaminations(trace: Trace, claims: Sequence[Claim], ledger: Sequence[Entry]) -> tuple[Contamination, ...]:
    """Every forged claim that stands in a later request, with its path."""
    found = []
    for claim in claims:
        carriers = tuple(_carriers(trace, claim)) if claim.kind in FORGED else ()
        if carriers:
            found.append(Contamination(claim=claim, carriers=carriers, answer=rests_on(trace, claim, carriers, ledger)))
    return tuple(found)


def rests_on(trace: Trace, claim: Claim, carriers: Sequence[Where], ledger: Sequence[Entry]) -> Where | None:
    """The answer, if it states a number that the forged text states and no delivered result of the same tool does.

    Results are read for digits alone: a document that a tool quotes is full of `no` and `one`.
    """
    answer = trace.answer
    if answer is None or not carriers or trace.positions[answer.id] < trace.positions[carriers[0].event]:
        return None
    vouching = [
        entry.result for entry in ledger if entry.delivered and entry.result and claim.tool in (None, entry.tool)
    ]
    proven = {q.value for result in vouching for q in quantities(result) if q.is_digits}
    forged = {q.value for q in quantities(claim.body)} - proven
    if any(q.value in forged for q in quantities(answer.text)):
        return Where(event=answer.id, field="text", start=0, end=len(answer.text), text=answer.text)
    return None


def _carriers(trace: Trace, claim: Claim) -> Iterator[Where]:
    """The first place in each request after the claim that holds its text."""
    born = trace.positions[claim.where.event]
    for request in trace.of(Request):
        if trace.positions[request.id] < born:
            continue
        for position, message in enumerate(trace.contexts[request.id]):
            copied = _copy_in(message.text, claim, same_origin=message.origin == claim.where.event)
            if copied is not None:
                start, text = copied
                yield Where(
                    event=request.id, field=f"items[{position}].text", start=start, end=start + len(text), text=text
                )
                break


def _copy_in(text: str, claim: Claim, *, same_origin: bool) -> tuple[int, str] | None:
    if same_origin and (start := text.find(claim.where.text)) >= 0:
        return start, claim.where.text
    if len(claim.body) >= _USEFUL_LENGTH and (start := text.find(claim.body)) >= 0:
        return start, claim.body
    return None
