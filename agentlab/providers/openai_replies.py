"""Replies of OpenAI's chat completions, whole or streamed: https://platform.openai.com/docs/api-reference/chat.

Servers differ in what they leave out, so a missing id, usage, model or finish reason is no error; a missing choice or
message is, and a stream that breaks off.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentlab.messages import Completion, FinishReason, ToolCall, Usage, clean_text
from agentlab.providers.finishing import arguments_of, count_of, text_of
from agentlab.providers.wire.replies import NotAReplyError, Reply, json_object

__all__ = ["read_completion", "whole"]

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
_REASONING = ("reasoning_content", "reasoning")
"""Fields in which servers give reasoning beside the text: the first DeepSeek, llama.cpp and vLLM, the second others."""
_MOST_CALLS = 200


def read_completion(reply: Reply) -> Completion:
    """The completion of a reply.

    Raises:
        NotAReplyError: if it is none.
    """
    return _streamed(reply.events()) if reply.is_stream else whole(reply.text())


def whole(body: str) -> Completion:
    """The completion that a body of JSON holds.

    Raises:
        NotAReplyError: if it holds none.
    """
    data = json_object(body)
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices:
        raise NotAReplyError("an error with status 200" if "error" in data else "JSON without choices", body)
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise NotAReplyError("a choice without a message", body)
    text = _content(message)
    if text is None:
        raise NotAReplyError("a message whose content is not text", body)
    return Completion(
        text=clean_text(text),
        reasoning=clean_text(_first_text(message, _REASONING)),
        calls=_calls(message.get("tool_calls"), body),
        finish_reason=_FINISH_REASONS.get(str(choice.get("finish_reason")), "unknown"),
        usage=_usage(data.get("usage")),
        model=text_of(data.get("model")),
    )


class _Parts:
    """A streamed reply as it grows."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.calls: dict[int, dict[str, str]] = {}
        self.finish_reason: object = None
        self.usage: object = None
        self.model = ""

    def add(self, data: Mapping[str, Any], event: str) -> None:
        """Add what one event brings."""
        self.model = self.model or text_of(data.get("model"))
        self.usage = data.get("usage") or self.usage  # the last event but one, which has no choices
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self.text.append(_content(delta) or "")
            self.reasoning.append(_first_text(delta, _REASONING))
            self._add_calls(delta.get("tool_calls"), event)

    def _add_calls(self, items: object, event: str) -> None:
        for item in items if isinstance(items, list) else []:
            if not isinstance(item, dict):
                raise NotAReplyError("a tool call that is no object", event)
            place = item.get("index")
            call = self.calls.setdefault(place if isinstance(place, int) else len(self.calls), {})
            function = item.get("function")
            for name, given in (("id", item.get("id")), *(function.items() if isinstance(function, dict) else ())):
                if name in ("id", "name"):
                    call[name] = call.get(name) or text_of(given)
                elif name == "arguments":
                    call[name] = call.get(name, "") + (given if isinstance(given, str) else json.dumps(given))
            if len(self.calls) > _MOST_CALLS:
                raise NotAReplyError(f"more than {_MOST_CALLS} tool calls", event)

    def completion(self) -> Completion:
        items = [
            {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": call.get("arguments", "")}}
            for _, call in sorted(self.calls.items())
        ]
        return Completion(
            text=clean_text("".join(self.text)),
            reasoning=clean_text("".join(self.reasoning)),
            calls=_calls(items, ""),
            finish_reason=_FINISH_REASONS.get(str(self.finish_reason), "unknown"),
            usage=_usage(self.usage),
            model=self.model,
            streamed=True,
        )


def _streamed(events: Iterable[str]) -> Completion:
    parts = _Parts()
    for event in events:
        if event.strip() == "[DONE]":
            return parts.completion()
        data = json_object(event)
        if "error" in data:
            raise NotAReplyError("an error in the middle of a stream", event)
        parts.add(data, event)
    if parts.finish_reason is None:
        raise NotAReplyError("a stream that breaks off", "".join(parts.text))
    return parts.completion()


def _content(message: Mapping[str, Any]) -> str | None:
    """The text of a message, or a refusal in its place, not yet clean; None where it is neither."""
    content = message.get("content")
    if content is None:
        return _first_text(message, ("refusal",))
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):  # as some servers write them
        return "".join(_first_text(part, ("text",)) for part in content)
    return content if isinstance(content, str) else None


def _first_text(message: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of some fields that is a text, as it is: in a stream a character may be cut in two."""
    return next((text for name in names if isinstance(text := message.get(name), str) and text), "")


def _calls(items: object, body: str) -> tuple[ToolCall, ...]:
    calls = []
    for number, item in enumerate(items if isinstance(items, list) else [], start=1):
        function = item.get("function") if isinstance(item, dict) else None
        if not isinstance(function, dict) or not text_of(function.get("name")):
            raise NotAReplyError("a tool call without a function's name", body)
        call = text_of(item.get("id")) or f"call_{number}"
        arguments = arguments_of(function.get("arguments", ""))
        calls.append(ToolCall(id=call, tool=text_of(function["name"]), arguments=arguments))
    return tuple(calls)


def _usage(given: object) -> Usage:
    counts = given if isinstance(given, dict) else {}
    return Usage(
        input_tokens=count_of(counts.get("prompt_tokens")), output_tokens=count_of(counts.get("completion_tokens"))
    )
