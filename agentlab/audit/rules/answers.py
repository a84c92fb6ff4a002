"""Rules about what an answer, or a claimed result, rests on."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Rule, claimed_side, executed_side
from agentlab.audit.values import Claim, Entry, Finding, Where
from agentlab.quantities import quantities
from agentlab.strictjson import StrictJSONError, loads
from agentlab.trace.events import Answer

__all__ = ["CONTAMINATION", "CONTRADICTED_CLAIM", "UNSUPPORTED_ANSWER"]


def _contradicted(rule: Rule, reading: Reading) -> Iterator[Finding]:
    """Claimed results that an execution of the very same call contradicts by value."""
    for claim in reading.claims:
        if claim.kind != "observation" or claim.about is None:
            continue
        for entry in reading.executions_of(claim):
            differing = _differing_fields(claim, entry)
            if differing:
                yield rule.finding(
                    f"The claimed result of {entry.tool} and its executed result differ in {', '.join(differing)}.",
                    [claim.where],
                    claimed=claimed_side(claim, reading.claim(claim.about)),
                    executed=executed_side(entry),
                )
                break


def _unsupported(rule: Rule, reading: Reading) -> Iterator[Finding]:
    answer = reading.trace.answer
    if answer is None:
        return
    if reading.trace.evidence.executions == "not_recorded":
        yield rule.finding(
            "Whether the answer rests on an execution cannot be told: this trace records no executions.",
            [_whole(answer)],
            severity="undecidable",
        )
        return
    delivered = [entry for entry in reading.ledger if entry.state == "succeeded" and entry.delivered]
    if not delivered:
        yield rule.finding(
            "The answer was given though no tool result had been delivered to the model.",
            [_whole(answer)],
            claimed={"text": answer.text},
        )
        return
    missing = _unproven_numbers(reading, answer, delivered)
    if missing:
        yield rule.finding(
            f"The answer states {', '.join(missing)}, which no delivered result and not the task states.",
            [_whole(answer)],
            claimed={"text": answer.text},
            executed=executed_side(delivered[-1]),
        )


def _contaminated(rule: Rule, reading: Reading) -> Iterator[Finding]:
    for path in reading.contaminations:
        requests = ", ".join(carrier.event for carrier in path.carriers)
        rests = "; the answer rests on it" if path.answer else "; the answer does not rest on it"
        if reading.trace.answer is None:
            rests = "; no answer was given"
        yield rule.finding(
            f"Text that the model forged was sent back to it in {len(path.carriers)} requests ({requests}){rests}.",
            [path.claim.where, *path.carriers, *([path.answer] if path.answer else [])],
            claimed=claimed_side(path.claim),
            severity="failure" if path.answer else "warning",
        )


def _unproven_numbers(reading: Reading, answer: Answer, delivered: list[Entry]) -> list[str]:
    """Numbers written in digits that stand in no delivered result and not in the task."""
    task = reading.trace.started.task
    texts = (task, *(entry.result or "" for entry in delivered))
    proven = {q.value for text in texts for q in quantities(text) if q.is_digits}
    return [q.text for q in quantities(answer.text) if q.is_digits and q.value not in proven]


def _differing_fields(claim: Claim, entry: Entry) -> list[str]:
    try:
        claimed, executed = loads(claim.body), loads(entry.result or "")
    except StrictJSONError:
        return []
    if not isinstance(claimed, dict) or not isinstance(executed, dict):
        return [] if claimed == executed else ["value"]
    return [key for key, value in claimed.items() if key in executed and executed[key] != value]


def _whole(answer: Answer) -> Where:
    return Where(event=answer.id, field="text", start=0, end=len(answer.text), text=answer.text)


CONTRADICTED_CLAIM = Rule(
    id="contradicted-claim",
    severity="failure",
    meaning="The model stated a tool result, and an execution of the same call with the same arguments says otherwise.",
    cause="The statement was a prediction, not a reading of the result.",
    check="Put the claimed and the executed payload side by side.",
    find=_contradicted,
)

UNSUPPORTED_ANSWER = Rule(
    id="unsupported-answer",
    severity="failure",
    meaning="The answer states what no result that had reached the model says.",
    cause="The model answered from what it believed it held, not from what it had been given.",
    check="List the results delivered before the answer; look for the stated value among them.",
    find=_unsupported,
)

CONTAMINATION = Rule(
    id="contamination",
    severity="failure",
    meaning=(
        "Result-like text written by the model stands in a later request, where the model can take it for a fact. "
        "A warning where no answer rests on it, a failure where one does."
    ),
    cause="The harness noted the protocol error and fed the raw text back all the same.",
    check="Read the context of the first request named here; change the history policy and run the attempt again.",
    find=_contaminated,
)
