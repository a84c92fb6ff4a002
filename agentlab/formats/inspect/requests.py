"""What a model event sent: its own list of messages, or ranges of the sample's pool of them.

Nearly every request repeats the one before and adds to it. So that a log is read in linear time, each agent's last
request is remembered, and only what is new is given on.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentlab.formats.shapes.fields import Object, ShapeError, listing
from agentlab.strictjson import JSONValue

__all__ = ["Requests", "expanded", "ranges"]

Range = tuple[int, int]

_MANY = 1_000_000
"""Messages of one request; ranges of a few bytes could otherwise name any number."""


class Requests:
    """The requests of one agent, as they follow each other.

    Args:
        pool: the sample's messages.
    """

    def __init__(self, pool: Sequence[JSONValue]) -> None:
        self._pool = pool
        self._ranges: list[Range] | None = None
        self._messages: list[JSONValue] = []
        self._length = 0

    def next(self, event: Object) -> tuple[int, list[JSONValue]]:
        """How many leading messages the request shares with the one before, and the messages behind them.

        Raises:
            ShapeError: if it names its messages in no way that is known.
        """
        stated = ranges(event, "input_refs")
        if event.get("input") or not stated:
            whole = listing(event, "input")
            same = _shared(self._last(), whole)
            self._ranges, self._messages = None, whole
            self._length = len(whole)
            return same, whole[same:]
        added = None if self._ranges is None else _added(self._ranges, stated)
        if added is not None:
            same, new = self._length, expanded(added, self._pool)
        else:
            whole = expanded(stated, self._pool)
            same = _shared(self._last(), whole)
            new = whole[same:]
        self._ranges, self._messages = stated, []
        self._length = same + len(new)
        return same, new

    def _last(self) -> list[JSONValue]:
        return self._messages if self._ranges is None else expanded(self._ranges, self._pool)


def ranges(record: Object, name: str) -> list[Range]:
    """Ranges of a pool, each from a first index to one past the last.

    Raises:
        ShapeError: if something else stands there.
    """
    found: list[Range] = []
    for pair in listing(record, name):
        start, end = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if type(start) is not int or type(end) is not int or not 0 <= start <= end:
            raise ShapeError(f"{name}: pairs of a first index and one past the last were expected")
        found.append((start, end))
    return found


def expanded(stated: Sequence[Range], pool: Sequence[JSONValue]) -> list[JSONValue]:
    """The messages that ranges name; what lies beyond the pool is not there.

    Raises:
        ShapeError: if they name more than any request has.
    """
    count = len(pool)
    named = 0
    for start, end in stated:
        named += min(end, count) - min(start, count)
    if named > _MANY:
        raise ShapeError(f"input_refs: they name more than {_MANY} messages")
    return [message for start, end in stated for message in pool[start:end]]


def _added(before: list[Range], now: list[Range]) -> list[Range] | None:
    """The ranges that one request adds to another; None where it does not merely add."""
    if not before:
        return now
    last = len(before) - 1
    if len(now) <= last or now[:last] != before[:last]:
        return None
    (start, end), (same, further) = before[last], now[last]
    return [(end, further), *now[last + 1 :]] if start == same and end <= further else None


def _shared(before: Sequence[JSONValue], now: Sequence[JSONValue]) -> int:
    """How many leading messages are equal."""
    most = min(len(before), len(now))
    if before[:most] == now[:most]:
        return most
    return next(place for place in range(most) if before[place] != now[place])
