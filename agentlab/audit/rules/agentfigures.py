"""Figures in the report of a started agent that nothing it was told and nothing that came back holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice

from agentlab.audit.arguments import written
from agentlab.audit.claims.answering import GivenAnswer, passed_texts
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing
from agentlab.audit.support import bears_out, digits_in, list_places
from agentlab.audit.values import Where
from agentlab.quantities import Quantity, figures
from agentlab.trace.events import Event, ExecutionFinished, ExecutionStarted, Observation, Request
from agentlab.trace.formatting import shorten

__all__ = ["unborne_figures"]

_NAMED = 5
_SMALL = 12
"""Numbers up to it mostly count what the report itself lists, and are written as words."""
_THOUSANDS = re.compile(r",(?<=[0-9],)(?=[0-9]{3}(?![0-9]))")
_NAME = re.compile(r"[^\W\d][-/.]")
_MOST = 500
"""Figures that are looked for; a trace whose reports state more is not asked about the rest."""


def unborne_figures(reading: Reading) -> Iterator[Crossing]:
    """Reports that state figures which nobody had given their agents. Linear in the trace."""
    if not reading.tells_deeds or reading.trace.evidence.results == "not_recorded":
        return
    reports = {answer.reply.id: _stated(answer) for answer in reading.answers if not answer.is_final}
    shown = _Shown(figure.text for stated in reports.values() for _, each in stated for figure in each)
    if not shown.wanted:
        return
    shown.add(reading.trace.started.task)
    for event in reading.trace.events:
        for place, stated in reports.get(event.id, ()):
            missing = [figure for figure in stated if not shown.bears_out(figure)]
            if missing:
                yield _crossing(event.agent_name, place, missing)
        for text in _texts_of(event):
            shown.add(text)


class _Shown:
    """Texts that an agent may know a number from.

    Args:
        wanted: figures as they are written; the texts are read only for one that does not stand in them so.
    """

    def __init__(self, wanted: Iterable[str]) -> None:
        self.wanted = set(islice(wanted, _MOST))
        self._unread: list[str] = []
        self._numbers: set[int | Decimal] = set()

    def add(self, text: str) -> None:
        self.wanted -= {figure for figure in self.wanted if figure in text}
        self._unread.append(text)

    def bears_out(self, number: Quantity) -> bool:
        if number.text not in self.wanted:
            return True
        for text in self._unread:
            self._numbers |= digits_in(_THOUSANDS.sub("", text))
        self._unread.clear()
        return bears_out(self._numbers, number.value)


def _stated(report: GivenAnswer) -> Sequence[tuple[Where, Sequence[Quantity]]]:
    """The figures of a report, by the place they stand in."""
    return [(place, list(_figures(place.text))) for place in _places(report)]


def _crossing(agent: str, place: Where, missing: Sequence[Quantity]) -> Crossing:
    named = list(dict.fromkeys(each.text for each in missing))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return Crossing(
        message=f"{shorten(agent, 40)} reports {', '.join(named[:_NAMED])}{more}, and that stands in nothing that it "
        "was told or that had come back.",
        where=tuple(_within(place, each) for each in missing[:_NAMED]),
        claimed={"text": place.text},
        severity="warning",
    )


def _figures(text: str) -> Iterator[Quantity]:
    """The figures that a text states by themselves, not as a part of a name such as `HB-12`."""
    entries = list_places(text)
    for figure in figures(text):
        named = _NAME.fullmatch(text[max(0, figure.start - 2) : figure.start])
        if figure.start not in entries and not named and _tells(figure):
            yield figure


def _tells(number: Quantity) -> bool:
    """Whether a number is hardly a round one, an ordinal or a count of the report's own points."""
    return number.value % 1 != 0 or (number.value > _SMALL and number.value % 10 != 0)


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
