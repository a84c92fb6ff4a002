"""The tool calls of an attempt: what was proposed, what was executed, what was answered, and what belongs together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypedDict

from agentlab.messages import Arguments
from agentlab.trace.events import (
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.values import Caller, ProposedCall

__all__ = ["CallState", "TracedCall", "traced_calls"]

CallState: TypeAlias = Literal["unanswered", "dropped", "refused", "answered", "failed", "succeeded"]
"""unanswered: it began and nothing came back, or the record ends with the reply that proposed it.
dropped: the loop went on and nothing was recorded of it.
answered: a result came back and no execution is on record, which an answer does not prove; or one is that began and
has no end, because it ran on when the result was taken.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class TracedCall:
    """One call a model proposed or a harness executed, with what became of it."""

    id: str
    tool: str
    arguments: Arguments | None
    """None where the reply was rejected and only its digest stands in the journal."""
    state: CallState
    delivered: bool | None
    """Whether a later request carried the result; None where what later requests carried is not recorded."""
    proposed_in: str | None
    """Completion event; None where no proposal is on record."""
    executed_in: str | None = None
    """`execution_started` event; None where nothing ran."""
    observed_in: str | None = None
    result: str | None = None
    error: str | None = None
    step: int | None = None
    by: Caller = "agent"


def traced_calls(events: Sequence[Event]) -> Iterator[TracedCall]:
    """Every call in the order of proposal; then executions, and answers, that no proposal on record led to."""
    pairing = _Pairing()
    for event in events:
        pairing.add(event)
    for position, (reply, call) in enumerate(pairing.proposals):
        begun = pairing.executed.get(position)
        yield TracedCall(
            id=call.call,
            tool=call.tool,
            arguments=call.arguments,
            proposed_in=reply.id,
            step=reply.step,
            by=call.by,
            **pairing.facts(
                begun,
                pairing.observed.get(position),
                agent=reply.agent_name,
                otherwise=pairing.unexecuted(position),
            ),
        )
    for begun in pairing.unproposed:
        yield TracedCall(
            id=begun.call,
            tool=begun.tool,
            arguments=begun.arguments,
            proposed_in=None,
            step=begun.step,
            by=begun.by,
            **pairing.facts(
                begun,
                pairing.observation_of.get(begun.execution),
                agent=begun.agent_name,
                otherwise="unanswered",
            ),
        )
    for seen in pairing.unclaimed:
        yield TracedCall(
            id=seen.call,
            tool=seen.tool,
            arguments=None,
            proposed_in=None,
            step=seen.step,
            by="not_recorded",
            **pairing.facts(None, seen, agent=seen.agent_name, otherwise="answered"),
        )


class _Facts(TypedDict):
    state: CallState
    delivered: bool | None
    executed_in: str | None
    observed_in: str | None
    result: str | None
    error: str | None


@dataclass(slots=True)
class _Pairing:
    """Which execution and which observation answer which proposal, by place in `proposals`.

    They are paired by call id, in order. Some servers number the calls of each reply from 0, so an id belongs to the
    latest reply that used it.
    """

    proposals: list[tuple[CompletionEvent, ProposedCall]] = field(default_factory=list)
    executed: dict[int, ExecutionStarted] = field(default_factory=dict)
    observed: dict[int, Observation] = field(default_factory=dict)
    unproposed: list[ExecutionStarted] = field(default_factory=list)
    observation_of: dict[str, Observation] = field(default_factory=dict)
    """By execution."""
    finished: dict[str, ExecutionFinished] = field(default_factory=dict)
    """By execution."""
    refused: set[tuple[str, str]] = field(default_factory=set)
    """Completion and call."""
    unparsed: set[str] = field(default_factory=set)
    """Completions that were refused whole."""
    shown: set[str | None] = field(default_factory=set)
    """Events whose text a request carried."""
    passed: int = 0
    """How many proposals had been made when the loop last went on."""
    passed_by_main: int = 0
    """The same of the main agent's own loop, which waits while agents that it started go on."""
    unclaimed: list[Observation] = field(default_factory=list)
    """Answers to calls of which neither a proposal nor an execution is on record."""
    _at: int = 0
    _blind: dict[str, int] = field(default_factory=dict)
    """By agent: place of its last request whose content is not recorded."""
    _ended: dict[str, int] = field(default_factory=dict)
    """Place of the latest event of each execution, and of each observation, by its id."""
    _waiting: dict[str, list[int]] = field(default_factory=dict)
    """By call id: places of the latest reply's proposals that nothing answers yet, the first one last."""
    _place_of: dict[str, int] = field(default_factory=dict)
    """By execution."""

    def add(self, event: Event) -> None:
        """Take the next event in."""
        self._at += 1
        match event:
            case CompletionEvent():
                self._propose(event)
            case ExecutionStarted():
                self._begin(event)
            case ExecutionFinished():
                self.finished[event.execution] = event
                self._ended[event.execution] = self._at
            case Observation():
                self._observe(event)
            case CallRefused():
                self.refused.add((event.completion, event.call))
            case ProtocolErrorEvent():
                self.unparsed.add(event.completion)
            case Request():
                self.shown.update(item.origin for item in event.items)
                if not event.recorded:
                    self._blind[event.agent_name] = self._at
                self._go_on(event)
            case _:
                pass

    def facts(
        self, begun: ExecutionStarted | None, seen: Observation | None, *, agent: str, otherwise: CallState
    ) -> _Facts:
        """What became of a call.

        Args:
            agent: whose call it is.
            begun: its execution, if any.
            seen: what the model was to be shown of it, if anything.
            otherwise: its state where it was not executed.
        """
        end = self.finished.get(begun.execution) if begun else None
        return _Facts(
            state=end.status if end else otherwise if begun is None else "answered" if seen else "unanswered",
            delivered=self._is_delivered(begun, seen, agent),
            executed_in=begun.id if begun else None,
            observed_in=seen.id if seen else None,
            result=end.result if end else seen.text if begun and seen else None,
            error=end.error if end else None,
        )

    def _is_delivered(self, begun: ExecutionStarted | None, seen: Observation | None, agent: str) -> bool | None:
        if seen is not None and seen.id in self.shown:
            return True
        names = [each for each in (seen.id if seen else "", begun.execution if begun else "") if each in self._ended]
        return None if any(self._ended[each] < self._blind.get(agent, -1) for each in names) else False

    def unexecuted(self, position: int) -> CallState:
        """The state of a proposal that no execution answers."""
        reply, call = self.proposals[position]
        if (reply.id, call.call) in self.refused or reply.id in self.unparsed:
            return "refused"
        if position in self.observed:
            return "answered"
        passed = self.passed if reply.agent_name else self.passed_by_main
        return "dropped" if position < passed else "unanswered"

    def _go_on(self, event: Event) -> None:
        self.passed = len(self.proposals)
        if not event.agent_name:
            self.passed_by_main = self.passed

    def _propose(self, reply: CompletionEvent) -> None:
        self._go_on(reply)
        self._waiting.update((call.call, []) for call in reply.calls)
        first = len(self.proposals)
        self.proposals += ((reply, call) for call in reply.calls)
        for place in range(len(self.proposals) - 1, first - 1, -1):
            self._waiting[self.proposals[place][1].call].append(place)

    def _begin(self, event: ExecutionStarted) -> None:
        if queue := self._waiting.get(event.call):
            place = self._place_of[event.execution] = queue.pop()
            self.executed[place] = event
        else:
            self.unproposed.append(event)
        self._ended[event.execution] = self._at

    def _observe(self, event: Observation) -> None:
        self._ended[event.id] = self._at
        if event.execution:
            self.observation_of[event.execution] = event
        place = self._place_of.get(event.execution)
        if place is None and (queue := self._waiting.get(event.call)):
            place = queue.pop()  # a result without a recorded execution
        if place is not None:
            self.observed[place] = event
        elif event.tool and event.call not in self._waiting and event.execution not in self._ended:
            self.unclaimed.append(event)
