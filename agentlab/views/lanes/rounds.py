"""Which round of a timeline each event belongs to, and what the rounds are called."""

from __future__ import annotations

from collections.abc import Collection

from agentlab.trace.events import CompletionEvent, Event, ExecutionStarted, Request
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["places_of"]

_NAME = 40
"""Characters of an agent's name."""


def places_of(trace: Trace) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """The label and the agent of each round, and the place of the round of each event, by event id.

    A step of an agent is a round; what is recorded of it after another agent had its turn still belongs to it. Where no
    steps were recorded, each request begins a round. The agent is empty where a single one is at work.
    """
    names = {event.agent_name for event in trace if event.step is not None}
    main = trace.started.agent if len(names) > 1 else ""
    labels: list[tuple[str, str]] = []
    places: dict[str, int] = {}
    known: dict[tuple[int, str], int] = {}
    here: tuple[int, str] | None = None
    asked = 0
    proposed = {call.call for reply in trace.of(CompletionEvent) for call in reply.calls}
    for event in trace:
        is_request = isinstance(event, Request)
        asked += is_request
        agent = shorten(event.agent_name or main, _NAME)
        if event.step is None:
            if is_request:
                labels.append((f"request {asked}", agent))
                here = None
            places[event.id] = max(len(labels) - 1, 0)
            continue
        key = (event.step, event.agent_name)
        if (key not in known and _is_drawn(event, proposed)) or (is_request and key != here):
            known[key] = len(labels)
            labels.append((f"step {event.step}", agent))
            here = key
        places[event.id] = known.get(key, max(len(labels) - 1, 0))
    return labels or [("no steps recorded", "")], places


def _is_drawn(event: Event, proposed: Collection[str]) -> bool:
    """Whether a step shows the event as its own: an execution stands below the call that asked for it, if any did."""
    if isinstance(event, ExecutionStarted):
        return event.call not in proposed
    return isinstance(event, Request | CompletionEvent)
