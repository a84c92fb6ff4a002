"""The response of a chat completions API as a harness keeps it beside what it made of it.

LiteLLM's shape, https://docs.litellm.ai/docs/completion/output: OpenAI's, with Anthropic's cache counts beside.
"""

from __future__ import annotations

from agentlab.formats.shapes.fields import Object, integer, mapping, mappings, text
from agentlab.messages import FinishReason, Usage

__all__ = ["finish_reason_of", "message_of", "usage_of"]

_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "content_filter",
}


def message_of(response: Object) -> Object:
    """The message of the first choice; empty where there is none."""
    choices = mappings(response, "choices")
    return mapping(choices[0], "message") if choices else {}


def finish_reason_of(response: Object) -> FinishReason:
    """Why the model stopped."""
    choices = mappings(response, "choices")
    return _REASONS.get(text(choices[0], "finish_reason"), "unknown") if choices else "unknown"


def usage_of(response: Object) -> Usage | None:
    """All prompt tokens, cached ones too, and all generated tokens; None where the response counts none.

    LiteLLM adds what was read from a cache to `prompt_tokens`, and in many versions not what was written to it. That it
    did not shows where the sum of both exceeds `prompt_tokens`; then the written ones are added.
    """
    counted = mapping(response, "usage")
    given = integer(counted, "prompt_tokens")
    if given is None:
        given = integer(counted, "input_tokens")
    made = integer(counted, "completion_tokens")
    if made is None:
        made = integer(counted, "output_tokens")
    if given is None and made is None:
        return None
    written = integer(counted, "cache_creation_input_tokens") or 0
    read = integer(counted, "cache_read_input_tokens") or 0
    if given is not None and given < written + read:
        given += written
    return Usage(input_tokens=given, output_tokens=made)
