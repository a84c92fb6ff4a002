from __future__ import annotations

import pytest

from agentlab.views.fonts import text_width
from agentlab.views.sheet import Sheet, legend_rows
from agentlab.views.style import CALL, FORGED


def test_a_sheet_is_measured_in_inches_from_its_upper_left_corner() -> None:
    sheet = Sheet(4, 3, "a page")
    sheet.box(1, 0.5, 2, 1, CALL.ink, gid="box")
    (box,) = [artist for artist in sheet.figure.axes[0].patches if artist.get_gid() == "box"]
    extent = box.get_window_extent()
    dpi = sheet.figure.dpi
    assert (extent.x0 / dpi, extent.x1 / dpi) == pytest.approx((1, 3))
    assert (extent.y1 / dpi, extent.y0 / dpi) == pytest.approx((2.5, 1.5))
    assert sheet.figure.get_label() == "a page"


def test_a_hatch_keeps_to_the_border_of_a_box_that_holds_text() -> None:
    sheet = Sheet(4, 3, "")
    sheet.box(1, 1, 2, 1, FORGED.ink, text=True)
    outer, inner = sheet.figure.axes[0].patches
    assert (outer.get_hatch(), inner.get_hatch()) == (FORGED.ink.hatch, None)
    assert outer.get_bbox().fully_contains(*inner.get_bbox().min)
    assert outer.get_bbox().fully_contains(*inner.get_bbox().max)


def test_text_returns_the_height_of_its_lines() -> None:
    sheet = Sheet(4, 3, "")
    one = sheet.text(0, 0, "tides", 8, width=2)
    assert sheet.text(0, 1, "tides and tables of the harbour", 8, width=1, lines=3) == pytest.approx(2 * one)
    assert sheet.text(0, 1, "", 8, width=1) == 0


def test_the_footnote_stands_only_where_a_character_could_not_be_drawn() -> None:
    for text, expected in (("tides", 0), ("\U0001e900", 1)):
        sheet = Sheet(8, 3, "")
        sheet.text(0, 0, text, 8, width=2)
        sheet.footnote()
        assert sum(artist.get_gid() == "footnote" for artist in sheet.figure.axes[0].texts) == expected


def test_legend_lines_keep_to_their_width() -> None:
    entries = [(CALL.ink, f"mark number {n}") for n in range(9)]
    rows = legend_rows(entries, 4)
    assert [entry[1:] for row in rows for entry in row] == entries
    assert len(rows) > 1
    assert all(at + 0.37 + text_width(words, 8) <= 4.01 for row in rows for at, _, words in row)
