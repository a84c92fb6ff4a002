from __future__ import annotations

import threading
from io import BytesIO

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from agentlab.errors import UsageError
from agentlab.views.style import (
    ANSWER,
    CALL,
    CARRIED,
    EXECUTED,
    FAILED,
    FOLDED,
    FORGED,
    OUTCOMES,
    PALETTE,
    REFUSED,
    UNENDED,
    UNMATCHED,
    Ink,
    picture,
)

CLAIMS = (CALL, FORGED, REFUSED, UNMATCHED, ANSWER, FOLDED)
EXECUTIONS = (EXECUTED, FAILED, UNENDED, FOLDED)


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def look(ink: Ink) -> tuple[object, ...]:
    """What is left of an ink without its colours."""
    return ink.dash, ink.hatch, ink.width


@pytest.mark.parametrize("marks", [CLAIMS, EXECUTIONS])
def test_the_marks_of_a_lane_differ_without_colour(marks: tuple[object, ...]) -> None:
    looks = {(look(mark.ink), round(luminance(mark.ink.fill), 1)) for mark in marks}  # type: ignore[attr-defined]
    assert len(looks) == len(marks)


def test_the_outcome_classes_differ_without_colour() -> None:
    assert len({look(ink) for ink in OUTCOMES.values()}) == len(OUTCOMES)


def test_texts_are_legible() -> None:
    assert contrast(PALETTE["grey"], PALETTE["white"]) >= 4.5
    assert contrast(PALETTE["grey"], PALETTE["pale"]) >= 4.5
    assert contrast(PALETTE["white"], CARRIED.fill) >= 4.5
    assert contrast(CARRIED.fill, PALETTE["white"]) >= 4.5
    for mark in (*CLAIMS, *EXECUTIONS):
        assert contrast(PALETTE["black"], mark.ink.fill) >= 7


def test_a_picture_is_an_opaque_image_of_the_asked_size() -> None:
    with mpl.rc_context({"savefig.transparent": True, "savefig.bbox": "tight", "savefig.facecolor": "red"}):
        image = Image.open(BytesIO(picture(Figure(figsize=(3, 2), facecolor="none"), dpi=50)))
    assert image.size == (150, 100)
    assert image.getcolors() == [(15000, (255, 255, 255, 255))]


def test_a_picture_bears_no_date_and_no_version() -> None:
    figure = Figure(figsize=(1, 1))
    svg = picture(figure, "svg").decode()
    assert "dc:date" not in svg
    assert mpl.__version__ not in svg
    assert Image.open(BytesIO(picture(figure))).info["Software"] == "agentlab"


def test_the_label_becomes_the_title_with_hidden_characters_visible() -> None:
    figure = Figure(figsize=(1, 1))
    figure.set_label("tides <&> \x00\u202e")
    assert "<title>tides &lt;&amp;&gt; \\u{0}\\u{202e}</title>" in picture(figure, "svg").decode()
    assert Image.open(BytesIO(picture(figure))).info["Title"] == "tides <&> \\u{0}\\u{202e}"


def test_an_unknown_format_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(UsageError, match=r"picture format 'pgn'.*'png'.*png, svg"):
        picture(Figure(), "pgn")


def test_threads_get_the_same_bytes_and_leave_the_settings_as_they_were() -> None:
    before = dict(mpl.rcParams)
    found: list[bytes] = []

    def work() -> None:
        figure = Figure(figsize=(1, 1))
        figure.add_axes((0, 0, 1, 1)).plot([1, 2], [3, 4])
        found.append(picture(figure, "svg"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert dict(mpl.rcParams) == before
