"""The ReAct agent: run → step → ask / act.

It knows no version: a history policy decides what is remembered, a tool protocol in which form calls and results pass,
and an answer rule what an answer must rest on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agentlab.clock import derived_seed
from agentlab.errors import ProviderError
from agentlab.harness.answers import AnswerRule, any_answer
from agentlab.harness.contracts import ToolBox
from agentlab.harness.executor import Execution, Executor, PermittedCall
from agentlab.harness.gate import Admitted, AdmittedAnswer, Judgement, Rejected
from agentlab.harness.history import HistoryPolicy
from agentlab.harness.limits import Limits, Meter
from agentlab.harness.prompts import PromptVersion
from agentlab.harness.protocols import TEXT, ToolProtocol
from agentlab.harness.scribe import record_completion
from agentlab.messages import Completion, Message, Sampling
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.trace.codec import JOURNAL_SCHEMA
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CompletionEvent,
    Notice,
    Observation,
)
from agentlab.trace.recorder import Recorder
from agentlab.trace.values import Evidence, Language, TerminationReason
from agentlab.version import VERSION

__all__ = ["AttemptIdentity", "ReActAgent"]

_EVIDENCE = Evidence(
    proposals="present",
    executions="present",
    results="present",
    errors="present",
    times="present",
    usage="present",
    authorship="present",
)
"""Our own recorder writes all of it down, so that what a trace then does not hold did not happen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptIdentity:
    """Which attempt of which run this is."""

    attempt: str
    run: str
    case: str
    condition: str
    condition_digest: str
    index: int
    seed: int


@dataclass(kw_only=True)
class ReActAgent:
    """Reasons, calls a tool, reads the result, and goes on until it answers. One object an attempt."""

    provider: Provider
    tools: ToolBox
    executor: Executor
    policy: HistoryPolicy
    prompt: PromptVersion
    recorder: Recorder
    protocol: ToolProtocol = TEXT
    answers: AnswerRule = any_answer
    """Which answers are accepted, by what had been executed before."""
    language: Language = "en"
    limits: Limits = field(default_factory=Limits)
    sampling: Sampling = field(default_factory=Sampling)

    def run(self, task: str, identity: AttemptIdentity) -> AttemptFinished:
        """Work on the task until an answer or a limit, recording everything.

        A provider that does not answer ends the attempt as `provider_error`; it is not raised.
        """
        self._begin(task, identity)
        reason: TerminationReason = "interrupted"
        fault: ProviderError | None = None
        try:
            reason = self._loop()
        except ProviderError as error:
            reason, fault = ("provider_error", error) if self._meter.time_left() > 0 else ("deadline", None)
        finally:
            # Also where a person stops the run: the record then says so before the exception goes on.
            finished = self._end(reason, fault)
        return finished

    def _begin(self, task: str, identity: AttemptIdentity) -> None:
        self._meter = Meter(limits=self.limits, clock=self.recorder.clock)
        self._steps = 0
        self._executions: list[Execution] = []
        self._history: list[Message] = [
            Message(
                role="system",
                text=self.prompt.render(self.language, self.tools.descriptions),
                author="system",
                trust="trusted",
            ),
            Message(role="user", text=self.prompt.question(self.language, task), author="user", trust="trusted"),
        ]
        self.recorder.record(
            AttemptStarted(
                schema=JOURNAL_SCHEMA,
                attempt=identity.attempt,
                run=identity.run,
                case=identity.case,
                condition=identity.condition,
                condition_digest=identity.condition_digest,
                index=identity.index,
                agent="react",
                loop_version=self.policy.name,
                prompt_version=self.prompt.name,
                language=self.language,
                provider=self.provider.name,
                model=self.provider.model,
                sampling=self.sampling,
                seed=identity.seed,
                task=task,
                tools=self.tools.descriptions,
                tool_calling="native" if self.protocol.offered(self.tools) else "",
                package_version=VERSION,
                evidence=_EVIDENCE,
            )
        )

    def _loop(self) -> TerminationReason:
        while (reached := self._meter.exhausted(steps=self._steps)) is None:
            self._steps += 1
            self.recorder.step = self._steps
            if self._step():
                return "answered"
        return reached

    def _step(self) -> bool:
        """One round; True where it ended in an answer."""
        completion, event, judged = self._ask(1)
        for number in range(2, self.policy.retries + 2):
            if isinstance(judged, Rejected):
                completion, event, judged = self._ask(number)
        if isinstance(judged, AdmittedAnswer):
            self.recorder.record(Answer(completion=event.id, text=judged.answer))
            return True
        if isinstance(judged, Rejected):
            self._remember_rejected(completion, event, judged)
        else:
            self._act(completion, event, judged)
        return False

    def _ask(self, number: int) -> tuple[Completion, CompletionEvent, Judgement]:
        context = tuple(self._history)
        request = self.recorder.request(context, attempt_of_step=number)
        completion = self.provider.complete(
            ProviderRequest(
                messages=context,
                sampling=self._sampling(),
                tools=self.protocol.offered(self.tools),
                time_left=self._meter.time_left(),
            )
        )
        self._meter.charge(completion, sent_characters=sum(len(message.text) for message in context))
        judged = self.protocol.judge(completion, self.tools)
        if isinstance(judged, AdmittedAnswer):
            judged = self.answers(completion, self._executions) or judged
        call = f"c{self._meter.requests}"
        return completion, record_completion(self.recorder, request, completion, judged, call=call), judged

    def _sampling(self) -> Sampling:
        """A seed of its own for each request: with one for all, asking the same again could only answer the same."""
        if self.sampling.seed is None:
            return self.sampling
        return replace(self.sampling, seed=derived_seed(self.sampling.seed, self._meter.requests))

    def _act(self, completion: Completion, event: CompletionEvent, admitted: Admitted) -> None:
        self._history.append(self.policy.accepted(self.protocol.turn(completion, event, admitted)))
        for proposed, call in zip(event.calls, admitted.calls, strict=True):
            permitted = PermittedCall(id=proposed.call, tool=call.tool, arguments=call.arguments)
            execution = self.executor.execute(permitted, self.recorder)
            self._executions.append(execution)
            text = self.protocol.shown(execution.payload)
            observation = self.recorder.record(Observation(execution=execution.id, call=permitted.id, text=text))
            self._history.append(self.protocol.observation(text, permitted.id, observation.id))

    def _remember_rejected(self, completion: Completion, event: CompletionEvent, judged: Rejected) -> None:
        self._history += self.policy.rejected(completion.text, event.id)
        if self.policy.notice is None:
            return
        text = self.protocol.notice(self.policy.notice, self.language, judged.hint.get(self.language, ""))
        notice = self.recorder.record(Notice(code=judged.code, about=event.id, text=text))
        self._history.append(Message(role="user", text=text, author="harness", trust="trusted", origin=notice.id))

    def _end(self, reason: TerminationReason, fault: ProviderError | None) -> AttemptFinished:
        self.recorder.step = None
        meter, ran = self._meter, len(self._executions)
        far = f"It stopped after {self._steps} steps, {meter.requests} completions and {ran} executions."
        return self.recorder.record(
            AttemptFinished(
                reason=reason,
                detail="" if reason == "answered" else f"{far} {fault or ''}".rstrip(),
                fault=fault.fault if fault else "",
                server_said=fault.server_said if fault else "",
                steps=self._steps,
                requests=meter.requests,
                executions=ran,
                input_tokens=meter.input_tokens,
                output_tokens=meter.output_tokens,
                duration=meter.seconds(),
            )
        )
