"""Where in a foreign record something stands that is not of the shape its format has."""

from __future__ import annotations

from types import TracebackType

from agentlab.formats.shapes.fields import ShapeError

__all__ = ["Place", "at"]


def at(place: str) -> Place:
    """Meanwhile a `ShapeError` is told with its place, e.g. `message 3`."""
    return Place(place)


class Place:
    """What `at` gives: a class of its own, because a generator takes as long as the reading of a short record.

    Args:
        name: of the place.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ShapeError):
            raise ShapeError(f"{self._name}: {error}") from None
