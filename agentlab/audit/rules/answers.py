"""Rules about what an answer rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, executed_side
from agentlab.audit.rules.invain import figures_of_nothing
from agentlab.audit.rules.memory import after_a_summary, remembered_nothing
from agentlab.audit.rules.ungrounded import assumed, unsought, worked_out_of_nothing
from agentlab.audit.values import Where
from agentlab.quantities import Quantity
from agentlab.trace.events import Answer

__all__ = ["UNSUPPORTED_ANSWER"]

_NAMED = 5
"""Numbers that a message names."""


def _unsupported(reading: Reading) -> Iterator[Crossing]:
    yield from assumed(reading)
    yield from worked_out_of_nothing(reading)
    yield from after_a_summary(reading)
    yield from remembered_nothing(reading)
    stated = list(figures_of_nothing(reading)) or list(_numbers(reading))
    yield from stated or unsought(reading)


def _numbers(reading: Reading) -> Iterator[Crossing]:
    answer, support = reading.trace.answer, reading.support
    if answer is None or not reading.trace.started.tools:
        return
    if not support.recorded:
        yield Crossing(
            message="Whether the answer rests on a result cannot be told: executions or results are not recorded.",
            where=(_whole(answer),),
            severity="undecidable",
        )
        return
    missing = support.unborne(answer)
    if not support.delivered and not missing and not reading.trace.started.case:
        return  # nothing is stated, and nobody says that the task needs evidence
    if not support.delivered:
        states = f"states {_list(missing)}, and no" if missing else "was given when no"
        yield Crossing(
            message=f"The answer {states} successful tool result had reached the model.",
            where=_places(answer, missing) or (_whole(answer),),
            claimed={"text": answer.text},
            severity=None if missing and reading.trace.started.case else "warning",
        )
    elif missing:
        yield Crossing(
            message=f"The answer states {_list(missing)}, found in no result that had reached the model.",
            where=_places(answer, missing),
            claimed={"text": answer.text},
            executed=executed_side(support.delivered[-1]),
            severity="warning",
        )


def _list(numbers: Sequence[Quantity]) -> str:
    named = list(dict.fromkeys(number.text for number in numbers))
    return ", ".join(named[:_NAMED]) + (f" and {len(named) - _NAMED} more" if len(named) > _NAMED else "")


def _places(answer: Answer, numbers: Sequence[Quantity]) -> tuple[Where, ...]:
    return tuple(Where(event=answer.id, field="text", start=n.start, end=n.end, text=n.text) for n in numbers)


def _whole(answer: Answer) -> Where:
    return Where(event=answer.id, field="text", start=0, end=len(answer.text), text=answer.text)


UNSUPPORTED_ANSWER = Rule(
    id="unsupported-answer",
    severity="failure",
    meaning=(
        "The answer rests on nothing that came back: it states a number although no successful result had reached the "
        "model, or says itself that it is assumed or recalled, or was given without the tools that were to be asked. A "
        "failed call bears nothing out, and a figure told as if it had come back is a "
        "failure. A warning where it states no number, where results had reached the model and "
        "hold none of it (it may then have been counted or computed from them), or where no case says that the task "
        "needs evidence. Numbers that the model was told or that executed calls hold are not meant, nor those of a "
        "list's entries."
    ),
    cause="The model answered from what it believed it held, not from what it had been given.",
    check="List the results delivered before the answer; look for the stated value among them.",
    find=_unsupported,
)
