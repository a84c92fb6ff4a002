"""Short signs in place of what nobody can read."""

from __future__ import annotations

from agentlab.strictjson import JSONValue, digest, dumps

__all__ = ["mark"]


def mark(kind: str, value: JSONValue) -> str:
    """A sign for a signature, a picture or the like: its kind, size and digest."""
    body = value if isinstance(value, str) else dumps(value)
    return f"[{kind}, {len(body)} characters, sha256 {digest(body)[:12]}]"
