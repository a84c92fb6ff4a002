from __future__ import annotations

import pytest

from agentlab.errors import UsageError
from agentlab.experiments.scoring.figure import describe_scores, score_figure
from agentlab.experiments.scoring.tables import (
    categories_frame,
    clean_frame,
    closest_frame,
    disagreements_frame,
    groups_frame,
    readable,
    rules_frame,
)
from agentlab.experiments.scoring.values import Grain, LabelledSet
from agentlab.stats import wilson
from agentlab.views.style import picture
from tests.experiments.scoring.labelled import NESTS, heronry, label, sighting, trace

SET = heronry(
    trace("one", (label("a1"), label("a4", "egg")), (sighting("phantom-call", "a1"), sighting("phantom-call", "b2"))),
    trace("two", (label("a2"),), (sighting("unexecuted-claim", "a3", severity="warning"), sighting("trace-defect"))),
    trace("three", (), (sighting("repeat-loop", "a1", severity="warning"),), clean=True),
    trace("four", clean=True),
    category_of={"phantom-call": "nest"},
)
WHOLE = LabelledSet(
    name="whole",
    words="",
    folder="",
    groups=(NESTS,),
    grains=("trace",),
    traces=(trace("five", (label(""),), (sighting("phantom-call", "a1"),)),),
)


def test_groups() -> None:
    frame = groups_frame([SET]).set_index(["group", "grain"])
    exact = frame.loc[("nests", "exact")]
    assert list(exact[["found", "right", "labelled", "met"]]) == [3, 1, 3, 1]
    assert exact["precision"] == pytest.approx(1 / 3)
    assert exact["recall_high"] == pytest.approx(wilson(1, 3).high)
    assert exact["per_trace"] == 0.75
    assert list(frame.loc[("nests", "step")][["right", "met"]]) == [2, 2]
    assert list(frame.loc[("place and category", "exact")][["found", "right", "labelled", "met"]]) == [2, 1, 3, 1]
    assert frame.loc[("loops", "exact")]["recall"] != frame.loc[("loops", "exact")]["recall"]


def test_rules_and_those_that_no_group_asks_for() -> None:
    frame = rules_frame([SET]).set_index(["rule", "grain"])
    assert list(frame.loc[("phantom-call", "exact")][["group", "found", "right", "met"]]) == ["nests", 2, 1, 1]
    defect = frame.loc[("trace-defect", "exact")]
    assert defect["group"] == ""
    assert defect["found"] == 1
    assert defect["precision"] != defect["precision"]


def test_categories_count_each_label() -> None:
    frame = categories_frame([SET]).set_index(["category", "grain"])
    assert list(frame.loc[("nest", "exact")][["labelled", "met"]]) == [2, 1]
    assert list(frame.loc[("nest", "step")][["labelled", "met"]]) == [2, 2]
    assert list(frame.loc[("egg", "step")][["labelled", "met"]]) == [1, 0]


def test_clean_runs_by_severity() -> None:
    row = clean_frame([SET, WHOLE]).set_index("set").loc["heronry"]
    assert list(row[["runs", "failures", "loud", "rules"]]) == [2, 0, 1, "repeat-loop 1"]
    assert row["failure_rate_high"] == pytest.approx(wilson(0, 2).high)


def test_every_disagreement_is_listed_with_its_place() -> None:
    frame = disagreements_frame([SET, WHOLE])
    assert {tuple(row) for row in frame[["trace", "kind", "place", "what", "closest"]].itertuples(index=False)} == {
        ("one", "miss", "a4", "egg", "trace"),
        ("one", "false alarm", "b2", "phantom-call", "trace"),
        ("two", "miss", "a2", "nest", "step"),
        ("two", "false alarm", "a3", "unexecuted-claim", "step"),
        ("three", "false alarm", "a1", "repeat-loop", "nothing"),
    }
    assert set(frame["words"]) >= {"wrong at a4", "repeat-loop found"}


def test_disagreements_and_agreements_add_up() -> None:
    listed = disagreements_frame([SET]).query("group == 'nests'")["kind"].value_counts()
    exact = groups_frame([SET]).query("group == 'nests' and grain == 'exact'").iloc[0]
    assert listed["miss"] == exact["labelled"] - exact["met"]
    assert listed["false alarm"] == exact["found"] - exact["right"]


@pytest.mark.parametrize("grain", ["exact", "step", "trace"])
def test_the_closest_grain_of_each_set(grain: Grain) -> None:
    frame = closest_frame(groups_frame([SET, WHOLE]), grain)
    assert set(frame[frame["set"] == "heronry"]["grain"]) == {grain}
    assert set(frame[frame["set"] == "whole"]["grain"]) == {"trace"}


def test_an_unknown_grain_is_refused() -> None:
    with pytest.raises(UsageError, match="sentence"):
        closest_frame(groups_frame([SET]), "sentence")  # type: ignore[arg-type]


def test_readable_text_has_the_limits_in_it() -> None:
    frame = readable(groups_frame([WHOLE]))
    assert frame["precision"][0] == f"1.00 ({wilson(1, 1).low:.2f}–1.00)"
    assert not [name for name in frame.columns if name.endswith(("_low", "_high"))]
    assert readable(groups_frame([SET])).query("group == 'loops'")["recall"].tolist() == ["", "", ""]


def test_tables_of_nothing_have_their_columns() -> None:
    for frame in (groups_frame([]), rules_frame([]), categories_frame([]), clean_frame([]), disagreements_frame([])):
        assert len(frame) == 0
        assert "set" in frame.columns
    assert len(closest_frame(groups_frame([]), "step")) == 0
    assert len(readable(groups_frame([]))) == 0


def test_a_figure_says_each_value_and_draws_what_there_is() -> None:
    frame = rules_frame([SET])
    figure = score_figure(frame)
    words = [text.get_text() for text in figure.axes[0].texts]
    assert "precision 0.50 (1 of 2)" in words
    assert "precision none" in words
    measured = frame[["precision", "recall", "f1"]].notna().sum().sum()
    marks = [line for line in figure.axes[0].get_children() if line.get_gid() == "score"]
    assert len(marks) == measured
    assert picture(figure)[:4] == b"\x89PNG"
    assert figure.get_label() == describe_scores(frame)
    assert describe_scores(frame).startswith(f"Scores of {len(frame)} rows. heronry · nests · phantom-call: precision")


def test_a_figure_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="no score to draw"):
        score_figure(groups_frame([]))
