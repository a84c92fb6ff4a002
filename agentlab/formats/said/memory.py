"""What an agent's last request held, since the next one repeats most of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentlab.formats.building.seat import Item
from agentlab.formats.said.model import Asked, Said
from agentlab.strictjson import JSONValue

__all__ = ["AHEAD", "Memory"]

AHEAD = 40
"""How many messages may have been cut out of the front of a context, or out of its middle, for the rest to be found."""


@dataclass(slots=True)
class Memory:
    """The messages of a request, as they were written, read and told. Each is read and told once."""

    read: list[tuple[JSONValue, list[Said]]] = field(default_factory=list)
    """As written, and what each says."""
    _told: list[tuple[Said, Item]] = field(default_factory=list)

    def items(self, said: Sequence[Said], *, source: str, time: float | None = None) -> list[Item]:
        """Messages as items of a context; what has no place in one, such as calls of earlier turns, goes to `extra`.

        Args:
            said: the messages.
            source: identity of the record in which they stand, where it is the first.
            time: of the request that carries them.
        """
        told = self._told
        for place, each in enumerate(said):
            if place < len(told) and (told[place][0] is each or told[place][0] == each):
                continue
            again = next((at for at in range(place + 1, min(len(told), place + AHEAD)) if told[at][0] == each), None)
            if again is not None:
                del told[place:again]
                continue
            told[place:] = [(each, _item(each, source, time))]
        del told[len(said) :]
        return [item for _, item in told]


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
    arguments = ask.arguments if isinstance(ask.arguments, str) else dict(ask.arguments)
    return {"id": ask.call, "tool": ask.tool, "arguments": arguments}
