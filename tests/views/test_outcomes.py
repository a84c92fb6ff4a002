from __future__ import annotations

import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from agentlab.errors import UsageError
from agentlab.stats import Rate, wilson
from agentlab.views.outcomes import ConditionRow, describe_study, study_figure
from agentlab.views.style import OUTCOMES, picture
from tests.views import audited

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    n: int
    outcomes: Mapping[str, int]
    success: Rate
    forged: Rate


def row(name: str, **outcomes: int) -> ConditionRow:
    n = sum(outcomes.values()) - outcomes.get("infrastructure", 0)
    return Row(
        name=name,
        n=n,
        outcomes=outcomes,
        success=wilson(outcomes.get("correct_with_evidence", 0), n),
        forged=wilson(outcomes.get("wrong_forged", 0), n),
    )


ROWS = (
    row("react-v1", correct_with_evidence=1, wrong_forged=7, wrong_other=1, not_finished=1),
    row("react-v2", correct_with_evidence=9, correct_without_evidence=1, infrastructure=2),
    row("never run"),
)


def found(figure: Figure, gid: str) -> list[object]:
    return [artist for artist in figure.axes[0].get_children() if artist.get_gid() == gid]


def said(figure: Figure, gid: str) -> list[str]:
    return [artist.get_text() for artist in found(figure, gid) if isinstance(artist, Text)]


def test_each_condition_has_two_rates_with_their_intervals_and_a_bar() -> None:
    figure = study_figure(ROWS)
    assert said(figure, "name") == ["react-v1", "react-v2", "never run"]
    assert said(figure, "n") == ["n = 10", "n = 10, and 2 lost", "n = 0"]
    assert said(figure, "value") == ["10 % (1)", "70 % (7)", "90 % (9)", "0 % (0)"]
    assert said(figure, "none") == ["no attempts", "no attempts"]
    assert said(figure, "count") == ["1", "7", "1", "1", "9", "1", "2"]
    assert len(found(figure, "segment")) == 7
    assert said(figure, "legend") == [name.replace("_", " ") for name in OUTCOMES]


def test_points_and_whiskers_stand_where_the_rates_are() -> None:
    figure = study_figure(ROWS[:1])
    axis = {text.get_text(): text.get_position()[0] for text in found(figure, "axis")}  # type: ignore[attr-defined]
    zero, full = axis["0 %"], axis["100 %"]
    points = [point.get_xdata()[0] for point in found(figure, "rate")]  # type: ignore[attr-defined]
    whiskers = [line.get_xdata() for line in found(figure, "whisker")]  # type: ignore[attr-defined]
    for rate, point, ends in zip((ROWS[0].success, ROWS[0].forged), points, whiskers, strict=True):
        for share, x in zip((rate.rate, rate.low, rate.high), (point, *ends), strict=True):
            assert x == pytest.approx(zero + (full - zero) * share)


def test_success_and_forged_differ_without_colour() -> None:
    success, forged = found(study_figure(ROWS[:1]), "rate")
    assert success.get_marker() != forged.get_marker()  # type: ignore[attr-defined]
    assert success.get_markerfacecolor() != success.get_markeredgecolor() or forged.get_markerfacecolor() == "#FFFFFF"  # type: ignore[attr-defined]
    solid, dashed = found(study_figure(ROWS[:1]), "whisker")
    assert solid.get_linestyle() != dashed.get_linestyle()  # type: ignore[attr-defined]


def test_the_parts_of_a_bar_are_its_shares() -> None:
    bars = [box.get_bbox() for box in found(study_figure(ROWS[:1]), "segment")]  # type: ignore[attr-defined]
    whole = bars[-1].x1 - bars[0].x0
    assert [round(bar.width / whole, 6) for bar in bars] == [0.1, 0.7, 0.1, 0.1]
    assert all(one.x1 == pytest.approx(other.x0) for one, other in pairwise(bars))


def test_no_row_and_an_unknown_class_are_refused() -> None:
    with pytest.raises(UsageError, match="at least one row"):
        study_figure([])
    with pytest.raises(UsageError, match=r"outcome class 'wrong_forge'.*Did you mean 'wrong_forged'"):
        study_figure([row("react-v1", wrong_forge=1)])


def test_the_sentence_counts_successes_and_forgeries() -> None:
    assert describe_study(ROWS[:2]) == (
        "Study of 2 conditions. react-v1: 1 of 10 succeeded, 7 forged; react-v2: 9 of 10 succeeded, 0 forged."
    )
    assert describe_study(ROWS[:1]).startswith("Study of 1 condition. ")


def test_two_drawings_give_the_same_bytes_and_hostile_names_are_literal() -> None:
    rows = [*ROWS, row(audited.HOSTILE, wrong_other=1), row("潮汐" * 30, not_finished=3)]
    for format in ("png", "svg"):
        assert picture(study_figure(rows), format, dpi=50) == picture(study_figure(rows), format, dpi=50)
    title = ET.fromstring(picture(study_figure(rows), "svg")).find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == describe_study(rows)
    shown = "".join(said(study_figure(rows), "name"))
    assert "$\\frac{1}{0}$" in shown
    assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cs"}]


def test_importing_the_module_needs_no_matplotlib() -> None:
    code = "import sys, agentlab.views.outcomes; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


outcomes = st.dictionaries(st.sampled_from(list(OUTCOMES)), st.integers(0, 10_000))


@settings(max_examples=25)
@given(st.lists(st.tuples(st.text(max_size=60), outcomes), min_size=1, max_size=6))
def test_any_study_can_be_drawn_with_no_text_over_another_or_over_the_edge(
    studies: list[tuple[str, dict[str, int]]],
) -> None:
    figure = study_figure([row(name, **counts) for name, counts in studies])
    assert picture(figure, dpi=30).startswith(b"\x89PNG")
    kinds = Counter(artist.get_gid() for artist in figure.axes[0].get_children())
    assert kinds["segment"] == sum(count > 0 for _, counts in studies for count in counts.values())
    with mpl.rc_context({"text.hinting": "no_hinting"}):
        renderer = FigureCanvasAgg(figure).get_renderer()
        texts = [t for t in figure.axes[0].texts if t.get_gid() and t.get_text()]
        boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    for text, box in boxes:
        assert figure.bbox.x0 <= box.x0, text
        assert box.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= box.y0, text
        assert box.y1 <= figure.bbox.y1, text
    for (one, a), (other, b) in combinations(boxes, 2):
        wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide <= 1 or high <= 3, (one, other)
