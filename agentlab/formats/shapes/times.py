"""Times of foreign traces as seconds since 1970-01-01 UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from agentlab.formats.shapes.fields import ShapeError, kind_of
from agentlab.strictjson import JSONValue

__all__ = ["seconds"]

_DATE = re.compile(r"\d{4}-\d")
_UNITS = (1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3)
"""A count of seconds stays below 1e11 until the year 5138; what is above is in nano-, micro- or milliseconds."""


def seconds(value: JSONValue) -> float | None:
    """A time in seconds since 1970-01-01 UTC, from ISO 8601 text or a count of s, ms, us or ns, as number or text.

    A text without a zone is taken as UTC, since the writers that leave it out (LangSmith, OpenHands) mean UTC or do
    not say. None for null, an empty text and for the year 1 that some writers put where there is no time.

    Raises:
        ShapeError: if it is no time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if _DATE.match(value):
            return _of_text(value)
        try:
            return _of_count(float(value))
        except ValueError:
            return _of_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _of_count(float(value)) if abs(value) < 1e300 else _refuse(value)
    return _refuse(value)


def _of_count(count: float) -> float:
    if not math.isfinite(count):
        return _refuse(count)
    for limit, unit in _UNITS:
        if abs(count) >= limit:
            return count * unit
    return count


def _of_text(value: str) -> float | None:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return _refuse(value)
    if moment.year <= 1:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _refuse(value: object) -> float:
    raise ShapeError(f"a time was expected and {kind_of(value)} found that is none")
