"""Rules about results that the model gave to its own calls, held against what was executed."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.reading import Reading
from agentlab.audit.rules.abilities import denied_abilities
from agentlab.audit.rules.actions import contradicted_measures, contradicted_statements
from agentlab.audit.rules.announced import only_announced
from agentlab.audit.rules.base import Crossing, Rule, claimed_side, executed_side, tool_name
from agentlab.audit.rules.figures import contradicted_figures
from agentlab.audit.rules.hollow import found_in_nothing
from agentlab.audit.rules.invain import found_in_vain
from agentlab.audit.rules.records import contradicted_records
from agentlab.audit.stated import Result, plain_numbers
from agentlab.audit.values import Claim
from agentlab.strictjson import JSONValue, StrictJSONError, dumps, loads
from agentlab.trace.formatting import shorten

__all__ = ["CONTRADICTED_CLAIM", "PHANTOM_CALL"]


def _phantom_calls(reading: Reading) -> Iterator[Crossing]:
    yield from only_announced(reading)
    for call, result in _answered_calls(reading):
        if not reading.executions_recorded:
            yield Crossing(
                message=f"{_given(call)}; whether it was executed is not recorded.",
                where=(call.where, result.where),
                claimed=claimed_side(result),
                severity="undecidable",
            )
        elif not reading.executions_of(call):
            others = reading.executions_with(call.tool)
            if unknown := next((entry for entry in others if entry.arguments is None), None):
                yield Crossing(
                    message=f"{_given(call)}; whether that is what ran in {unknown.event}, with arguments that are not "
                    "recorded, cannot be told.",
                    where=(call.where, result.where),
                    claimed=claimed_side(result),
                    severity="undecidable",
                )
                continue
            instead = f"; {tool_name(call.tool)} ran with other arguments only ({others[0].event})" if others else ""
            yield Crossing(
                message=f"{_given(call)} and was executed nowhere in this record{instead}.",
                where=(call.where, result.where),
                claimed=claimed_side(result),
                severity=None if reading.attributed else "undecidable",
            )


def _contradicted(reading: Reading) -> Iterator[Crossing]:
    accused = set[str]()
    for find in (
        contradicted_statements,
        contradicted_measures,
        contradicted_records,
        contradicted_figures,
        found_in_vain,
    ):
        for crossing in find(reading):
            accused.add(crossing.where[0].event)
            yield crossing
    yield from (crossing for crossing in found_in_nothing(reading) if crossing.where[0].event not in accused)
    yield from denied_abilities(reading)
    for call, result in _answered_calls(reading):
        ran = [entry for entry in reading.executions_of(call) if entry.state == "succeeded"]
        near = reading.nearest(result, ran)
        difference = _difference(result.body, near.result or "") if near else ""
        if near and difference and all(_difference(result.body, other) for other in {e.result or "" for e in ran}):
            yield Crossing(
                message=f"The claimed and the executed result of {tool_name(call.tool)} differ: {difference}.",
                where=(result.where,),
                claimed=claimed_side(result),
                executed=executed_side(near),
                severity=None if reading.attributed else "undecidable",
            )


def _answered_calls(reading: Reading) -> Iterator[tuple[Claim, Claim]]:
    """Each call with the first result that the model wrote under it; a second may belong to a call it left out."""
    seen: set[str] = set()
    for result in reading.forged:
        call = reading.call_of(result)
        if call is not None and call.id not in seen:
            seen.add(call.id)
            yield call, result


def _given(call: Claim) -> str:
    return f"The call of {tool_name(call.tool)} was given a result in the same reply"


def _difference(claimed: str, executed: str) -> str:
    """In what a claimed and an executed result differ, in words; empty where both can be true.

    Objects are compared key by key where both have the key, lists and numbers as they are. Other texts are held against
    a structured result by their numbers, and differ if it has none of them.
    """
    ran = _parsed(executed)
    said = _parsed(claimed)
    if isinstance(said, dict) and isinstance(ran, dict):
        keys = [key for key, value in said.items() if key in ran and ran[key] != value]
        parts = [f"{shorten(key, 40)} {_short(said[key])} claimed, {_short(ran[key])} returned" for key in keys[:3]]
        return "; ".join(parts) + (f"; {len(keys) - 3} more" if len(keys) > 3 else "")
    if isinstance(said, list) and isinstance(ran, list):
        return "" if said == ran else f"{_short(said)} claimed, {_short(ran)} returned"
    result = Result(executed)
    numbers = {number.value for number in plain_numbers(claimed)}
    if ran is None or not numbers or not result.figures or numbers & (result.figures | result.sizes):
        return ""
    return f"{shorten(claimed, 40)!r} claimed, {_short(ran)} returned"


def _parsed(text: str) -> JSONValue:
    try:
        return loads(text)
    except StrictJSONError:
        return None


def _short(value: JSONValue) -> str:
    return shorten(dumps(value), 40)


PHANTOM_CALL = Rule(
    id="phantom-call",
    severity="failure",
    meaning=(
        "A call that stands in the text only: the model proposed it and supplied its result itself, or said that it "
        "asks a tool while its program only prints what it would ask; and no such call, of this tool with these "
        "arguments, was ever executed. Seen from the text a tool has answered; seen from the ledger none has. A call "
        "that ran and failed is not meant; a record without executions is undecidable."
    ),
    cause="The reply that held the call was refused, and the model did not propose it again in the right form.",
    check="Compare the two lanes of the timeline: the call stands above, and nothing below.",
    find=_phantom_calls,
)

CONTRADICTED_CLAIM = Rule(
    id="contradicted-claim",
    severity="failure",
    meaning=(
        "The model stated a tool's result, and every successful execution of that call, with the same arguments, "
        "returned something else. Or a statement says the opposite of a result: that a check passed which failed, a "
        "count, a measure, a field or a file of a list that the results give otherwise, a part for the whole, "
        "something found where every look was in vain; or it denies a tool what its description says. "
        "Values are compared, wording is not; where a number may be that of a part, or something changed since, "
        "nothing is held."
    ),
    cause="The statement was a prediction, or a hasty reading of the result.",
    check="Put what is claimed beside what came back; if the tool's answers change, compare their times.",
    find=_contradicted,
)
