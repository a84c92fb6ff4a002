"""One exact context, shown item by item with who wrote each."""

from __future__ import annotations

from dataclasses import dataclass

from agentlab.messages import Message
from agentlab.trace.formatting import html_table, shorten, visible

__all__ = ["Context"]

_INDENT = "    "


@dataclass(frozen=True, kw_only=True)
class Context:
    """The items of one request, or some of them."""

    messages: tuple[Message, ...]

    def __str__(self) -> str:
        return "\n\n".join(_item(message) for message in self.messages)

    def __repr__(self) -> str:
        authors = ", ".join(message.author for message in self.messages)
        return f"<Context items={len(self.messages)} written by {authors or 'nobody'}>"

    def _repr_html_(self) -> str:
        rows = ((m.role, m.author, m.trust, m.origin or "the setup", m.text) for m in self.messages)
        return html_table(("seat", "written by", "trust", "from", "text"), rows)


def _item(message: Message) -> str:
    """A head at the margin and the text behind an indent, so that no text can pass for a head."""
    origin = shorten(message.origin or "the setup")
    head = f"--- {message.role} · written by {message.author} · {message.trust} · from {origin}"
    return "\n".join([head, *(_INDENT + line for line in visible(message.text).splitlines())])
