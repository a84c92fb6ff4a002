"""Whether a field says anything: writers put null, an empty text, list or object where they have nothing to say."""

from __future__ import annotations

from agentlab.strictjson import JSONValue

__all__ = ["filled"]


def filled(value: JSONValue) -> bool:
    """Whether a value is neither null nor empty; zero and false say something."""
    return value is not None and value not in ("", [], {})
