"""What an observation of OpenHands says of the action that it answers."""

from __future__ import annotations

from dataclasses import dataclass

from agentlab.formats.openhands.shape import Event
from agentlab.formats.shapes.fields import arguments_of, boolean, integer, mapping, text
from agentlab.trace.values import RefusalCode

__all__ = ["Outcome", "outcome_of", "refusal_of", "unfit"]

_ERROR = "ERROR:\n"
"""How the runtime's file editor begins the observation of a command that failed."""
_NO_TOOL = ("not found in available tools", "is not registered")
_UNSUPPORTED = ("does not exist", "is not supported in the current runtime")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How a run ended."""

    result: str | None = None
    error: str | None = None
    kind: str | None = None
    ended: bool = True
    """False where a command was still running when the observation was made."""


def refusal_of(event: Event) -> RefusalCode | None:
    """Why an action was not run, by the observation that answers it; None where it was.

    An `error` observation answers an action that failed as well as one that did not run; only its words tell.
    """
    if event.observation == "user_rejected":
        return "not_permitted"
    if event.observation != "error":
        return None
    said = event.said[:400]
    if "has not been executed" in said:
        return "not_permitted"
    return "unknown_tool" if said.startswith("Action ") and any(word in said for word in _UNSUPPORTED) else None


def unfit(event: Event) -> RefusalCode:
    """Why no action could be made of a reply, by the error that the harness tells the model."""
    return "unknown_tool" if any(word in event.said[:400] for word in _NO_TOOL) else "invalid_arguments"


def outcome_of(event: Event) -> Outcome:
    """How a run ended, by the observation that answers it.

    Commands have an exit code, -1 while they run on. `success` is written for commands and Python cells, of which the
    latter always succeed. The editor's failures show in the first word, those of an MCP tool in the JSON it gave.
    """
    said = event.said
    fields = event.fields
    code = integer(mapping(fields, "metadata") if "metadata" in fields else fields, "exit_code")
    if event.observation == "error":
        return Outcome(error=said, kind=text(fields, "error_id") or "error")
    if code == -1:
        return Outcome(ended=False)
    if code or boolean(event.whole, "success") is False:
        return Outcome(error=said or f"exit code {code}", kind=f"exit code {code}" if code else "error")
    if said.startswith(_ERROR) and text(fields, "impl_source") == "oh_aci":
        return Outcome(error=said, kind="editor")
    if fields.get("error") is True or (event.observation == "mcp" and _is_error(said)):
        return Outcome(error=said, kind=event.observation)
    return Outcome(result=said)


def _is_error(said: str) -> bool:
    answer = arguments_of(said) if '"isError"' in said else {}
    return isinstance(answer, dict) and answer.get("isError") is True
