"""Rules about what only a harness may write."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Rule, claimed_side, executed_side
from agentlab.audit.values import Claim, Finding

__all__ = ["FORGED_OBSERVATION", "FORGED_TURN", "PHANTOM_CALL"]


def _forged_observations(rule: Rule, reading: Reading) -> Iterator[Finding]:
    for claim in reading.claims:
        if claim.kind == "observation":
            later = next(iter(reading.executions_of(claim)), None)
            yield rule.finding(
                f"The model wrote a tool result itself{_fate(claim)}.",
                [claim.where],
                claimed=claimed_side(claim, _call(reading, claim)),
                executed=executed_side(later) if later else None,
            )


def _forged_turns(rule: Rule, reading: Reading) -> Iterator[Finding]:
    for claim in reading.claims:
        if claim.kind == "turn":
            yield rule.finding(
                f"The model wrote a turn of another party itself{_fate(claim)}.",
                [claim.where],
                claimed=claimed_side(claim),
            )


def _phantom_calls(rule: Rule, reading: Reading) -> Iterator[Finding]:
    """Calls that were given a result by the model and were never executed in the whole attempt."""
    seen: set[str] = set()
    for result in reading.claims:
        call = _call(reading, result) if result.kind == "observation" else None
        if call is None or call.id in seen or reading.executions_of(result):
            continue
        seen.add(call.id)
        yield rule.finding(
            f"The call of {call.tool} was given a result by the model and was never executed.",
            [call.where, result.where],
            claimed=claimed_side(result, call),
        )


def _call(reading: Reading, claim: Claim) -> Claim | None:
    return reading.claim(claim.about) if claim.about else None


def _fate(claim: Claim) -> str:
    return "; the harness refused the reply" if claim.rejected else "; the harness accepted the reply"


FORGED_OBSERVATION = Rule(
    id="forged-observation",
    severity="failure",
    meaning=(
        "Text in the place and form of a tool result was written by the model. Nothing was executed between the "
        "action and that text, so whatever it says, true or not, is not evidence."
    ),
    cause="The model ran on past its action; generation was not ended where the harness takes over.",
    check="Read the reply in quarantine at the marked place, then the next request: does it carry this text?",
    find=_forged_observations,
)

FORGED_TURN = Rule(
    id="forged-turn",
    severity="failure",
    meaning="The model wrote a turn in the name of the user, the system or a tool inside its own reply.",
    cause="The model ran on into the next turn of the conversation.",
    check="Look whether anything after the false turn was acted upon.",
    find=_forged_turns,
)

PHANTOM_CALL = Rule(
    id="phantom-call",
    severity="failure",
    meaning=(
        "The model proposed a call, supplied its result itself, and the harness executed no such call in the whole "
        "attempt. Seen from the text there was a tool; seen from the ledger there was none."
    ),
    cause="The reply that held the call was refused, and the model did not propose it again in the right form.",
    check="Compare the two lanes of the timeline: the call stands above, and nothing below.",
    find=_phantom_calls,
)
