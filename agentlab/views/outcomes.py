"""A study as a picture: how often each condition succeeded and forged, and what became of all its attempts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from agentlab.errors import UsageError, unknown_name
from agentlab.stats import Rate
from agentlab.trace.formatting import shorten
from agentlab.views.style import OUTCOMES, PALETTE, Dash, Ink

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from agentlab.views.sheet import Sheet

__all__ = ["ConditionRow", "ForgingRow", "describe_study", "study_figure"]

_WIDTH, _MARGIN, _TOP, _ROW = 10.0, 0.12, 1.12, 0.66
_NAMES, _RATES, _VALUES, _BARS = (0.12, 1.95), (2.55, 5.35), (5.47, 6.25), (6.45, 9.84)
"""Left and right edge of each column, in inches."""


class ConditionRow(Protocol):
    """One condition of a study, as the figure needs it; the conditions of a study result are such rows."""

    @property
    def name(self) -> str:
        """Shown at the left."""
        ...

    @property
    def n(self) -> int:
        """Attempts without those that the infrastructure lost."""
        ...

    @property
    def outcomes(self) -> Mapping[Any, int]:
        """How many attempts ended in each outcome class; classes may be left out."""
        ...

    @property
    def success(self) -> Rate:
        """Correct answers with evidence."""
        ...

    @property
    def forged(self) -> Rate:
        """Wrong answers that rest on forged text."""
        ...


class ForgingRow(ConditionRow, Protocol):
    """One of which it is drawn how often the model wrote a tool result itself."""

    @property
    def forging(self) -> Rate:
        """Attempts in which it did, whatever came of them."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _Look:
    """How one of the two rates is drawn."""

    words: str
    shape: Literal["o", "s"]
    colour: str
    filled: bool
    dash: Dash
    offset: float
    """Of its line from the middle of the row, in inches."""


_SUCCESS = _Look(
    words="success: correct, with evidence", shape="o", colour="#00704F", filled=True, dash="solid", offset=-0.12
)
_FORGED = _Look(
    words="forged: wrong, on forged text", shape="s", colour="#A84300", filled=False, dash=(0, (4, 2)), offset=0.12
)
_FORGING = replace(_FORGED, words="forging: a result the model wrote itself")
_BESIDE: Mapping[str, _Look] = {"forged": _FORGED, "forging": _FORGING}


@overload
def study_figure(rows: Sequence[ConditionRow], *, beside: Literal["forged"] = "forged") -> Figure: ...
@overload
def study_figure(rows: Sequence[ForgingRow], *, beside: Literal["forging"]) -> Figure: ...
def study_figure(rows: Sequence[Any], *, beside: Literal["forged", "forging"] = "forged") -> Figure:
    """Conditions down the side; left their rates with confidence intervals, right the outcomes of all attempts.

    The figure is 10 inches wide and grows by two thirds of an inch with each condition. Bars show shares, with the
    counts in them; attempts lost to the infrastructure are in the bars and in no rate.

    Args:
        rows: the conditions.
        beside: the rate that is drawn beside that of success: wrong answers on forged text, or attempts in which the
            model forged a result, whatever came of it.

    Raises:
        UsageError: there is no row, or a row has an outcome class that does not exist, or there is no such rate.
    """
    if beside not in _BESIDE:
        raise unknown_name("rate", beside, _BESIDE)
    if not rows:
        raise UsageError("There is no condition to draw; a study figure needs at least one row.")
    for name in (name for row in rows for name in row.outcomes if name not in OUTCOMES):
        raise unknown_name("outcome class", name, OUTCOMES)
    from agentlab.views.sheet import LEGEND_LINE, Sheet, legend_rows  # here, because matplotlib takes half a second

    used = {name for row in rows for name, count in row.outcomes.items() if count}
    legend = legend_rows(
        [(ink, name.replace("_", " ")) for name, ink in OUTCOMES.items() if name in used], _WIDTH - 2 * _MARGIN
    )
    bottom = _TOP + _ROW * len(rows)
    sheet = Sheet(_WIDTH, bottom + 0.2 + LEGEND_LINE * len(legend) + 0.2, describe_study(rows))
    second = _BESIDE[beside]
    _head(sheet, rows, second)
    _grid(sheet, bottom)
    for number, row in enumerate(rows):
        rates = ((row.success, _SUCCESS), (getattr(row, beside), second))
        _row(sheet, row, _TOP + _ROW * number, rates)
    sheet.legend(_MARGIN, bottom + 0.2, legend)
    sheet.footnote()
    return sheet.figure


def describe_study(rows: Sequence[ConditionRow]) -> str:
    """The figure in one paragraph, for an alternative text. It quotes names: escape it before it enters HTML."""
    parts = (f"{row.name}: {row.success.count} of {row.n} succeeded, {row.forged.count} forged" for row in rows)
    return shorten(f"Study of {len(rows)} condition{'s'[: len(rows) != 1]}. {'; '.join(parts)}.", 600)


def _head(sheet: Sheet, rows: Sequence[ConditionRow], second: _Look) -> None:
    level = f"{100 * rows[0].success.level:g}"
    columns = (
        (_NAMES[0], "condition", 1.8),
        (_RATES[0], f"share of attempts, with its {level} % interval", 3.6),
        (_BARS[0], "what became of all attempts", 3.3),
    )
    for x, words, width in columns:
        sheet.text(x, 0.12, words, 10, width=width, bold=True, gid="head")
    for look, y in ((_SUCCESS, 0.46), (second, 0.66)):
        sheet.line([(_RATES[0], y), (_RATES[0] + 0.4, y)], colour=look.colour, width=1.8, dash=look.dash)
        sheet.marker(_RATES[0] + 0.2, y, look.shape, look.colour, filled=look.filled)
        sheet.text(_RATES[0] + 0.5, y - 0.075, look.words, 8.5, width=3, gid="head")


def _grid(sheet: Sheet, bottom: float) -> None:
    left, right = _RATES
    for percent in (0, 25, 50, 75, 100):
        x = left + (right - left) * percent / 100
        sheet.line([(x, _TOP - 0.04), (x, bottom)], colour="#C4C4C4", width=0.8)
        sheet.text(x, _TOP - 0.21, f"{percent} %", 8, width=0.6, align="center", gid="axis")


def _row(sheet: Sheet, row: ConditionRow, top: float, rates: Sequence[tuple[Rate, _Look]]) -> None:
    middle = top + _ROW / 2
    sheet.line([(_MARGIN, top), (_WIDTH - _MARGIN, top)], colour="#DDDDDD", width=0.8)
    name_width = _NAMES[1] - _NAMES[0]
    taken = sheet.text(_NAMES[0], top + 0.08, row.name, 9, width=name_width, lines=2, bold=True, gid="name")
    sheet.text(
        _NAMES[0], top + 0.08 + taken, _attempts(row), 8, width=name_width + 0.3, colour=PALETTE["grey"], gid="n"
    )
    for rate, look in rates:
        _rate(sheet, rate, look, middle + look.offset)
    _bar(sheet, row, middle)


def _attempts(row: ConditionRow) -> str:
    lost = row.outcomes.get("infrastructure", 0)
    return f"n = {row.n}" + (f", and {lost} lost" if lost else "")


def _rate(sheet: Sheet, rate: Rate, look: _Look, y: float) -> None:
    left, right = _RATES
    if rate.rate is None:
        sheet.text(left + 0.06, y - 0.07, "no attempts", 7.5, width=1, colour=PALETTE["grey"], gid="none")
        return
    low, high, at = (left + (right - left) * share for share in (rate.low, rate.high, rate.rate))
    sheet.line([(low, y), (high, y)], colour=look.colour, width=1.8, dash=look.dash, gid="whisker")
    for end in (low, high):
        sheet.line([(end, y - 0.05), (end, y + 0.05)], colour=look.colour, width=1.8)
    sheet.marker(at, y, look.shape, look.colour, filled=look.filled, gid="rate")
    words = f"{100 * rate.rate:.0f} % ({rate.count})"
    sheet.text(_VALUES[0], y - 0.075, words, 8.5, width=_VALUES[1] - _VALUES[0], colour=look.colour, gid="value")


def _bar(sheet: Sheet, row: ConditionRow, middle: float) -> None:
    for x, width, count, ink in _segments(row):
        sheet.box(x, middle - 0.2, width, 0.4, ink, gid="segment")
        room = 0.1 + 0.08 * len(str(count))
        if width > room + 0.06:
            plain = Ink(edge=PALETTE["white"], width=0)
            sheet.box(x + (width - room) / 2, middle - 0.1, room, 0.2, plain)
            sheet.text(
                x + width / 2, middle - 0.085, str(count), 9, width=width, bold=True, align="center", gid="count"
            )


def _segments(row: ConditionRow) -> Iterator[tuple[float, float, int, Ink]]:
    """Left edge, width, count and look of each part of the bar."""
    total = sum(row.outcomes.values())
    x = _BARS[0]
    for name, ink in OUTCOMES.items():
        count = row.outcomes.get(name, 0)
        if count:
            width = (_BARS[1] - _BARS[0]) * count / total
            yield x, width, count, ink
            x += width
