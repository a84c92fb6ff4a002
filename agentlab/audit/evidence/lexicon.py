"""Word lists, written as people read them."""

from __future__ import annotations

__all__ = ["words"]


def words(text: str) -> frozenset[str]:
    """The words of a text that is separated by spaces."""
    return frozenset(text.split())
