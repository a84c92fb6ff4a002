"""One agent's place in a foreign trace: its context as it grows, and its calls that wait for an execution or an answer.

Foreign files repeat a context in every request. A seat finds again what it already knows, by place or by call id, so
that each message of the file becomes one item with one origin.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from agentlab.messages import Author, Role
from agentlab.strictjson import JSONValue

__all__ = ["Item", "Seat", "Slot"]

_AUTHORS: Mapping[Role, Author] = {"system": "system", "user": "user", "assistant": "model", "tool": "tool"}


@dataclass(kw_only=True, slots=True)
class Item:
    """One message of a foreign context."""

    role: Role
    text: str
    call: str = ""
    """Of a tool message, the call it answers; empty where it names none."""
    tool: str = ""
    """Of a tool message, the tool it names."""
    author: Author | None = None
    """Who wrote it; None for what the role says."""
    time: float | None = None
    source: str = ""
    extra: Mapping[str, JSONValue] = field(default_factory=dict)

    @property
    def written_by(self) -> Author:
        return self.author or _AUTHORS[self.role]


@dataclass(eq=False, slots=True)
class Slot:
    """An item for as long as it stands in a context; told apart from an equal one by identity."""

    item: Item
    origin: str | None
    """Event the text came from."""


Key: TypeAlias = tuple[str, str, str]


class Seat:
    """The context and the open calls of one agent."""

    def __init__(self) -> None:
        self.context: list[Slot] = []
        self._replies: dict[str, str] = {}
        self._unexecuted: OrderedDict[str, None] = OrderedDict()  # a plain one searches what was taken from its front
        self._unanswered: OrderedDict[str, None] = OrderedDict()
        self.rounds = 0
        """Replies so far."""
        self.carried = 0
        """How many items of the context the last request carried."""
        self.standing = 0
        """How many of them still stand unchanged at its beginning."""
        self.sent = ""
        """The last request."""
        self.request: str | None = None
        """The request that waits for its reply."""
        self._gone: dict[Key, Slot] = {}
        """Answers to named calls that a request left out: where a later one has them again, they are the same."""

    def propose(self, calls: Sequence[str], *, text: str, event: str) -> None:
        """A reply was made; its calls wait, those of the reply before wait no more for what names no id."""
        self.rounds += 1
        self._replies[text] = event
        self._unexecuted = OrderedDict.fromkeys(calls)
        self._unanswered = OrderedDict.fromkeys(calls)

    def executed(self, call: str) -> str:
        """The call that an execution is of: the one it names, else the first of the last reply that still waits."""
        return _take(self._unexecuted, call)

    def answered(self, call: str) -> str:
        """The call that an answer is to: the one it names, else the first of the last reply that still waits."""
        return _take(self._unanswered, call)

    def refit(self, items: Sequence[Item], same: int) -> list[Slot | Item]:
        """Cut the context down to what it shares with a request; what follows in that: known slots, and new items.

        A message is known by its place, or, where something before it was cut out or put in, by its content.

        Args:
            items: the request's messages behind the first `same`.
            same: how many are known to be shared.
        """
        if same == len(self.context) and not self._gone:  # it was merely added to, as nearly always
            return list(items)
        tail = self.context[same:]
        shared = next(
            (place for place, (slot, item) in enumerate(zip(tail, items, strict=False)) if not _alike(slot.item, item)),
            min(len(tail), len(items)),
        )
        left: dict[Key, deque[Slot]] = defaultdict(deque)
        for slot in tail[shared:]:
            left[_key(slot.item)].append(slot)
            if slot.item.call:
                self._gone[_key(slot.item)] = slot
        del self.context[same + shared :]
        self.standing = min(self.standing, len(self.context))
        if not left and not self._gone:
            return list(items[shared:])
        found: list[Slot | Item] = []
        for item in items[shared:]:
            again = left.get(_key(item))
            found.append(again.popleft() if again else self._gone.pop(_key(item), item))
        return found

    def unsent(self) -> list[JSONValue]:
        """The messages that joined the context after the last request and stand in no event."""
        slots = (slot for slot in self.context[self.carried :] if slot.origin is None)
        return [{"role": slot.item.role, "text": slot.item.text, "source": slot.item.source} for slot in slots]

    def reply_with(self, text: str) -> str | None:
        """The latest reply with this text."""
        return self._replies.get(text)


def _alike(one: Item, other: Item) -> bool:
    return one.text == other.text and one.role == other.role and one.call == other.call


def _key(item: Item) -> Key:
    return item.role, item.call, item.text


def _take(waiting: OrderedDict[str, None], call: str) -> str:
    name = call or next(iter(waiting), "")
    waiting.pop(name, None)
    return name
