"""What an action asks for: one small function a dialect, tried in order, each seeing only the text behind the marker.

- `search[{"q": "tea"}]`, `search[tea]`, `search(q="tea")`, `search {"q": "tea"}`
- `search` and behind it an input marker with `{"q": "tea"}` or `tea`
- `{"name": "search", "arguments": {"q": "tea"}}` and its kin, `<tool_name>search</tool_name>` and its kin
- any of them in a fence or in backticks
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agentlab.markers.arguments import Problem, Read, closing, read_arguments, read_keywords
from agentlab.markers.elements import open_element, read_children, read_parameters
from agentlab.markers.jsoncalls import read_json_call
from agentlab.markers.lexicon import FINISH_NAMES, NO_TOOL, fold, squeeze, words
from agentlab.markers.quotation import Fence
from agentlab.markers.scan import Mark
from agentlab.messages import Arguments

__all__ = ["Body", "Call", "Toolset", "is_finish", "read_call", "wants_no_tool"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """What an action or a finish names and passes, as far as it could be read."""

    name: str
    """The registered spelling where the name is registered, else the trimmed text in NFC; empty where none is named."""
    arguments: Arguments
    """An object, or the text as it stood where it is not an object or could not be read."""
    problem: Problem | None = None
    """Why it is not well formed; None where it is."""
    registered: bool = False
    alone: bool = False
    """Whether it is a name, or a sentence, without anything that makes it a call."""


class Toolset:
    """The registered tool names, compared after NFC normalisation and otherwise exactly."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = {unicodedata.normalize("NFC", name): name for name in names}

    def __bool__(self) -> bool:
        return bool(self._names)

    def find(self, written: str) -> str | None:
        """The registered name a text equals, quotation marks and emphasis around it aside."""
        name = unicodedata.normalize("NFC", written.strip())
        return self._names.get(name) or self._names.get(name.strip(_DRESS))

    def shell(self, language: str) -> str | None:
        """The registered tool that runs a fence of this language, if it is a shell's."""
        return self._names.get("bash") or self._names.get("shell") if language in _SHELLS else None

    def call(self, written: str, read: Read, *, alone: bool) -> Call:
        """A call of what was written, with what was read."""
        known = self.find(written)
        name = unicodedata.normalize("NFC", written.strip().strip(_DRESS)) if known is None else known
        problem = read.problem or (None if name else "no_name")
        return Call(name=name, arguments=read.arguments, problem=problem, registered=known is not None, alone=alone)


class Body(NamedTuple):
    """Where a call may stand."""

    text: str
    start: int
    """The first character behind the marker that is not blank."""
    hard: int
    """The next marker at the start of a line, or the end: no call goes beyond it."""
    soft: Sequence[int] = ()
    """Places of all following markers, those within a line too: no free text and no remark goes beyond one."""
    input: Mark | None = None
    """The first marker of an action's input behind `start`."""
    fences: Mapping[int, Fence] = {}
    """Fenced blocks by the place of their opening bar."""

    def stop(self, start: int) -> int:
        """Where free text from `start` on must end."""
        at = bisect_left(self.soft, start)
        return self.soft[at] if at < len(self.soft) else self.hard

    def line_end(self, start: int) -> int:
        """Where the line of `start` ends, or the next marker on it stands."""
        stop = self.stop(start)
        end = self.text.find("\n", start, stop)
        return stop if end < 0 else end

    def remark(self, start: int) -> str:
        """What else stands on the line from `start` on, emphasis aside."""
        return self.text[start : self.line_end(start)].strip(" \t\r*_~")

    def within(self, start: int, stop: int) -> Body:
        """The same text, seen only between two places."""
        return Body(self.text, _skip_blanks(self.text, start, stop), stop)


class _Reading(NamedTuple):
    name: str
    read: Read
    end: int
    """Where the call ends."""
    alone: bool = False
    """As in `Call`."""


def read_call(body: Body, tools: Toolset) -> tuple[Call, int]:
    """Read the call that stands in a body, well formed or not, and where it ends."""
    reading = next(found for dialect in _DIALECTS if (found := dialect(body, tools)) is not None)
    return tools.call(reading.name, reading.read, alone=reading.alone), reading.end


def wants_no_tool(body: Body, tools: Toolset) -> bool:
    """Whether a model says here, in place of a tool's name, that it wants none."""
    head = body.text[body.start : _head_end(body)]
    return tools.find(head) is None and (head.strip() in _DASHES or _NO_TOOL.match(fold(head).text) is not None)


def is_finish(name: str) -> bool:
    """Whether an action's name means the final answer."""
    return squeeze(fold(name).text) in _FINISH_NAMES


def _fenced(body: Body, tools: Toolset) -> _Reading | None:
    """Any of the others in a fence; in a fence whose language is a registered tool, its text is the argument."""
    fence = body.fences.get(body.start)
    if fence is None:
        return None
    name = tools.find(fence.info) or tools.shell(fence.info)
    if name is not None:
        return _Reading(name, Read(body.text[fence.body_start : fence.body_end].strip()), fence.end)
    return _enclosed(body, tools, fence.body_start, fence.body_end, fence.end)


def _ticked(body: Body, tools: Toolset) -> _Reading | None:
    """Any of the others in one pair of backticks, or of runs of them."""
    ticks = _TICKS.match(body.text, body.start, body.line_end(body.start))
    return _enclosed(body, tools, *ticks.span("call"), ticks.end()) if ticks else None


def _enclosed(body: Body, tools: Toolset, start: int, stop: int, end: int) -> _Reading:
    call, call_end = read_call(body.within(start, stop), tools)
    leftover: Problem | None = "trailing_text" if body.text[call_end:stop].strip() else None
    return _Reading(call.name, Read(call.arguments, call.problem or leftover), end, call.alone)


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
    found = read_children(body.text, body.start, body.hard)
    if found is not None:
        return _Reading(*found)
    element = open_element(body.text, body.start, body.hard)
    if element is None:
        return None
    name = element.name or (element.tag if tools.find(element.tag) else None)
    content = body.text[element.inner_start : element.inner_end]
    if name is not None:
        read = read_parameters(content)
        lost: Problem | None = None if element.closed or not isinstance(read.arguments, str) else "unclosed"
        return _Reading(name, Read(read.arguments, read.problem or lost), element.end)
    found = read_children(body.text, element.inner_start, element.inner_end)
    if found is not None:
        return _Reading(found[0], found[1], element.end)
    if not element.closed:  # a server cuts a stop string such as `</tool_call>`; what is whole without it is whole
        call, end = read_call(body.within(element.inner_start, element.inner_end), tools)
        return _Reading(call.name, Read(call.arguments, call.problem), end, call.alone)
    return _enclosed(body, tools, element.inner_start, element.inner_end, element.end)


def _registered(body: Body, tools: Toolset) -> _Reading | None:
    """A line that equals a registered name, whatever characters the name holds."""
    return _named(body, tools) if tools.find(body.text[body.start : _head_end(body)]) else None


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
    inner = _skip_blanks(text, bracket + 1, body.hard)
    if text[inner : inner + 1] == "{" and not is_finish(name):
        end = closing(text, inner, body.hard)
        behind = _skip_blanks(text, end, body.hard) if end is not None else body.hard
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
    head_end = _head_end(body)
    head = body.text[body.start : head_end].strip()
    if body.input is not None and not body.text[head_end : body.input.start].strip():
        return _input(body, head, body.input.end)
    one_word = tools.find(head) is not None or (head and len(head) <= _LONGEST_WORD and not re.search(r"\s", head))
    return _Reading(head, Read({}, None if one_word else "not_a_call"), head_end, alone=True)


def _input(body: Body, name: str, start: int) -> _Reading:
    text = body.text
    stop = body.stop(start)
    start = _skip_blanks(text, start, stop)
    fence = body.fences.get(start)
    if fence is not None:
        return _Reading(name, read_arguments(text[fence.body_start : fence.body_end]), fence.end)
    ticks = _TICKS.match(text, start, stop)
    if ticks is not None and ticks["call"].startswith("{"):
        return _ended(body, name, read_arguments(ticks["call"]), ticks.end())
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


def _head_end(body: Body) -> int:
    """Where a name must end that is not followed by a bracket."""
    end = body.line_end(body.start)
    return end if body.input is None else min(end, max(body.input.start, body.start))


def _skip_blanks(text: str, start: int, stop: int) -> int:
    match = _BLANKS.match(text, start, stop)
    return match.end() if match else start


_DIALECTS = (_fenced, _ticked, _json, _element, _registered, _bracketed, _named)
_BRACKET_READERS = {"[": _square, "［": _square, "(": _round, "（": _round, "{": _curly}
_SHELLS = ("bash", "sh", "shell")
_DRESS = "*`\"'“”"
_LONGEST_WORD = 64
_BLANKS = re.compile(r"\s*+")
_OBJECT = re.compile(r"\[\s*+\{|\{")
_TICKS = re.compile(r"(?P<bar>`+)(?P<call>[^\n]*[\[({][^\n]*)(?P=bar)(?=[ \t\r*_]*(?:\n|\Z))")
_NAME_AND_BRACKET = re.compile(r"(?P<name>[^\[\](){}［］（）<>\n\"`]{1,120}?)(?P<blank>[ \t]*+)(?P<bracket>[\[({［（])")
_LAST_BRACKET = re.compile(r"[\]］](?=[ \t\r*_~]*+(?:\n|\Z))")
_FINISH_NAMES = frozenset(squeeze(name) for name in words(FINISH_NAMES))
_DASHES = ("-", "--", "–", "—")
_NO_TOOL = re.compile(
    r"[\W_]{0,4}(?:"
    + "|".join(
        re.escape(word[:-1]) if word.endswith("*") else re.escape(word) + r"(?![^\W_])"
        for word in sorted(words(NO_TOOL), key=len, reverse=True)
    )
    + ")"
)
