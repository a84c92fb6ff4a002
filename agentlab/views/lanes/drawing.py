"""Puts the timeline of one attempt on a page: title, bands, ways of forged text, legend."""

from __future__ import annotations

from collections.abc import Sequence

from agentlab.views.fonts import wrap
from agentlab.views.lanes.band import Band
from agentlab.views.lanes.columns import Column, bands, columns
from agentlab.views.lanes.places import AT, Drawn
from agentlab.views.lanes.scene import Scene, entry_mark
from agentlab.views.lanes.ways import draw_ways
from agentlab.views.sheet import LEGEND_LINE, Page, Sheet, leading, legend_rows
from agentlab.views.style import (
    ANSWER,
    CALL,
    CARRIED,
    EXECUTED,
    FAILED,
    FOLDED,
    FORGED,
    PALETTE,
    REFUSED,
    SAID,
    UNENDED,
    UNMATCHED,
    Ink,
)

__all__ = ["draw"]

_WIDTH, _MARGIN = 10.0, 0.12
_BETWEEN = 0.28
"""Distance of two bands, in inches."""
_MARKS = (CALL, FORGED, REFUSED, UNMATCHED, ANSWER, SAID, EXECUTED, FAILED, UNENDED)


def draw(scene: Scene, *, headline: str, outcome: str, verdict: str, label: str) -> Page:
    """Draw a scene under its title; `label` becomes the alternative text."""
    shown = bands(columns(scene))
    room = _WIDTH - 2 * _MARGIN
    accused = bool(scene.flows) or any(slot.mark is FORGED for slot in scene.slots)
    title = (
        (headline, 11.0, True, PALETTE["black"]),
        (outcome, 9.5, False, PALETTE["black"]),
        (verdict, 9.5, True, CARRIED.fill if accused else PALETTE["black"]),
    )
    heights = [leading(size) * len(wrap(text, room, size, lines=2, bold=bold)) for text, size, bold, _ in title]
    legend = legend_rows(_legend(scene, shown), room)
    names = leading(9.0) if any(column.agent for column in shown[0]) else 0.0
    top = _MARGIN + sum(heights) + 0.12 + names
    bottom = top + len(shown) * (AT.band + _BETWEEN)
    sheet = Sheet(_WIDTH, bottom + len(legend) * LEGEND_LINE + 0.2, label)
    y = _MARGIN
    for (text, size, bold, colour), height in zip(title, heights, strict=True):
        sheet.text(_MARGIN, y, text, size, width=room, lines=2, bold=bold, colour=colour, gid="title")
        y += height
    drawn = Drawn()
    for number, line in enumerate(shown):
        Band(sheet, scene, drawn, top=top + number * (AT.band + _BETWEEN), across=len(shown[0])).draw(line)
    draw_ways(sheet, scene.flows, drawn)
    sheet.legend(_MARGIN, bottom, legend)
    sheet.footnote()
    return sheet.figure


def _legend(scene: Scene, shown: Sequence[Sequence[Column]]) -> list[tuple[Ink, str]]:
    """Only what occurs, in words."""
    seen = {slot.mark for slot in scene.slots} | {entry_mark(slot.entry) for slot in scene.slots if slot.entry}
    legend = [(mark.ink, mark.legend) for mark in _MARKS if mark in seen]
    if any(column.folded for line in shown for column in line):
        legend.append((FOLDED.ink, FOLDED.legend))
    if scene.carried():
        letters = " (letters: which)" if len(scene.flows) > 1 else ""
        legend.append((CARRIED, f"request that carried forged text{letters}"))
    return legend
