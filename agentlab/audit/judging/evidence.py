"""What an answer could rest on: results that came before it and that the model had not written itself."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.evidence.echoing import echoes
from agentlab.audit.judging.deeds import Deed, Deeds

__all__ = ["bearing"]


def bearing(deeds: Deeds, position: int) -> Iterator[Deed]:
    """The deeds before an event that bear anything out: something came back, it was no failure, and it was news.

    Args:
        deeds: of the trace.
        position: place of the event.
    """
    for deed in deeds.before(position):
        if deed.outcome.status == "failed" or deed.outcome.empty or deed.does("finish"):
            continue
        if not echoes(deed.call.arguments, deed.result, tool=deed.call.tool):
            yield deed
