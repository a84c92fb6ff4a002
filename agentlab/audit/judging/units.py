"""Whether a number may be another one in other units, where such units are named beside either."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

__all__ = ["may_convert"]

_CLOSE = Decimal("0.005")
_DEGREES = re.compile(
    r"[°º℃℉度温]|temp|degree|celsius|fahrenheit|kelvin|[\d_] ?[cfk](?![^\W_])|[\"'][cfk][\"']|heat|thermo|weather",
    re.IGNORECASE,
)
_TIME = (
    r"[\d_\"] ?(?:[mµun]?s|h|hrs?|mins?|secs?)(?![^\W_])|second|minute|hour|(?<![^\W\d_])days?(?![^\W_])|week"
    r"|month|year|night|durat|timeout|uptime|latency|elapsed|[秒时天日周月年]|分钟"
)
_BYTES = r"[\d_\"] ?[kmgt]?i?b(?:ytes?|its?|ps)?(?![^\W_])|bytes?(?![^\W_])|memory|disk|字节|size"
_METRIC = (
    r"[\d_\"] ?[kcmdh]?(?:m|g|l|w|wh|hz)(?![^\W_])|lit(?:er|re)|\btons?\b|\btonnes?\b|met(?:er|re)|gram"
    r"|[米克升吨]|hertz|watt"
)
_SCALES = (
    r"[%‰万亿千百分角]|percent|per cent|thousand|million|billion|hundred|share|ratio|rate|fraction|basis point"
    r"|(?<![^\W_])(?:k|bn|cents?|pence|bps)(?![^\W_])|in [’']?000|minor|scale"
)
_FACTORS: Sequence[tuple[re.Pattern[str], Sequence[int]]] = (
    (re.compile(_TIME, re.IGNORECASE), (60, 3600, 24, 1440, 86400, 7, 12, 52, 365, 30, 2, 10**3, 10**6, 10**9)),
    (re.compile(_BYTES, re.IGNORECASE), (8, 1024, 1024**2, 1024**3, 10**3, 10**6, 10**9)),
    (re.compile(_METRIC, re.IGNORECASE), (10, 100, 1000, 10**4, 10**6)),
    (re.compile(_SCALES, re.IGNORECASE), (10, 100, 1000, 10**4, 10**6, 10**8, 10**9)),
    (re.compile(r"dozen|score\b|gross\b|打", re.IGNORECASE), (12, 20, 144)),
)
"""How many of one unit make another, where one of the kind is named."""
_BY_THE_PIECE = re.compile(
    r"[$€£¥元]|(?<![^\W\d_])(?:eur|usd|gbp|chf|cny|rmb|jpy)(?![^\W_])|\b(?:euros?|dollars?|pounds?|yen|yuan|francs?)\b"
    r"|price|cost|fare|fees?(?![^\W_])|rate(?![^\W_])|(?<![^\W_])per(?![^\W_])|unit|each|nightly|单价|[价费每]"
    r"|(?<![^\W_])(?:packs?|packets?|pairs?|dozens?|bundles?|crates?|cartons?|twice|double|triple|both|return|round)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
"""What is given for one and told for several: money, and what comes in packs."""


def may_convert(said: Decimal, exact: Decimal, beside: str, own: str = "") -> bool:
    """Whether a number may be another in other units, or several times as much of what is counted by the piece.

    Args:
        said: the number as it is told.
        exact: as it was given.
        beside: what stands beside them, where a unit may be named.
        own: by what the number is called; it names no pack.
    """
    if not said or not exact:
        return False
    ratio = abs(said / exact)
    parts = (ratio, 1 / ratio)
    if any(part >= 1 and part % 1 == 0 for part in parts) and _come_in_packs(beside, own):
        return True
    if any(abs(part - factor) <= factor * _CLOSE for factor in _factors(beside) for part in parts):
        return True
    scales = (said * 9 / 5 + 32, (said - 32) * 5 / 9, said + Decimal("273.15"), said - Decimal("273.15"))
    return any(abs(scaled - exact) <= 1 for scaled in scales) and _DEGREES.search(beside) is not None


def _come_in_packs(beside: str, own: str) -> bool:
    return any(match[0].casefold() not in own.casefold() for match in _BY_THE_PIECE.finditer(beside))


def _factors(beside: str) -> Iterator[int]:
    """How many of one unit make another, of all units that are named."""
    for signs, factors in _FACTORS:
        if signs.search(beside):
            yield from factors
