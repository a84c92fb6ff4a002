"""How texts and events are shown: one cheap line, and HTML in which everything a trace contains is escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentlab.trace.events import Event

__all__ = ["counted", "event_content", "event_line", "html_table", "shorten", "visible"]

_HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_ELSEWHERE = {"type", "id", "time", "step"}
"""Fields that stand beside an event's content."""
_IF_ANY = {"agent_name", "source", "extra", "format", "reasoning", "base", "tool"}
"""Fields that only foreign traces fill."""
_STYLE = "border-collapse:collapse;font-size:0.9em"
_SHORT = 20
"""Characters of a cell that can stay on one line."""
_CELL = "text-align:left;vertical-align:top;padding:0.2em 0.7em;border-bottom:1px solid #8884"


def counted(number: int, one: str) -> str:
    """`1 trace`, `2 traces`, `1,000 traces`."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def visible(text: str) -> str:
    """The text with control and direction-changing characters written as escapes, newlines and tabs kept."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _HIDDEN else f"\\u{{{ord(c):x}}}" for c in text)


def shorten(text: str, limit: int = 100) -> str:
    """At most `limit` characters of the text, on one line, with hidden characters made visible."""
    line = " ".join(visible(text[: 4 * limit]).split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"


def event_line(event: Event) -> str:
    """One line: id, type, and what is said in the event's own fields."""
    return shorten(f"{event.id} {event.type} {event_content(event)}", 160)


def event_content(event: Event, limit: int = 160) -> str:
    """What is said in the event's own fields, on one line of at most `limit` characters."""
    own = (field.name for field in fields(event) if field.name not in _ELSEWHERE)
    shown = (f"{name}={value!r}" for name in own if _is_shown(name, value := getattr(event, name)))
    return shorten(" ".join(shown), limit)


def _is_shown(name: str, value: object) -> bool:
    """Whether a field says anything: one that only foreign traces fill, or that a request's content is not recorded."""
    return value is not True if name == "recorded" else bool(value) or name not in _IF_ANY


def html_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """An HTML table; every cell is escaped. The page gives the colours, so dark themes and print stay legible."""
    top = "".join(f'<th style="{_CELL};white-space:normal">{escape(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_style(cell)}">{escape(visible(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f'<table style="{_STYLE}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def _style(cell: str) -> str:
    """A short cell that begins with a number stays on one line, a text of several lines keeps them."""
    if "\n" in cell:
        return f"{_CELL};white-space:pre-wrap;overflow-wrap:anywhere"
    number = cell[:1].isdigit() and len(cell) <= _SHORT
    return f"{_CELL};white-space:{'nowrap' if number else 'normal;overflow-wrap:anywhere'}"
