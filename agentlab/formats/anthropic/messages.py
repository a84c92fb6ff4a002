"""Anthropic messages: content blocks, in a bare list, in a request with its system prompt and tools, or one response.

Fields after https://docs.anthropic.com/en/api/messages. Results of the agent's own tools stand in user messages and
prove that the harness answered, not that anything ran: `is_error` marks a refusal and a crash alike, and is kept as
the observation's extra. Tools that the API runs itself (web search, code execution, MCP servers) are recorded with
call, execution and result inside the assistant's message, see `blocks`.

A file that holds only texts looks like any other chat; it is claimed where the request around it is Anthropic's: a
`system` prompt beside `max_tokens`, or tools with an `input_schema`. Calls may then stand in the texts, where this
format cannot see them, so proposals are not recorded.

A message's identity is its index in its list, from 0; of a lone response its id. A whole request body that ends in a
user's message was sent; of a bare list nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from agentlab.formats.anthropic.blocks import Replies, finish_of, is_block, result_text, usage_of
from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Row, each_object, each_row, key_of
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, listing, mapping, objects, rest, text
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.words import meaning_of
from agentlab.messages import Role
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["ANTHROPIC_MESSAGES", "blocks_of"]

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_ROW: Final = {"messages", "system", "tools", "model"}
_MESSAGE: Final = {"role", "content", "usage", "model", "stop_reason", "type"}
_RESULT: Final = {"type", "tool_use_id", "content"}
_TEXTS_ONLY: Final = Evidence(authorship="present")


def blocks_of(content: JSONValue) -> list[dict[str, JSONValue]]:
    """The content of a message as blocks, a text as one.

    Raises:
        ShapeError: if it is neither a text nor a list of blocks and texts.
    """
    if isinstance(content, list):
        blocks: list[JSONValue] = [
            {"type": "text", "text": each} if isinstance(each, str) else each for each in content
        ]
        return objects(blocks, "content")
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    raise ShapeError(f"content: a text or a list of blocks was expected and {kind_of(content)} found")


def _is_conversation(messages: JSONValue) -> bool:
    if not isinstance(messages, list):
        return False
    seen = messages[:-1] or messages  # the last one may be cut off where only the head of a file is at hand
    return bool(seen) and all(
        isinstance(each, dict) and each.get("role") in ("user", "assistant", "system") and "tool_calls" not in each
        for each in seen
    )


def _has_blocks(messages: JSONValue) -> bool:
    return (
        isinstance(messages, list)
        and _is_conversation(messages)
        and any(
            is_block(block)
            for message in messages
            if isinstance(message, dict) and isinstance(content := message.get("content"), list)
            for block in content
        )
    )


def _is_request(row: Object) -> bool:
    tools = row.get("tools")
    schemas = isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)
    return _is_conversation(row.get("messages")) and (schemas or {"system", "max_tokens"} <= row.keys())


def _is_response(row: Object) -> bool:
    return row.get("type") == "message" and row.get("role") == "assistant" and isinstance(row.get("content"), list)


def _sniff(head: Head) -> bool:
    if _has_blocks(head.first):
        return True
    row = next(iter(head.objects), {})
    return _has_blocks(row.get("messages")) or _is_request(row) or (_is_response(row) and "stop_reason" in row)


def _split(record: Record) -> Iterator[Row | ShapeError]:
    if _is_conversation(record.value):
        yield Row(value={"messages": record.value}, place=record.place, key=(key_of(record),))
        return
    yield from each_object(record)


def _read(row: Row, path: str) -> Trace:
    builder = TraceBuilder("anthropic-messages", path=path, key=row.key, source=row.place, evidence=_TEXTS_ONLY)
    replies = Replies(builder)
    if native := _is_response(row.value):
        _reply(builder, replies, row.value, text(row.value, "id") or "0", last=True)
    else:
        native = _conversation(builder, replies, row.value)
    if native:
        builder.evidence = replies.evidence()
    return builder.build()


def _conversation(builder: TraceBuilder, replies: Replies, row: Object) -> bool:
    """Record a list of messages, and say whether calls would be seen in it."""
    if not _is_conversation(row.get("messages")):
        what = kind_of(row.get("messages")) if "messages" in row else "none"
        raise ShapeError(f"a list of messages with role and content was expected in messages; there is {what}")
    messages = objects(listing(row, "messages"), "messages")
    tools = described_tools(listing(row, "tools"))
    extra = rest(row, _ROW)
    schemas: list[JSONValue] = [tool for tool in listing(row, "tools") if isinstance(tool, dict) and "type" in tool]
    if schemas:
        extra["tools"] = schemas
    builder.describe(tools=tools, model=text(row, "model"), extra=extra)
    if system := plain_text(row.get("system")):
        builder.hear(Item(role="system", text=system, source="system"))
    native = bool(tools) or _has_blocks(row.get("messages"))
    for index, message in enumerate(messages):
        with at(f"message {index}"):
            _message(builder, replies, message, str(index), last=index == len(messages) - 1)
    if "max_tokens" in row and messages[-1].get("role") == "user":
        builder.request(source=str(len(messages) - 1))  # the body of a request, whose reply is not in the file
    return native


def _message(builder: TraceBuilder, replies: Replies, message: Object, source: str, *, last: bool) -> None:
    role = meaning_of(message, "role", _ROLES)
    if role == "assistant":
        _reply(builder, replies, message, source, last=last)
        return
    item = Item(role=role, text="", source=source, extra=rest(message, _MESSAGE))
    for heard in _heard(blocks_of(message.get("content")), item):
        builder.hear(heard)


def _heard(blocks: Sequence[Object], item: Item) -> Iterator[Item]:
    """A user's message: its results as answers of tools, the rest as texts, in their order.

    Args:
        blocks: of the message.
        item: what a text of it becomes, but for the text.
    """
    if not blocks:
        yield item
    for is_result, group in groupby(blocks, key=lambda block: block.get("type") == "tool_result"):
        if not is_result:
            yield replace(item, text=plain_text([dict(block) for block in group]))
            continue
        for block in group:
            said, extra = result_text(block.get("content")), {**item.extra, **rest(block, _RESULT)}
            yield replace(item, role="tool", text=said, call=text(block, "tool_use_id"), extra=extra)


def _reply(builder: TraceBuilder, replies: Replies, message: Object, source: str, *, last: bool) -> None:
    finish = finish_of(message)
    extra = {**rest(message, _MESSAGE), **whole_usage(mapping(message, "usage"))}
    if (reason := text(message, "stop_reason")) and finish == "unknown":
        extra["stop_reason"] = reason
    reply, said = replies.add(
        blocks_of(message.get("content")),
        finish=finish,
        usage=usage_of(mapping(message, "usage")),
        model=text(message, "model"),
        extra=extra,
        source=source,
    )
    if last and said and finish != "length" and reason != "pause_turn":
        builder.answer(said, completion=reply)


ANTHROPIC_MESSAGES = Format(
    name="anthropic-messages",
    sentence="Anthropic messages, bare, as request or as response; only tools that the API runs prove executions.",
    url="https://docs.anthropic.com/en/api/messages",
    proofs=Proofs(
        proposals="present",
        executions="depends",
        results="present",
        errors="depends",
        times="absent",
        usage="depends",
    ),
    sniff=_sniff,
    load=each_row(_split, _read),
)
