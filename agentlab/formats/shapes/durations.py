"""How long something took, by two times of foreign clocks."""

from __future__ import annotations

__all__ = ["between"]


def between(start: float | None, end: float | None) -> float | None:
    """Seconds; None where a time is missing, or where the clocks disagree and the end lies before the start."""
    return None if start is None or end is None or end < start else end - start
