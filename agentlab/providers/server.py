"""What providers behind an HTTP server have in common: a pool, limits, retries, a rate, a seed for each attempt."""

from __future__ import annotations

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from pydantic import SecretStr

from agentlab.clock import Clock, RealClock
from agentlab.errors import UsageError
from agentlab.messages import Completion
from agentlab.providers.base import ProviderRequest
from agentlab.providers.finishing import finished, text_of
from agentlab.providers.wire.endpoint import Endpoint
from agentlab.providers.wire.pacing import Pace, Rate
from agentlab.providers.wire.replies import Reply, json_object
from agentlab.providers.wire.timing import Timeouts
from agentlab.strictjson import JSONValue

__all__ = ["ModelServer", "ServerOptions"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerOptions:
    """How a server is asked."""

    stream: bool = False
    """Whether replies are asked for piece by piece, so that a server that hangs in the middle is found out soon."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    """Limits of one request; a request's `time_left` can shorten the total."""
    tries: int = 4
    """How often a request is sent at most, where the failure is one that may pass."""
    rate: Rate = field(default_factory=Rate)
    """Kept over all attempts together."""


class ModelServer(ABC):
    """A model behind a server. Copies for attempts share one pool of connections and one rate, from many threads.

    Args:
        base_url: address of the API, without user, query or fragment.
        model: the model's name, as the server knows it.
        api_key: never shown.
        proxy: whether the proxies that the environment names are used.
        options: how it is asked.
        clock: measures the latency; the time limits always run in real time.

    Raises:
        UsageError: for an address, key or model that cannot be used.
    """

    name: str
    path: ClassVar[str]
    key_header: ClassVar[tuple[str, str]] = ("authorization", "Bearer ")
    headers: ClassVar[Mapping[str, str]] = {}

    seed: int | None
    """Sent with every request that brings no seed of its own, where the API has one."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: SecretStr | str | None = None,
        proxy: bool = False,
        options: ServerOptions | None = None,
        clock: Clock | None = None,
    ) -> None:
        if not model:
            raise UsageError("The model's name is empty; give the name under which the server knows it.")
        options = options or ServerOptions()
        self._endpoint = Endpoint(
            base_url,
            self.path,
            headers=self.headers,
            key=SecretStr(api_key) if isinstance(api_key, str) else api_key,
            key_header=self.key_header,
            proxy=proxy,
            timeouts=options.timeouts,
            tries=options.tries,
            pace=Pace(options.rate),
        )
        self._model = model
        self._stream = options.stream
        self._clock = RealClock() if clock is None else clock
        self.seed = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._endpoint.base_url!r}, {self._model!r})"

    @property
    def model(self) -> str:
        return self._model

    def for_attempt(self, seed: int) -> Self:
        """A copy whose requests carry the seed, which a server may ignore."""
        provider = copy.copy(self)
        provider.seed = seed
        return provider

    def complete(self, request: ProviderRequest) -> Completion:
        payload = json.dumps(self.payload(request)).encode()
        started = self._clock.elapsed()
        answered = self._endpoint.ask(payload, request.time_left, self.read)
        usage = answered.value.usage
        self._endpoint.spend((usage.input_tokens or 0) + (usage.output_tokens or 0))
        completion = replace(
            answered.value,
            latency=self._clock.elapsed() - started,
            first_byte=answered.first_byte,
            tries=answered.tries,
        )
        return finished(completion, request.sampling.stop)

    @property
    def where(self) -> str:
        """Host and port."""
        return self._endpoint.where

    @property
    def base_url(self) -> str:
        return self._endpoint.base_url

    def streaming(self) -> Self:
        """A copy that asks for replies piece by piece."""
        provider = copy.copy(self)
        provider._stream = True  # noqa: SLF001 - of a copy
        return provider

    def models(self) -> Sequence[str]:
        """The names under which the server knows models, as far as it lists them at `models`.

        Raises:
            ProviderError: if it does not list them.
        """
        listed = self._endpoint.look("models", lambda reply: json_object(reply.text()))
        items = listed.get("data")
        return [text_of(item.get("id")) for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    @abstractmethod
    def payload(self, request: ProviderRequest) -> Mapping[str, JSONValue]:
        """What is sent for a request."""

    @abstractmethod
    def read(self, reply: Reply) -> Completion:
        """The completion of a reply.

        Raises:
            NotAReplyError: if it is none.
        """
