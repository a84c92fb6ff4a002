"""The door to a model: a request goes in, a completion comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agentlab.messages import Completion, Message, Sampling, ToolDescription
from agentlab.strictjson import JSONValue

__all__ = ["Provider", "ProviderRequest"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderRequest:
    """One request to a model."""

    messages: Sequence[Message]
    """The whole context, in order."""
    sampling: Sampling = field(default_factory=Sampling)
    tools: Sequence[ToolDescription] = ()
    """Tools offered for native calls; none under a text protocol, where the prompt describes them."""
    reply_schema: Mapping[str, JSONValue] | None = None
    """JSON Schema that the reply is to match; None for free text. A server may ignore it."""
    time_left: float | None = None
    """Seconds until the attempt's deadline; the provider gives up before. None for no deadline."""


class Provider(Protocol):
    """Whoever answers."""

    @property
    def name(self) -> str:
        """The provider's kind, e.g. `scripted` or `openai`; never holds a key."""
        ...

    @property
    def model(self) -> str:
        """The model asked for."""
        ...

    def for_attempt(self, seed: int) -> Provider:
        """The provider as one attempt uses it; what it draws at random depends on the seed alone."""
        ...

    def complete(self, request: ProviderRequest) -> Completion:
        """Answer a request.

        Raises:
            ProviderError: if there is no completion.
        """
        ...
