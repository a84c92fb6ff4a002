"""How far an attempt may go: steps, seconds, tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentlab.clock import Clock
from agentlab.messages import Completion
from agentlab.trace.values import TerminationReason

__all__ = ["Limits", "Meter"]

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Caps of one attempt; reaching one is not an answer."""

    steps: int = 8
    seconds: float = 300.0
    """Wall clock, from the start of the attempt."""
    tokens: int = 50_000
    """Input and output tokens of all completions together."""


@dataclass(slots=True)
class Meter:
    """What an attempt has used up.

    Where a server counts no tokens, four characters of the context and of the reply count as one, so that a silent
    server cannot lift the cap.
    """

    limits: Limits
    clock: Clock
    input_tokens: int | None = None
    """As reported; None until a server reports any."""
    output_tokens: int | None = None
    requests: int = 0
    charged: int = 0
    """Tokens charged against the cap, estimates included."""
    _begun: float = field(init=False)

    def __post_init__(self) -> None:
        self._begun = self.clock.elapsed()

    def charge(self, completion: Completion, *, sent_characters: int) -> None:
        """Count one completion."""
        usage = completion.usage
        self.requests += 1
        self.input_tokens = _add(self.input_tokens, usage.input_tokens)
        self.output_tokens = _add(self.output_tokens, usage.output_tokens)
        sent, written = sent_characters // _CHARACTERS_PER_TOKEN, len(completion.text) // _CHARACTERS_PER_TOKEN
        self.charged += sent if usage.input_tokens is None else usage.input_tokens
        self.charged += written if usage.output_tokens is None else usage.output_tokens

    def seconds(self) -> float:
        """Seconds since the attempt began."""
        return round(self.clock.elapsed() - self._begun, 6)

    def time_left(self) -> float:
        """Seconds until the deadline; never below zero."""
        return max(0.0, self.limits.seconds - self.seconds())

    def exhausted(self, *, steps: int) -> TerminationReason | None:
        """The cap that is reached after so many steps, if any."""
        if steps >= self.limits.steps:
            return "step_limit"
        if self.charged >= self.limits.tokens:
            return "token_budget"
        return "deadline" if self.time_left() <= 0 else None


def _add(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more
