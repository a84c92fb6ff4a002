from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import UsageError
from agentlab.providers.wire.pacing import Pace, Rate


class Now:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@given(st.floats(1, 6000), st.integers(1, 300))
def test_no_more_requests_go_than_the_rate_allows(rate: float, asked: int) -> None:
    now = Now()
    pace = Pace(Rate(requests_per_minute=rate), now)
    for _ in range(asked):
        now.seconds += pace.take_turn()
    at_once = max(1.0, rate / 6)
    assert now.seconds * rate / 60 >= asked - at_once - 1e-6


@given(st.lists(st.integers(0, 5_000), min_size=1, max_size=60))
def test_no_more_tokens_are_spent_than_the_rate_allows(spent: list[int]) -> None:
    now = Now()
    pace = Pace(Rate(tokens_per_minute=6_000), now)
    for tokens in spent:
        now.seconds += pace.take_turn()
        assert now.seconds >= 0
        pace.spend(tokens)
    assert now.seconds * 100 >= sum(spent[:-1]) - 1_000 - 1e-6


def test_without_limits_nobody_waits() -> None:
    pace = Pace(Rate(), Now())
    pace.spend(10**9)
    assert [pace.take_turn() for _ in range(1_000)] == [0.0] * 1_000


def test_idle_time_is_saved_for_ten_seconds_at_most() -> None:
    now = Now()
    pace = Pace(Rate(requests_per_minute=60), now)
    now.seconds = 3_600
    assert [pace.take_turn() for _ in range(12)] == [0.0] * 10 + [1.0, 2.0]


@pytest.mark.parametrize("limit", [0, -1, 0.5, float("nan"), float("inf")])
def test_rates_that_cannot_be_kept(limit: float) -> None:
    with pytest.raises(UsageError, match="cannot be kept"):
        Rate(requests_per_minute=limit)
    with pytest.raises(UsageError, match="cannot be kept"):
        Rate(tokens_per_minute=limit)
