"""Figures in the report of a started agent that nothing it was told and nothing that came back holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from agentlab.audit.answering import GivenAnswer, passed_texts
from agentlab.audit.arguments import written
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing
from agentlab.audit.support import bears_out, digits_in, numbers_in, stated_numbers
from agentlab.audit.values import Where
from agentlab.quantities import Quantity
from agentlab.trace.events import Event, ExecutionFinished, ExecutionStarted, Observation, Request
from agentlab.trace.formatting import shorten

__all__ = ["unborne_figures"]

_NAMED = 5
_SMALL = 10
"""Smaller numbers mostly count what the report itself lists."""
_NAME = re.compile(r"[^\W\d][-/.]")
_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def unborne_figures(reading: Reading) -> Iterator[Crossing]:
    """Reports that state figures which nobody had given their agents. Linear in the trace."""
    if not reading.tells_deeds or reading.trace.evidence.results == "not_recorded":
        return
    reports = {answer.reply.id: answer for answer in reading.answers if not answer.is_final}
    if not reports:
        return
    shown = _Shown()
    shown.add(reading.trace.started.task)
    for event in reading.trace.events:
        if event.id in reports:
            yield from _of_report(reports[event.id], shown)
        for text in _texts_of(event):
            shown.add(text)


@dataclass
class _Shown:
    """Texts that an agent may know a number from; they are read only where a figure does not stand in them as it is."""

    _texts: list[str] = field(default_factory=list)
    _digits: set[str] = field(default_factory=set)
    _numbers: set[int | Decimal] = field(default_factory=set)

    def add(self, text: str) -> None:
        self._texts.append(text)
        self._digits.update(_DIGITS.findall(text))

    def bears_out(self, number: Quantity) -> bool:
        if number.text in self._digits:
            return True
        for text in self._texts:
            self._numbers |= numbers_in(text) | digits_in(text)
        self._texts.clear()
        return bears_out(self._numbers, number.value)


def _of_report(report: GivenAnswer, shown: _Shown) -> Iterator[Crossing]:
    for place in _places(report):
        missing = [each for each in _figures(place.text) if not shown.bears_out(each)]
        if missing:
            named = list(dict.fromkeys(each.text for each in missing))
            more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            yield Crossing(
                message=f"{shorten(report.reply.agent_name, 40)} reports {', '.join(named[:_NAMED])}{more}, and that "
                "stands in nothing that it was told or that had come back.",
                where=tuple(_within(place, each) for each in missing[:_NAMED]),
                claimed={"text": place.text},
                severity="warning",
            )


def _figures(text: str) -> Iterator[Quantity]:
    """The figures that a text states by themselves, not as a part of a name such as `HB-12`."""
    return (n for n in stated_numbers(text) if _tells(n) and not _NAME.fullmatch(text[max(0, n.start - 2) : n.start]))


def _tells(number: Quantity) -> bool:
    """Whether a number is hardly a round one, an ordinal or a count of the report's own points."""
    return number.value % 1 != 0 or (number.is_digits and number.value > _SMALL and number.value % _SMALL != 0)


def _places(report: GivenAnswer) -> Iterator[Where]:
    """What was reported: the answer itself, or the texts that a call for finishing passes on."""
    passed = list(passed_texts(report.reply)) if report.run is None else []
    for name, text in passed:
        yield Where(event=report.reply.id, field=name, start=0, end=len(text), text=text)
    if not passed:
        yield report.where


def _within(place: Where, number: Quantity) -> Where:
    start = place.start + number.start
    return Where(event=place.event, field=place.field, start=start, end=start + len(number.text), text=number.text)


def _texts_of(event: Event) -> Iterator[str]:
    """What an event shows an agent; what a model wrote itself bears nothing out."""
    if isinstance(event, Request):
        yield from (item.text for item in event.items if item.text and item.author != "model")
    elif isinstance(event, ExecutionStarted):
        yield written(event.arguments)
    elif isinstance(event, ExecutionFinished):
        yield from (text for text in (event.result, event.error) if text)
    elif isinstance(event, Observation):
        yield event.text or ""
