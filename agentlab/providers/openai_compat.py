"""Servers that speak OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import replace

from pydantic import SecretStr

from agentlab.clock import Clock, RealClock
from agentlab.errors import UsageError
from agentlab.messages import Completion, Message, ToolDescription, clean_text
from agentlab.providers.base import ProviderRequest
from agentlab.providers.finishing import finished
from agentlab.providers.openai_replies import read_completion
from agentlab.providers.wire.endpoint import Endpoint
from agentlab.providers.wire.pacing import Pace
from agentlab.providers.wire.timing import Timeouts
from agentlab.strictjson import JSONValue, dumps

__all__ = ["OpenAICompatProvider"]


class OpenAICompatProvider:
    """A model behind `POST {base_url}/chat/completions`.

    Copies for attempts share one pool of connections and may be used from many threads at once.

    Args:
        base_url: address of the API, `http://host:port/v1`, without user, query or fragment.
        model: the model's name, as the server knows it.
        api_key: sent as a bearer token; never shown.
        stream: whether the reply is asked for piece by piece, so that `between_bytes` bounds a server that hangs.
        proxy: whether the proxies that the environment names are used.
        timeouts: limits of one request; a request's `time_left` can shorten the total.
        tries: how often a request is sent at most, where the failure is one that may pass.
        pace: keeps a rate over all attempts; None for none.
        clock: measures the latency; the time limits always run in real time.

    Raises:
        UsageError: for an address, key or model that cannot be used.
    """

    name = "openai"

    seed: int | None
    """Sent with every request that brings no seed of its own."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: SecretStr | str | None = None,
        stream: bool = False,
        proxy: bool = False,
        timeouts: Timeouts | None = None,
        tries: int = 4,
        pace: Pace | None = None,
        clock: Clock | None = None,
    ) -> None:
        if not model:
            raise UsageError("The model's name is empty; give the name under which the server knows it.")
        self._endpoint = Endpoint(
            base_url,
            "chat/completions",
            key=SecretStr(api_key) if isinstance(api_key, str) else api_key,
            proxy=proxy,
            timeouts=timeouts,
            tries=tries,
            pace=pace,
        )
        self._model = model
        self._stream = stream
        self._clock = RealClock() if clock is None else clock
        self.seed = None

    def __repr__(self) -> str:
        return f"OpenAICompatProvider({self._endpoint.base_url!r}, {self._model!r})"

    @property
    def model(self) -> str:
        return self._model

    def for_attempt(self, seed: int) -> OpenAICompatProvider:
        """A copy whose requests carry the seed, which a server may ignore."""
        provider = copy.copy(self)
        provider.seed = seed
        return provider

    def complete(self, request: ProviderRequest) -> Completion:
        payload = json.dumps(self.payload(request)).encode()
        started = self._clock.elapsed()
        answered = self._endpoint.ask(payload, request.time_left, read_completion)
        usage = answered.value.usage
        self._endpoint.spend((usage.input_tokens or 0) + (usage.output_tokens or 0))
        return finished(
            replace(
                answered.value,
                latency=self._clock.elapsed() - started,
                first_byte=answered.first_byte,
                tries=answered.tries,
            ),
            request.sampling.stop,
        )

    def payload(self, request: ProviderRequest) -> Mapping[str, JSONValue]:
        """What is sent for a request."""
        sampling = request.sampling
        wanted: Mapping[str, JSONValue] = {
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            "seed": self.seed if sampling.seed is None else sampling.seed,
            "stop": list(sampling.stop) or None,
            "tools": [_tool(tool) for tool in request.tools] or None,
            "response_format": _response_format(request.reply_schema),
            "stream": self._stream or None,
            "stream_options": {"include_usage": True} if self._stream else None,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        return {"model": self._model, "messages": [_message(each) for each in request.messages], **given}


def _message(message: Message) -> JSONValue:
    text = clean_text(message.text)
    if message.call is not None:
        return {"role": "tool", "tool_call_id": message.call, "content": text}
    if not message.calls:
        return {"role": message.role, "content": text}
    calls: list[JSONValue] = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": call.tool,
                "arguments": call.arguments if isinstance(call.arguments, str) else dumps(call.arguments),
            },
        }
        for call in message.calls
    ]
    return {"role": message.role, "content": text or None, "tool_calls": calls}


def _tool(tool: ToolDescription) -> JSONValue:
    described: JSONValue = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": described}


def _response_format(schema: Mapping[str, JSONValue] | None) -> JSONValue:
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": dict(schema)}}
