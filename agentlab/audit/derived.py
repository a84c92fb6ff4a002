"""Whether a figure may have been worked out from others: a sum, a share, a growth, a multiple, or a rounding."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from decimal import Decimal
from itertools import permutations

__all__ = ["may_derive"]

_MOST = 40
"""Numbers that are tried with each other: a figure may come by chance from many."""
_SCALES = tuple(Decimal(scale) for scale in ("1", "1000", "1e4", "1e6", "1e8", "1e9", "0.01", "0.001"))
"""Units of counting in English and Chinese, and percents."""
_CLOSE = Decimal("0.006")


def may_derive(figure: int | Decimal, numbers: Collection[int | Decimal], *, counted: bool = False) -> bool:
    """Whether a figure is one of some numbers, rounded or in another unit, or follows from two or from all of them.

    Args:
        figure: as it is stated.
        numbers: that were shown; the first forty are looked at.
        counted: whether whole numbers are counts, which are neither rounded nor given in other units.
    """
    known = [Decimal(number) for number in list(dict.fromkeys(numbers))[:_MOST]]
    said = Decimal(figure)
    is_near = _met if counted and said % 1 == 0 else _close
    if any(is_near(said * scale, number) for number in known for scale in _SCALES if is_near is _close or scale == 1):
        return True
    whole = sum(known, Decimal(0))
    if known and (is_near(said, whole) or is_near(said, whole / len(known))):
        return True
    return any(is_near(said, result) for one, other in permutations(known, 2) for result in _of(one, other))


def _of(one: Decimal, other: Decimal) -> Iterator[Decimal]:
    yield from (
        one + other,
        one - other,
        one * other,
        one * other / 100,
        one + one * other / 100,
        one - one * other / 100,
    )
    if other:
        share = one / other
        yield from (share, share * 100, abs(one - other) / abs(other) * 100)


def _close(said: Decimal, exact: Decimal) -> bool:
    return said == exact or (exact != 0 and abs(said - exact) <= abs(exact) * _CLOSE)


def _met(said: Decimal, exact: Decimal) -> bool:
    """Whether a whole number is another one, or near to one that is not whole."""
    return said == exact or (exact % 1 != 0 and _close(said, exact))
