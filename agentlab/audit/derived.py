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


def may_derive(figure: int | Decimal, numbers: Collection[int | Decimal]) -> bool:
    """Whether a figure is one of some numbers, rounded or in another unit, or follows from two or from all of them.

    Args:
        figure: as it is stated.
        numbers: that were shown; the first forty are looked at.
    """
    known = [Decimal(number) for number in list(dict.fromkeys(numbers))[:_MOST]]
    said = Decimal(figure)
    if any(_close(said * scale, number) for number in known for scale in _SCALES):
        return True
    whole = sum(known, Decimal(0))
    if known and (_close(said, whole) or _close(said, whole / len(known))):
        return True
    return any(_close(said, result) for one, other in permutations(known, 2) for result in _of(one, other))


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
