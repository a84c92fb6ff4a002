"""Attempts in memory: a scripted model, two small tools, and the trace they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentlab.agents.react import AttemptIdentity, ReActAgent
from agentlab.clock import TickClock
from agentlab.errors import ToolError
from agentlab.harness.answers import AnswerRule, any_answer
from agentlab.harness.contracts import ToolBox
from agentlab.harness.executor import ToolExecutor
from agentlab.harness.history import REACT_V2, HistoryPolicy
from agentlab.harness.limits import Limits
from agentlab.harness.prompts import CHAT_V3, NATIVE_V1
from agentlab.harness.protocols import NATIVE, TEXT, ToolProtocol
from agentlab.messages import Message, Sampling
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.providers.scripted import Reply, ScriptedProvider
from agentlab.trace.events import Event
from agentlab.trace.model import Trace
from agentlab.trace.quarantine import MemoryQuarantine
from agentlab.trace.quarantine_reader import read_side
from agentlab.trace.recorder import Recorder
from agentlab.trace.values import Language

IDENTITY = AttemptIdentity(
    attempt="attempt_0", run="run_0", case="bees", condition="only", condition_digest="", index=0, seed=0
)
GOOD = 'Thought: count them\nAction: count_bees[{"hive": "east"}]'
DONE = "Thought: now I know\nAction: Finish[There are 40 bees.]"


def count_bees(hive: str) -> dict[str, object]:
    """Count the bees of a hive."""
    if hive == "burnt":
        raise ToolError("That hive is gone", "Name a hive that stands")
    return {"tool": "count_bees", "hive": hive, "bees": 40}


def list_hives() -> dict[str, object]:
    """List the hives."""
    return {"tool": "list_hives", "hives": ["east", "west"]}


def attempt(
    replies: Sequence[Reply] | Callable[[ProviderRequest], Reply],
    *,
    policy: HistoryPolicy = REACT_V2,
    limits: Limits | None = None,
    sampling: Sampling | None = None,
    language: Language = "en",
    provider: Provider | None = None,
    protocol: ToolProtocol = TEXT,
    answers: AnswerRule = any_answer,
) -> tuple[Trace, list[str]]:
    """Run one attempt; returns its trace and the exact text of each request that was sent."""
    events: list[Event] = []
    quarantine = MemoryQuarantine()
    tools = ToolBox([count_bees, list_hives])
    asked = ScriptedProvider(replies)
    agent = ReActAgent(
        provider=provider or asked,
        tools=tools,
        executor=ToolExecutor(tools, language=language),
        policy=policy,
        prompt=NATIVE_V1 if protocol is NATIVE else CHAT_V3,
        protocol=protocol,
        answers=answers,
        recorder=Recorder(events.append, quarantine=quarantine, clock=TickClock()),
        language=language,
        limits=limits or Limits(steps=4),
        sampling=sampling or Sampling(),
    )
    agent.run("How many bees live in the east hive?", IDENTITY)
    sent = ["\n".join(_written(message) for message in request.messages) for request in asked.requests]
    return Trace(events=tuple(events), quarantine=read_side(quarantine)), sent


def _written(message: Message) -> str:
    calls = "".join(f" <{call.id} {call.tool} {call.arguments}>" for call in message.calls)
    answered = f" for {message.call}" if message.call else ""
    return f"{message.role}{answered}: {message.text}{calls}"
