"""Draws what stands in the two lanes: claims, executions, the places where there is none, and folded steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentlab.audit.values import Claim, Entry
from agentlab.trace.formatting import shorten
from agentlab.views.fonts import text_width
from agentlab.views.lanes.columns import Column
from agentlab.views.lanes.labels import call_text, claim_text, result_text
from agentlab.views.lanes.places import AT, PADDING, Drawn, Spot
from agentlab.views.lanes.scene import Scene, Slot, entry_mark
from agentlab.views.lanes.words import absences, count
from agentlab.views.sheet import HATCHED_BORDER, Sheet, leading
from agentlab.views.style import CARRIED, EXECUTED, FOLDED, FORGED, PALETTE, REFUSED, Ink

__all__ = ["Boxes"]

_SIZE = 8.0
_BADGE = 0.15
"""Height of the letter of a forged text, in inches."""
_CLEAN = Ink(edge=PALETTE["grey"], width=0.8)
_GHOST = Ink(edge=PALETTE["vermillion"], width=1.2, dash=(0, (1, 1.5)))
_NAMES = {"call": "call", "observation": "✕ observation", "turn": "✕ other's turn", "answer": "answer"}


class Boxes:
    """Puts the columns of one band on a sheet.

    Args:
        sheet: what it is drawn on.
        scene: what is shown.
        drawn: takes note of where claims stand.
        top: upper edge of the band, in inches.
    """

    def __init__(self, sheet: Sheet, scene: Scene, drawn: Drawn, top: float) -> None:
        self._sheet, self._drawn, self._top = sheet, drawn, top
        self._letters = _letters(scene)
        self._recorded = scene.recorded

    def draw(self, column: Column, spot: Spot) -> None:
        """Draw one column; an empty one stays empty."""
        if column.folded:
            self._folded(column, spot)
        elif column.slots:
            self._slot(column.slots[0], spot)

    def _slot(self, slot: Slot, spot: Spot) -> None:
        if slot.claim is not None:
            self._claim(slot, slot.claim, spot)
        elif slot.said is not None:
            self._said(slot, slot.said, spot)
        elif slot.entry is None:
            self._fate(slot, spot)
        if slot.entry is not None:
            self._execution(slot.entry, spot)
        if slot.claim is not None and slot.entry is not None:
            start, end = self._top + AT.claims + AT.lane - PADDING, self._top + AT.executions + PADDING
            self._sheet.line([(spot.middle, start), (spot.middle, end)], width=1.6, gid="pair")

    def _claim(self, slot: Slot, claim: Claim, spot: Spot) -> None:
        self._drawn.claims[claim.id] = spot
        letters = shorten(self._letters.get(claim.id, ""), 10)
        ink = slot.mark.ink if slot.mark else _CLEAN
        quiet = PALETTE["grey"] if slot.mark is REFUSED else PALETTE["black"]
        lines = [(_NAMES[claim.kind], True, 1), (claim_text(claim), False, 5)]
        self._filled(spot, AT.claims, ink, lines, quiet, "claim", foot=_BADGE if letters else 0.0)
        if letters:
            self._badge(letters, spot)
        if slot.mark is FORGED:
            self._ghost(slot, spot)
        else:
            self._fate(slot, spot)

    def _said(self, slot: Slot, said: str, spot: Spot) -> None:
        """A reply that claims nothing, drawn lightly, so that a conversation can be read."""
        ink = slot.mark.ink if slot.mark else _CLEAN
        lines = [("said", True, 1), (said, False, 5)]
        self._filled(spot, AT.claims, ink, lines, PALETTE["grey"], "claim")
        self._fate(slot, spot)

    def _badge(self, letters: str, spot: Spot) -> None:
        """The letters of a forged text, in its lower right corner, where its way begins."""
        width = text_width(letters, _SIZE, bold=True) + 0.1
        x, y = spot.right - width - 0.09, self._top + AT.claims + AT.lane - PADDING - _BADGE - 0.08
        self._sheet.box(x, y, width, _BADGE, CARRIED, gid="badge")
        self._sheet.text(
            x + width / 2,
            y + 0.015,
            letters,
            _SIZE,
            width=width,
            bold=True,
            colour=PALETTE["white"],
            align="center",
            gid="letter",
        )

    def _fate(self, slot: Slot, spot: Spot) -> None:
        """Why there is no execution, said quietly."""
        at = self._top + AT.executions + 0.12
        for words in (slot.fate, slot.reason):
            at += self._sheet.text(
                spot.middle,
                at,
                words,
                _SIZE,
                width=spot.right - spot.left,
                lines=3,
                colour=PALETTE["grey"],
                align="center",
                gid="fate",
            )

    def _ghost(self, slot: Slot, spot: Spot) -> None:
        """An empty place that says, as loudly as a box could, that nothing was executed here."""
        top, width = self._top + AT.executions, spot.right - spot.left
        colour = PALETTE["vermillion"]
        start = self._top + AT.claims + AT.lane - PADDING
        self._sheet.line(
            [(spot.middle, start), (spot.middle, top + PADDING)], colour=colour, width=1.6, dash=(0, (1, 1.2))
        )
        self._sheet.box(spot.left, top + PADDING, width, AT.lane - 2 * PADDING, _GHOST, gid="ghost")
        self._sheet.text(
            spot.middle, top + 0.17, "✕", 24, width=1, bold=True, colour=colour, align="center", gid="cross"
        )
        self._sheet.text(
            spot.middle, top + 0.66, slot.fate, 9, width=width, lines=2, bold=True, align="center", gid="no-execution"
        )

    def _execution(self, entry: Entry, spot: Spot) -> None:
        mark = entry_mark(entry)
        head = f"✓ {mark.name}" if mark is EXECUTED else mark.name
        called, result = call_text(entry.tool, entry.arguments), f"→ {result_text(entry)}"
        lines = [(head, True, 1), (called, False, 2), (result, False, 3)]
        self._filled(spot, AT.executions, mark.ink, lines, PALETTE["black"], "execution")

    def _folded(self, column: Column, spot: Spot) -> None:
        claims = [slot.claim for slot in column.slots if slot.claim is not None]
        executions = sum(slot.entry is not None for slot in column.slots)
        self._drawn.claims.update((claim.id, spot) for claim in claims)
        spoken = sum(slot.said is not None for slot in column.slots)
        lines = [(f"{count(len(column.rounds), 'step')} folded", True, 2), (count(len(claims), "claim"), False, 2)]
        lines += [(count(spoken, "reply in prose", "replies in prose"), False, 2)] if spoken else []
        self._filled(spot, AT.claims, FOLDED.ink, lines, PALETTE["black"], "folded")
        ran = count(executions, "execution") if executions or self._recorded else "not recorded"
        said = [(ran, False, 1), *((w, bold, 3) for w, bold in absences(column.slots))]
        self._filled(spot, AT.executions, FOLDED.ink, said, PALETTE["black"], "folded")

    def _filled(
        self,
        spot: Spot,
        offset: float,
        ink: Ink,
        lines: Sequence[tuple[str, bool, int]],
        colour: str,
        gid: str,
        foot: float = 0.0,
    ) -> None:
        """A box in a lane with its lines (text, whether it is bold, the most lines it may take), its foot left free."""
        top, height, width = self._top + offset + PADDING, AT.lane - 2 * PADDING, spot.right - spot.left
        self._sheet.box(spot.left, top, width, height, ink, text=True, gid=gid)
        inset = 0.045 + (HATCHED_BORDER if ink.hatch else 0.0)
        at, end = top + inset - 0.01, top + height - inset - foot
        for text, bold, most in lines:
            room = min(most, int((end - at + 0.02) / leading(_SIZE)))
            if room > 0:
                at += self._sheet.text(
                    spot.left + inset,
                    at,
                    text,
                    _SIZE,
                    width=width - 2 * inset,
                    lines=room,
                    bold=bold,
                    colour=colour,
                    gid=f"{gid}-text",
                )


def _letters(scene: Scene) -> Mapping[str, str]:
    """The letters of the forged texts that begin at each claim."""
    letters: dict[str, str] = {}
    for flow in scene.flows:
        letters[flow.claim] = f"{letters.get(flow.claim, '')} {flow.letter}".strip()
    return letters
