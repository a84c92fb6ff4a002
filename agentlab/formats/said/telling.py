"""Telling a builder of replies with their calls, and finding which call an execution is of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.said.model import Asked, Said
from agentlab.messages import Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller, ProposedCall

__all__ = ["OpenCalls", "tell_reply"]


def tell_reply(
    builder: TraceBuilder,
    said: Said,
    *,
    source: str,
    by: Caller = "agent",
    usage: Usage | None = None,
    model: str = "",
    structured: Collection[str] = (),
    extra: dict[str, JSONValue] | None = None,
    **common: Any,
) -> tuple[str, list[ProposedCall]]:
    """Record a reply, the refusal of calls that its SDK could not read, and the calls that its provider ran.

    Args:
        builder: of the trace.
        said: the reply.
        source: identity of its record.
        by: who asks for the calls that are not marked otherwise.
        usage: tokens; by default those of the reply.
        model: its name; by default that of the reply.
        structured: names of tools that are only a form for the answer.
        extra: more fields.
        common: time, latency, remembered.

    Returns:
        The event's id, and the calls that are still to be run.
    """
    calls = [builder.propose(ask.tool, ask.arguments, call=ask.call, by=_by(ask, by, structured)) for ask in said.calls]
    reply = builder.reply(
        said.text,
        calls=calls,
        reasoning=said.reasoning,
        finish_reason=said.finish_reason,
        model=model or said.model,
        usage=said.usage if usage is None or usage == Usage() else usage,
        source=source,
        extra={**said.extra, **(extra or {})},
        **common,
    )
    time, left = common.get("time"), []
    for ask, call in zip(said.calls, calls, strict=True):
        if ask.problem:
            builder.refuse(call.call, code="unparsed", reason=ask.problem, source=source, time=time)
        elif ask.by == "provider":
            _provide(builder, ask, call, source=source, time=time)
        elif call.by != "structured_output":
            left.append(call)
    return reply, left


def _provide(builder: TraceBuilder, ask: Asked, call: ProposedCall, **common: Any) -> None:
    execution = builder.begin(ask.tool, ask.arguments, call=call.call, by="provider", **common)
    if ask.ended:
        builder.end(execution, result=ask.result, error=ask.error, **common)


_KEPT = 50
"""How many calls that were not run in their step are remembered, in case their run comes late."""


@dataclass(slots=True)
class OpenCalls:
    """The calls of one agent that nothing was run for yet.

    Some records of an execution name no call, or name one by an id that the reply does not have. They are paired by
    the tool's name, in order, among the calls that were made since the loop last went on; only where there is none,
    with the latest one from before, since branches of a graph call the model side by side.
    """

    _known: set[str] = field(default_factory=set)
    _open: dict[str, str] = field(default_factory=dict)
    """Tool by call."""
    _late: dict[str, str] = field(default_factory=dict)

    def add(self, calls: Sequence[ProposedCall]) -> None:
        """Calls that a reply made."""
        self._known.update(call.call for call in calls)
        self._open.update((call.call, call.tool) for call in calls)

    def go_on(self) -> None:
        """The model was asked again."""
        if self._open:
            late = [*self._late.items(), *self._open.items()]
            self._late = dict(late[-_KEPT:])
            self._open.clear()

    def take(self, call: str, tool: str) -> str:
        """The call that an execution is of; empty where none is known."""
        found = call if call in self._known else self._first(tool)
        self._open.pop(found, None)
        self._late.pop(found, None)
        return found

    def _first(self, tool: str) -> str:
        waiting = [*self._open.items(), *reversed(self._late.items())]
        return next((name for name, called in waiting if _bare(called) == _bare(tool)), "")


def _bare(tool: str) -> str:
    """A tool's name without the server that MCP clients put before it."""
    return tool.rsplit("__", 1)[-1]


def _by(ask: Asked, by: Caller, structured: Collection[str]) -> Caller:
    if ask.by != "agent":
        return ask.by
    return "structured_output" if ask.tool in structured else by
