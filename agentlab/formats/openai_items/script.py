"""What happened according to a list of items, put in order before it is recorded.

Items are smaller than replies: reasoning, a message and calls of one response stand one behind the other, and its
tokens, or the proof that a call ran, may come while more of it still follows. So the record is laid out first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.shapes.outcomes import Outcome
from agentlab.messages import Arguments, FinishReason, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Approval
from agentlab.trace.values import Caller

__all__ = ["Reply", "Script", "Where"]

Where: TypeAlias = Mapping[str, Any]
"""The time and the source of an event."""


@dataclass(kw_only=True, slots=True)
class Reply:
    """One reply, while its items come in."""

    where: Where
    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    calls: list[tuple[str, Arguments, str, Caller]] = field(default_factory=list)
    extra: dict[str, JSONValue] = field(default_factory=dict)
    usage: Usage | None = None
    model: str = ""
    finish: FinishReason = "unknown"
    after: list[Callable[[], None]] = field(default_factory=list)
    """What is known to have happened to its calls while it was still written."""
    event: str = ""
    """Its id, once it is recorded."""

    @property
    def text(self) -> str:
        return "\n".join(self.said)


class Script:
    """The record of one trace, laid out in order and then played into its builder.

    Args:
        builder: of the trace.
        by: who asks for the calls that the provider does not run.
    """

    def __init__(self, builder: TraceBuilder, by: Caller = "agent") -> None:
        self._builder = builder
        self._by: Caller = by
        self._steps: deque[Reply | Callable[[], None]] = deque()
        self._open: Reply | None = None
        self._running: dict[str, str] = {}
        self._done: set[str] = set()
        self._refused: set[str] = set()
        self.asked: dict[str, tuple[str, Arguments]] = {}
        """Tool and arguments by call."""
        self.model = ""
        """Which model writes from here on."""
        self.last: Reply | None = None
        """The latest reply; None where something came after it."""
        self.first: Reply | None = None
        """The first reply since this was last set to None."""
        self.counted: Reply | None = None
        """The latest reply, whatever came after it."""
        self.own = self.executed = self.provided = self.failed = self.refused = False
        """Whether the agent asked for calls of its own, and one ran; whether the provider ran one, and one failed;
        whether one was refused."""
        self.told = self.silent = False
        """Whether any result is on record, and whether one of the provider's runs has none."""

    # --- replies ---

    def say(self, text: str, where: Where, extra: Mapping[str, JSONValue]) -> None:
        """A message of the model."""
        if self._open and (self._open.said or self._open.after):
            self.close()
        reply = self._reply(where)
        if not reply.said:
            reply.where = where
        reply.said.append(text)
        reply.extra.update(extra)

    def think(self, text: str, where: Where, extra: Mapping[str, JSONValue]) -> None:
        """Reasoning; it begins a reply."""
        if self._open and (self._open.calls or self._open.said):
            self.close()
        reply = self._reply(where)
        if text:
            reply.thought.append(text)
        reply.extra.update(extra)

    def ask(
        self,
        tool: str,
        arguments: Arguments,
        call: str,
        where: Where,
        extra: Mapping[str, JSONValue],
        *,
        provider: bool,
    ) -> None:
        """A call."""
        if self._open and self._open.after:
            self.close()
        reply = self._reply(where)
        reply.calls.append((tool, arguments, call, "provider" if provider else self._by))
        self.own = self.own or not provider
        self.asked[call] = tool, arguments
        if extra:
            calls = reply.extra.setdefault("calls", [])
            if isinstance(calls, list):
                calls.append({"call": call, **extra})

    def close(self) -> None:
        """The reply is whole."""
        self._open = None

    # --- what else happens ---

    def hear(self, item: Item) -> None:
        """A message joins the context."""
        self.told = self.told or item.role == "tool"
        self.then(lambda: self._builder.hear(item))

    def then(self, step: Callable[[], None]) -> None:
        """Something happens after the reply."""
        self.close()
        self.last = None
        self._steps.append(step)

    def begin(self, call: str, where: Where, *, tool: str = "", arguments: Arguments | None = None) -> None:
        """A call begins to run."""
        self._meanwhile(lambda: self._begin(call, where, tool, arguments))

    def end(self, call: str, result: str | None, outcome: Outcome, where: Where, *, tool: str = "") -> None:
        """A call has run; of several records of it the first counts."""
        self._meanwhile(lambda: self._end(call, result, outcome, where, tool))

    def refuse(self, call: str, outcome: Outcome, reason: str, where: Where) -> None:
        """A call was refused, and so never began; of several records of it the first counts."""
        if call in self._refused:
            return
        self.refused = True
        self._refused.add(call)

        def step() -> None:
            if outcome.by:
                self.decide(call, "reject", outcome.by, reason, where)
            self._builder.refuse(call, code=outcome.refused or "not_permitted", reason=reason, **where)

        self._meanwhile(step)

    def decide(self, call: str, verdict: Any, by: str, reason: str, where: Where) -> None:
        """Record at once that somebody allowed or forbade a call."""
        self._builder.add(Approval, call=call, verdict=verdict, by=by, reason=reason, **where)

    def play(self) -> None:
        """Record everything, once. Each step is let go of, because it refers to this script and this script to it."""
        while self._steps:
            step = self._steps.popleft()
            if isinstance(step, Reply):
                self._record(step)
                for after in step.after:
                    after()
                step.after.clear()
            else:
                step()

    # --- books ---

    def _reply(self, where: Where) -> Reply:
        if self._open is None:
            self._open = Reply(where=where, model=self.model)
            self._steps.append(self._open)
        self.last = self.counted = self._open
        self.first = self.first or self._open
        return self._open

    def _meanwhile(self, step: Callable[[], None]) -> None:
        if self._open:
            self._open.after.append(step)
        else:
            self._steps.append(step)

    def _record(self, reply: Reply) -> None:
        reply.event = self._builder.reply(
            reply.text,
            calls=[self._builder.propose(tool, given, call=call, by=by) for tool, given, call, by in reply.calls],
            reasoning="\n".join(reply.thought),
            usage=reply.usage,
            model=reply.model,
            finish_reason=reply.finish,
            extra=reply.extra,
            **reply.where,
        )

    def _begin(self, call: str, where: Where, tool: str, arguments: Arguments | None) -> None:
        if call in self._running or call in self._refused:
            return
        name, given = self.asked.get(call, (tool, arguments))
        self._running[call] = self._builder.begin(name, given, call=call, **where)

    def _end(self, call: str, result: str | None, outcome: Outcome, where: Where, tool: str) -> None:
        if call in self._done or call in self._refused:
            return
        self._done.add(call)
        self._begin(call, {**where, "time": None}, tool, None)
        self._builder.end(
            self._running[call],
            result=result if outcome.error is None else None,
            error=outcome.error,
            error_kind=outcome.error_kind,
            duration=outcome.duration,
            **where,
        )
