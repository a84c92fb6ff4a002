"""One message of a chat, whichever provider's SDK wrote it down, and reading JSON that stands in a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentlab.formats.files.jsontext import JSONError, parse
from agentlab.messages import Arguments, FinishReason, Role, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller

__all__ = ["UNSAID", "Asked", "Said", "decoded", "defect_of", "finish_of"]


UNSAID = "no reason is recorded"
"""Detail of an ending whose time is recorded and whose reason is not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A call that a message asks for."""

    tool: str
    arguments: Arguments
    call: str = ""
    """Its id; empty where the provider gives none."""
    by: Caller = "agent"
    problem: str = ""
    """Why the SDK could not read it, so that nothing was run for it; empty where it could."""
    result: str | None = None
    """Of a call that the provider ran itself, what came out; None where that is not recorded."""
    error: str | None = None
    """Of a call that the provider ran itself, why it failed."""
    ended: bool = True
    """Of a call that the provider ran itself, whether the record holds its end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One message."""

    role: Role
    text: str = ""
    reasoning: str = ""
    calls: tuple[Asked, ...] = ()
    call: str = ""
    """Of an answer to a call, the call's id; empty where it names none."""
    tool: str = ""
    """Of an answer to a call, the tool."""
    failed: bool = False
    """Of an answer to a call, whether it is marked as an error."""
    finish_reason: FinishReason = "unknown"
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    """All tokens of the prompt, cached ones too, and all generated ones, reasoning too."""
    extra: Mapping[str, JSONValue] = field(default_factory=dict)


_FINISHES: Mapping[str, FinishReason] = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "finish_reason_stop", "finish"), "stop"),
    **dict.fromkeys(("completed", "complete"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "incomplete", "max_output_tokens"), "length"),
    **dict.fromkeys(("tool_calls", "tool_call", "tool_use", "tool-calls", "function_call"), "tool_calls"),
    **dict.fromkeys(("content_filter", "content-filter", "safety", "refusal"), "content_filter"),
}


def finish_of(word: JSONValue) -> FinishReason:
    """Why a reply ended, from any provider's word for it, alone or as the first of a list."""
    first = word[0] if isinstance(word, list) and word else word
    return _FINISHES.get(first.lower(), "unknown") if isinstance(first, str) else "unknown"


def decoded(value: JSONValue) -> JSONValue:
    """The value in a text that holds JSON, also where it was written as JSON twice; else the value itself.

    Numbers, truth values and null stay texts, since a text may well read `12` or `null`.
    """
    for _ in range(2):
        if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
            return value
        try:
            value = parse(value.encode("utf-8", "replace"), non_finite=True)
        except JSONError:
            return value
    return value


def defect_of(problems: Sequence[str], what: str) -> str:
    """What is wrong with a record of which some parts could not be read; empty where all could."""
    if not problems:
        return ""
    count = f"one of the {what}" if len(problems) == 1 else f"{len(problems)} {what}"
    return f"{count} could not be read: {'; '.join(problems[:3])}"
