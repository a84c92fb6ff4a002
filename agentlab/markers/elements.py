"""A call written as tags.

- `<function=tide>{"port": "Brest"}</function>`
- `<invoke name="tide"><parameter name="port">Brest</parameter></invoke>`
- `<action><tool_name>tide</tool_name><arguments><arg key="port">Brest</arg></arguments></action>`
- `<tool>tide</tool><tool_input>Brest</tool_input>`
- `<tide><port>Brest</port></tide>`, where a tool `tide` is registered
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentlab.markers.arguments import Read, read_arguments
from agentlab.strictjson import JSONValue

__all__ = ["NAME_TAGS", "ClosingTags", "Element", "open_element", "read_children", "read_parameters"]


NAME_TAGS = ("tool_name", "function_name", "action_name", "name", "tool")
"""Tags that hold a tool's name; the arguments stand behind them."""


class Element(NamedTuple):
    """A tag, what it holds and what it says of itself. Offsets are code points."""

    tag: str
    """As written."""
    name: str | None
    """The tool its attribute names: `<function=tide>`, `<invoke name="tide">`."""
    inner_start: int
    inner_end: int
    end: int
    closed: bool


class ClosingTags:
    """Where tags are closed in one text. It remembers, so that a text of opening tags alone costs no more than any."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, tuple[int, tuple[int, int] | None]] = {}
        """By tag, from where it was looked for and where it was found."""

    def find(self, tag: str, start: int) -> tuple[int, int] | None:
        """Start and end of the first closing tag of this name, case aside, behind a place."""
        tag = tag.lower()
        since, found = self._known.get(tag, (start + 1, None))
        if start < since or (found is not None and found[0] < start):
            closing = re.compile(rf"</(?:\w{{1,20}}:)?{re.escape(tag)}[ \t\n]{{0,20}}>", re.IGNORECASE)
            match = closing.search(self._text, start)
            found = match.span() if match else None
            self._known[tag] = (start, found)
        return found


def open_element(text: str, start: int, stop: int, tags: ClosingTags) -> Element | None:
    """The element that begins at `start`; if not closed before `stop`, it runs to there or to where it opens again."""
    opening = _OPENING.match(text, start, stop)
    if opening is None:
        return None
    tag: str = opening["tag"]
    close = tags.find(tag, opening.end())
    named = _NAME_ATTRIBUTE.search(opening["attributes"])
    name = next((part for part in named.groups() if part), None) if named else None
    if close is None or close[1] > stop:
        again = text.find(f"<{tag}", opening.end(), stop)
        stop = stop if again < 0 else again
        return Element(tag, name, opening.end(), stop, stop, closed=False)
    return Element(tag, name, opening.end(), *close, closed=True)


def read_children(text: str, start: int, stop: int, tags: ClosingTags) -> tuple[str, Read, int] | None:
    """Read an element that names the tool and, behind it, the one that holds its arguments; with where they end."""
    named = _NAME_CHILD.match(text, start, stop)
    if named is None:
        return None
    behind = _ARGUMENT_CHILD.match(text, named.end(), stop)
    if behind is None:
        return named["name"].strip(), Read({}), named.end()
    element = open_element(text, behind.start("opening"), stop, tags)
    assert element is not None, "the pattern of an opening tag has just matched"
    return named["name"].strip(), read_parameters(text[element.inner_start : element.inner_end]), element.end


def read_parameters(text: str) -> Read:
    """Read what an element holds as arguments: an object, one tag a parameter, or plain text."""
    body = text.strip()
    wrapper = open_element(body, 0, len(body), ClosingTags(body))
    if wrapper is not None and wrapper.end == len(body) and wrapper.tag.lower() in _ARGUMENT_TAGS:
        body = body[wrapper.inner_start : wrapper.inner_end].strip()
    values: dict[str, JSONValue] = {}
    at = 0
    while (pair := _PARAMETER.match(body, at)) is not None:
        key = (pair["key"] or pair["tag"]).strip()
        if key in values:
            return Read(text.strip(), "same_key_twice")
        values[key] = (pair["value"] or pair["content"] or "").strip("\n")
        at = pair.end()
    return Read(values) if values and at == len(body) else read_arguments(body)


_ARGUMENT_TAGS = ("arguments", "args", "parameters", "params", "input", "tool_input", "action_input")
_OPENING = re.compile(r"<(?:\w{1,20}:)?(?P<tag>[^\W\d][\w-]{0,60})(?P<attributes>(?:[ \t=][^<>\n]{0,200})?)>")
_NAME_ATTRIBUTE = re.compile(
    r"^=[ \t]*[\"']?([^\"'\n]{1,120}?)[\"']?[ \t]*$|\bname[ \t]*=[ \t]*[\"']([^\"'\n]{1,120})[\"']"
)
_NAME_CHILD = re.compile(
    rf"\s*+<(?P<tag>{'|'.join(NAME_TAGS)})>(?P<name>[^<>]{{1,160}})</(?P=tag)>",
    re.IGNORECASE,
)
_ARGUMENT_CHILD = re.compile(rf"\s*+(?P<opening><(?:{'|'.join(_ARGUMENT_TAGS)})>)", re.IGNORECASE)
_PARAMETER = re.compile(
    r"\s*+(?:<(?:\w{1,20}:)?(?P<kind>arg|argument|param|parameter)(?:[ \t]+(?:key|name))?[ \t]*=[ \t]*"
    r"[\"']?(?P<key>[^\"'<>\n]{1,100})[\"']?[^<>\n]{0,100}>(?P<value>.*?)</(?:\w{1,20}:)?(?P=kind)[ \t]*>"
    r"|<(?P<tag>[^\W\d][\w-]{0,60})>(?P<content>.*?)</(?P=tag)>)\s*+",
    re.DOTALL | re.IGNORECASE,
)
