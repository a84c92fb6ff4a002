"""Which tools an agent knew: those described to it, those it called, the agents it started, those its prompt lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agentlab.audit.values import Where
from agentlab.trace.events import CompletionEvent, ExecutionStarted, Request
from agentlab.trace.model import Trace

__all__ = ["described_tools", "known_tools"]

_LONGEST = 200_000
"""Characters of a prompt that are searched."""
_DESCRIBED = 2000
"""Characters of a prompt behind a listed tool that describe it, at most."""
_ON_LINES = (
    r"\n[ \t]{0,8}+(?:(?:[-*•]|\d{1,2}[.)]|#{1,6})[ \t]+[`*]{0,3}(?P<item>[A-Za-z][\w.-]{2,60}?)[`*]{0,3}[ \t]*[:(]"
    r"|(?:async )?def (?P<function>[A-Za-z]\w{2,60})\()"
)
_LINES = re.compile(_ON_LINES)
"""How prompts list tools, behind a line's end: as items, as signatures, ..."""
_LISTED = re.compile(_ON_LINES + r'|"name"\s{0,4}:\s{0,4}"(?P<field>[A-Za-z][\w.-]{2,60})"')
"""... as JSON too. A search for one sign takes a fraction of the time of one for either of two."""


def known_tools(trace: Trace) -> frozenset[str]:
    """The names of all tools and agents that a trace shows the agent to know."""
    found = {tool.name for tool in trace.started.tools}
    for event in trace:
        if isinstance(event, ExecutionStarted):
            found.add(event.tool)
        elif isinstance(event, CompletionEvent):
            found.update(call.tool for call in event.calls)
            found.add(event.agent_name)
        elif isinstance(event, Request):
            for item in event.items:
                if item.author == "system" and item.text:
                    found.update(_listed(item.text[:_LONGEST]))
    return frozenset(found - {""})


def described_tools(trace: Trace) -> Mapping[str, Where]:
    """What the model was told of each tool, by name: its registered description, or what a prompt says behind it."""
    found: dict[str, Where] = {}
    for request in trace.of(Request):
        for place, item in enumerate(request.items, request.kept):
            if item.author == "system" and item.text:
                for name, start, end in _descriptions(item.text[:_LONGEST]):
                    found.setdefault(name, _part(request.id, f"context[{place}].text", item.text, start, end))
    for place, tool in enumerate(trace.started.tools):
        if tool.description:
            field = f"tools[{place}].description"
            found[tool.name] = _part(trace.started.id, field, tool.description, 0, len(tool.description))
    return found


def _part(event: str, field: str, text: str, start: int, end: int) -> Where:
    return Where(event=event, field=field, start=start, end=end, text=text[start:end])


def _descriptions(prompt: str) -> Iterator[tuple[str, int, int]]:
    """Each tool that a prompt lists, with the bounds of the text behind its name, up to the next one."""
    matches = list(_matches(prompt))
    ends = [*(match.start() - (match.lastgroup == "field") for match in matches[1:]), len(prompt)]
    for match, end in zip(matches, ends, strict=False):
        start = match.end() - 1
        stop = min(end, start + _DESCRIBED)
        if match.lastgroup != "field" or '"description"' in prompt[start:stop]:
            yield match[match.lastgroup or 0], start, stop


def _listed(prompt: str) -> Iterator[str]:
    """Names in lists."""
    return (match[match.lastgroup or 0] for match in _matches(prompt))


def _matches(prompt: str) -> Iterator[re.Match[str]]:
    """Each tool that a prompt lists, found in the prompt with a line's end before it."""
    listed = _LISTED if '"name"' in prompt else _LINES
    return (match for match in listed.finditer("\n" + prompt) if match.lastgroup == "field" or _is_tool(match))


def _is_tool(match: re.Match[str]) -> bool:
    """Whether what is listed may be a tool; a plain word at the head of an item is rather a heading (`Note:`)."""
    name = match["item"]
    return name is None or "_" in name or not name[1:].islower()
