"""Three questions to the contexts of a trace, asked before any loop or model is suspected.

Is there text in them that nobody needs, are the tools described, and does the instruction stand where it is seen? Each
is answered from the record alone, with the figure it rests on, and is no finding: a poor context makes failures likely
and is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.audit.tooling import described_tools
from agentlab.messages import Message, ToolDescription
from agentlab.trace.events import Request
from agentlab.trace.model import Trace

__all__ = ["ContextCheck", "Verdict", "context_checks"]

Verdict: TypeAlias = Literal["good", "poor", "not_recorded"]

_REPEATED = 0.2
"""Share of a context that may stand in it a second time."""
_FLOODED = 0.6
"""Share of a context that one tool result may take up."""
_SMALL = 4000
"""Characters of a context in which everything is seen, wherever it stands."""
_EDGE = 0.15
"""Share of a long context, from either end, in which an instruction is in plain sight."""
_TOO_SHORT = "hardly any description"
_TERSE = 15
"""Characters of a description below which it repeats the tool's name and says little more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextCheck:
    """What came of one question."""

    name: Literal["irrelevant_text", "tool_descriptions", "instruction_place"]
    verdict: Verdict
    detail: str
    """A sentence with the figure."""
    event: str | None = None
    """The request it was read from; None where none was."""


def context_checks(trace: Trace, request: Request | None = None) -> tuple[ContextCheck, ...]:
    """Ask all three.

    Args:
        trace: whose contexts are asked.
        request: whose context is meant; the largest that the main agent sent by default.
    """
    asked = request or _largest(trace)
    known = asked if asked is not None and asked.recorded else None
    event, messages = (known.id, trace.context_of(known)) if known else (None, ())
    return (_irrelevant(event, messages), _descriptions(trace), _place(trace, event, messages))


def _largest(trace: Trace) -> Request | None:
    requests = [request for request in trace.of(Request) if request.recorded and not request.agent_name]
    return max(requests, key=lambda request: request.kept + len(request.items), default=None)


def _irrelevant(request: str | None, messages: tuple[Message, ...]) -> ContextCheck:
    total = sum(len(message.text) for message in messages)
    if not total:
        return ContextCheck(
            name="irrelevant_text", verdict="not_recorded", detail="No context is on record.", event=request
        )
    twice = total - sum(map(len, {message.text for message in messages}))
    longest = max((len(message.text) for message in messages if message.author == "tool"), default=0)
    if total > _SMALL and twice > _REPEATED * total:
        detail = f"{twice} of {total} characters stand in the context more than once."
    elif total > _SMALL and longest > _FLOODED * total:
        detail = f"One tool result takes up {longest} of {total} characters of the context."
    else:
        detail = f"{twice} of {total} characters are repeated, and the longest tool result has {longest}."
        return ContextCheck(name="irrelevant_text", verdict="good", detail=detail, event=request)
    return ContextCheck(name="irrelevant_text", verdict="poor", detail=detail, event=request)


def _descriptions(trace: Trace) -> ContextCheck:
    lacks = {tool.name: _lack(tool) for tool in trace.started.tools}
    if not lacks:  # then a prompt may list them
        lacks = {name: _TOO_SHORT * _is_terse(said.text) for name, said in described_tools(trace).items()}
    if not lacks:
        detail = "No tool's description is on record."
        return ContextCheck(name="tool_descriptions", verdict="not_recorded", detail=detail)
    poor = [f"{name} ({lack})" for name, lack in lacks.items() if lack]
    if not poor:
        what = "tools and their parameters are" if trace.started.tools else "tools that the prompt lists are"
        detail = f"All {len(lacks)} {what} described."
        return ContextCheck(name="tool_descriptions", verdict="good", detail=detail)
    named = ", ".join(poor[:4]) + (f" and {len(poor) - 4} more" if len(poor) > 4 else "")
    detail = f"{len(poor)} of {len(lacks)} tools are poorly described: {named}."
    return ContextCheck(name="tool_descriptions", verdict="poor", detail=detail)


def _is_terse(description: str) -> bool:
    return len(description.strip()) < _TERSE


def _lack(tool: ToolDescription) -> str:
    """What a tool's description leaves out."""
    if _is_terse(tool.description):
        return _TOO_SHORT
    properties = tool.parameters.get("properties")
    if not isinstance(properties, Mapping):
        return ""
    silent = [name for name, each in properties.items() if not (isinstance(each, Mapping) and each.get("description"))]
    return f"nothing on {', '.join(silent[:3])}" if silent else ""


def _place(trace: Trace, request: str | None, messages: tuple[Message, ...]) -> ContextCheck:
    task = trace.started.task.strip()
    total = sum(len(message.text) for message in messages)
    before = 0
    for message in messages:
        found = message.text.find(task) if task else -1
        if found >= 0:
            start = before + found
            break
        before += len(message.text)
    else:
        verdict: Verdict = "poor" if task and total else "not_recorded"
        detail = "The task stands nowhere in the context." if verdict == "poor" else "Task or context is not on record."
        return ContextCheck(name="instruction_place", verdict=verdict, detail=detail, event=request)
    behind = total - start - len(task)
    seen = total <= _SMALL or min(start, behind) <= _EDGE * total
    detail = f"The task begins after {start} of {total} characters, with {behind} behind it."
    return ContextCheck(name="instruction_place", verdict="good" if seen else "poor", detail=detail, event=request)
