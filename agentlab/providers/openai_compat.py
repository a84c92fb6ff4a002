"""Servers that speak OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat.

Plain requests, without streaming. Servers differ in what they leave out, so a missing id, usage, model or finish
reason is no error; a missing choice or message is.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import httpx

from agentlab.clock import Clock, RealClock
from agentlab.errors import UsageError
from agentlab.messages import Arguments, Completion, FinishReason, ToolCall, Usage, clean_text
from agentlab.providers.base import ProviderRequest
from agentlab.providers.wire import Endpoint
from agentlab.strictjson import StrictJSONError, dumps, loads

__all__ = ["OpenAICompatProvider"]

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


class OpenAICompatProvider:
    """A model behind `POST {base_url}/chat/completions`.

    Copies for attempts share one client and may be used from many threads at once. No connection is kept between
    requests, so there is nothing to close.

    Args:
        base_url: address of the API, `http://host:port/v1`, without user, query or fragment.
        model: the model's name, as the server knows it.
        api_key: sent as a bearer token; never shown.
        client: a client to use in place of an own one; whoever made it closes it.
        proxy: whether an own client uses the proxies that the environment names.
        connect_timeout: longest wait for a connection, in seconds.
        total_timeout: longest time from sending a request to the end of the reply, in seconds; a request's
            `time_left` can shorten it.
        clock: measures the latency; the time limits always run in real time.

    Raises:
        UsageError: for an address, key, model or time limit that cannot be used.
    """

    __slots__ = ("_clock", "_endpoint", "_model", "seed")

    name = "openai"

    seed: int | None
    """Sent with every request that brings no seed of its own."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        client: httpx.Client | None = None,
        proxy: bool = False,
        connect_timeout: float = 10.0,
        total_timeout: float = 300.0,
        clock: Clock | None = None,
    ) -> None:
        if not model:
            raise UsageError("The model's name is empty; give the name under which the server knows it.")
        self._endpoint = Endpoint(
            base_url,
            "chat/completions",
            key=api_key,
            client=client,
            proxy=proxy,
            connect_timeout=connect_timeout,
            total_timeout=total_timeout,
        )
        self._model = model
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
        payload = self._payload(request)
        started = self._clock.elapsed()
        body = self._endpoint.post(payload, request.time_left)
        latency = self._clock.elapsed() - started
        try:
            return _completion(body, latency)
        except _NotACompletionError as error:
            found = str(error)
        raise self._endpoint.bad_reply(found, body)

    def _payload(self, request: ProviderRequest) -> bytes:
        sampling = request.sampling
        wanted = {
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            "seed": self.seed if sampling.seed is None else sampling.seed,
            "stop": list(sampling.stop) or None,
        }
        messages = [{"role": message.role, "content": clean_text(message.text)} for message in request.messages]
        given = {name: value for name, value in wanted.items() if value is not None}
        return json.dumps({"model": self._model, "messages": messages, **given}).encode()


class _NotACompletionError(Exception):
    """A body is something else; the text names it as a noun."""


def _completion(body: str, latency: float) -> Completion:
    data = _parsed(body)
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices:
        raise _NotACompletionError("JSON without choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise _NotACompletionError("a choice without a message")
    content = message.get("content")
    if not isinstance(content, str | None):
        raise _NotACompletionError("a message whose content is not text")
    return Completion(
        text=clean_text(content or ""),
        calls=_calls(message.get("tool_calls")),
        finish_reason=_FINISH_REASONS.get(str(choice.get("finish_reason")), "unknown"),
        usage=_usage(data.get("usage")),
        model=_text(data.get("model")),
        latency=latency,
    )


def _parsed(body: str) -> Mapping[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise _NotACompletionError("invalid JSON") from None
    if not isinstance(data, dict):
        raise _NotACompletionError("JSON that is no object")
    return data


def _calls(items: object) -> tuple[ToolCall, ...]:
    calls = []
    for number, item in enumerate(items if isinstance(items, list) else [], start=1):
        function = item.get("function") if isinstance(item, dict) else None
        if not isinstance(function, dict) or not _text(function.get("name")):
            raise _NotACompletionError("a tool call without a function's name")
        call = _text(item.get("id")) or f"call_{number}"
        arguments = _arguments(function.get("arguments", ""))
        calls.append(ToolCall(id=call, tool=_text(function["name"]), arguments=arguments))
    return tuple(calls)


def _arguments(given: object) -> Arguments:
    """Arguments as strict JSON if they are an object of it, else as they came."""
    try:
        value = loads(given if isinstance(given, str) else dumps(given))
    except StrictJSONError:
        value = None
    if isinstance(value, dict):
        return value
    return clean_text(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))


def _usage(given: object) -> Usage:
    counts = given if isinstance(given, dict) else {}
    return Usage(
        input_tokens=_count(counts.get("prompt_tokens")), output_tokens=_count(counts.get("completion_tokens"))
    )


def _count(given: object) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else None


def _text(given: object) -> str:
    return clean_text(given) if isinstance(given, str) else ""
