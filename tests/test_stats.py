from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, inf, nan
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from agentlab.errors import UsageError
from agentlab.stats import Difference, Rate, attempts_needed, compare, fisher_exact, pass_at_k, pass_hat_k, wilson

FOUR_DIGITS = 5.1e-5
"""How far a value may be from one that was published with four decimal places."""

levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@st.composite
def tallies(draw: st.DrawFn, most: int = 400) -> tuple[int, int]:
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


@st.composite
def draws(draw: st.DrawFn, most: int = 300) -> tuple[int, int, int]:
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


def exact_fisher(count_a: int, n_a: int, count_b: int, n_b: int) -> Fraction:
    """The definition in whole numbers, where equally probable tables are exactly equal."""
    total = count_a + count_b
    weights = [comb(n_a, x) * comb(n_b, total - x) for x in range(max(0, total - n_b), min(n_a, total) + 1)]
    observed = comb(n_a, count_a) * comb(n_b, count_b)
    return Fraction(sum(weight for weight in weights if weight <= observed), comb(n_a + n_b, total))


def fisher_power(p_a: float, p_b: float, n: int, level: float = 0.95) -> float:
    """Probability that two conditions of n attempts each end with p < 1 - level, summed over all outcomes."""
    chance = {p: scipy_stats.binom.pmf(range(n + 1), n, p) for p in (p_a, p_b)}
    outcomes = product(range(n + 1), repeat=2)
    return float(sum(chance[p_a][a] * chance[p_b][b] for a, b in outcomes if exact_fisher(a, n, b, n) < 1 - level))


def test_importing_stats_imports_neither_scipy_nor_numpy() -> None:
    code = "import sys, agentlab.stats; print(sorted({'numpy', 'scipy'} & set(sys.modules)))"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Newcombe 1998, Statistics in Medicine 17:857-872, Table I, method 3.
@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(count: int, n: int, low: float, high: float) -> None:
    rate = wilson(count, n)
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=FOUR_DIGITS)
    assert (rate.count, rate.n, rate.rate, rate.level) == (count, n, count / n, 0.95)


@given(tallies(), levels)
def test_wilson_agrees_with_scipy(tally: tuple[int, int], level: float) -> None:
    rate = wilson(*tally, level=level)
    expected = scipy_stats.binomtest(*tally).proportion_ci(confidence_level=level, method="wilson")
    assert (rate.low, rate.high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


@given(tallies(10**9), levels)
def test_wilson_limits_are_where_the_score_test_turns(tally: tuple[int, int], level: float) -> None:
    rate, z = wilson(*tally, level=level), NormalDist().inv_cdf((1 + level) / 2)
    for limit in (rate.low, rate.high):
        assert (tally[0] / tally[1] - limit) ** 2 == pytest.approx(z**2 * limit * (1 - limit) / tally[1], abs=1e-12)


@given(tallies(10**6), levels)
def test_wilson_contains_the_rate_and_stays_inside_the_scale(tally: tuple[int, int], level: float) -> None:
    rate = wilson(*tally, level=level)
    assert rate.rate is not None
    assert 0 <= rate.low <= rate.rate <= rate.high <= 1
    assert (rate.low == 0) == (tally[0] == 0)
    assert (rate.high == 1) == (tally[0] == tally[1])


@given(tallies(), levels, st.integers(2, 50))
def test_wilson_mirrors_failures_and_shrinks_with_n_and_grows_with_the_level(
    tally: tuple[int, int], level: float, times: int
) -> None:
    (count, n), rate = tally, wilson(*tally, level=level)
    mirrored = wilson(n - count, n, level=level)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((rate.low, rate.high), abs=1e-12)
    more = wilson(count * times, n * times, level=level)
    assert more.high - more.low < rate.high - rate.low
    surer = wilson(count, n, level=0.9999)
    assert surer.high - surer.low > rate.high - rate.low


@pytest.mark.parametrize("count", [0, 3, 7])
def test_wilson_narrows_to_the_rate_and_widens_to_the_scale_at_the_ends_of_the_level(count: int) -> None:
    unsure, sure = wilson(count, 7, level=1e-300), wilson(count, 7, level=1 - 2**-53)
    assert unsure.low == pytest.approx(count / 7) == unsure.high
    assert 0 <= sure.low <= count / 7 <= sure.high <= 1
    assert sure.high - sure.low > 0.9


def test_wilson_limits_rise_with_the_count() -> None:
    rates = [wilson(count, 60) for count in range(61)]
    for smaller, larger in pairwise(rates):
        assert smaller.low < larger.low
        assert smaller.high < larger.high


def test_without_attempts_every_rate_and_every_difference_is_possible() -> None:
    assert wilson(0, 0, level=0.9) == Rate(count=0, n=0, rate=None, low=0.0, high=1.0, level=0.9)
    unknown = Difference(difference=None, low=-1.0, high=1.0, p=1.0, level=0.95)
    assert compare(0, 0, 3, 7) == compare(3, 7, 0, 0) == compare(0, 0, 0, 0) == unknown


# Newcombe 1998, Statistics in Medicine 17:873-890, Table II, method 10.
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((0, 10, 0, 10), -0.2775, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
        ((10, 10, 0, 10), 0.6075, 1.0),
    ],
)
def test_compare_gives_the_published_intervals(counts: tuple[int, int, int, int], low: float, high: float) -> None:
    found = compare(*counts)
    assert (found.low, found.high) == pytest.approx((low, high), abs=FOUR_DIGITS)
    assert found.difference == pytest.approx(counts[0] / counts[1] - counts[2] / counts[3])
    assert found.p == fisher_exact(*counts)


@given(tallies(), tallies(), levels)
def test_compare_contains_the_difference_stays_inside_the_scale_and_can_be_swapped(
    a: tuple[int, int], b: tuple[int, int], level: float
) -> None:
    found, swapped = compare(*a, *b, level=level), compare(*b, *a, level=level)
    assert found.difference is not None
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert swapped.difference == -found.difference
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low), abs=1e-12)
    assert swapped.p == pytest.approx(found.p, rel=1e-9)


@given(tallies(60), tallies(60), st.integers(2, 20))
def test_compare_shrinks_with_n(a: tuple[int, int], b: tuple[int, int], times: int) -> None:
    few, many = compare(*a, *b), compare(*(times * number for number in (*a, *b)))
    assert many.high - many.low < few.high - few.low


# The tea-tasting and the twins table that Fisher wrote about; R's fisher.test gives both values.
@pytest.mark.parametrize(("counts", "p"), [((3, 4, 1, 4), 34 / 70), ((2, 17, 10, 13), 0.0005367)])
def test_fisher_exact_gives_the_published_p(counts: tuple[int, int, int, int], p: float) -> None:
    assert fisher_exact(*counts) == pytest.approx(p, abs=5e-8)


@given(tallies(80), tallies(80))
def test_fisher_exact_agrees_with_its_definition_in_whole_numbers(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert fisher_exact(*a, *b) == pytest.approx(float(exact_fisher(*a, *b)), rel=1e-9)


@given(tallies(300))
def test_fisher_exact_counts_the_mirrored_table_of_equal_conditions(tally: tuple[int, int]) -> None:
    (count, n), other = tally, tally[1] // 2
    assert fisher_exact(count, n, other, n) == pytest.approx(float(exact_fisher(count, n, other, n)), rel=1e-9)


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(1, 9) for k in range(1, n + 1)])
def test_pass_at_k_and_pass_hat_k_are_shares_of_all_choices_of_k_attempts(n: int, k: int) -> None:
    for c in range(n + 1):
        choices = list(combinations([True] * c + [False] * (n - c), k))
        assert pass_at_k(n, c, k) == sum(map(any, choices)) / len(choices)
        assert pass_hat_k(n, c, k) == sum(map(all, choices)) / len(choices)


@given(draws())
def test_pass_at_k_agrees_with_the_product_form_of_its_authors(draw: tuple[int, int, int]) -> None:
    n, c, k = draw
    product_form = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
    assert pass_at_k(n, c, k) == pytest.approx(product_form, rel=1e-9, abs=1e-12)


@given(draws())
def test_pass_at_k_rises_and_pass_hat_k_falls_with_k_and_both_rise_with_c(draw: tuple[int, int, int]) -> None:
    n, c, k = draw
    assert pass_at_k(n, c, 1) == pass_hat_k(n, c, 1) == c / n
    assert 0 <= pass_hat_k(n, c, k) <= c / n <= pass_at_k(n, c, k) <= 1
    assert pass_hat_k(n, c, k) == pytest.approx(1 - pass_at_k(n, n - c, k), abs=1e-12)
    if k < n:
        assert pass_at_k(n, c, k + 1) >= pass_at_k(n, c, k)
        assert pass_hat_k(n, c, k + 1) <= pass_hat_k(n, c, k)
    if c < n:
        assert pass_at_k(n, c + 1, k) >= pass_at_k(n, c, k)
        assert pass_hat_k(n, c + 1, k) >= pass_hat_k(n, c, k)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_pass_at_k_and_pass_hat_k_are_right_on_average(p: float) -> None:
    n, k = 9, 4
    chance = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    assert sum(chance[c] * pass_at_k(n, c, k) for c in range(n + 1)) == pytest.approx(1 - (1 - p) ** k)
    assert sum(chance[c] * pass_hat_k(n, c, k) for c in range(n + 1)) == pytest.approx(p**k)


def test_pass_at_k_keeps_its_digits_where_almost_nothing_and_almost_everything_passes() -> None:
    assert pass_at_k(10**17, 1, 1) == 1e-17
    assert pass_at_k(100_000, 50_000, 40_000) == 1.0
    assert pass_hat_k(2000, 1000, 500) == float(Fraction(comb(1000, 500), comb(2000, 500))) > 0


# Fleiss 1981, Table A.3 and the example of chapter 3 (827); Zar 1999, example 24.26 (127.23);
# the README of the R package clinfun (13, exact power 0.8688275; one attempt fewer gives 0.8115276).
@pytest.mark.parametrize(
    ("p_a", "p_b", "power", "level", "n"),
    [
        (0.6, 0.7, 0.8, 0.95, 376),
        (0.6, 0.7, 0.95, 0.99, 827),
        (0.45, 0.25, 0.9, 0.95, 128),
        (0.8, 0.2, 0.8, 0.95, 13),
    ],
)
def test_attempts_needed_gives_the_published_numbers(
    p_a: float, p_b: float, power: float, level: float, n: int
) -> None:
    assert attempts_needed(p_a, p_b, power=power, level=level) == n


def test_the_power_of_fisher_exact_is_the_published_one() -> None:
    assert fisher_power(0.8, 0.2, 13) == pytest.approx(0.8688275, abs=1e-7)
    assert fisher_power(0.8, 0.2, 12) == pytest.approx(0.8115276, abs=1e-7)


@pytest.mark.parametrize(("p_a", "p_b"), [(0.0, 1.0), (0.9, 0.1), (0.9, 0.6), (0.5, 0.1), (0.7, 0.3), (1.0, 0.5)])
def test_the_attempts_needed_reach_the_power_and_far_fewer_do_not(p_a: float, p_b: float) -> None:
    n = attempts_needed(p_a, p_b)
    assert fisher_power(p_a, p_b, n) >= 0.8 > fisher_power(p_a, p_b, n * 3 // 4)


rates = st.floats(0, 1, allow_subnormal=False)


@settings(max_examples=200)
@given(rates, rates, st.sampled_from([0.5, 0.8, 0.9]), st.sampled_from([0.9, 0.95, 0.99]))
def test_attempts_needed_is_symmetric_and_grows_with_what_is_asked(
    a: float, b: float, power: float, level: float
) -> None:
    assume(abs(a - b) > 1e-5)
    n = attempts_needed(a, b, power=power, level=level)
    assert n >= 1 / abs(a - b)
    assert attempts_needed(b, a, power=power, level=level) == n
    assert attempts_needed(1 - a, 1 - b, power=power, level=level) == pytest.approx(n, rel=1e-6, abs=1)
    assert attempts_needed(a, b, power=0.95, level=level) >= n
    assert attempts_needed(a, b, power=power, level=0.999) >= n
    assert attempts_needed(a, (a + b) / 2, power=power, level=level) >= n


def test_whole_numbers_of_other_libraries_are_taken() -> None:
    assert wilson(np.int64(3), np.int64(4)) == wilson(3, 4)
    assert type(wilson(np.int64(3), np.int64(4)).count) is int


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(5, 4), "count is 5; it must be a whole number from 0 to 4."),
        (lambda: wilson(-1, 4), "count is -1; it must be a whole number from 0 to 4."),
        (lambda: wilson(0, -1), "n is -1; it must be a whole number of at least 0."),
        (lambda: wilson(2.0, 4), "count is 2.0; it must be a whole number from 0 to 4."),
        (lambda: wilson("2", 4), "count is '2'; it must be a whole number from 0 to 4."),
        (lambda: wilson(2, 4, level=95), "level is 95; it must be a number above 0 and below 1, as 0.95 is for 95 %."),
        (lambda: wilson(2, 4, level=nan), "level is nan; it must be"),
        (lambda: wilson(0, 0, level=0), "level is 0; it must be"),
        (lambda: compare(1, 2, 3, 4, level="95 %"), "level is '95 %'; it must be"),
        (lambda: compare(3, 2, 3, 4), "count_a is 3; it must be a whole number from 0 to 2."),
        (lambda: compare(1, 2, 5, 4), "count_b is 5; it must be a whole number from 0 to 4."),
        (lambda: fisher_exact(1, 2, 3, None), "n_b is None; it must be a whole number of at least 0."),
        (lambda: pass_at_k(0, 0, 1), "n is 0; it must be a whole number of at least 1."),
        (lambda: pass_at_k(4, 5, 1), "c is 5; it must be a whole number from 0 to 4."),
        (lambda: pass_at_k(4, 2, 5), "k is 5; it must be a whole number from 1 to 4."),
        (lambda: pass_hat_k(4, 2, 0), "k is 0; it must be a whole number from 1 to 4."),
        (lambda: attempts_needed(80, 0.5), "p_a is 80; it must be a number from 0 to 1, as 0.8 is for 80 %."),
        (lambda: attempts_needed(0.5, -inf), "p_b is -inf; it must be a number from 0 to 1"),
        (lambda: attempts_needed(0.3, 0.1 + 0.2), "p_a is 0.3 and p_b is 0.30000000000000004; they must differ"),
        (lambda: attempts_needed(0.1, 0.2, power=0.05), "power is 0.05; it must be a number above 0.05 and below 1"),
        (lambda: attempts_needed(0.1, 0.2, power=1), "power is 1; it must be a number above 0.05 and below 1"),
        (lambda: attempts_needed(0.1, 0.2, level=1.0), "level is 1.0; it must be a number above 0 and below 1"),
    ],
)
def test_what_cannot_be_counted_is_refused_with_the_value_and_what_is_allowed(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(UsageError) as refused:
        call()
    assert str(refused.value).startswith(message)
