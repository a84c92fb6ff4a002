"""Tokens of a reply, from any provider's way to count them."""

from __future__ import annotations

from agentlab.formats.shapes.fields import Object, integer, mapping
from agentlab.messages import Usage

__all__ = ["usage_of"]


_NONE = Usage()


def usage_of(reply: Object) -> Usage:
    """The tokens that a reply reports: all of the prompt, cached ones too, and all generated ones, reasoning too.

    Providers count in two ways. OpenAI and LangChain (`usage_metadata`, and `token_usage` in its two spellings) count
    cached and reasoning tokens in; Anthropic counts cached ones beside `input_tokens`, and Google reasoning ones beside
    `candidates_token_count`.
    """
    for name in ("usage_metadata", "usageMetadata", "usage"):
        if reply.get(name):
            return _usage(mapping(reply, name))
    about = mapping(reply, "response_metadata")
    for name in ("token_usage", "tokenUsage", "usage"):
        if about.get(name):
            return _usage(mapping(about, name))
    return _NONE


def _usage(counts: Object) -> Usage:
    cached = sum(_count(counts, name) or 0 for name in ("cache_read_input_tokens", "cache_creation_input_tokens"))
    thoughts = _count(counts, "thoughts_token_count") or _count(counts, "thoughtsTokenCount") or 0
    prompt = _first(counts, "input_tokens", "prompt_tokens", "promptTokens", "prompt_token_count", "promptTokenCount")
    generated = _first(
        *(counts, "output_tokens", "completion_tokens", "completionTokens"),
        *("candidates_token_count", "candidatesTokenCount"),
    )
    return Usage(
        input_tokens=None if prompt is None else prompt + cached,
        output_tokens=None if generated is None else generated + thoughts,
    )


def _first(counts: Object, *names: str) -> int | None:
    return next((found for name in names if (found := _count(counts, name)) is not None), None)


def _count(counts: Object, name: str) -> int | None:
    found = integer(counts, name)
    return None if found is None or found < 0 else found
