"""Servers that speak OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.messages import Completion, Message, ToolDescription, clean_text
from agentlab.providers.base import ProviderRequest
from agentlab.providers.openai_replies import read_completion
from agentlab.providers.server import ModelServer
from agentlab.providers.wire.replies import Reply
from agentlab.strictjson import JSONValue, dumps

__all__ = ["OpenAICompatProvider"]


class OpenAICompatProvider(ModelServer):
    """A model behind `POST {base_url}/chat/completions`, the base being `http://host:port/v1` or the like."""

    name = "openai"
    path = "chat/completions"

    def read(self, reply: Reply) -> Completion:
        return read_completion(reply)

    def payload(self, request: ProviderRequest) -> Mapping[str, JSONValue]:
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
