from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.experiments.scoring.measuring import Tally, by_category, in_group, of_rule, score, tally
from agentlab.experiments.scoring.values import GRAINS, Grain
from agentlab.stats import wilson
from tests.experiments.scoring.labelled import LOOPS, NESTS, heronry, label, sighting, trace

BOTH = trace(
    "both",
    (label("a1"), label("a1"), label("a4"), label("b2")),
    (sighting("phantom-call", "a1"), sighting("unexecuted-claim", "a2"), sighting("repeat-loop", "a4")),
)
"""Places a1, a4 and b2 are labelled; the group found a1 and a2, and a2 is a step from a1; b2 is of another run."""


@pytest.mark.parametrize(
    ("grain", "counts"),
    [
        ("exact", Tally(found=2, right=1, labelled=3, met=1)),
        ("step", Tally(found=2, right=2, labelled=3, met=1)),
        ("trace", Tally(found=1, right=1, labelled=1, met=1)),
    ],
)
def test_counts_of_a_trace(grain: Grain, counts: Tally) -> None:
    assert tally(BOTH, grain, *in_group(NESTS)(BOTH)) == counts


def test_one_rule_is_measured_against_the_labels_of_its_group() -> None:
    assert tally(BOTH, "exact", *of_rule(NESTS, "unexecuted-claim")(BOTH)) == Tally(found=1, labelled=3)
    assert tally(BOTH, "exact", *of_rule(LOOPS, "repeat-loop")(BOTH)) == Tally(found=1)


def test_a_label_of_the_whole_trace_judges_no_place() -> None:
    whole = trace("whole", (label(""),), (sighting("phantom-call", "a1"),))
    assert tally(whole, "exact", *in_group(NESTS)(whole)) == Tally()
    assert tally(whole, "trace", *in_group(NESTS)(whole)) == Tally(found=1, right=1, labelled=1, met=1)


def test_a_finding_without_a_place_is_found_and_never_right() -> None:
    lost = trace("lost", (label("a1"),), (sighting("phantom-call"),))
    assert tally(lost, "step", *in_group(NESTS)(lost)) == Tally(found=1, labelled=1)


def test_of_several_places_any_one_will_do() -> None:
    wide = trace("wide", (label("a4"),), (sighting("phantom-call", "b2", "a3"),))
    assert tally(wide, "step", *in_group(NESTS)(wide)) == Tally(found=1, right=1, labelled=1, met=1)


def test_pairs_of_place_and_category_want_both() -> None:
    mixed = trace("mixed", (label("a1", "nest"), label("a2", "loop")), (sighting("phantom-call", "a1", "a2"),))
    one = heronry(mixed, category_of={"phantom-call": "nest"})
    assert by_category(one, mixed, "exact") == Tally(found=1, right=1, labelled=2, met=1)


def test_a_score_is_made_of_the_sums() -> None:
    counts = [Tally(found=4, right=3, labelled=2, met=1), Tally(found=0, labelled=2), Tally(found=1, right=0)]
    result = score(counts)
    assert result.precision == wilson(3, 5)
    assert result.recall == wilson(1, 4)
    assert result.f1 == pytest.approx(2 * 0.6 * 0.25 / 0.85)
    assert result == score(counts)


def test_an_interval_of_f1_is_about_as_wide_as_theory_says() -> None:
    """With one place a trace, F1 = 2 tp / (found + labelled): of 400 traces its standard error is near 0.02."""
    hit, missed, wrong = Tally(found=1, right=1, labelled=1, met=1), Tally(labelled=1), Tally(found=1)
    result = score([hit] * 200 + [missed] * 100 + [wrong] * 100)
    assert result.f1 == pytest.approx(2 / 3)
    assert result.f1_low is not None
    assert result.f1_high is not None
    assert 0.07 < result.f1_high - result.f1_low < 0.13
    assert result.f1_low < 2 / 3 < result.f1_high


@pytest.mark.parametrize("number", [1, 5])
def test_without_any_error_f1_is_not_certain(number: int) -> None:
    result = score([Tally(found=1, right=1, labelled=1, met=1)] * number)
    assert result.f1 == result.f1_high == 1
    assert result.f1_low == pytest.approx(wilson(number, number).low)


def test_nothing_has_no_f1_and_silence_has_none_right() -> None:
    assert score([]).f1 is None
    assert score([Tally()]).f1_low is None
    assert score([Tally(labelled=3)]).f1 == 0
    assert score([Tally(labelled=3)]).precision.rate is None


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    found, labelled = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    right = draw(st.integers(0, found)) if labelled else 0
    met = draw(st.integers(1, labelled)) if right else 0
    return Tally(found=found, right=right, labelled=labelled, met=met)


@given(st.lists(tallies(), max_size=8))
def test_limits_hold_the_value(counts: list[Tally]) -> None:
    result = score(counts)
    if result.f1 is None:
        assert result.f1_low is None
    else:
        assert result.f1_low is not None
        assert result.f1_high is not None
        assert 0 <= result.f1_low <= result.f1_high <= 1


PLACES = st.sampled_from(["a1", "a2", "a3", "b2", "elsewhere"])


@given(st.lists(PLACES, max_size=4), st.lists(PLACES, max_size=4))
def test_a_coarser_grain_never_has_less_in_common(labels: list[str], found: list[str]) -> None:
    one = trace("t", tuple(map(label, labels)), tuple(sighting("phantom-call", place) for place in found))
    exact, step, whole = (tally(one, grain, *in_group(NESTS)(one)) for grain in GRAINS)
    assert exact.right <= step.right
    assert exact.met <= step.met
    assert bool(step.right) <= bool(whole.right)
