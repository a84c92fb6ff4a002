"""What became of a call, as far as its answer tells."""

from __future__ import annotations

from dataclasses import dataclass

from agentlab.trace.values import RefusalCode

__all__ = ["Outcome"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What an answer proves of its call, beyond that it was answered: that it was refused, that it ran, or nothing."""

    refused: RefusalCode | None = None
    by: str = ""
    """Who refused it: user, policy, or empty where the call was not fit to run."""
    ran: bool = False
    ended: bool = True
    """Of a call that ran, whether it had ended; False where it ran on when it was answered."""
    error: str | None = None
    """Of a call that ran, why it failed; None where it succeeded."""
    error_kind: str | None = None
    duration: float | None = None
    """Seconds."""
