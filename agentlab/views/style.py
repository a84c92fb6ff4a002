"""How pictures look: one palette, one set of marks, and the bytes of a finished figure.

The colours are those of Okabe and Ito (2008, "Color Universal Design"), which colour-blind readers can tell apart.
No meaning rests on colour alone: each mark differs from the others in outline, hatch or words too, so that a
greyscale print says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from agentlab.errors import unknown_name
from agentlab.trace.formatting import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ANSWER",
    "CALL",
    "CARRIED",
    "EXECUTED",
    "FAILED",
    "FOLDED",
    "FORGED",
    "OUTCOMES",
    "PALETTE",
    "REFUSED",
    "SAID",
    "UNENDED",
    "UNMATCHED",
    "Dash",
    "Ink",
    "Mark",
    "picture",
]

Dash: TypeAlias = Literal["solid", "dashed", "dashdot", "dotted"] | tuple[float, tuple[float, ...]]

PALETTE: Mapping[str, str] = MappingProxyType(
    {
        "black": "#000000",
        "orange": "#E69F00",
        "sky": "#56B4E9",
        "green": "#009E73",
        "yellow": "#F0E442",
        "blue": "#0072B2",
        "vermillion": "#D55E00",
        "purple": "#CC79A7",
        "grey": "#6B6B6B",
        "pale": "#F3F3F3",
        "white": "#FFFFFF",
    }
)
"""The eight colours of Okabe and Ito, a grey that is legible as text on white, a background, and the page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ink:
    """How a box is drawn."""

    fill: str = PALETTE["white"]
    edge: str = PALETTE["black"]
    width: float = 1.0
    """Of the outline, in points."""
    dash: Dash = "solid"
    """A line style of matplotlib: a name, or an offset and the lengths of strokes and gaps in points."""
    hatch: str = ""
    """A hatch of matplotlib, drawn in the colour of the outline."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """What a claim or an execution turned out to be, with its look and its words."""

    name: str
    legend: str
    """What the legend says of it."""
    ink: Ink


CALL = Mark(
    name="call", legend="call, joined to its execution", ink=Ink(fill="#E3F0F8", edge=PALETTE["blue"], width=1.2)
)
FORGED = Mark(
    name="forged",
    legend="result or turn the model wrote itself: no execution",
    ink=Ink(edge=PALETTE["vermillion"], width=3.0, hatch="////"),
)
REFUSED = Mark(
    name="refused",
    legend="refused, nothing was run for it",
    ink=Ink(edge=PALETTE["grey"], width=0.9, dash=(0, (4, 3))),
)
UNMATCHED = Mark(
    name="unmatched",
    legend="call without a recorded execution",
    ink=Ink(edge=PALETTE["black"], width=1.2, dash=(0, (1, 1.5))),
)
ANSWER = Mark(name="answer", legend="answer", ink=Ink(edge=PALETTE["black"], width=2.2))
SAID = Mark(name="said", legend="reply in prose: no call, no answer", ink=Ink(edge="#A8A8A8", width=0.7))
EXECUTED = Mark(
    name="succeeded", legend="execution, succeeded", ink=Ink(fill="#DDF2EA", edge=PALETTE["green"], width=1.2)
)
FAILED = Mark(
    name="failed", legend="execution, failed", ink=Ink(fill="#FDF1D6", edge=PALETTE["orange"], width=1.2, dash="dashed")
)
UNENDED = Mark(name="not ended", legend="execution, no end recorded", ink=Ink(edge=PALETTE["green"], dash="dashdot"))
FOLDED = Mark(name="folded", legend="several steps folded into one", ink=Ink(fill="#EAEAEA", edge=PALETTE["grey"]))

CARRIED = Ink(fill="#A84300", edge=PALETTE["black"])
"""A request that carried forged text: dark in greyscale too."""

OUTCOMES: Mapping[str, Ink] = MappingProxyType(
    {
        "correct_with_evidence": Ink(fill=PALETTE["green"]),
        "correct_without_evidence": Ink(fill="#BFE3F7", hatch="..."),
        "wrong_forged": Ink(fill="#F4A26B", hatch="////"),
        "wrong_other": Ink(fill=PALETTE["yellow"], hatch="\\\\\\"),
        "not_finished": Ink(fill="#C9C9C9", hatch="---"),
        "infrastructure": Ink(fill=PALETTE["white"], hatch="xxx"),
    }
)
"""The outcome classes of a study, in the order in which they are stacked."""

_METADATA: Mapping[str, Mapping[str, str | None]] = MappingProxyType(
    {"png": {"Software": "agentlab"}, "svg": {"Creator": "agentlab", "Date": None}}
)
_settings_lock = Lock()


def picture(figure: Figure, format: str = "png", dpi: float = 150) -> bytes:
    """A figure as the bytes of an opaque image, the same bytes whenever it is the same figure.

    The figure's label, where it has one, becomes the image's title. matplotlib takes some settings from the process
    only; they are put back afterwards, and two threads do this one after the other.

    Args:
        figure: drawn without pyplot.
        format: `png` or `svg`; in an SVG texts are outlines, so it looks the same where a font is missing.
        dpi: pixels per inch of a PNG.

    Raises:
        UsageError: another format.
    """
    if format not in _METADATA:
        raise unknown_name("picture format", format, _METADATA)
    from matplotlib import rc_context

    label = shorten(str(figure.get_label()), 1000)
    metadata = {**_METADATA[format], **({"Title": label} if label else {})}
    out = BytesIO()
    settings = rc_context(
        {
            "path.sketch": None,
            "savefig.bbox": None,
            "savefig.transparent": False,
            "svg.fonttype": "path",
            "svg.hashsalt": "agentlab",
            "text.hinting": "no_hinting",  # letters on whole pixels would make lines longer than they were measured
        }
    )
    with _settings_lock, settings:
        figure.savefig(out, format=format, dpi=dpi, facecolor=PALETTE["white"], metadata=metadata)
    return out.getvalue()
