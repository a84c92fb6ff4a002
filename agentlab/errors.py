"""The exceptions of agentlab, split by who must act.

A model's mistake is never one of these: it is an event in a trace.

    AgentlabError
    ├── UsageError      the person who called: a wrong name, value or combination
    ├── LoadError       the person who brought the file: it cannot be read as what it should be
    ├── ProviderError   whoever runs the model server: no answer, or one that is not an answer
    └── ToolError       a tool, telling the agent in one sentence what happened and what to do next
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal

__all__ = [
    "AgentlabError",
    "LoadError",
    "ProviderError",
    "ProviderFault",
    "ToolError",
    "ToolFault",
    "UsageError",
    "unknown_name",
]

ProviderFault = Literal[
    "unreachable",
    "timeout",
    "unauthorized",
    "not_found",
    "rate_limited",
    "refused",
    "server_error",
    "bad_reply",
    "exhausted",
    "not_recorded",
]
"""Why a provider gave no completion. `exhausted` means a scripted provider ran out of replies, `not_recorded`
that a cassette holds no reply to a request."""

ToolFault = Literal["refused_by_tool", "bad_result", "crash"]
"""How a tool failed: it said so itself, it returned no JSON object, or it stopped with an exception of its own."""


class AgentlabError(Exception):
    """Anything agentlab raises on purpose; its text is one or more whole sentences for a person."""


class UsageError(AgentlabError):
    """The caller asked for something that does not exist or does not fit; nothing was done."""


class LoadError(AgentlabError):
    """A file is not what it should be.

    Args:
        path: the file as the person named it.
        problem: what was expected, what was found, and where, in one sentence.
    """

    def __init__(self, path: object, problem: str) -> None:
        super().__init__(str(path), problem)  # what unpickling passes again
        self.path = str(path)
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


class ProviderError(AgentlabError):
    """A provider gave no completion.

    Args:
        fault: the reason, from a closed list.
        message: one sentence for a person; never holds a key.
        server_said: the server's own words, for the audit and never for a context.
    """

    def __init__(self, fault: ProviderFault, message: str, *, server_said: str = "") -> None:
        super().__init__(fault, message)  # what unpickling passes again
        self.fault: ProviderFault = fault
        self.message = message
        self.server_said = server_said

    def __str__(self) -> str:
        return self.message


class ToolError(AgentlabError):
    """A tool could not do what it was asked, which is a result and not a fault of the program.

    Args:
        happened: what happened, as a clause without the closing full stop.
        next_step: what the agent can do about it, as a clause without the closing full stop.
        kind: what kind of failure it was.
    """

    def __init__(self, happened: str, next_step: str, *, kind: ToolFault = "refused_by_tool") -> None:
        super().__init__(happened, next_step)  # what unpickling passes again
        self.happened = happened
        self.next_step = next_step
        self.kind: ToolFault = kind

    def __str__(self) -> str:
        return f"{self.happened}. {self.next_step}."


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UsageError:
    """The error for a name that is not in a list: it shows the value, the nearest name and all that exist."""
    names = sorted(known)
    near = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return UsageError(f"There is no {kind} {name!r}.{hint} What there is: {', '.join(names) or 'none'}.")
