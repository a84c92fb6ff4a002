"""The first event of a foreign trace: what its file says of the attempt, and what it can prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentlab.formats.shapes.fields import ShapeError
from agentlab.messages import Sampling, Usage
from agentlab.trace.codec import JOURNAL_SCHEMA
from agentlab.trace.events import AttemptFinished, AttemptStarted, CompletionEvent, Event, Request
from agentlab.trace.values import Evidence
from agentlab.version import VERSION

__all__ = ["NothingToldError", "opening"]

_UNKNOWN: Mapping[str, Any] = {
    **dict.fromkeys(("run", "case", "condition", "condition_digest", "agent", "loop_version", "prompt_version"), ""),
    **dict.fromkeys(("provider", "model"), ""),
    "schema": JOURNAL_SCHEMA,
    "index": 0,
    "language": None,
    "sampling": Sampling(max_tokens=None),
    "seed": None,
    "tools": (),
    "package_version": VERSION,
}


class NothingToldError(ShapeError):
    """Nothing in a record is what its format says: it is some other record."""


def opening(
    facts: Mapping[str, Any], evidence: Evidence, events: Sequence[Event], *, ours: bool = True
) -> AttemptStarted:
    """The event before all others.

    Args:
        facts: fields of `AttemptStarted` that the file gives.
        evidence: what the format records of proposals, executions, results, errors and authorship. Times and usage are
            present where an event has any, else not recorded.
        events: what comes after it. The task is the first thing a user said, the model that of the first reply, and
            the time that of the earliest event, where the file gives none itself.
        ours: whether the record is known to be of its format also where nothing came after.

    Raises:
        NothingToldError: if nothing came after and the record is not known to be of its format.
    """
    if not events and not ours:
        wanted = f"a message, a reply or a call was expected as {facts['format']} has them"
        raise NothingToldError("; ".join(filter(None, (wanted, facts.get("defect")))))
    replies = [event for event in events if isinstance(event, CompletionEvent)]
    times = [event.time for event in events if event.time is not None]
    timed = bool(times) or facts.get("time") is not None
    used = any(reply.usage != Usage() for reply in replies) or any(
        isinstance(event, AttemptFinished) and (event.input_tokens, event.output_tokens) != (None, None)
        for event in events
    )
    known = {
        **_UNKNOWN,
        "time": min(times, default=None),
        "task": _task(events),
        "model": next((reply.model for reply in replies if reply.model), ""),
        **{name: value for name, value in facts.items() if value not in ("", None)},
    }
    extra = dict(known.pop("extra", {}))
    declared = replace(
        evidence,
        times="present" if timed else "not_recorded",
        usage="present" if used else "not_recorded",
    )
    return AttemptStarted(id="e0", evidence=declared, extra=extra, **known)


def _task(events: Sequence[Event]) -> str:
    for event in events:
        if isinstance(event, Request):
            return next((item.text or "" for item in event.items if item.author == "user"), "")
    return ""
