"""Where the parts of a timeline stand on its page, in inches."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["AT", "GUTTER", "LEFT", "PADDING", "RIGHT", "Drawn", "Heights", "Spot"]

GUTTER = 0.16
"""Free space between two columns; ways of forged text run down in it."""
LEFT, RIGHT = 0.98, 9.88
"""Where columns begin and end."""
PADDING = 0.06
"""Of a box above and below, within its lane."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Heights:
    """Where the parts of a band begin below its upper edge."""

    claims: float = 0.26
    lane: float = 1.08
    """Height of each lane."""
    executions: float = 1.64
    ways: float = 2.72
    """Between the executions and the strip, where forged texts go from claim to request."""
    strip: float = 3.14
    cell: float = 0.36
    """Height of the strip."""
    band: float = 3.5


AT = Heights()


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """Where something stands: its edges, and the upper edge of its band."""

    left: float
    right: float
    top: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(kw_only=True, slots=True)
class Drawn:
    """What stands where, for the ways that join it."""

    claims: dict[str, Spot] = field(default_factory=dict)
    """By claim id."""
    cells: dict[str, Spot] = field(default_factory=dict)
    """By request id."""
