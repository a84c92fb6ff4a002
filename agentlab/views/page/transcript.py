"""A trace as a transcript in HTML: what was new in each request, what was replied, called, executed and shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape

from agentlab.audit.report import AuditReport
from agentlab.audit.values import Where
from agentlab.strictjson import digest
from agentlab.trace.events import CompletionEvent, Event, Request, own_text
from agentlab.trace.formatting import shorten
from agentlab.trace.values import ContextItem
from agentlab.views.page.events import Piece, pieces, title_of, voice_of
from agentlab.views.page.findings import TOLD, card, finding_anchor
from agentlab.views.page.text import Spot, html_text, inline_text, language, shown_text

__all__ = ["event_anchor", "transcript"]

_ROOM = 1_500_000
"""Characters of HTML that the events of one trace may take up before only what lies near findings is told."""
_NEAR = 2
"""Events told on either side of one that a finding is about, where not all are."""
_MARKS = 200
"""Places marked in one text, and of one finding."""
_QUOTED = 400
"""Characters shown of a marked place in an item that was carried on."""


def event_anchor(trace: str, event: str) -> str:
    """The anchor of an event on the page; both are escaped."""
    return f"{trace}-{escape(event, quote=True)}"


def transcript(report: AuditReport, anchor: str, room: int = _ROOM) -> str:
    """The events of a trace in order, each finding's card behind the event it is about.

    Args:
        report: the audited trace.
        anchor: of the trace on the page; anchors of events and findings begin with it.
        room: characters; where the whole takes up more, only the events near findings are told, and it says how many
            are not. Those that findings are about are always told.
    """
    teller = _Teller(report, anchor)
    told: list[str] = []
    for event in report.trace:
        told.append(teller.tell(event))
        room -= len(told[-1])
        if room < 0:
            return "".join(_near(report, anchor))
    return "".join(told)


def _near(report: AuditReport, anchor: str) -> Iterator[str]:
    positions = report.trace.positions
    told = (where for finding in report.findings[:TOLD] for where in finding.where[:_MARKS])
    marked = sorted({positions[where.event] for where in told})
    wanted = sorted({place for at in marked for place in range(at - _NEAR, at + _NEAR + 1)})
    teller, last = _Teller(report, anchor), -1
    for place in [place for place in wanted if 0 <= place < len(report.trace)]:
        yield _gap(place - last - 1)
        yield teller.tell(report.trace.events[place])
        last = place
    yield _gap(len(report.trace) - last - 1)


def _gap(number: int) -> str:
    return f'<p class="cut">… {number:,} events are left out of this page …</p>' if number else ""


class _Teller:
    """Tells one event after the other; a text that was told before is named and not told again."""

    def __init__(self, report: AuditReport, anchor: str) -> None:
        self._report, self._trace, self._anchor = report, report.trace, anchor
        self._spots: dict[tuple[str, str], list[Spot]] = defaultdict(list)
        self._places: dict[str, dict[tuple[str, int, int], Where]] = defaultdict(dict)
        self._cards: dict[str, list[str]] = defaultdict(list)
        self._told: dict[str, str] = {}
        """Digest of a text to the event that showed it."""
        self._ids: set[str] = set()
        """Events told so far; no other can be linked."""
        executions = self._trace.evidence.executions
        for number, finding in enumerate(report.findings[:TOLD]):
            self._cards[finding.where[0].event].append(card(finding, anchor, number, executions))
            link = finding_anchor(anchor, number)
            for where in finding.where[:_MARKS]:
                self._places[where.event].setdefault((where.field, where.start, where.end), where)
                spot = Spot(start=where.start, end=where.end, rule=finding.rule, severity=finding.severity, link=link)
                spots = self._spots[where.event, where.field]
                if len(spots) < _MARKS and spot not in spots:
                    spots.append(spot)

    def tell(self, event: Event) -> str:
        """One event with the cards of the findings about it."""
        told = pieces(self._trace, event)
        self._ids.add(event.id)
        body = "".join(self._piece(event, piece) for piece in told)
        if isinstance(event, Request):
            body += self._items(event)
        self._remember(event)
        anchor = event_anchor(self._anchor, event.id)
        slim = "" if body else " slim"
        source = f" · in the file: {html_text(shorten(event.source, 60))}" if event.source else ""
        agent = f" · {html_text(shorten(event.agent_name, 40))}" if event.agent_name else ""
        head = f"<b>{title_of(event)}</b><span class='meta'>{html_text(shorten(event.id, 24))}{agent}{source}</span>"
        cards = "".join(self._cards[event.id])
        return (
            f'<div class="event {voice_of(event)}{slim}" id="{anchor}"><div class="head">{head}</div>'
            f"{body}{cards}</div>"
        )

    def _piece(self, event: Event, piece: Piece) -> str:
        spots = self._spots.get((event.id, piece.field), ())
        if piece.form == "line":
            return f'<div class="meta"{language(piece.text)}>{html_text(piece.text)}</div>'
        if piece.form == "inline":
            label = f'<span class="field">{html_text(piece.label)}</span>'
            return f'<div class="inline">{label}{inline_text(piece.text, spots)}</div>'
        label = f'<div class="field">{html_text(piece.label)}</div>' if piece.label else ""
        return label + shown_text(piece.text, spots)

    def _items(self, request: Request) -> str:
        """What is new in a request; what it carries on is told where a finding is about it."""
        known: list[str] = []
        parts = []
        for place, item in enumerate(request.items, start=request.kept):
            spots = self._spots.get((request.id, f"context[{place}].text"), ())
            before = self._told.get(item.digest)
            if before is not None and not spots:
                known.append(before)
            else:
                parts.append(self._item(item, spots))
            self._told.setdefault(item.digest, request.id)
        parts += self._carried(request)
        same = ", ".join(self._link(event) for event in dict.fromkeys(known))
        if same:
            parts.append(f'<div class="meta">and what stands above: {same}</div>')
        if not request.recorded:
            parts.append('<div class="meta">What stood in this request was not recorded.</div>')
        return "".join(parts)

    def _item(self, item: ContextItem, spots: Sequence[Spot]) -> str:
        origin = f" · from {self._link(item.origin)}" if item.origin else ""
        words = f"{item.role} · written by {item.author} · {item.trust}{origin}"
        return f'<div class="field">{words}</div>{shown_text(self._trace.texts.get(item.digest, ""), spots)}'

    def _carried(self, request: Request) -> Iterator[str]:
        for (field, _, _), where in self._places[request.id].items():
            name, _, rest = field.partition("[")
            number = rest.partition("]")[0]
            if name == "context" and number.isdecimal() and int(number) < request.kept:
                spots = [s for s in self._spots[request.id, field] if (s.start, s.end) == (where.start, where.end)]
                text = where.text[:_QUOTED]
                whole = [Spot(start=0, end=len(text), rule=s.rule, severity=s.severity, link=s.link) for s in spots[:1]]
                yield f'<div class="field">carried on, item {number} of the context</div>{shown_text(text, whole)}'

    def _link(self, event: str) -> str:
        words = html_text(shorten(event, 24))
        return f'<a href="#{event_anchor(self._anchor, event)}">{words}</a>' if event in self._ids else words

    def _remember(self, event: Event) -> None:
        if isinstance(event, CompletionEvent):
            self._told.setdefault(event.digest, event.id)
        elif (text := own_text(event)) is not None:
            self._told.setdefault(digest(text), event.id)
