"""How often, how different, how many: the arithmetic of attempts that succeed or fail.

Every function supposes that the attempts are independent and that each has the same chance of success. Ten attempts
at one task therefore say nothing about other tasks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import index
from statistics import NormalDist

from agentlab.errors import UsageError

__all__ = [
    "Difference",
    "Rate",
    "attempts_needed",
    "compare",
    "fisher_exact",
    "pass_at_k",
    "pass_hat_k",
    "wilson",
]

_SMALLEST_DIFFERENCE = 1e-6
"""Proportions closer than this are taken as equal: between 0.1 + 0.2 and 0.3 there is no difference to detect."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """How often something happened, with the range of true rates that the count is compatible with."""

    count: int
    n: int
    """Attempts that were counted, whatever came of them."""
    rate: float | None
    """count / n; None where nothing was attempted."""
    low: float
    """Lower limit of the true rate; 0 where nothing was attempted."""
    high: float
    """Upper limit of the true rate; 1 where nothing was attempted."""
    level: float
    """Share of such intervals that hold the true rate, 0.95 for 95 %."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The rate of a minus the rate of b, with the range of true differences that the counts are compatible with."""

    difference: float | None
    """Positive where a has the higher rate; None where one of them was never attempted."""
    low: float
    """Lower limit of the true difference, never below -1."""
    high: float
    """Upper limit of the true difference, never above 1."""
    p: float
    """Probability, if the true rates were equal, of counts at least as unlikely as these."""
    level: float
    """Share of such intervals that hold the true difference, 0.95 for 95 %."""


def wilson(count: int, n: int, *, level: float = 0.95) -> Rate:
    """The rate `count / n` with Wilson's score interval, without continuity correction.

    The limits are the rates t with (count/n - t)^2 = z^2 t (1 - t) / n, z being the normal quantile of the level.
    With `n` = 0 every rate is possible: the limits are 0 and 1.

    Source: Wilson 1927, J. Am. Stat. Assoc. 22:209-212; Brown, Cai and DasGupta 2001, Statistical Science 16:101-133,
    equation (4); method 3 of Newcombe 1998, Statistics in Medicine 17:857-872.

    Raises:
        UsageError: `count` is not a whole number from 0 to `n`, or `level` is not between 0 and 1.
    """
    count, n = _counts(count, n)
    level = _fraction("level", level, above=0)
    if n == 0:
        return Rate(count=0, n=0, rate=None, low=0.0, high=1.0, level=level)
    z = _z(level)
    low, high = _score_low(count, n, z), 1 - _score_low(n - count, n, z)
    return Rate(count=count, n=n, rate=count / n, low=low, high=high, level=level)


def compare(count_a: int, n_a: int, count_b: int, n_b: int, *, level: float = 0.95) -> Difference:
    """The difference of two independent rates, a minus b, with a hybrid score interval and Fisher's exact p.

    With d = rate_a - rate_b and the Wilson limits of both rates, the lower limit is
    d - sqrt((rate_a - low_a)^2 + (high_b - rate_b)^2) and the upper one
    d + sqrt((high_a - rate_a)^2 + (rate_b - low_b)^2). Where one side was never attempted they are -1 and 1.
    Interval and p are different methods, and p is nearly always the more cautious: close to the border the interval
    may leave out 0 where p is still above 1 - `level`.

    Source: method 10 of Newcombe 1998, Statistics in Medicine 17:873-890; for p see `fisher_exact`.

    Raises:
        UsageError: a count is not a whole number from 0 to its n, or `level` is not between 0 and 1.
    """
    p = fisher_exact(count_a, n_a, count_b, n_b)
    a, b = wilson(count_a, n_a, level=level), wilson(count_b, n_b, level=level)
    if a.rate is None or b.rate is None:
        return Difference(difference=None, low=-1.0, high=1.0, p=p, level=a.level)
    difference = a.rate - b.rate
    low = difference - math.hypot(a.rate - a.low, b.high - b.rate)
    high = difference + math.hypot(a.high - a.rate, b.rate - b.low)
    return Difference(difference=difference, low=low, high=high, p=p, level=a.level)


def fisher_exact(count_a: int, n_a: int, count_b: int, n_b: int) -> float:
    """Fisher's exact two-sided p for the hypothesis that a and b have the same true rate.

    It is the sum of the hypergeometric probabilities of all tables with the same totals that are no more probable
    than the observed one. It is 1 where one side was never attempted.

    Source: Fisher 1935, J. R. Stat. Soc. 98:39-82; the two-sided sum as in Freeman and Halton 1951,
    Biometrika 38:141-149.

    Raises:
        UsageError: a count is not a whole number from 0 to its n.
    """
    count_a, n_a = _counts(count_a, n_a, "_a")
    count_b, n_b = _counts(count_b, n_b, "_b")
    import numpy as np
    from scipy import stats

    return float(stats.fisher_exact(np.array([[count_a, n_a - count_a], [count_b, n_b - count_b]])).pvalue)


def pass_at_k(n: int, c: int, k: int) -> float:
    """Probability that at least one of k attempts at a task succeeds, estimated without bias from c successes in n.

    It is 1 - C(n - c, k) / C(n, k), computed in whole numbers and rounded once. Over tasks, take the mean.

    Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", arXiv:2107.03374, equation (1).

    Raises:
        UsageError: not 1 <= `k` <= `n` or not 0 <= `c` <= `n`, or one of them is not a whole number.
    """
    n, c, k = _draws(n, c, k)
    ways = math.comb(n, k)
    return (ways - math.comb(n - c, k)) / ways


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Probability that all of k attempts at a task succeed (pass^k), estimated without bias from c successes in n.

    It is C(c, k) / C(n, k), computed in whole numbers and rounded once. Over tasks, take the mean.

    Source: Yao et al. 2024, "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains",
    arXiv:2406.12045, the definition of pass^k.

    Raises:
        UsageError: not 1 <= `k` <= `n` or not 0 <= `c` <= `n`, or one of them is not a whole number.
    """
    n, c, k = _draws(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def attempts_needed(p_a: float, p_b: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Attempts per condition for which `compare` finds the difference of two true rates with probability `power`.

    With d = |p_a - p_b|, m the mean of the two rates, and z the normal quantiles of level and power,
    n' = (z_level sqrt(2 m (1 - m)) + z_power sqrt(p_a (1 - p_a) + p_b (1 - p_b)))^2 / d^2, and the result is
    n'/4 (1 + sqrt(1 + 4 / (n' d)))^2, rounded up. The second step corrects for continuity; without it the number
    would be too small for Fisher's exact test, whose p decides (p < 1 - `level`, two-sided). The formula is close for
    rates in the middle and asks for some attempts too many where a rate is near 0 or 1.

    Source: Casagrande, Pike and Smith 1978, Biometrics 34:483-486; the tables of Fleiss 1981, "Statistical Methods for
    Rates and Proportions", chapter 3, follow it.

    Raises:
        UsageError: a rate is not from 0 to 1, the rates are equal, `level` is not between 0 and 1, or `power` is not
            between 1 - `level`, which chance alone gives, and 1.
    """
    level = _fraction("level", level, above=0)
    power = _fraction("power", power, above=1 - level)
    p_a, p_b = _proportion("p_a", p_a), _proportion("p_b", p_b)
    d = abs(p_a - p_b)
    if d < _SMALLEST_DIFFERENCE:
        raise UsageError(
            f"p_a is {p_a!r} and p_b is {p_b!r}; they must differ by at least {_SMALLEST_DIFFERENCE:g}, "
            "because no number of attempts shows a difference where there is none."
        )
    m = (p_a + p_b) / 2
    under_equality = _z(level) * math.sqrt(2 * m * (1 - m))
    under_difference = NormalDist().inv_cdf(power) * math.sqrt(p_a * (1 - p_a) + p_b * (1 - p_b))
    root = (under_equality + under_difference) / d  # of n'; the next line is the second step, multiplied out
    return math.ceil((root + math.sqrt(root * root + 4 / d)) ** 2 / 4)


def _z(level: float) -> float:
    """The normal quantile that leaves (1 - level) / 2 on each side."""
    return -NormalDist().inv_cdf((1 - level) / 2)


def _score_low(count: int, n: int, z: float) -> float:
    """Wilson's lower limit, as the product of both limits over the upper one: no digits cancel, and 0 is exactly 0."""
    if count == 0:
        return 0.0
    half = z * z / 2
    return count / n * (count / (count + half + math.sqrt(half * (half + 2 * count * (n - count) / n))))


def _counts(count: int, n: int, side: str = "") -> tuple[int, int]:
    n = _whole(f"n{side}", n)
    return _whole(f"count{side}", count, most=n), n


def _draws(n: int, c: int, k: int) -> tuple[int, int, int]:
    n = _whole("n", n, least=1)
    return n, _whole("c", c, most=n), _whole("k", k, least=1, most=n)


def _whole(name: str, value: int, *, least: int = 0, most: int | None = None) -> int:
    try:
        number = index(value)  # takes the whole numbers of other libraries too
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} is {value!r}; it must be a whole number {allowed}.")
    return number


def _fraction(name: str, value: object, *, above: float) -> float:
    if not (isinstance(value, (int, float)) and above < value < 1):
        raise UsageError(f"{name} is {value!r}; it must be a number above {above:g} and below 1, as 0.95 is for 95 %.")
    return float(value)


def _proportion(name: str, value: object) -> float:
    if not (isinstance(value, (int, float)) and 0 <= value <= 1):
        raise UsageError(f"{name} is {value!r}; it must be a number from 0 to 1, as 0.8 is for 80 %.")
    return float(value)
