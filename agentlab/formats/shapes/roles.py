"""The seats of a chat's messages, by the words of any provider."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.messages import Role

__all__ = ["ROLES"]

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "model"), "assistant"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
"""Any other word names somebody who speaks, or nobody: what that means depends on the format."""
