"""What an action asks for: one small function a dialect, tried in order, each seeing only the text behind the marker.

- `tide[{"port": "Brest"}]`, `tide[Brest]`, `tide(port="Brest")`, `tide {"port": "Brest"}`
- `tide` and behind it an input marker with `{"port": "Brest"}` or `Brest`
- `{"name": "tide", "arguments": {"port": "Brest"}}` and its kin, `<tool_name>tide</tool_name>...` and its kin
- any of them in a fence or in backticks
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentlab.markers.arguments import Problem, Read, closing, read_arguments, read_keywords
from agentlab.markers.calls import LONGEST_WORD, Body, Call, Toolset, is_finish, visible
from agentlab.markers.elements import NAME_TAGS, open_element, read_children, read_parameters
from agentlab.markers.jsoncalls import read_json_call
from agentlab.markers.lexicon import NO_TOOL, fold, words

__all__ = ["read_call", "wants_no_tool"]


class _Reading(NamedTuple):
    name: str
    read: Read
    end: int
    """Where the call ends."""
    alone: bool = False
    """As in `Call`."""


def read_call(body: Body, tools: Toolset) -> tuple[Call, int]:
    """Read the call that stands in a body, well formed or not, and where it ends."""
    reading = _read(body, tools)
    return tools.call(reading.name, reading.read, alone=reading.alone), reading.end


def wants_no_tool(body: Body, tools: Toolset) -> bool:
    """Whether a model says here, in place of a tool's name, that it wants none."""
    head = body.text[body.start : body.head_end()]
    if head.strip() not in _DASHES and _NO_TOOL.match(fold(head).text) is None:
        return False
    return tools.find(re.split(r"[\[({]", head, maxsplit=1)[0]) is None


def _read(body: Body, tools: Toolset) -> _Reading:
    return next(reading for dialect in _DIALECTS if (reading := dialect(body, tools)) is not None)


def _fenced(body: Body, tools: Toolset) -> _Reading | None:
    """Any of the others in a fence; in a fence whose language is a registered tool, its text is the argument."""
    fence = body.fences.get(body.start)
    if fence is None:
        return None
    name = tools.find(fence.info) or tools.shell(fence.info)
    if name is not None:
        return _Reading(name, Read(body.text[fence.body_start : fence.body_end].strip()), fence.end)
    reading = _enclosed(body, tools, fence.body_start, fence.body_end, fence.end)
    if reading.read.problem not in _NO_CALL or fence.info:
        return reading
    return _command(body.text[fence.body_start : fence.body_end].strip(), tools, fence.end) or reading


def _command(text: str, tools: Toolset, end: int) -> _Reading | None:
    """A command line that begins with a registered name."""
    word, _, rest = text.partition(" ") if " " in text.partition("\n")[0] else text.partition("\n")
    name = tools.find(word)
    return _Reading(name, Read(rest.strip()), end) if name is not None else None


def _ticked(body: Body, tools: Toolset) -> _Reading | None:
    """Any of the others in one pair of backticks, or of runs of them."""
    ticks = _between_ticks(body.text, body.start, body.line_end(body.start))
    return _enclosed(body, tools, *ticks) if ticks else None


def _enclosed(body: Body, tools: Toolset, start: int, stop: int, end: int) -> _Reading:
    inner = _read(body.within(start, stop), tools)
    leftover: Problem | None = "trailing_text" if visible(body.text, inner.end, stop) < stop else None
    return inner._replace(read=Read(inner.read.arguments, inner.read.problem or leftover), end=end)


def _json(body: Body, tools: Toolset) -> _Reading | None:
    """`{"name": ..., "arguments": ...}`, or an array whose first item is one."""
    if not _OBJECT.match(body.text, body.start, body.hard):
        return None
    end = closing(body.text, body.start, body.hard)
    if end is None:
        return _unclosed("", body, body.start)
    return _ended(body, *read_json_call(body.text[body.start : end]), end)


def _element(body: Body, tools: Toolset) -> _Reading | None:
    """A call written as tags."""
    if body.depth > _DEEPEST:
        return None
    found = read_children(body.text, body.start, body.hard, body.tags)
    if found is not None:
        return _Reading(*found)
    element = open_element(body.text, body.start, body.hard, body.tags)
    if element is None or element.tag.lower() in NAME_TAGS:
        return None
    name = element.name or (element.tag if tools.find(element.tag) else None)
    if name is not None:
        read = read_parameters(body.text[element.inner_start : element.inner_end])
        lost: Problem | None = None if element.closed or not isinstance(read.arguments, str) else "unclosed"
        return _Reading(name, Read(read.arguments, read.problem or lost), element.end)
    found = read_children(body.text, element.inner_start, element.inner_end, body.tags)
    if found is not None:
        return _Reading(found[0], found[1], element.end)
    if not element.closed:  # a server cuts a stop string such as `</tool_call>`; what is whole without it is whole
        return _read(body.within(element.inner_start, element.inner_end), tools)
    return _enclosed(body, tools, element.inner_start, element.inner_end, element.end)


def _registered(body: Body, tools: Toolset) -> _Reading | None:
    """A line that equals a registered name, whatever characters the name holds."""
    return _named(body, tools) if tools.find(body.text[body.start : body.head_end()]) else None


def _bracketed(body: Body, tools: Toolset) -> _Reading | None:
    """`name[...]`, `name(...)`, `name {...}`."""
    stop = body.hard if body.input is None else min(body.hard, body.input.start)
    opening = _NAME_AND_BRACKET.match(body.text, body.start, stop)
    if opening is None:
        return None
    if opening["blank"] and opening["bracket"] in "(（":
        return None  # a remark
    return _BRACKET_READERS[opening["bracket"]](body, opening["name"], opening.start("bracket"))


def _square(body: Body, name: str, bracket: int) -> _Reading:
    text = body.text
    inner = visible(text, bracket + 1, body.hard)
    if text[inner : inner + 1] == "{" and not is_finish(name):
        end = closing(text, inner, body.hard)
        behind = visible(text, end, body.hard) if end is not None else body.hard
        if end is None or behind == body.hard:
            return _unclosed(name, body, bracket)
        if text[behind] not in "]］":
            return _Reading(name, Read(text[inner:behind].strip(), "trailing_text"), body.line_end(behind))
        return _ended(body, name, read_arguments(text[inner:end]), behind + 1)
    end = _free_text_end(body, bracket)
    if end is None:
        return _unclosed(name, body, bracket)
    content = text[bracket + 1 : end - 1].strip()
    return _ended(body, name, Read(content) if content else Read({}), end)


def _round(body: Body, name: str, bracket: int) -> _Reading:
    end = closing(body.text, bracket, body.hard) or closing(body.text, bracket, body.hard, strings=False)
    if end is None:
        return _unclosed(name, body, bracket)
    return _ended(body, name, read_keywords(body.text[bracket + 1 : end - 1]), end)


def _curly(body: Body, name: str, bracket: int) -> _Reading:
    end = closing(body.text, bracket, body.hard)
    if end is None:
        return _unclosed(name, body, bracket)
    return _ended(body, name, read_arguments(body.text[bracket:end]), end)


def _named(body: Body, tools: Toolset) -> _Reading:
    """A name alone, or a name and behind it an input marker with an object or free text."""
    head_end = body.head_end()
    head = body.text[body.start : head_end].strip()
    if body.input is not None and not body.text[head_end : body.input.start].strip():
        return _input(body, head, body.input.end)
    behind = visible(body.text, head_end, body.hard)
    fence = body.fences.get(behind)
    if fence is not None and body.text[fence.body_start : fence.body_end].lstrip().startswith("{"):
        return _input(body, head, behind)
    if body.text[behind : behind + 1] == "{" and behind < body.hard:
        return _input(body, head, behind)
    word = tools.find(head) is not None or (head and len(head) <= LONGEST_WORD and not _SENTENCE.search(head))
    return _Reading(head, Read({}, None if word else "not_a_call"), head_end, alone=True)


def _input(body: Body, name: str, start: int) -> _Reading:
    text = body.text
    stop = body.stop(start)
    start = visible(text, start, stop)
    fence = body.fences.get(start)
    if fence is not None:
        return _Reading(name, read_arguments(text[fence.body_start : fence.body_end]), fence.end)
    ticks = _between_ticks(text, start, body.line_end(start))
    if ticks is not None and text[ticks[0]] == "{":
        return _Reading(name, read_arguments(text[ticks[0] : ticks[1]]), ticks[2])
    if text[start : start + 1] != "{":
        return _Reading(name, read_arguments(text[start:stop]), stop)
    end = closing(text, start, body.hard)
    return _unclosed(name, body, start) if end is None else _ended(body, name, read_arguments(text[start:end]), end)


def _ended(body: Body, name: str, read: Read, end: int) -> _Reading:
    """A call whose last bracket has been read; with anything else on its line it is not well formed."""
    if not body.remark(end):
        return _Reading(name, read, end)
    return _Reading(name, Read(read.arguments, read.problem or "trailing_text"), body.line_end(end))


def _unclosed(name: str, body: Body, start: int) -> _Reading:
    stop = body.stop(start)
    return _Reading(name, Read(body.text[start:stop].strip(), "unclosed"), stop)


def _free_text_end(body: Body, bracket: int) -> int | None:
    """Behind the `]` that ends free text: the matching one or, where they do not match, the last that ends a line."""
    end = closing(body.text, bracket, body.hard, strings=False)
    remark = body.remark(end) if end is not None else "x"
    if not any(char.isalnum() for char in remark) or remark.startswith("["):
        return end
    last = end
    for match in _LAST_BRACKET.finditer(body.text, bracket, body.stop(bracket)):
        last = match.start() + 1
    return last


def _between_ticks(text: str, start: int, line_end: int) -> tuple[int, int, int] | None:
    """Start and end of what stands in backticks that fill a line and hold a bracket, and the place behind them."""
    line = text[start:line_end].rstrip(" \t\r*_") if text[start : start + 1] == "`" else ""
    bar = len(line) - len(line.lstrip("`"))
    if not bar or len(line) <= 2 * bar or not line.endswith(line[:bar]) or not any(char in line for char in "[({"):
        return None
    return start + bar, start + len(line) - bar, start + len(line)


_DIALECTS = (_fenced, _ticked, _json, _element, _registered, _bracketed, _named)
_BRACKET_READERS = {"[": _square, "［": _square, "(": _round, "（": _round, "{": _curly}
_NO_CALL: tuple[Problem | None, ...] = ("not_a_call", "trailing_text", "no_name")
_DEEPEST = 2
_OBJECT = re.compile(r"\[\s*+\{|\{")
_NAME_AND_BRACKET = re.compile(
    r"(?P<name>[^\[\](){}［］（）<>\n\"`]{1,120}?)(?P<blank>[ \t]{0,8})(?P<bracket>[\[({［（])"
)
_SENTENCE = re.compile(r"[\s，。；！？、,;!?]")
_LAST_BRACKET = re.compile(r"[\]］](?=[ \t\r*_~]*+(?:\n|\Z))")
_DASHES = ("-", "--", "–", "—")
_NO_TOOL = re.compile(
    r"[\W_]{0,4}(?:"
    + "|".join(
        re.escape(word[:-1]) if word.endswith("*") else re.escape(word) + r"(?![^\W_])"
        for word in sorted(words(NO_TOOL), key=len, reverse=True)
    )
    + ")"
)
