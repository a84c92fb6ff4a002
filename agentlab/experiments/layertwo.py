"""Layer two of regression: one real attempt, whose trace must hold together, whatever the model is worth.

Whether the answer is right is not asked: that is what N attempts are for. What is asked is whether model, protocol,
harness and trace work together, as the record shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from agentlab.experiments.outcomes import is_infrastructure
from agentlab.harness.history import POLICIES
from agentlab.strictjson import digest
from agentlab.trace.events import (
    AttemptFinished,
    CompletionEvent,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
    Request,
)
from agentlab.trace.model import Trace
from agentlab.version import VERSION

__all__ = ["Check", "check_attempt"]

_SHORTEST = 24
"""Characters of a rejected text that later contexts do not hold by chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing that was asked of a trace."""

    name: str
    problem: str
    """What is wrong; empty where nothing is."""
    seen: str
    """What was looked at."""

    @property
    def passed(self) -> bool:
        return not self.problem


_Finding: TypeAlias = tuple[str, str]
"""What is wrong, empty where nothing is, and what was looked at."""


def check_attempt(trace: Trace) -> Iterator[Check]:
    """Hold a trace of ours to what every trace of ours has."""
    for name, look in _CHECKS.items():
        problem, seen = look(trace)
        yield Check(name=name, problem=problem, seen=seen)


def _end(trace: Trace) -> _Finding:
    end = trace.finished
    if end is None:
        return "the end is not recorded", ""
    if is_infrastructure(trace):
        return f"it ended as {end.reason}: {end.detail}", ""
    return "", f"it ended as {end.reason} after {end.steps} steps and {end.requests} requests"


def _spans(trace: Trace) -> _Finding:
    """Each request has its reply, each execution its beginning and its end, in time and in steps that go on."""
    requests, replies = trace.of(Request), trace.of(CompletionEvent)
    if [request.id for request in requests] != [reply.request for reply in replies]:
        return f"{len(requests)} requests and {len(replies)} replies do not belong together one by one", ""
    begun = [event.execution for event in trace.of(ExecutionStarted)]
    if begun != [event.execution for event in trace.of(ExecutionFinished)]:
        return "executions that began and that ended are not the same", ""
    times = [event.time for event in trace]
    if any(time is None for time in times) or any((a or 0) > (b or 0) for a, b in pairwise(times)):
        return "times are missing or go backwards", ""
    steps = list(dict.fromkeys(event.step for event in trace if event.step is not None))
    if steps != list(range(1, len(steps) + 1)):
        return f"steps do not go on one by one: {steps}", ""
    return "", f"{len(requests)} requests with their replies, {len(begun)} executions, in {len(steps)} steps"


def _versions(trace: Trace) -> _Finding:
    start = trace.started
    wanted = {"package": start.package_version, "loop": start.loop_version, "prompt": start.prompt_version}
    missing = [name for name, value in wanted.items() if not value]
    if missing or start.package_version != VERSION:
        return f"versions are missing or of another package: {wanted}", ""
    named = {reply.model for reply in trace.of(CompletionEvent)}
    models = ", ".join(sorted(map(repr, named))) or "none"
    return "", f"agentlab {VERSION}, {start.loop_version}, {start.prompt_version}; the server named {models}"


def _measures(trace: Trace) -> _Finding:
    replies = trace.of(CompletionEvent)
    untimed = [reply.id for reply in replies if reply.latency is None]
    if untimed:
        return f"{len(untimed)} replies have no latency", ""
    counted = sum(reply.usage.output_tokens is not None for reply in replies)
    slowest = max((reply.latency or 0 for reply in replies), default=0)
    return "", f"tokens of {counted} of {len(replies)} replies were counted; the slowest took {slowest:.2f} s"


def _protocol(trace: Trace) -> _Finding:
    """Only what an accepted reply proposed was executed, and every result was shown."""
    accepted = {call.call for reply in trace.of(CompletionEvent) if reply.accepted for call in reply.calls}
    ran = [event.call for event in trace.of(ExecutionStarted)]
    if stray := [call for call in ran if call not in accepted]:
        return f"executed without an accepted proposal: {', '.join(stray)}", ""
    if set(accepted) != set(ran):
        return f"accepted and not executed: {', '.join(sorted(accepted - set(ran)))}", ""
    if ran != [event.call for event in trace.of(Observation)]:
        return "results that came and results that were shown are not the same", ""
    refused = sum(not reply.accepted for reply in trace.of(CompletionEvent))
    return "", f"{len(ran)} calls were executed, {refused} replies refused"


def _counts(trace: Trace) -> _Finding:
    end = trace.finished
    if not isinstance(end, AttemptFinished):
        return "there is no end to compare with", ""
    told = (end.requests, end.executions)
    found = (len(trace.of(CompletionEvent)), len(trace.of(ExecutionStarted)))
    if told != found:
        return (
            f"its end tells of {told[0]} replies and {told[1]} executions, the record holds {found[0]} and {found[1]}",
            "",
        )
    return "", f"{found[0]} replies and {found[1]} executions, as its end says"


def _quarantine(trace: Trace) -> _Finding:
    """Rejected texts are kept under their digests, and under a policy that omits them no context holds them."""
    rejected = [reply for reply in trace.of(CompletionEvent) if not reply.accepted]
    texts = {reply.id: trace.quarantine.get(reply.digest) for reply in rejected}
    lost = [name for name, text in texts.items() if text is None]
    if lost:
        return f"the texts of {', '.join(lost)} are not in quarantine", ""
    if any(digest(text or "") != reply.digest for reply, text in zip(rejected, texts.values(), strict=True)):
        return "a text in quarantine is not the one that was rejected", ""
    if POLICIES.get(trace.started.loop_version).keeps_rejected:
        return "", f"{len(rejected)} rejected texts are kept, and shown again as {trace.started.loop_version} has it"
    told = "\n".join(message.text for messages in trace.contexts.values() for message in messages)
    leaks = [name for name, text in texts.items() if text and len(text) >= _SHORTEST and text in told]
    if leaks:
        return f"contexts hold the rejected texts of {', '.join(leaks)}", ""
    return "", f"{len(rejected)} rejected texts are kept, and no context holds one"


_CHECKS: Mapping[str, Callable[[Trace], _Finding]] = {
    "end": _end,
    "spans": _spans,
    "versions": _versions,
    "measures": _measures,
    "protocol": _protocol,
    "counts": _counts,
    "quarantine": _quarantine,
}
