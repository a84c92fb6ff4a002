"""What an agent's last request held, since the next one repeats most of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from agentlab.formats.building.seat import Item
from agentlab.formats.said.model import Asked, Said
from agentlab.formats.shapes.arguments import plain_arguments
from agentlab.strictjson import JSONValue

__all__ = ["Memory"]

_AHEAD = 40
"""How many messages may have been cut out of the front of a context, or out of its middle, for the rest to be found."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class Memory:
    """The messages of a request, as they were written, read and told. Each is read and told once."""

    _read: list[tuple[JSONValue, list[Said]]] = field(default_factory=list)
    _told: list[tuple[Said, Item]] = field(default_factory=list)

    def read(self, values: Sequence[JSONValue], read: Callable[[JSONValue], list[Said]]) -> list[Said]:
        """What the messages of a request say.

        Args:
            values: the messages, as written.
            read: what one says.
        """
        return [said for several in _refitted(self._read, values, read) for said in several]

    def items(self, said: Sequence[Said], *, source: str, time: float | None = None) -> list[Item]:
        """Messages as items of a context; what has no place in one, such as calls of earlier turns, goes to `extra`.

        Args:
            said: the messages.
            source: identity of the record in which they stand, where it is the first.
            time: of the request that carries them.
        """
        return _refitted(self._told, said, lambda each: _item(each, source, time))


def _refitted(known: list[tuple[K, V]], values: Sequence[K], make: Callable[[K], V]) -> list[V]:
    """Bring what is known to these values; what was made of one that stands in its place, or soon behind it, stays."""
    for place, value in enumerate(values):
        if place < len(known) and (known[place][0] is value or known[place][0] == value):
            continue
        again = next((at for at in range(place + 1, min(len(known), place + _AHEAD)) if known[at][0] == value), None)
        if again is None:
            known[place:] = [(value, make(value))]
        else:
            del known[place:again]
    del known[len(values) :]
    return [made for _, made in known]


def _item(said: Said, source: str, time: float | None) -> Item:
    more = dict(said.extra)
    if said.reasoning:
        more["reasoning"] = said.reasoning
    if said.calls:
        more["calls"] = [_call(call) for call in said.calls]
    if said.failed:
        more["status"] = "error"
    if said.tool:
        more["tool"] = said.tool
    return Item(role=said.role, text=said.text, call=said.call, source=source, time=time, extra=more)


def _call(ask: Asked) -> JSONValue:
    return {"id": ask.call, "tool": ask.tool, "arguments": plain_arguments(ask.arguments)}
