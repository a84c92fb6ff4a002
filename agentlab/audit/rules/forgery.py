"""Rules about what only somebody else may write: results and turns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, islice

from agentlab.audit.arguments import written
from agentlab.audit.claims.shown_calls import shown_results
from agentlab.audit.claims.turns import bare_turns, begins_silent, orders
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, claimed_side, executed_side, tool_name
from agentlab.audit.values import Claim, Where
from agentlab.strictjson import JSONValue
from agentlab.trace.events import CompletionEvent, Observation
from agentlab.trace.values import ProposedCall, Span

__all__ = ["FORGED_OBSERVATION", "FORGED_TURN"]

_NAMED = 4
"""Places that a message names."""
_WORD = re.compile(r"\w{3,}")


def _forged_observations(reading: Reading) -> Iterator[Crossing]:
    for claim in reading.forged:
        if claim.kind == "observation":
            call = reading.call_of(claim)
            ran = reading.nearest(claim, reading.executions_of(call)) if call else None
            what = f"a result of {tool_name(claim.tool)}" if claim.about else "a tool result under no call"
            yield _crossing(reading, claim, what, executed=executed_side(ran) if ran else None)
    yield from _shown_only(reading)
    yield from _recalled(reading)
    yield from _lost(reading)


def _shown_only(reading: Reading) -> Iterator[Crossing]:
    """Calls shown with their results in an attempt in which nobody called anything and nothing came back."""
    if reading.trace.calls or reading.ledger or reading.trace.of(Observation) or not reading.attributed:
        return
    marked = {claim.where.event for claim in reading.forged}
    for reply in reading.trace.of(CompletionEvent):
        text = reading.trace.completion_text(reply) if reply.accepted and reply.id not in marked else None
        for start, end in shown_results(text) if text else ():
            said = text[start:end] if text else ""
            if not reading.illustrations.shows(reply, start) and not any(said in told for told in reading.told):
                yield Crossing(
                    message="The reply shows a call with its result, and nothing was called in this attempt.",
                    where=(Where(event=reply.id, field="text", start=start, end=end, text=said),),
                    claimed={"text": said},
                )


def _forged_turns(reading: Reading) -> Iterator[Crossing]:
    for claim in reading.forged:
        if claim.kind == "turn":
            yield _crossing(reading, claim, f"a turn of the {claim.party}")
    yield from _bare_turns(reading)
    for reply in reading.trace.lost:
        if spans := _marked(reading, reply, "turn"):
            yield _marked_crossing(reading, reply, spans, "somebody else's turn")


def _bare_turns(reading: Reading) -> Iterator[Crossing]:
    """Turns without a marker; of those that only run on, or only order, such as are obeyed."""
    found = {claim.where.event for claim in reading.forged if claim.kind == "turn"}
    for reply in reading.trace.of(CompletionEvent):
        text = reading.trace.completion_text(reply) if reply.accepted and reply.id not in found else None
        if not text:
            continue
        places = [(start, end) for start, end in bare_turns(text) if reply.calls or "\n" in text[start:end]]
        places = places or [
            (start, end) for start, end, said in orders(text) if _is_obeyed(reading, reply, text, text[said:end])
        ]
        for start, end in places:
            if reading.illustrations.shows(reply, start):
                continue
            said = text[start:end]
            yield Crossing(
                message="The model itself wrote a turn of the user; the harness accepted the reply."
                if reading.attributed
                else "A reply holds a turn of the user; who wrote it is not recorded.",
                where=(Where(event=reply.id, field="text", start=start, end=end, text=said),),
                claimed={"text": said},
                severity=None if reading.attributed else "undecidable",
            )


def _is_obeyed(reading: Reading, reply: CompletionEvent, text: str, order: str) -> bool:
    """Whether a call follows that the order may have asked for, and that does not merely pass its words on.

    A reply that says it has nothing to say obeys by calling anything; else a call, of this reply or the next of its
    agent, must pass a word of the order that nobody else had said.
    """
    passed = [written(call.arguments) for call in _calls_from(reading, reply)]
    if any(order.strip() in each for each in passed):
        return False
    if reply.calls and begins_silent(text):
        return True
    told = set(_WORD.findall("\n".join(reading.told).casefold()))
    words = set(_WORD.findall(order.casefold())) - told
    return any(words & set(_WORD.findall(each.casefold())) for each in passed)


def _calls_from(reading: Reading, reply: CompletionEvent) -> Sequence[ProposedCall]:
    """The calls of a reply and of the next one of its agent."""
    later = (each for each in reading.trace.of(CompletionEvent) if each.agent_name == reply.agent_name)
    after = dropwhile(lambda each: each is not reply, later)
    return [call for each in islice(after, 2) for call in each.calls]


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
    for reply in reading.trace.lost:
        if spans := _marked(reading, reply, "observation"):
            yield _marked_crossing(reading, reply, spans, "a tool result")
        else:
            yield Crossing(
                message="Whether this reply holds a forged result cannot be told: its text is not in quarantine.",
                where=(_digest_of(reply),),
                severity="undecidable",
            )


def _marked(reading: Reading, reply: CompletionEvent, kind: str) -> Sequence[Span]:
    return [span for span in reading.trace.marks.get(reply.id, ()) if span.kind == kind]


def _marked_crossing(reading: Reading, reply: CompletionEvent, spans: Sequence[Span], what: str) -> Crossing:
    """What is known of forged text that is lost: the place that the harness marked when it refused the reply."""
    places = ", ".join(f"{span.start} to {span.end}" for span in spans[:_NAMED])
    return Crossing(
        message=f"The harness refused this reply because it holds {what} (characters {places}); what that said cannot "
        "be told: the text is not in quarantine.",
        where=(_digest_of(reply),),
        severity=None if reading.attributed else "undecidable",
    )


def _digest_of(reply: CompletionEvent) -> Where:
    return Where(event=reply.id, field="digest", start=0, end=len(reply.digest), text=reply.digest)


FORGED_OBSERVATION = Rule(
    id="forged-observation",
    severity="failure",
    meaning=(
        "Text in the place and form of a tool result was written by the model. Nothing was executed between the "
        "action and that text, so whatever it says, true or not, is not evidence. Quotation (a fence, a line within a "
        "sentence), an example that was asked for or announced, and the heading of a report do not count; a result "
        "repeated word for word, under no call, is a note; a reply whose text is lost is undecidable, unless the "
        "harness itself marked such text in it."
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
        "was said by nobody else, so no call can draw its authority from it. Lines of a dialogue or an example that "
        "was asked for, and words on what each party does, are not meant."
    ),
    cause="The model ran on into the next turn of the conversation.",
    check="Look whether anything that only the false turn asks for was done later.",
    find=_forged_turns,
)
