"""What every event of a trace has, and the two events that frame an attempt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agentlab.messages import Sampling, ToolDescription
from agentlab.trace.values import Evidence, Extra, Language, OptionalText, TerminationReason

__all__ = ["AttemptFinished", "AttemptStarted", "EventBase"]


@dataclass(frozen=True, kw_only=True, slots=True)
class EventBase:
    """What every event has."""

    type: str = ""
    id: str = ""
    """`e1`, `e2`, ... in the order of recording."""
    time: float | None = None
    """Seconds since 1970-01-01 UTC; None where the source recorded no time."""
    step: int | None = None
    """Number of the loop's round, from 1; None outside the loop."""
    agent_name: OptionalText = ""
    """Which agent it belongs to where several work in one attempt; empty where there is one, and for the main one."""
    source: OptionalText = ""
    """Identity in the foreign file it was read from: span id, message index, line; empty in our own journals."""
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptStarted(EventBase):
    """An attempt begins; everything needed to read or repeat it.

    Of a foreign trace, texts are empty and numbers None where its file does not say.
    """

    type: Literal["attempt_started"] = "attempt_started"
    schema: str
    attempt: str
    run: str
    case: str
    condition: str
    condition_digest: str
    """SHA-256 of the condition without its name."""
    index: int
    """Which attempt of its condition, from 0."""
    agent: str
    loop_version: str
    prompt_version: str
    language: Language | None
    provider: str
    model: str
    sampling: Sampling
    seed: int | None
    task: str
    tools: tuple[ToolDescription, ...]
    tool_calling: OptionalText = ""
    """`native` where the tools were offered for native calls; empty where a prompt describes them, or nobody says."""
    package_version: str
    evidence: Evidence
    format: OptionalText = ""
    """Format of the foreign file it was read from; empty in our own journals."""
    defect: OptionalText = ""
    """What was wrong with the record it was read from, e.g. a line that could not be read; empty where nothing was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptFinished(EventBase):
    """An attempt ends."""

    type: Literal["attempt_finished"] = "attempt_finished"
    reason: TerminationReason
    detail: str = ""
    """For a cap or a fault, how far it got, in a sentence."""
    steps: int
    requests: int
    executions: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    duration: float | None
    """Seconds."""
    fault: OptionalText = ""
    """Why a provider gave no completion, from the closed list of `ProviderFault`; empty where that was not the end."""
    server_said: OptionalText = ""
    """The server's own words about it: untrusted, and in no context."""
