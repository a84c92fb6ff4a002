"""Which tools an agent knew: those described to it, those it called, the agents it started, those its prompt lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agentlab.trace.events import CompletionEvent, ExecutionStarted, Request
from agentlab.trace.model import Trace

__all__ = ["described_tools", "known_tools"]

_LONGEST = 200_000
"""Characters of a prompt that are searched."""
_DESCRIBED = 2000
"""Characters of a prompt behind a listed tool that describe it, at most."""
_LISTED = re.compile(
    r"^[ \t]{0,8}(?:[-*•]|\d{1,2}[.)]|#{1,6})[ \t]+[`*]{0,3}(?P<item>[A-Za-z][\w.-]{2,60}?)[`*]{0,3}[ \t]*[:(]"
    r"|^[ \t]{0,8}(?:async )?def (?P<function>[A-Za-z]\w{2,60})\("
    r'|"name"\s{0,4}:\s{0,4}"(?P<field>[A-Za-z][\w.-]{2,60})"',
    re.MULTILINE,
)
"""How prompts list tools: as items, as signatures, as JSON."""


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


def described_tools(trace: Trace) -> Mapping[str, str]:
    """What the model was told of each tool: its registered description, or what a prompt says behind its name."""
    found: dict[str, str] = {}
    for request in trace.of(Request):
        for item in request.items:
            if item.author == "system" and item.text:
                found |= _descriptions(item.text[:_LONGEST])
    return found | {tool.name: tool.description for tool in trace.started.tools if tool.description}


def _descriptions(prompt: str) -> Iterator[tuple[str, str]]:
    """Each name that a prompt lists, with the text up to the next one."""
    matches = list(_LISTED.finditer(prompt))
    ends = [*(match.start() for match in matches[1:]), len(prompt)]
    for match, end in zip(matches, ends, strict=False):
        yield match[match.lastgroup or 0], prompt[match.end() : min(end, match.end() + _DESCRIBED)]


def _listed(prompt: str) -> Iterator[str]:
    """Names in lists; a plain word at the head of an item is rather a heading (`Note:`) than a tool."""
    for match in _LISTED.finditer(prompt):
        name = match["item"]
        if name is None or "_" in name or not name[1:].islower():
            yield match[match.lastgroup or 0]
