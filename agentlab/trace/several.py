"""One value or many of a kind, as functions for notebooks take them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from agentlab.errors import UsageError

__all__ = ["checked", "several"]

_T = TypeVar("_T")


def checked(value: object, kind: type[_T], how: str) -> _T:
    """The value, if it is of the kind.

    Args:
        value: what was given.
        kind: what is wanted.
        how: where such a value comes from, as the end of a sentence.

    Raises:
        UsageError: for anything else.
    """
    if not isinstance(value, kind):
        raise UsageError(f"{_told(value)} is no {kind.__name__}; {how}.")
    return value


def several(values: _T | Iterable[_T], kind: type[_T], how: str) -> Iterator[_T]:
    """Each of the values, or the one; read as they come.

    Args:
        values: what was given.
        kind: what is wanted.
        how: where such values come from, as the end of a sentence.

    Raises:
        UsageError: for anything that is neither of the kind nor made of such values.
    """
    if isinstance(values, kind):
        yield values
        return
    if isinstance(values, str) or not isinstance(values, Iterable):
        checked(values, kind, how)
        return
    for value in values:
        yield checked(value, kind, how)


def _told(value: object) -> str:
    """A value as an error names it: a text by its first words, anything else by its type."""
    if not isinstance(value, str):
        return f"A value of type {type(value).__name__}"
    return repr(value) if len(value) <= 80 else f"{value[:80]!r}…"
