"""Findings about deeds: what was done as the executed side, and what an answer gives otherwise than a result."""

from __future__ import annotations

from agentlab.audit.arguments import plain
from agentlab.audit.judging.deeds import Deed
from agentlab.audit.judging.records import Misfit
from agentlab.audit.rules.base import Crossing
from agentlab.audit.values import Where
from agentlab.strictjson import JSONValue
from agentlab.trace.formatting import shorten

__all__ = ["deed_side", "misfit_crossing"]

_SHOWN = 120


def deed_side(deed: Deed) -> dict[str, JSONValue]:
    """The executed side of a finding, of a deed that may only have been answered."""
    return {
        "tool": deed.call.tool,
        "arguments": plain(deed.call.arguments),
        "state": deed.call.state,
        "result": deed.result,
        "error": deed.call.error,
        "event": deed.event,
    }


def misfit_crossing(misfit: Misfit, event: str, field: str, text: str) -> Crossing:
    """What is said beside the result that says it otherwise.

    Args:
        misfit: where it stands in the text, and why it does not fit.
        event: that says it.
        field: of the event.
        text: of the field.
    """
    said = text[misfit.start : misfit.end]
    return Crossing(
        message=f"{shorten(said, _SHOWN)!r} is said, and {shorten(misfit.why, 2 * _SHOWN)}.",
        where=(Where(event=event, field=field, start=misfit.start, end=misfit.end, text=said),),
        claimed={"text": said},
        executed=deed_side(misfit.deed),
    )
