"""What became of a call in Claude Code, judged from the answer to it and from what the tool itself returned.

`toolUseResult` is written by what ran: an object with the tool's own fields where it succeeded, a text that begins
with `Error:` where it failed. A person's rejection and a failed check are texts too, which only their wording tells
apart; the wordings are those of the versions 1.0 to 2.1.
"""

from __future__ import annotations

import re
from typing import Final

from agentlab.formats.shapes.fields import number
from agentlab.formats.shapes.marks import mark
from agentlab.formats.shapes.outcomes import Outcome
from agentlab.strictjson import JSONValue
from agentlab.trace.values import RefusalCode

__all__ = ["judge", "returned_fields"]

_REJECTED: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "User rejected",
    "The user rejected",
)
_DENIED: Final = (
    "Permission to use ",
    "Permission for this ",
    "Claude requested permissions to ",
    "This command requires approval",
    "This Bash command contains multiple operations",
)
_BLOCKED: Final = re.compile(r"(?:\w+:)?\S{0,80} (?:operation blocked by hook|hook (?:blocking )?error)", re.IGNORECASE)
_INTERRUPTED: Final = "[Request interrupted by user"
_DURATIONS: Final = ("durationMs", "totalDurationMs")
_INVALID: Final = "<tool_use_error>"
_CANCELLED: Final = ("Cancelled", "Sibling tool call errored")


def judge(said: str, result: JSONValue, *, wrong: bool, witnessed: bool, denied: str = "") -> Outcome:
    """What the answer to a call says became of it.

    Args:
        said: what the model is told.
        result: `toolUseResult` of its line; None where there is none.
        wrong: whether it is marked as an error.
        witnessed: whether another line shows that the tool ran.
        denied: `toolDenialKind` of its line, e.g. `user-rejected`, which newer versions write.
    """
    if denied:
        return Outcome(refused="not_permitted", by="user" if denied.startswith("user") else "policy")
    wrong = wrong or (isinstance(result, str) and result.startswith("Error"))
    if wrong and not isinstance(result, dict):
        refused = _refusal(said) or (_refusal(result.removeprefix("Error: ")) if isinstance(result, str) else None)
        if refused:
            return Outcome(refused=refused[0], by=refused[1])
        if said.startswith(_INTERRUPTED) and not witnessed:
            return Outcome()  # before it ran, or while it did
    if result is None and not witnessed:
        return Outcome()
    fields = result if isinstance(result, dict) else {}
    cut = fields.get("interrupted") is True
    took = next((number(fields, name) for name in _DURATIONS if type(fields.get(name)) in (int, float)), None)
    return Outcome(
        ran=True,
        error="interrupted" if cut and not wrong else said if wrong else None,
        duration=None if took is None else took / 1000,
    )


def _refusal(said: str) -> tuple[RefusalCode, str] | None:
    """Why a call was refused and by whom; None where the text does not say that it was."""
    if said.startswith(_REJECTED):
        return "not_permitted", "user"
    if said.startswith(_DENIED) or _BLOCKED.match(said[:300]):
        return "not_permitted", "policy"
    if not said.startswith(_INVALID):
        return None
    why = said.removeprefix(_INVALID).removeprefix("Error: ")
    if why.startswith("No such tool"):
        return "unknown_tool", ""
    return ("not_permitted", "policy") if why.startswith(_CANCELLED) else ("invalid_arguments", "")


def returned_fields(value: JSONValue) -> dict[str, JSONValue]:
    """What a tool returned beside what the model was told, texts that repeat it left out."""
    if not isinstance(value, dict):
        return {}
    kept: dict[str, JSONValue] = {
        name: each for name, each in value.items() if each is not None and name not in ("stdout", "stderr")
    }
    for name in ("originalFile", "content"):
        if isinstance(kept.get(name), str) and len(str(kept[name])) > _LONG:
            kept[name] = mark(name, kept[name])
    return {"toolUseResult": kept} if kept else {}


_LONG: Final = 4000
"""Characters beyond which a file's whole content, which an edit repeats each time, is named and not kept."""
