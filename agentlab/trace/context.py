"""One exact context, shown item by item with who wrote each."""

from __future__ import annotations

from dataclasses import dataclass

from agentlab.messages import Message, ToolCall
from agentlab.strictjson import dumps
from agentlab.trace.formatting import html_table, shorten, visible

__all__ = ["Context"]

_INDENT = "    "


@dataclass(frozen=True, kw_only=True)
class Context:
    """The items of one request, or some of them."""

    messages: tuple[Message, ...]
    recorded: bool = True
    """False where nobody wrote down what stood in the request; the messages are then only what is known of it."""

    def __str__(self) -> str:
        unknown = [] if self.recorded else [self._unrecorded]
        return "\n\n".join([*unknown, *(_item(message) for message in self.messages)])

    def __repr__(self) -> str:
        authors = ", ".join(message.author for message in self.messages)
        whole = "" if self.recorded else ", not recorded"
        return f"<Context items={len(self.messages)} written by {authors or 'nobody'}{whole}>"

    def _repr_html_(self) -> str:
        rows = ((m.role, m.author, m.trust, m.origin or "the setup", _content(m)) for m in self.messages)
        table = html_table(("seat", "written by", "trust", "from", "text"), rows)
        return table if self.recorded else f"<p>{self._unrecorded}</p>{table}"

    @property
    def _unrecorded(self) -> str:
        known = ": what follows is all that is known of it" if self.messages else ""
        return f"What stood in this request was not recorded{known}."


def _item(message: Message) -> str:
    """A head at the margin and the text behind an indent, so that no text can pass for a head."""
    origin = shorten(message.origin or "the setup")
    head = f"--- {message.role} · written by {message.author} · {message.trust} · from {origin}"
    return "\n".join([head, *(_INDENT + line for line in visible(_content(message)).splitlines())])


def _content(message: Message) -> str:
    """The text, and the native calls beside it or the one that it answers."""
    answered = [f"(result of {message.call})"] if message.call else []
    made = [f"(native call {call.id}: {call.tool} {_given(call)})" for call in message.calls]
    return "\n".join(filter(None, [*answered, message.text, *made]))


def _given(call: ToolCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else dumps(call.arguments)
