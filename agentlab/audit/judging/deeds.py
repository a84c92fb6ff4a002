"""What was done before a statement was made: every call with its effect and its outcome, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agentlab.audit.arguments import written
from agentlab.audit.evidence.effects import effect_of
from agentlab.audit.evidence.outcomes import outcome_of
from agentlab.audit.evidence.values import Effect, EffectKind, Outcome
from agentlab.trace.calls import CallState, TracedCall
from agentlab.trace.events import ExecutionFinished, ExecutionStarted, Observation
from agentlab.trace.model import Trace

__all__ = ["Deed", "Deeds"]


@dataclass(frozen=True, kw_only=True)
class Deed:
    """A call that ran, or that was answered, which proves as much where executions are not recorded."""

    call: TracedCall
    at: int
    """Place of its beginning among the events."""
    done: int | None
    """Place of its result; None where there is none."""
    result: str | None
    flag: CallState
    """What the harness recorded of it, the mark on its answer included."""

    @cached_property
    def effect(self) -> Effect:
        return effect_of(self.call.tool, self.call.arguments)

    @cached_property
    def outcome(self) -> Outcome:
        return outcome_of(
            result=self.result,
            error=self.call.error,
            state=self.flag,
            tool=self.call.tool,
            arguments=self.call.arguments,
        )

    @property
    def event(self) -> str:
        """The event that proves it."""
        return self.call.executed_in or self.call.observed_in or self.call.proposed_in or ""

    @cached_property
    def text(self) -> str:
        """Everything that was passed to it and that came back: where a name is looked for."""
        return "\n".join((self.call.tool, written(self.call.arguments), self.result or "", self.call.error or ""))

    def does(self, *kinds: EffectKind) -> bool:
        return self.effect.kind in kinds or not self.effect.kinds.isdisjoint(kinds)


class Deeds:
    """Every deed of a trace.

    Args:
        trace: of which.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def all(self) -> tuple[Deed, ...]:
        """In the order of their beginning."""
        return tuple(sorted(self._found(), key=lambda deed: deed.at))

    @property
    def recorded(self) -> bool:
        """Whether what is not among them did not happen.

        A record of all calls that were proposed says so, too: a harness runs nothing that nobody asked for.
        """
        evidence = self._trace.evidence
        return "not_recorded" not in (evidence.executions, evidence.results) or "not_recorded" not in (
            evidence.proposals,
            evidence.results,
        )

    def before(self, position: int) -> Sequence[Deed]:
        """Those whose result had come before an event, by its place."""
        return [deed for deed in self.all if deed.done is not None and deed.done < position]

    def _found(self) -> Iterator[Deed]:
        places, by_id = self._trace.positions, self._trace.by_id
        for call in self._trace.calls:
            begun = call.executed_in or call.proposed_in or call.observed_in
            if begun is None or (call.executed_in is None and call.state not in ("answered", "failed", "succeeded")):
                continue
            seen = by_id.get(call.observed_in or "")
            answer = seen.text if isinstance(seen, Observation) else None
            end = self._ends.get(call.executed_in or "") or call.observed_in
            yield Deed(
                call=call,
                at=places[begun],
                done=places[end] if end else None,
                result=call.result if call.result is not None else answer,
                flag=_flag(call, seen if isinstance(seen, Observation) else None),
            )

    @cached_property
    def _ends(self) -> Mapping[str, str]:
        """The end of each execution, both by event."""
        begun = {event.execution: event.id for event in self._trace.of(ExecutionStarted)}
        ends = self._trace.of(ExecutionFinished)
        return {begun[end.execution]: end.id for end in ends if end.execution in begun}


def _flag(call: TracedCall, seen: Observation | None) -> CallState:
    """The state of a call; of an answered one, what its answer is marked as."""
    marked = seen.extra.get("is_error") if seen is not None and call.state == "answered" else None
    return call.state if not isinstance(marked, bool) else "failed" if marked else "succeeded"
