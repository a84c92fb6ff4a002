"""Which tools an agent knew: those described to it, those it called, the agents it started, those its prompt lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlab.trace.events import CompletionEvent, ExecutionStarted, Request
from agentlab.trace.model import Trace

__all__ = ["known_tools"]

_LONGEST = 200_000
"""Characters of a prompt that are searched."""
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


def _listed(prompt: str) -> Iterator[str]:
    """Names in lists; a plain word at the head of an item is rather a heading (`Note:`) than a tool."""
    for match in _LISTED.finditer(prompt):
        name = match["item"]
        if name is None or "_" in name or not name[1:].islower():
            yield match[match.lastgroup or 0]
