"""Draws the ways of forged texts: from the claim to the first request that carried it, and on to the answer."""

from __future__ import annotations

from collections.abc import Sequence

from agentlab.views.lanes.places import AT, GUTTER, LEFT, Drawn, Spot
from agentlab.views.lanes.scene import Flow
from agentlab.views.sheet import Sheet
from agentlab.views.style import PALETTE

__all__ = ["draw_ways"]

_MOST = 6
"""Forged texts whose way is drawn; where there are more, the letters alone tell the rest."""
_LEVELS = 3
_COLOUR, _WIDTH = PALETTE["vermillion"], 2.4


def draw_ways(sheet: Sheet, flows: Sequence[Flow], drawn: Drawn) -> None:
    """Join each forged claim with its first carrier, and the last carrier with the answer that rests on it."""
    answers: set[str] = set()
    for number, flow in enumerate(flows[:_MOST]):
        level = 0.12 + 0.08 * (number % _LEVELS)
        cells = [drawn.cells[request] for request in flow.carriers if request in drawn.cells]
        claim, answer = drawn.claims.get(flow.claim), drawn.claims.get(flow.answer or "")
        if claim and cells and claim.top <= cells[0].top:
            _into_request(sheet, claim, cells[0], level)
        if answer and cells and flow.answer not in answers:
            answers.add(str(flow.answer))
            _into_answer(sheet, cells, answer)
    _links(sheet, flows, drawn)


def _links(sheet: Sheet, flows: Sequence[Flow], drawn: Drawn) -> None:
    """Join neighbouring requests that carried the same forged text."""
    order = list(drawn.cells)
    places = {request: number for number, request in enumerate(order)}
    carried = [{places[request] for request in flow.carriers if request in places} for flow in flows]
    for number in sorted({n for places in carried for n in places if n + 1 in places}):
        here, there = drawn.cells[order[number]], drawn.cells[order[number + 1]]
        if here is there:
            continue
        y = AT.strip + AT.cell / 2
        if here.top == there.top:
            sheet.line([(here.right, here.top + y), (there.left, there.top + y)], colour=_COLOUR, width=4, gid="link")
        else:
            _way(sheet, [(here.right, here.top + y), (sheet.width - 0.03, here.top + y)])
            _way(sheet, [(LEFT - 0.1, there.top + y), (there.left, there.top + y)])


def _into_request(sheet: Sheet, claim: Spot, cell: Spot, level: float) -> None:
    side = claim.right + GUTTER / 2 - 0.03
    start = [(claim.right, claim.top + AT.claims + 0.85), (side, claim.top + AT.claims + 0.85)]
    tip = (cell.middle, cell.top + AT.strip)
    channel = cell.top + AT.ways + level
    if claim.top == cell.top:
        _way(sheet, [*start, (side, channel), (cell.middle, channel), tip])
        return
    leaving = claim.top + AT.ways + level
    _way(sheet, [*start, (side, leaving), (sheet.width - 0.03, leaving)])
    _way(sheet, [(LEFT - 0.1, channel), (cell.middle, channel), tip])


def _into_answer(sheet: Sheet, cells: Sequence[Spot], answer: Spot) -> None:
    """From the last carrier of the answer's own line, else from the left edge."""
    at = answer.right - 0.18
    tip = (at, answer.top + AT.claims + AT.lane - 0.06)
    near = [cell for cell in cells if cell.top == answer.top]
    below = [cell for cell in near if cell.left <= at <= cell.right]
    channel = answer.top + AT.ways + 0.12 + 0.08 * _LEVELS
    if below:
        points = [(at, answer.top + AT.strip), tip]
    elif near:
        points = [(near[-1].middle, answer.top + AT.strip), (near[-1].middle, channel), (at, channel), tip]
    else:
        points = [(LEFT - 0.1, channel), (at, channel), tip]
    _way(sheet, points)
    where = answer.top + AT.executions + 0.36
    room = min(at - answer.left - 0.1, 1.1)
    words = "the answer rests on forged text"
    sheet.text(at - 0.1, where, words, 8, width=room, lines=3, bold=True, align="right", gid="rests")


def _way(sheet: Sheet, points: Sequence[tuple[float, float]]) -> None:
    sheet.line(points, colour=_COLOUR, width=_WIDTH, arrow=True, gid="way")
