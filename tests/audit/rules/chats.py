"""Conversations told message by message, read as a list of chat messages, and what a rule finds in them."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentlab.audit.reading import read
from agentlab.audit.rules.base import Rule
from agentlab.audit.values import Finding
from agentlab.formats.reading import read_traces
from agentlab.messages import ToolDescription
from agentlab.trace.events import AttemptStarted
from agentlab.trace.model import Trace

Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def says(text: str, **more: Any) -> Message:
    return {"role": "assistant", "content": text, **more}


def asks(*calls: tuple[str, str, Any], text: str | None = None) -> Message:
    """A reply with calls, each an id, a tool and its arguments, an object or the raw text."""
    made = [
        {
            "id": name,
            "type": "function",
            "function": {"name": tool, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for name, tool, given in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def gives(call: str, text: str, **more: Any) -> Message:
    return {"role": "tool", "tool_call_id": call, "content": text, **more}


def rounds(tool: str, given: list[Any], results: list[str], **more: Any) -> list[Message]:
    """One call and its result after another."""
    found: list[Message] = []
    for number, (arguments, result) in enumerate(zip(given, results, strict=True)):
        found += [asks((f"{tool}{number}", tool, arguments)), gives(f"{tool}{number}", result, **more)]
    return found


def chat(*messages: Message) -> Trace:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "messages.json")
        path.write_text(json.dumps(messages), encoding="utf-8")
        (trace,) = read_traces(path)
        return trace


def found(rule: Rule, *messages: Message) -> list[Finding]:
    return list(rule.judge(read(chat(*messages))))


def severities(rule: Rule, *messages: Message) -> list[str]:
    return [finding.severity for finding in found(rule, *messages)]


def with_tools(trace: Trace, *tools: ToolDescription) -> Trace:
    """The trace, in which these tools had been described to the model."""
    started = trace.events[0]
    assert isinstance(started, AttemptStarted)
    return replace(trace, events=(replace(started, tools=tools), *trace.events[1:]))


def described(name: str, **parameters: Any) -> ToolDescription:
    return ToolDescription(name=name, description="", parameters=parameters)
