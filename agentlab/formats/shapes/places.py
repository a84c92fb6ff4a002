"""Where in a foreign record something stands that is not of the shape its format has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentlab.formats.shapes.fields import ShapeError

__all__ = ["at"]


@contextmanager
def at(place: str) -> Iterator[None]:
    """Meanwhile a `ShapeError` is told with its place, e.g. `message 3`."""
    try:
        yield
    except ShapeError as error:
        raise ShapeError(f"{place}: {error}") from None
