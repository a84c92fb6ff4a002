"""Answers in which LangGraph's tool node says that it ran nothing, by the words of its own templates."""

from __future__ import annotations

import re

from agentlab.formats.said.model import Said
from agentlab.trace.values import RefusalCode

__all__ = ["refusal_in"]

_REFUSALS: tuple[tuple[re.Pattern[str], RefusalCode], ...] = (
    (re.compile(r"Error: .{0,200} is not a valid tool, try one of "), "unknown_tool"),
    (re.compile(r"Error invoking tool '[^']{0,200}' with kwargs "), "invalid_arguments"),
)


def refusal_in(said: Said) -> RefusalCode | None:
    """Why a tool's message says that nothing was run; None where it does not.

    A tool may print the same words, so the message must be marked as an error too.
    """
    if said.role != "tool" or not said.failed:
        return None
    return next((code for words, code in _REFUSALS if words.match(said.text)), None)
