"""What a provider's own count of tokens says beyond how many went in and came out."""

from __future__ import annotations

from agentlab.formats.shapes.fields import Object, rest
from agentlab.strictjson import JSONValue

__all__ = ["whole_usage"]

_READ = {
    *("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "total_tokens"),
    *("input", "output", "total"),
}
"""Names of the two numbers that are read, and of their sum."""


def whole_usage(usage: Object, name: str = "usage") -> dict[str, JSONValue]:
    """The count as the file has it, under its name there, for a reply's `extra`; empty where it is two numbers only.

    What was cached and what was reasoning is in the two numbers, and how much of them it was stands here alone.
    """
    return {name: dict(usage)} if rest(usage, _READ) else {}
