"""A call written as tags.

<function=search>{"q": "tea"}</function>
<invoke name="search"><parameter name="q">tea</parameter></invoke>
<action><tool_name>search</tool_name><arguments><arg key="q">tea</arg></arguments></action>
<tool>search</tool><tool_input>tea</tool_input>
<search><q>tea</q></search>                                  where a tool `search` is registered
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentlab.markers.arguments import Read, read_arguments
from agentlab.strictjson import JSONValue

__all__ = ["Element", "open_element", "read_children", "read_parameters"]


class Element(NamedTuple):
    """A tag, what it holds and what it says of itself. Offsets are code points."""

    tag: str
    """As written."""
    name: str | None
    """The tool its attribute names: `<function=search>`, `<invoke name="search">`."""
    inner_start: int
    inner_end: int
    end: int
    closed: bool


def open_element(text: str, start: int, stop: int) -> Element | None:
    """The element that begins at `start`; one that is not closed before `stop` runs to there."""
    opening = _OPENING.match(text, start, stop)
    if opening is None:
        return None
    tag: str = opening["tag"]
    close = re.compile(rf"</(?:\w{{1,20}}:)?{re.escape(tag)}\s*+>", re.IGNORECASE).search(text, opening.end(), stop)
    named = _NAME_ATTRIBUTE.search(opening["attributes"])
    name = next((part for part in named.groups() if part), None) if named else None
    if close is None:
        return Element(tag, name, opening.end(), stop, stop, closed=False)
    return Element(tag, name, opening.end(), close.start(), close.end(), closed=True)


def read_children(text: str, start: int, stop: int) -> tuple[str, Read, int] | None:
    """Read an element that names the tool and, behind it, the one that holds its arguments; with where they end."""
    named = _NAME_CHILD.match(text, start, stop)
    if named is None:
        return None
    behind = _ARGUMENT_CHILD.match(text, named.end(), stop)
    if behind is None:
        return named["name"].strip(), Read({}), named.end()
    element = open_element(text, behind.start("opening"), stop)
    assert element is not None, "the pattern of an opening tag has just matched"
    return named["name"].strip(), read_parameters(text[element.inner_start : element.inner_end]), element.end


def read_parameters(text: str) -> Read:
    """Read what an element holds as arguments: an object, one tag a parameter, or plain text."""
    body = text.strip()
    wrapper = open_element(body, 0, len(body))
    if wrapper is not None and wrapper.end == len(body) and wrapper.tag.lower() in _ARGUMENT_TAGS:
        body = body[wrapper.inner_start : wrapper.inner_end].strip()
    values: dict[str, JSONValue] = {}
    at = 0
    while (pair := _PARAMETER.match(body, at)) is not None:
        key = (pair["key"] or pair["glm"] or pair["tag"]).strip()
        if key in values:
            return Read(text.strip(), "same_key_twice")
        values[key] = (pair["value"] or pair["glm_value"] or pair["content"] or "").strip("\n")
        at = pair.end()
    return Read(values) if values and at == len(body) else read_arguments(body)


_ARGUMENT_TAGS = ("arguments", "args", "parameters", "params", "input", "tool_input", "action_input")
_OPENING = re.compile(r"<(?:\w{1,20}:)?(?P<tag>[^\W\d][\w-]{0,60})(?P<attributes>(?:[ \t=][^<>\n]{0,200})?)>")
_NAME_ATTRIBUTE = re.compile(
    r"^=[ \t]*[\"']?([^\"'\n]{1,120}?)[\"']?[ \t]*$|\bname[ \t]*=[ \t]*[\"']([^\"'\n]{1,120})[\"']"
)
_NAME_CHILD = re.compile(
    r"\s*+<(?P<tag>tool_name|function_name|action_name|name|tool)>(?P<name>[^<>\n]{1,120}|\s*+[^<>\n]{1,120}\s*+)</(?P=tag)>",
    re.IGNORECASE,
)
_ARGUMENT_CHILD = re.compile(rf"\s*+(?P<opening><(?:{'|'.join(_ARGUMENT_TAGS)})>)", re.IGNORECASE)
_PARAMETER = re.compile(
    r"\s*+(?:<(?P<kind>arg|argument|param|parameter)(?:[ \t]+(?:key|name))?[ \t]*=[ \t]*[\"']?(?P<key>[^\"'<>\n]{1,100})"
    r"[\"']?[^<>\n]{0,100}>(?P<value>.*?)</(?P=kind)[ \t]*>"
    r"|<arg_key>(?P<glm>[^<>]{1,100})</arg_key>\s*+<arg_value>(?P<glm_value>.*?)</arg_value>"
    r"|<(?P<tag>[^\W\d][\w-]{0,60})>(?P<content>.*?)</(?P=tag)>)\s*+",
    re.DOTALL | re.IGNORECASE,
)
