"""What is odd in a text: a cheap look before patterns that are about such characters only."""

from __future__ import annotations

__all__ = ["odd"]

_COMMON = bytes((*b"\t\n", *range(ord(" "), ord("~") + 1)))


def odd(text: str) -> str:
    """The characters of a text that are neither printable ASCII nor a tab or a line's end, in order.

    Most texts have few, and bytes are sorted out many times faster than a pattern looks at each character.
    """
    return text.encode("utf-8", "surrogatepass").translate(None, _COMMON).decode("utf-8", "surrogatepass")
