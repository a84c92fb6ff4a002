"""What a reply tells otherwise than the report that it follows."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Told"]


class Told(NamedTuple):
    """A sentence that gives what a report does not. Offsets are code points, end exclusive."""

    start: int
    end: int
    denial: str
    """What the report says instead."""
    of_agent: bool
    """Whether the sentence says that it was found, or by whom."""
