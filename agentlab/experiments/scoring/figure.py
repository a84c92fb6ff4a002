"""Scores as a picture: precision, recall and F1 of each row, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from agentlab.errors import UsageError
from agentlab.trace.formatting import shorten
from agentlab.views.style import PALETTE, Dash

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from agentlab.views.sheet import Sheet

__all__ = ["describe_scores", "score_figure"]

_WIDTH, _MARGIN, _TOP, _ROW = 10.0, 0.12, 0.92, 0.7
_NAMES, _AXIS, _VALUES = (0.12, 2.9), (3.1, 7.4), (7.65, 9.88)
"""Left and right edge of each column, in inches."""
_NEARNESS = {"exact": "at the same place", "step": "within a step", "trace": "anywhere in the trace"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Look:
    """How one of the three measures is drawn; none differs from another in colour alone."""

    column: str
    words: str
    shape: Literal["o", "s"]
    colour: str
    filled: bool
    dash: Dash
    offset: float
    """Of its line from the middle of the row, in inches."""


_LOOKS = (
    _Look(column="precision", words="precision", shape="o", colour="#005A8E", filled=True, dash="solid", offset=-0.19),
    _Look(column="recall", words="recall", shape="s", colour="#A84300", filled=False, dash=(0, (4, 2)), offset=0.0),
    _Look(column="f1", words="F1", shape="s", colour="#000000", filled=True, dash=(0, (1, 1)), offset=0.19),
)


def score_figure(frame: pd.DataFrame) -> Figure:
    """One row a row of the frame, from 0 to 1, with 95 % intervals as whiskers.

    The figure is 10 inches wide and grows by 0.7 inches with each row.

    Args:
        frame: rows of `groups_frame` or `rules_frame`.

    Raises:
        UsageError: there is no row.
    """
    if not len(frame):
        raise UsageError("There is no score to draw; a figure of scores needs at least one row.")
    from agentlab.views.sheet import Sheet  # here, because matplotlib takes half a second

    rows = frame.to_dict("records")
    bottom = _TOP + _ROW * len(rows)
    sheet = Sheet(_WIDTH, bottom + 0.15, describe_scores(frame))
    _head(sheet)
    _grid(sheet, bottom)
    for number, row in enumerate(rows):
        _row(sheet, row, _TOP + _ROW * number)
    sheet.footnote()
    return sheet.figure


def describe_scores(frame: pd.DataFrame) -> str:
    """The figure in one paragraph, for an alternative text."""
    parts = (
        f"{_name(row)}: " + ", ".join(f"{look.words} {_number(row[look.column])}" for look in _LOOKS)
        for row in frame.to_dict("records")
    )
    return shorten(f"Scores of {len(frame)} row{'s'[: len(frame) != 1]}. {'; '.join(parts)}.", 900)


def _name(row: dict[Any, Any]) -> str:
    return " · ".join(part for part in (row["set"], row["group"], row.get("rule", "")) if part)


def _number(value: float) -> str:
    return "none" if value != value else f"{value:.2f}"  # NaN is not equal to itself


def _head(sheet: Sheet) -> None:
    sheet.text(_NAMES[0], 0.12, "set · group · rule", 10, width=_NAMES[1] - _NAMES[0], bold=True, gid="head")
    sheet.text(_AXIS[0], 0.12, "score, with its 95 % interval", 10, width=4, bold=True, gid="head")
    sheet.text(_VALUES[0], 0.12, "value, and counts", 10, width=2.2, bold=True, gid="head")
    for look, x in zip(_LOOKS, (0.0, 1.4, 2.6), strict=True):
        left = _AXIS[0] + x
        sheet.line([(left, 0.46), (left + 0.4, 0.46)], colour=look.colour, width=1.8, dash=look.dash)
        sheet.marker(left + 0.2, 0.46, look.shape, look.colour, filled=look.filled)
        sheet.text(left + 0.5, 0.385, look.words, 8.5, width=1, gid="head")


def _grid(sheet: Sheet, bottom: float) -> None:
    left, right = _AXIS
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x = left + (right - left) * tick
        sheet.line([(x, _TOP - 0.04), (x, bottom)], colour="#C4C4C4", width=0.8)
        sheet.text(x, _TOP - 0.21, f"{tick:g}", 8, width=0.6, align="center", gid="axis")


def _row(sheet: Sheet, row: dict[Any, Any], top: float) -> None:
    middle, width = top + _ROW / 2, _NAMES[1] - _NAMES[0]
    sheet.line([(_MARGIN, top), (_WIDTH - _MARGIN, top)], colour="#DDDDDD", width=0.8)
    taken = sheet.text(_NAMES[0], top + 0.08, _name(row), 9, width=width, lines=2, bold=True, gid="name")
    near = _NEARNESS[row["grain"]]
    sheet.text(_NAMES[0], top + 0.1 + taken, near, 8, width=width, colour=PALETTE["grey"], gid="grain")
    counts = {"precision": _share(row["right"], row["found"]), "recall": _share(row["met"], row["labelled"]), "f1": ""}
    for look in _LOOKS:
        _measure(sheet, row, look, middle + look.offset, counts[look.column])


def _share(count: float, of: float) -> str:
    return "" if count != count or of != of else f" ({count:.0f} of {of:.0f})"


def _measure(sheet: Sheet, row: dict[Any, Any], look: _Look, y: float, counts: str) -> None:
    value = row[look.column]
    words = f"{look.words} {_number(value)}{counts}"
    sheet.text(_VALUES[0], y - 0.075, words, 8.5, width=_VALUES[1] - _VALUES[0], colour=look.colour, gid="value")
    if value != value:
        return
    left, right = _AXIS
    limits = (row[f"{look.column}_low"], row[f"{look.column}_high"], value)
    low, high, at = (left + (right - left) * limit for limit in limits)
    sheet.line([(low, y), (high, y)], colour=look.colour, width=1.8, dash=look.dash, gid="whisker")
    for end in (low, high):
        sheet.line([(end, y - 0.05), (end, y + 0.05)], colour=look.colour, width=1.8)
    sheet.marker(at, y, look.shape, look.colour, filled=look.filled, gid="score")
