"""Tokens of a reply, from any provider's way to count them."""

from __future__ import annotations

from agentlab.formats.shapes.fields import Object, integer, mapping
from agentlab.messages import Usage
from agentlab.strictjson import JSONValue

__all__ = ["counts_beside", "usage_of"]


_NONE = Usage()
_CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")
_PLACES = ("usage_metadata", "usageMetadata", "usage")
_SUMS = {
    *("input_tokens", "prompt_tokens", "promptTokens", "prompt_token_count", "promptTokenCount"),
    *("output_tokens", "completion_tokens", "completionTokens", "candidates_token_count", "candidatesTokenCount"),
    *("total_tokens", "totalTokens", "total_token_count", "totalTokenCount"),
}


def usage_of(reply: Object) -> Usage:
    """The tokens that a reply reports: all of the prompt, cached ones too, and all generated ones, reasoning too.

    Providers count in two ways. OpenAI and LangChain (`usage_metadata`, and `token_usage` in its two spellings) count
    cached and reasoning tokens in; Anthropic counts cached ones beside `input_tokens`, and Google reasoning ones beside
    `candidates_token_count`. LiteLLM copies Anthropic's names beside `prompt_tokens`, which hold the cached ones.
    """
    for name in _PLACES:
        if reply.get(name):
            return _usage(mapping(reply, name))
    about = mapping(reply, "response_metadata")
    for name in ("token_usage", "tokenUsage", "usage"):
        if about.get(name):
            return _usage(mapping(about, name))
    return _NONE


def counts_beside(reply: Object) -> dict[str, JSONValue]:
    """The usage that a reply reports, under its own name, where it counts more than prompt, reply and their total."""
    found = {name: mapping(reply, name) for name in _PLACES if isinstance(reply.get(name), dict)}
    return {
        name: counts for name, counts in found.items() if any(_counts(counts[key]) for key in counts.keys() - _SUMS)
    }


def _counts(value: JSONValue) -> bool:
    if isinstance(value, dict):
        return any(map(_counts, value.values()))
    return value not in (None, 0, "", [])


def _usage(counts: Object) -> Usage:
    beside = _count(counts, "input_tokens") is not None
    cached = sum(_count(counts, name) or 0 for name in _CACHED) if beside else 0
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
