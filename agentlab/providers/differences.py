"""Where a request differs from the nearest of those that were recorded, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

__all__ = ["difference"]

_MISSING = object()
_AROUND = 20
"""Code points of a text that are shown before and behind the place where two part."""


def difference(asked: Mapping[str, object], recorded: Sequence[Mapping[str, object]]) -> str:
    """A clause that names the nearest recorded request and the first thing in which it differs.

    Args:
        asked: the request, as canonical JSON values.
        recorded: all that were recorded, in order.
    """
    if not recorded:
        return "nothing was"
    place, nearest = max(enumerate(recorded, start=1), key=lambda each: _likeness(asked, each[1]))
    return f"the nearest, number {place}, differs in {_first('', nearest, asked)}"


def _likeness(asked: Mapping[str, object], other: Mapping[str, object]) -> tuple[int, int, int]:
    """How many leading messages agree, how far into the next one, and how many other fields."""
    ours, theirs = _messages(asked), _messages(other)
    same = next((n for n, (a, b) in enumerate(zip_longest(ours, theirs, fillvalue=_MISSING)) if a != b), len(ours))
    within = _shared(_text(ours, same), _text(theirs, same))
    return same, within, sum(asked.get(name) == other.get(name) for name in {*asked, *other})


def _messages(request: Mapping[str, object]) -> Sequence[object]:
    messages = request.get("messages")
    return messages if isinstance(messages, list) else []


def _text(messages: Sequence[object], place: int) -> str:
    message = messages[place] if place < len(messages) else None
    text = message.get("text") if isinstance(message, dict) else None
    return text if isinstance(text, str) else ""


def _first(where: str, recorded: object, asked: object) -> str:
    """The first difference of two values, with its place."""
    if isinstance(recorded, dict) and isinstance(asked, dict):
        name = next(n for n in (*recorded, *asked) if recorded.get(n, _MISSING) != asked.get(n, _MISSING))
        return _first(f"{where}.{name}".lstrip("."), recorded.get(name), asked.get(name))
    if isinstance(recorded, list) and isinstance(asked, list):
        pairs = enumerate(zip_longest(recorded, asked, fillvalue=_MISSING), start=1)
        place, (ours, theirs) = next((place, pair) for place, pair in pairs if pair[0] != pair[1])
        if place > min(len(recorded), len(asked)):
            return f"{where}, of which {len(recorded)} were recorded and {len(asked)} are asked"
        return _first(f"{where}[{place}]", ours, theirs)
    if isinstance(recorded, str) and isinstance(asked, str):
        at = _shared(recorded, asked)
        parts = f"{_around(recorded, at)} was recorded, {_around(asked, at)} is asked"
        return f"{where} from character {at + 1} on: {parts}"
    return f"{where}: {recorded!r} was recorded, {asked!r} is asked"


def _shared(one: str, other: str) -> int:
    """The length of the beginning that two texts have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _around(text: str, at: int) -> str:
    start, end = max(0, at - _AROUND), at + _AROUND
    return repr(("…" if start else "") + text[start:end] + ("…" if end < len(text) else ""))
