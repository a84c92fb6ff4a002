"""Replies and tools as the GenAI conventions write them: messages of a role and parts, as JSON text in an attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentlab.formats.shapes.arguments import plain_arguments
from agentlab.messages import FinishReason, ToolDescription
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.events import CompletionEvent
from agentlab.trace.values import ProposedCall

__all__ = ["output_messages", "said", "tool_definitions"]

_FINISH: Mapping[FinishReason, str] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_call",
    "content_filter": "content_filter",
    "unknown": "stop",
}
"""A finish reason is required of an output message; the attribute beside it is left out where none was recorded."""


def output_messages(reply: CompletionEvent) -> str:
    """A reply; of a rejected one whose text is in quarantine there is none."""
    if reply.text is None:
        return ""
    reasoning: list[JSONValue] = [{"type": "reasoning", "content": reply.reasoning}] if reply.reasoning else []
    parts: list[JSONValue] = [*reasoning, *said(reply.text, reply.calls)]
    return dumps([{"role": "assistant", "parts": parts, "finish_reason": _FINISH[reply.finish_reason]}])


def tool_definitions(tools: Sequence[ToolDescription]) -> str:
    """The tools that the model was told of; empty where there is none."""
    written = [
        {"type": "function", "name": each.name, "description": each.description, "parameters": dict(each.parameters)}
        for each in tools
    ]
    return dumps(written) if written else ""


def said(text: str, calls: Sequence[ProposedCall]) -> list[JSONValue]:
    """The parts of a message: its text, left out where there are only calls, and the calls."""
    parts: list[JSONValue] = [{"type": "text", "content": text}] if text or not calls else []
    for call in calls:
        arguments = plain_arguments(call.arguments)
        parts.append({"type": "tool_call", "id": call.call, "name": call.tool, "arguments": arguments})
    return parts
