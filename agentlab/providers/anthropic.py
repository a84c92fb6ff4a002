"""Anthropic's messages API: https://docs.anthropic.com/en/api/messages.

It has no seed and wants the longest reply to be named. A reply that is to match a schema is asked for as the arguments
of a tool, which is the way that the API offers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from agentlab.messages import Completion, Message, clean_text
from agentlab.providers.anthropic_replies import ANSWERING_TOOL, read_completion
from agentlab.providers.base import ProviderRequest
from agentlab.providers.server import ModelServer
from agentlab.providers.wire.replies import Reply
from agentlab.strictjson import JSONValue

__all__ = ["AnthropicProvider"]

_LONGEST = 4_096
"""Tokens of a reply where the request names no limit; the API takes no request without one."""


class AnthropicProvider(ModelServer):
    """A model behind `POST {base_url}/messages`, the base being `https://host/v1`."""

    name = "anthropic"
    path = "messages"
    key_header = ("x-api-key", "")
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": "2023-06-01"}

    def read(self, reply: Reply) -> Completion:
        return read_completion(reply)

    def payload(self, request: ProviderRequest) -> Mapping[str, JSONValue]:
        sampling = request.sampling
        system = [clean_text(message.text) for message in request.messages if message.role == "system"]
        wanted: Mapping[str, JSONValue] = {
            "system": "\n\n".join(system) or None,
            "temperature": sampling.temperature,
            "stop_sequences": list(sampling.stop) or None,
            "tools": _tools(request) or None,
            "tool_choice": None if request.reply_schema is None else {"type": "tool", "name": ANSWERING_TOOL},
            "stream": self._stream or None,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        turns = _turns([message for message in request.messages if message.role != "system"])
        return {"model": self.model, "max_tokens": sampling.max_tokens or _LONGEST, "messages": list(turns), **given}


def _tools(request: ProviderRequest) -> list[JSONValue]:
    tools: list[JSONValue] = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
        for tool in request.tools
    ]
    if request.reply_schema is not None:
        described = "Give the reply as the arguments of this tool."
        tools.append({"name": ANSWERING_TOOL, "description": described, "input_schema": dict(request.reply_schema)})
    return tools


def _turns(messages: Sequence[Message]) -> Iterator[JSONValue]:
    """The messages with those of one side joined: the API wants the sides to take turns, results first."""
    role, blocks = "", list[JSONValue]()
    for message in messages:
        side = "assistant" if message.role == "assistant" else "user"
        if side != role and blocks:
            yield {"role": role, "content": blocks}
            blocks = []
        role = side
        blocks += _blocks(message)
    if blocks:
        yield {"role": role, "content": blocks}


def _blocks(message: Message) -> Iterator[JSONValue]:
    text = clean_text(message.text)
    if message.call is not None:
        yield {"type": "tool_result", "tool_use_id": message.call, "content": text}
        return
    if text.strip():  # the API refuses blocks of blanks
        yield {"type": "text", "text": text}
    for call in message.calls:
        given = {} if isinstance(call.arguments, str) else dict(call.arguments)
        yield {"type": "tool_use", "id": call.id, "name": call.tool, "input": given}
