"""Runs one attempt of a condition into a run's store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from agentlab.agents.react import AttemptIdentity, ReActAgent
from agentlab.clock import Clock, RealClock, TickClock
from agentlab.experiments.case import Case
from agentlab.experiments.checks import Executed
from agentlab.experiments.conditions import Condition
from agentlab.harness.answers import any_answer, resting_on
from agentlab.harness.executor import Execution, ToolExecutor
from agentlab.harness.history import POLICIES
from agentlab.harness.prompts import PROMPTS
from agentlab.harness.protocols import protocol_named
from agentlab.messages import Completion
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.trace.events import AttemptFinished
from agentlab.trace.store import RunStore

__all__ = ["PlannedAttempt", "run_attempt"]


@dataclass(frozen=True, kw_only=True)
class PlannedAttempt:
    """An attempt that is yet to run."""

    id: str
    condition: Condition
    index: int
    seed: int
    provider: Provider
    simulated: bool
    """Whether nothing real answers: then times are ticks, and the same seed gives the same bytes."""

    @property
    def clock(self) -> Clock:
        return TickClock() if self.simulated else RealClock()


@dataclass(frozen=True, kw_only=True)
class _Stoppable:
    """A provider that is asked nothing any more once a person has stopped the run."""

    provider: Provider
    stop: Event

    @property
    def name(self) -> str:
        return self.provider.name

    @property
    def model(self) -> str:
        return self.provider.model

    def for_attempt(self, seed: int) -> _Stoppable:
        return _Stoppable(provider=self.provider.for_attempt(seed), stop=self.stop)

    def complete(self, request: ProviderRequest) -> Completion:
        if self.stop.is_set():
            raise KeyboardInterrupt
        return self.provider.complete(request)


def run_attempt(planned: PlannedAttempt, case: Case, store: RunStore, stop: Event) -> AttemptFinished:
    """Run one attempt, recording it into the store.

    Raises:
        KeyboardInterrupt: before its next request once `stop` is set; the attempt is then recorded as interrupted.
    """
    condition = planned.condition
    recorder, journal = store.recorder(planned.id, clock=planned.clock)
    try:
        agent = ReActAgent(
            provider=_Stoppable(provider=planned.provider, stop=stop).for_attempt(planned.seed),
            tools=case.toolbox,
            executor=ToolExecutor(case.toolbox, language=condition.language),
            policy=POLICIES.get(condition.loop),
            prompt=PROMPTS.get(condition.prompt_version),
            protocol=protocol_named(condition.tool_calling),
            answers=resting_on(*_required(case)) if condition.require_execution else any_answer,
            recorder=recorder,
            language=condition.language,
            limits=condition.limits,
            sampling=condition.sampling(None if planned.simulated else planned.seed),
        )
        identity = AttemptIdentity(
            attempt=planned.id,
            run=store.manifest.run,
            case=case.name,
            condition=condition.name,
            condition_digest=condition.digest,
            index=planned.index,
            seed=planned.seed,
        )
        return agent.run(case.task(condition.language), identity)
    finally:
        journal.close()


def _required(case: Case) -> list[Callable[[Execution], bool]]:
    """What the case asks an answer to rest on."""
    return [check.meets for check in case.file.checks if isinstance(check, Executed)]
