"""Draws one line of a timeline: step numbers, the two lanes, and the strip of requests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from agentlab.views.fonts import text_width
from agentlab.views.lanes.boxes import Boxes
from agentlab.views.lanes.columns import Column
from agentlab.views.lanes.places import AT, GUTTER, LEFT, RIGHT, Drawn, Spot
from agentlab.views.lanes.scene import Scene
from agentlab.views.sheet import Sheet, leading
from agentlab.views.style import CARRIED, PALETTE, Ink

__all__ = ["Band"]

_CLEAN = Ink(edge=PALETTE["grey"], width=0.8)
_LANE = Ink(fill=PALETTE["pale"], edge=PALETTE["pale"], width=0)
_TITLE = 9.0
"""Size of a step's name, in points."""
_WIDEST = 2.9
"""Of a column, in inches."""
_SMALLEST_CELL, _SMALLEST_NAMED_CELL = 0.1, 0.45


class Band:
    """One line of a timeline.

    Args:
        sheet: what it is drawn on.
        scene: what is shown.
        drawn: takes note of what stands where.
        top: upper edge, in inches.
        across: how many columns the longest band has.
    """

    def __init__(self, sheet: Sheet, scene: Scene, drawn: Drawn, *, top: float, across: int) -> None:
        self._sheet, self._drawn, self._top, self._across = sheet, drawn, top, across
        self._recorded = scene.recorded
        self._numbers = {request: number for number, request in enumerate(scene.requests, 1)}
        self._carried = scene.carried()
        self._boxes = Boxes(sheet, scene, drawn, top)

    def draw(self, shown: Sequence[Column]) -> None:
        """Draw the columns side by side."""
        width = min((RIGHT - LEFT) / self._across, _WIDEST)
        self._lanes(LEFT + width * len(shown))
        spots = [
            Spot(left=LEFT + width * n + GUTTER / 2, right=LEFT + width * (n + 1) - GUTTER / 2, top=self._top)
            for n in range(len(shown))
        ]
        for _, group in groupby(zip(shown, spots, strict=True), key=lambda pair: pair[0].rounds):
            pairs = list(group)
            self._stage([column for column, _ in pairs], [spot for _, spot in pairs])
        for column, spot in zip(shown, spots, strict=True):
            self._boxes.draw(column, spot)

    def _lanes(self, right: float) -> None:
        sheet, top = self._sheet, self._top
        for offset, words, what in (
            (AT.claims, "the model", "CLAIMED"),
            (AT.executions, "the harness", "EXECUTED"),
        ):
            sheet.box(LEFT, top + offset, right - LEFT, AT.lane, _LANE, gid="lane")
            self._name(top + offset + 0.36, words, what)
        self._name(top + AT.strip + 0.01, "sent in", "REQUESTS")
        if not self._recorded:
            sheet.text(0.12, top + AT.executions + 0.7, "not recorded", 8.5, width=LEFT - 0.12, gid="unknown")

    def _name(self, y: float, words: str, what: str) -> None:
        self._sheet.text(0.12, y, words, 8.5, width=LEFT - 0.12, gid="lane")
        self._sheet.text(0.12, y + 0.16, what, 9, width=LEFT - 0.12, bold=True, gid="lane")

    def _stage(self, shown: Sequence[Column], spots: Sequence[Spot]) -> None:
        """What a step has once: its number, its bounds, and its requests."""
        left, right = spots[0].left, spots[-1].right
        self._title(shown[0], (left + right) / 2, right - left)
        edge = left - GUTTER / 2
        self._sheet.line(
            [(edge, self._top + 0.02), (edge, self._top + AT.band)], colour="#BDBDBD", width=0.8, dash=(0, (3, 3))
        )
        requests = [request for column in shown for request in column.requests]
        share = (right - left) / max(len(requests), 1)
        joined = shown[0].folded or share < _SMALLEST_CELL
        for _, run in groupby(requests, key=self._carried.get if joined else None):
            group = list(run)
            self._cells(group, left, share * len(group))
            left += share * len(group)

    def _title(self, column: Column, middle: float, width: float) -> None:
        """The step and its agent, below each other where one line is too short for both."""
        lines = [column.title]
        if text_width(column.title, _TITLE, bold=True) > width:
            lines = [line for line in (column.label, column.agent) if line]
        for number, line in enumerate(lines, 1 - len(lines)):
            y = self._top + 0.05 + number * leading(_TITLE)
            self._sheet.text(middle, y, line, _TITLE, width=width, bold=True, align="center", gid="step")

    def _cells(self, requests: Sequence[str], left: float, width: float) -> None:
        """One cell, or equal neighbours as one where there is no room for each."""
        first, last = self._numbers[requests[0]], self._numbers[requests[-1]]
        letters = self._carried.get(requests[0])
        carried = letters is not None
        spot = Spot(left=left, right=left + width, top=self._top)
        self._drawn.cells.update(dict.fromkeys(requests, spot))
        top = self._top + AT.strip
        ink = CARRIED if carried else _CLEAN
        self._sheet.box(left, top, width, AT.cell, ink, gid=f"{'carrier' if carried else 'request'}-{first}-{last}")
        if width < _SMALLEST_NAMED_CELL:
            return
        words = f"request {first}" if first == last else f"requests {first} to {last}"
        lines = [words, f"forged text {letters}".strip()] if carried else [words]
        for number, line in enumerate(lines):
            self._sheet.text(
                spot.middle,
                top + (0.04 if carried else 0.11) + 0.145 * number,
                line,
                7.5,
                width=width - 0.06,
                bold=carried,
                colour=PALETTE["white" if carried else "grey"],
                align="center",
                gid="cell",
            )
