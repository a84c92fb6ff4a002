"""Replies of Anthropic's messages, whole or streamed: https://docs.anthropic.com/en/api/messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agentlab.messages import Completion, FinishReason, ToolCall, Usage
from agentlab.providers.finishing import arguments_of, count_of, text_of
from agentlab.providers.wire.replies import NotAReplyError, Reply, json_object

__all__ = ["ANSWERING_TOOL", "read_completion", "whole"]

ANSWERING_TOOL = "reply"
"""The tool whose arguments are the reply, where one that matches a schema was asked for."""

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


def read_completion(reply: Reply) -> Completion:
    """The completion of a reply.

    Raises:
        NotAReplyError: if it is none.
    """
    return replace(_of(_gathered(reply.events()), ""), streamed=True) if reply.is_stream else whole(reply.text())


def whole(body: str) -> Completion:
    """The completion that a body of JSON holds.

    Raises:
        NotAReplyError: if it holds none.
    """
    return _of(json_object(body), body)


def _of(message: Mapping[str, Any], body: str) -> Completion:
    blocks = message.get("content")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        found = "an error with status 200" if message.get("type") == "error" else "a message without content"
        raise NotAReplyError(found, body)
    usage = message.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    calls = [_call(number, block, body) for number, block in enumerate(_kind(blocks, "tool_use"), start=1)]
    answering = next((call for call in calls if call.tool == ANSWERING_TOOL), None)
    text = "".join(text_of(block.get("text")) for block in _kind(blocks, "text"))
    return Completion(
        text=_json(answering) if answering is not None else text,
        reasoning="".join(text_of(block.get("thinking")) for block in _kind(blocks, "thinking")),
        calls=tuple(call for call in calls if call is not answering),
        finish_reason=_FINISH_REASONS.get(str(message.get("stop_reason")), "unknown"),
        usage=Usage(
            input_tokens=_sum(counts, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            output_tokens=count_of(counts.get("output_tokens")),
        ),
        model=text_of(message.get("model")),
    )


def _kind(blocks: Iterable[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [block for block in blocks if block.get("type") == kind]


def _call(number: int, block: Mapping[str, Any], body: str) -> ToolCall:
    if not text_of(block.get("name")):
        raise NotAReplyError("a tool call without a tool's name", body)
    arguments = arguments_of(block.get("input", ""))
    return ToolCall(id=text_of(block.get("id")) or f"call_{number}", tool=text_of(block["name"]), arguments=arguments)


def _json(call: ToolCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


def _sum(counts: Mapping[str, Any], *names: str) -> int | None:
    """What was sent, whether or not the server had it in its cache; None where nothing is said."""
    given = [count for name in names if (count := count_of(counts.get(name))) is not None]
    return sum(given) if given else None


def _gathered(events: Iterable[str]) -> Mapping[str, Any]:
    """The message that a stream of events builds up."""
    message: dict[str, Any] = {}
    blocks: dict[object, dict[str, Any]] = {}
    for text in events:
        event = json_object(text)
        match event.get("type"):
            case "message_start" if isinstance(event.get("message"), dict):
                message = {**event["message"], "content": []}
            case "content_block_start" if isinstance(event.get("content_block"), dict):
                blocks[event.get("index")] = {**event["content_block"], "partial": ""}
            case "content_block_delta" if isinstance(event.get("delta"), dict):
                _grow(blocks.setdefault(event.get("index"), {"type": "text", "partial": ""}), event["delta"])
            case "message_delta" if isinstance(event.get("delta"), dict):
                usage = {**_mapping(message.get("usage")), **_mapping(event.get("usage"))}
                message = {**message, **event["delta"], "usage": usage}
            case "error":
                raise NotAReplyError("an error in the middle of a stream", text)
            case "message_stop":
                return {**message, "content": [_closed(block) for block in blocks.values()]}
            case _:  # a ping, or what joins later
                continue
    raise NotAReplyError("a stream that breaks off")


def _grow(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for name, given in (("text", "text"), ("thinking", "thinking"), ("partial", "partial_json")):
        if isinstance(delta.get(given), str):  # joined as they are: a character may be cut in two
            block[name] = (block.get(name) or "") + delta[given]


def _closed(block: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**block, "input": block["partial"]} if block["partial"] else block


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
