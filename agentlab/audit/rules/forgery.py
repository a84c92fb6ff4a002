"""Rules about what only somebody else may write: results and turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, claimed_side, executed_side, tool_name
from agentlab.audit.values import Claim, Where
from agentlab.strictjson import JSONValue

__all__ = ["FORGED_OBSERVATION", "FORGED_TURN"]


def _forged_observations(reading: Reading) -> Iterator[Crossing]:
    for claim in reading.forged:
        if claim.kind == "observation":
            call = reading.call_of(claim)
            ran = reading.nearest(claim, reading.executions_of(call)) if call else None
            what = f"a result of {tool_name(claim.tool)}" if claim.about else "a tool result under no call"
            yield _crossing(reading, claim, what, executed=executed_side(ran) if ran else None)
    yield from _recalled(reading)
    yield from _lost(reading)


def _forged_turns(reading: Reading) -> Iterator[Crossing]:
    for claim in reading.forged:
        if claim.kind == "turn":
            yield _crossing(reading, claim, f"a turn of the {claim.party}")


def _crossing(
    reading: Reading, claim: Claim, what: str, *, executed: Mapping[str, JSONValue] | None = None
) -> Crossing:
    fate = "refused" if claim.rejected else "accepted"
    return Crossing(
        message=f"The model itself wrote {what}; the harness {fate} the reply."
        if reading.attributed
        else f"A reply holds {what}; who wrote it is not recorded.",
        where=(claim.where,),
        claimed=claimed_side(claim),
        executed=executed,
        severity=None if reading.attributed else "undecidable",
    )


def _recalled(reading: Reading) -> Iterator[Crossing]:
    for claim in reading.recalled:
        yield Crossing(
            message="The model repeated word for word what it had been shown, in the form of a result or a turn.",
            where=(claim.where,),
            claimed=claimed_side(claim),
            severity="note",
        )


def _lost(reading: Reading) -> Iterator[Crossing]:
    for reply in reading.lost:
        yield Crossing(
            message="Whether this refused reply holds a forged result cannot be told: its text is not in quarantine.",
            where=(Where(event=reply.id, field="digest", start=0, end=len(reply.digest), text=reply.digest),),
            severity="undecidable",
        )


FORGED_OBSERVATION = Rule(
    id="forged-observation",
    severity="failure",
    meaning=(
        "Text in the place and form of a tool result was written by the model. Nothing was executed between the "
        "action and that text, so whatever it says, true or not, is not evidence. Quotation (a fence, a line within a "
        "sentence) does not count; a result repeated word for word, under no call, is a note; a reply whose text is "
        "lost is undecidable."
    ),
    cause="The model ran on past its action; generation was not ended where the harness takes over.",
    check="Read the reply in quarantine at the marked place, then the next request: does it carry this text?",
    find=_forged_observations,
)

FORGED_TURN = Rule(
    id="forged-turn",
    severity="failure",
    meaning=(
        "The model wrote a turn in the name of the user, the system or a tool inside its own reply. What stands in it "
        "was said by nobody else, so no call can draw its authority from it."
    ),
    cause="The model ran on into the next turn of the conversation.",
    check="Look whether anything that only the false turn asks for was done later.",
    find=_forged_turns,
)
