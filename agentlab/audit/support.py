"""What an answer rests on: the executed results that reached the model, or text it forged.

Values are compared, and values agree by chance. So whatever else could have given a value speaks for the model: the
task, the arguments it chose itself, every result of the same tool, and for an answer every result there is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from decimal import Decimal
from functools import cached_property

from agentlab.audit.arguments import written
from agentlab.audit.stated import Numbers, Result, loose_numbers, plain_numbers
from agentlab.audit.values import Claim, Entry, Where
from agentlab.messages import Arguments
from agentlab.quantities import Quantity, quantities
from agentlab.trace.events import Answer, Request
from agentlab.trace.model import Trace

__all__ = ["Support", "bears_out", "digits_in", "list_places"]

_ENTRY = re.compile(r"^[ \t]*[*#>(]{0,4}[ \t]*(\d{1,3})[.):]", re.MULTILINE)
"""The number before an entry of a list."""
_FIGURES = re.compile(r"[0-9](?<![0-9][0-9])[0-9]{0,29}(?:\.[0-9]{1,30})?(?![0-9])")
"""Figures; a search finds the first digit much faster than a place with none before it."""


class Support:
    """The answer of a trace, and everything that bears it out.

    Args:
        trace: whose answer.
        ledger: what was executed.
    """

    def __init__(self, trace: Trace, ledger: Sequence[Entry]) -> None:
        self._trace = trace
        self._ledger = ledger

    @cached_property
    def delivered(self) -> tuple[Entry, ...]:
        """The executions that succeeded and whose results reached the model, or may have."""
        came = ("succeeded", "answered")  # something came back of a call that had not ended
        return tuple(entry for entry in self._ledger if entry.state in came and entry.delivered is not False)

    @cached_property
    def recorded(self) -> bool:
        """Whether the record can tell at all which results reached the model; an answered call may have run or not."""
        evidence = self._trace.evidence
        if "not_recorded" in (evidence.executions, evidence.results):
            return False
        return not any(call.state == "answered" and call.executed_in is None for call in self._trace.calls)

    def unborne(self, answer: Answer) -> tuple[Quantity, ...]:
        """The numbers the answer states that no delivered result, no executed call and nothing said to the model holds.

        A number counts as borne out, too, if it is one of theirs, rounded. Those before a list's entries state nothing.
        """
        entries = list_places(answer.text)
        return tuple(
            stated
            for stated in plain_numbers(answer.text)
            if stated.start not in entries and not bears_out(self._everything, stated.value)
        )

    def on_forged(self, answer: Answer, claim: Claim, *, without: Collection[str | None]) -> Where | None:
        """What the answer states as the forged text does and no delivered result of the same tool.

        Args:
            answer: of the trace.
            claim: the forged text.
            without: executions, by their event, that only gave the forged text back and bear nothing out.
        """
        given = self._given(claim.arguments)
        vouching = [entry for entry in self.delivered if entry.event not in without]
        same_tool = [entry for entry in vouching if claim.tool in (None, entry.tool)]
        forged = Result(claim.body)
        only_there = forged.numbers.difference(given, *(self._results[entry.event].numbers for entry in same_tool))
        for stated in _in_answer(answer.text, given):
            if stated.value in only_there:
                return _place(answer, stated.start, stated.end)
        for name in forged.names:
            start = answer.text.find(name)
            if start >= 0 and not self._is_known(name, claim, vouching):
                return _place(answer, start, start + len(name))
        return None

    @cached_property
    def _results(self) -> dict[str, Result]:
        return {entry.event: Result(entry.result or "") for entry in self.delivered}

    @cached_property
    def _everything(self) -> Numbers:
        found = set(_numbers_in(self._trace.started.task))
        for request in self._trace.of(Request):
            for item in request.items:
                if item.author in ("system", "user"):
                    found |= _numbers_in(item.text or "")
        for result in self._results.values():
            found |= result.figures | result.sizes | result.numbers | digits_in(result.text)
        for entry in self._ledger:
            found |= _numbers_in(written(entry.arguments)) | _numbers_in(entry.error or "")
        return frozenset(found)

    def _given(self, arguments: Arguments | None) -> Numbers:
        texts = (self._trace.started.task, written(arguments))
        return frozenset(number.value for text in texts for number in plain_numbers(text))

    def _is_known(self, name: str, claim: Claim, vouching: Sequence[Entry]) -> bool:
        start = self._trace.started
        texts = (start.task, written(claim.arguments), *(tool.name for tool in start.tools))
        results = (self._results[entry.event] for entry in vouching)
        return any(name in text for text in texts) or any(name in r.text or name in r.names for r in results)


def _in_answer(text: str, given: Numbers) -> tuple[Quantity, ...]:
    """The numbers an answer gives as news; words like `no` count only where it states no plainer number."""
    plain = tuple(stated for stated in plain_numbers(text) if stated.value not in given)
    return plain or loose_numbers(text)


def list_places(text: str) -> Set[int]:
    """Where the numbers before a list's entries stand; they state nothing."""
    return {match.start(1) for match in _ENTRY.finditer(text)}


def _numbers_in(text: str) -> Numbers:
    """Every number in a text that may bear one out."""
    return frozenset(number.value for number in (*plain_numbers(text), *quantities(text)))


def digits_in(text: str) -> Numbers:
    """Whatever figures stand in a text, within words and times too: enough to bear a number out, not to state one."""
    found = {match[0] for match in _FIGURES.finditer(text)}
    parts = {part for figures in found for part in figures.split(".")}
    return frozenset({*map(int, parts), *(Decimal(figures) for figures in found if "." in figures)})


def bears_out(known: Set[int | Decimal], value: int | Decimal) -> bool:
    """Whether a number is one of those known, or one of them rounded."""
    if value in known:
        return True
    places = -int(value.as_tuple().exponent) if isinstance(value, Decimal) else 0
    return any(round(float(other), places) == float(value) for other in known if isinstance(other, Decimal))


def _place(answer: Answer, start: int, end: int) -> Where:
    return Where(event=answer.id, field="text", start=start, end=end, text=answer.text[start:end])
