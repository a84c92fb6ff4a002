"""Fields of a foreign record in which one of a few words stands, such as the role of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from agentlab.formats.shapes.fields import Object, ShapeError, text

__all__ = ["meaning_of"]

T = TypeVar("T")


def meaning_of(record: Object, name: str, known: Mapping[str, T]) -> T:
    """What the word in a field stands for.

    Raises:
        ShapeError: if the word is none of the known ones; it names it, and them.
    """
    word = text(record, name)
    if word not in known:
        raise ShapeError(f"{name}: one of {', '.join(known)} was expected and {word[:40]!r} found")
    return known[word]
