"""What boxes and lines say of a claim and of an execution, as one text of any length; whoever shows it shortens it."""

from __future__ import annotations

from agentlab.audit.values import Claim, Entry
from agentlab.messages import Arguments
from agentlab.strictjson import StrictJSONError, dumps

__all__ = ["call_text", "claim_text", "result_text"]


def call_text(tool: str | None, arguments: Arguments | None) -> str:
    """`tool(name=value, ...)`, the values as JSON; raw arguments as they are."""
    if isinstance(arguments, str):
        inside = arguments
    elif arguments is None:
        inside = "…"
    else:
        inside = ", ".join(f"{name}={_value(value)}" for name, value in arguments.items())
    return f"{tool or '?'}({inside})"


def claim_text(claim: Claim) -> str:
    """What a claim says, in one line of any length."""
    if claim.kind == "call" and claim.tool:
        return call_text(claim.tool, claim.arguments)
    return claim.body or claim.where.text


def result_text(entry: Entry) -> str:
    """What came of an execution, in one line of any length."""
    if entry.error is not None:
        return f"failed: {entry.error}"
    return entry.result if entry.result is not None else "no result recorded"


def _value(value: object) -> str:
    try:
        return dumps(value)
    except StrictJSONError:
        return f"<{type(value).__name__}>"
