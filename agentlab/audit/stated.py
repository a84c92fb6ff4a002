"""What texts state, so far as one can be held against another: numbers, and the names a result gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import TypeAlias

from agentlab.quantities import Quantity, figures, quantities
from agentlab.strictjson import JSONValue, StrictJSONError, loads

__all__ = ["Numbers", "Result", "loose_numbers", "plain_numbers"]

Numbers: TypeAlias = frozenset[int | Decimal]

_SHORTEST_NAME = 4
"""Shorter texts stand in longer words by chance."""


class Result:
    """A text in the place of a tool's result, real or claimed.

    Args:
        text: JSON, or anything else.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._leaves: Sequence[JSONValue] | None = tuple(_leaves(loads(text)))
        except StrictJSONError:
            self._leaves = None

    @cached_property
    def figures(self) -> Numbers:
        """What it states in digits."""
        if self._leaves is None:
            return frozenset(figure.value for figure in figures(self.text))
        return frozenset(number for leaf in self._leaves for number in _figures(leaf))

    @cached_property
    def sizes(self) -> Numbers:
        """What it states without digits: how long its lists are, what its number words say."""
        words = (number.value for text in self._texts for number in plain_numbers(text) if not number.is_digits)
        return frozenset((*words, *(size for leaf in self._leaves or () for size in _sizes(leaf))))

    @property
    def numbers(self) -> Numbers:
        """What it comes to: its digits where it has any, for a count then needs no counting; else its sizes.

        Words like `no` speak only where nothing else does: a document that a tool quotes is full of them.
        """
        return self.figures or self.sizes or frozenset(n.value for text in self._texts for n in loose_numbers(text))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The texts it gives as values; the whole of it where it is plain text.

        Single words in small Latin letters are left out: they are keywords more often than names.
        """
        return tuple(name for text in self._texts if _is_name(name := text.strip()))

    @property
    def _texts(self) -> Sequence[str]:
        return [self.text] if self._leaves is None else [leaf for leaf in self._leaves if isinstance(leaf, str)]


def plain_numbers(text: str) -> tuple[Quantity, ...]:
    """The numbers a person reads in a sentence: digits, and words that are hardly used for anything else; in order."""
    words = (quantity for quantity in quantities(text) if not quantity.is_digits and not quantity.is_loose)
    return tuple(sorted((*figures(text), *words), key=lambda quantity: quantity.start))


def loose_numbers(text: str) -> tuple[Quantity, ...]:
    """Words that may state a number where no plainer one stands: `no`, `never`, `once`."""
    return tuple(quantity for quantity in quantities(text) if quantity.is_loose)


def _leaves(value: JSONValue) -> Iterator[JSONValue]:
    """The value and everything in it, in any order."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        yield found
        if isinstance(found, list):
            waiting += found
        elif isinstance(found, dict):
            waiting += found.values()


def _figures(leaf: JSONValue) -> Iterator[int | Decimal]:
    if isinstance(leaf, str):
        yield from (figure.value for figure in figures(leaf))
    elif isinstance(leaf, dict):
        yield from (figure.value for key in leaf for figure in figures(key))
    elif isinstance(leaf, float):
        yield Decimal(repr(leaf))
    elif isinstance(leaf, int) and not isinstance(leaf, bool):
        yield leaf


def _sizes(leaf: JSONValue) -> Iterator[int]:
    if isinstance(leaf, list):
        yield len(leaf)
    elif leaf is None:
        yield 0


def _is_name(text: str) -> bool:
    return len(text) >= _SHORTEST_NAME and not (text.isascii() and text.isalpha() and text.islower())
