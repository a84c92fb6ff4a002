from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.derived import may_derive


@pytest.mark.parametrize(
    ("figure", "numbers"),
    [
        ("25", ["80", "100"]),  # growth in percent
        ("270", ["120", "150"]),
        ("30", ["120", "150"]),
        ("3.8", ["3812345"]),
        ("381", ["3812345"]),  # in units of ten thousand
        ("14.2", ["0.1423"]),
        ("75", ["30", "40"]),
        ("6", ["12", "50"]),
        ("5", ["3", "4", "8"]),
    ],
)
def test_figures_that_follow(figure: str, numbers: list[str]) -> None:
    assert may_derive(Decimal(figure), [Decimal(number) for number in numbers])


@pytest.mark.parametrize(("figure", "numbers"), [("14.2", []), ("14.2", ["7"]), ("268.5", ["3", "2020"])])
def test_figures_that_do_not(figure: str, numbers: list[str]) -> None:
    assert not may_derive(Decimal(figure), [Decimal(number) for number in numbers])


@pytest.mark.parametrize(
    ("figure", "numbers", "follows"),
    [
        ("799", ["800"], False),
        ("8000", ["8"], False),
        ("64", ["8"], False),
        ("12", ["4", "8"], True),
        ("37", ["12.3", "3"], True),
        ("12.3", ["12.34"], True),
    ],
)
def test_counts_are_met_exactly(figure: str, numbers: list[str], follows: bool) -> None:
    assert may_derive(Decimal(figure), [Decimal(number) for number in numbers], counted=True) is follows


@given(st.decimals(-(10**9), 10**9, places=2), st.lists(st.decimals(-(10**9), 10**9, places=2), max_size=50))
def test_any_numbers(figure: Decimal, numbers: list[Decimal]) -> None:
    assert may_derive(figure, [figure, *numbers])
    assert may_derive(figure, numbers) in (True, False)
