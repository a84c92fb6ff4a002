"""A page measured in inches from its upper left corner, on which boxes, lines and texts are put one by one.

Every colour, font and setting is given with each mark, so that the style of the session (a dark theme, TeX, another
font) changes nothing.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Rectangle

from agentlab.views.fonts import PLACEHOLDER, chinese_family, text_width, typeface, wrap
from agentlab.views.style import PALETTE, Dash, Ink, picture

__all__ = ["HATCHED_BORDER", "LEGEND_LINE", "Page", "Sheet", "leading", "legend_rows"]

HATCHED_BORDER = 0.06
"""Width of the border that is left of a hatch around text, in inches."""
LEGEND_LINE = 0.23
"""Height of one line of a legend, in inches."""
_LEGEND_SIZE = 8
_SWATCH = 0.3

_LEADING = 1.32
"""Distance of two baselines, in font sizes; room for the taller Chinese letters."""
_UNDRAWN = f"{PLACEHOLDER} stands for a character that no installed font can draw"
_MEND = '; for Chinese: pip install "agentlab-forensics[cjk]"'


def leading(size: float) -> float:
    """The distance of two baselines, in inches, at a size in points."""
    return size / 72 * _LEADING


def legend_rows(entries: Iterable[tuple[Ink, str]], width: float) -> list[list[tuple[float, Ink, str]]]:
    """Legend entries broken into lines of at most so many inches, each with its distance from the left edge."""
    rows: list[list[tuple[float, Ink, str]]] = [[]]
    at = 0.0
    for ink, words in entries:
        taken = _SWATCH + 0.07 + text_width(words, _LEGEND_SIZE)
        if rows[-1] and at + taken > width:
            rows.append([])
            at = 0.0
        rows[-1].append((at, ink, words))
        at += taken + 0.22
    return rows


class Page(Figure):
    """A figure that shows itself at the end of a notebook cell, with its label as the alternative text."""

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> dict[str, str]:
        label = str(self.get_label())
        source = b64encode(picture(self)).decode()
        style = "max-width:100%;background:#fff"
        html = f'<img alt="{escape(label)}" style="{style}" src="data:image/png;base64,{source}">'
        return {"text/html": html, "text/plain": label}


class Sheet:
    """A white page of so many inches.

    Args:
        width: in inches.
        height: in inches.
        label: one sentence that says what there is to see; the alternative text.
    """

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height = width, height
        white = PALETTE["white"]
        self.figure = Page(figsize=(width, height), dpi=100, facecolor=white, edgecolor=white)
        self.figure.set_layout_engine("none")
        self.figure.set_label(label)
        self._axes = self.figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()
        self._axes.set_xlim(0, width)
        self._axes.set_ylim(height, 0)
        self._replaced = False

    def box(
        self, x: float, y: float, width: float, height: float, ink: Ink, *, text: bool = False, gid: str = ""
    ) -> None:
        """A rectangle, given by its upper left corner; where it is to hold `text`, a hatch keeps to its border."""
        self._rectangle(x, y, width, height, ink, gid)
        if text and ink.hatch:
            frame = HATCHED_BORDER
            plain = Ink(edge=PALETTE["white"], width=0)
            self._rectangle(x + frame, y + frame, width - 2 * frame, height - 2 * frame, plain)

    def line(
        self,
        points: Sequence[tuple[float, float]],
        *,
        colour: str = PALETTE["black"],
        width: float = 1.0,
        dash: Dash = "solid",
        arrow: bool = False,
        gid: str = "",
    ) -> None:
        """A line through the points, with a head at its end where `arrow` is set."""
        xs, ys = zip(*points, strict=True)
        drawn = Line2D(
            xs, ys, color=colour, linewidth=width, linestyle=dash, marker="None", solid_capstyle="butt", gid=gid or None
        )
        self._axes.add_artist(drawn)
        if arrow:
            self._head(points[-2], points[-1], colour, width)

    def marker(self, x: float, y: float, shape: Literal["o", "s"], colour: str, *, filled: bool, gid: str = "") -> None:
        """A round (`o`) or square (`s`) point."""
        inside = colour if filled else PALETTE["white"]
        point = Line2D(
            [x],
            [y],
            linestyle="None",
            marker=shape,
            markersize=7,
            markerfacecolor=inside,
            markeredgecolor=colour,
            markeredgewidth=1.8,
            zorder=2.6,
            gid=gid or None,
        )
        self._axes.add_artist(point)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        width: float,
        lines: int = 1,
        bold: bool = False,
        colour: str = PALETTE["black"],
        align: Literal["left", "center", "right"] = "left",
        gid: str = "",
    ) -> float:
        """Put any text, broken to a width and cut to so many lines; returns the height it took.

        Args:
            x: of its left edge, middle or right edge, as `align` says, in inches.
            y: of its upper edge, in inches.
            text: shown literally: no markup means anything.
            size: in points.
            width: of the widest line, in inches.
            lines: at most so many.
            bold: whether it is drawn so.
            colour: of the letters.
            align: which part of it `x` is.
            gid: names its lines, in an SVG too.
        """
        broken = wrap(text, width, size, lines=lines, bold=bold)
        for number, line in enumerate(broken):
            self._replaced |= PLACEHOLDER in line
            self._axes.text(
                x,
                y + number * leading(size) + size / 72 * 1.02,
                line,
                color=colour,
                horizontalalignment=align,
                verticalalignment="baseline",
                fontproperties=typeface(line, size, bold=bold),
                parse_math=False,
                usetex=False,
                gid=gid or None,
            )
        return leading(size) * len(broken)

    def legend(self, x: float, y: float, rows: Sequence[Sequence[tuple[float, Ink, str]]]) -> None:
        """Put the lines of `legend_rows` below each other, from (x, y) on."""
        for number, row in enumerate(rows):
            top = y + number * LEGEND_LINE
            for offset, ink, words in row:
                self.box(x + offset, top, _SWATCH, 0.15, ink, gid="legend")
                self.text(x + offset + _SWATCH + 0.07, top + 0.005, words, _LEGEND_SIZE, width=self.width, gid="legend")

    def footnote(self) -> None:
        """Say what the placeholder means, where one was needed."""
        if self._replaced:
            words = _UNDRAWN + ("" if chinese_family() else _MEND)
            self.text(0.12, self.height - 0.2, words, 7.5, width=self.width - 0.3, gid="footnote")

    def _head(self, tail: tuple[float, float], tip: tuple[float, float], colour: str, width: float) -> None:
        head = FancyArrowPatch(
            tail,
            tip,
            arrowstyle="-|>",
            mutation_scale=5 + 4 * width,
            color=colour,
            linewidth=width,
            shrinkA=0,
            shrinkB=0,
            zorder=2.5,
        )
        self._axes.add_artist(head)

    def _rectangle(self, x: float, y: float, width: float, height: float, ink: Ink, gid: str = "") -> None:
        patch = Rectangle(
            (x, y),
            width,
            height,
            facecolor=ink.fill,
            edgecolor=ink.edge,
            linewidth=ink.width,
            linestyle=ink.dash,
            hatch=ink.hatch or None,
            gid=gid or None,
        )
        self._axes.add_artist(patch)
