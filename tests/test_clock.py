from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from agentlab.clock import RealClock, TickClock, derived_id, derived_seed, random_id

TEXTS = st.text(st.characters(exclude_characters="\x1f", exclude_categories=["Cs"]))
PARTS = st.lists(TEXTS | st.integers(), min_size=1, max_size=4)


def test_real_clock_tells_the_time_of_day_and_never_runs_backwards() -> None:
    clock = RealClock()
    assert abs(clock.now() - time.time()) < 5
    readings = [clock.elapsed() for _ in range(100)]
    assert readings == sorted(readings)


def test_tick_clock_advances_by_one_tick_a_reading() -> None:
    clock = TickClock(start=10.0, tick=0.5)
    assert [clock.now(), clock.elapsed(), clock.now()] == [10.5, 11.0, 11.5]


def test_tick_clocks_read_alike_and_without_crumbs() -> None:
    first, second = TickClock(), TickClock()
    readings = [first.now() for _ in range(10_000)]
    assert readings == [second.now() for _ in range(10_000)]
    assert readings == sorted(set(readings))
    assert repr(readings[2]) == "1700000000.003"


def test_random_ids_are_fresh() -> None:
    ids = {random_id("run") for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"run_[0-9a-f]{32}", name) for name in ids)


@given(PARTS, PARTS)
def test_derived_ids_and_seeds_depend_on_the_parts_alone(one: list[object], two: list[object]) -> None:
    assert re.fullmatch(r"attempt_[0-9a-f]{32}", derived_id("attempt", *one))
    assert 0 <= derived_seed(*one) < 2**31
    assert (derived_id("run", *one) == derived_id("run", *two)) == (list(map(str, one)) == list(map(str, two)))


def test_derived_values_do_not_drift() -> None:
    assert derived_id("run", 5, "herons", 0) == "run_a978483d02d5efa97465488e4fcef318"
    assert derived_seed(5, "herons", 0) == 0x2978483D
