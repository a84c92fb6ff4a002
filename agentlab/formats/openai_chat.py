"""OpenAI chat messages: a list of messages, bare or in a field of an object, one list a file or one a line.

Fields after https://platform.openai.com/docs/api-reference/chat, and what compatible servers make of them: calls
without ids, arguments as objects, content as parts. A `tool` message proves that the harness answered, not that
anything ran: refusals and parse errors come in the same shape. So executions and errors are never recorded here.

A message's identity is its index in its list, from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Row, each_object, each_row, key_of
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.calls import beside_calls
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    arguments_of,
    kind_of,
    listing,
    mapping,
    mappings,
    rest,
    text,
)
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.words import meaning_of
from agentlab.messages import Role
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, ProposedCall

__all__ = ["OPENAI_CHAT", "ROLES", "is_chat", "read_messages"]

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
LISTS = ("messages", "traj", "input")
"""Fields in which a list of messages may stand."""
_MESSAGE = {
    *("role", "content", "tool_calls", "tool_call_id", "function_call", "refusal"),
    *("reasoning_content", "reasoning"),
}
_CALL = {"id", "type", "function", "custom", "name", "arguments", "input"}


def is_chat(messages: JSONValue) -> bool:
    """Whether a value is a list of chat messages, as far as it can be seen."""
    if not isinstance(messages, list):
        return False
    seen = messages[:-1] or messages  # the last one may be cut off where only the head of a file is at hand
    return bool(seen) and all(
        isinstance(each, dict)
        and isinstance(role := each.get("role"), str)
        and role in ROLES
        and each.keys() & {"content", "tool_calls"}
        for each in seen
    )


def read_messages(builder: TraceBuilder, messages: Sequence[Object]) -> None:
    """Record a list of chat messages as they came.

    Raises:
        ShapeError: if one is not a chat message; it names the index.
    """
    for index, message in enumerate(messages):
        with at(f"message {index}"):
            _read_message(builder, message, str(index))
    final = next((message for message in reversed(messages) if message.get("role") != "user"), {})
    if final.get("role") == "assistant" and not final.get("tool_calls") and not final.get("function_call"):
        builder.answer(_content(final))


def _sniff(head: Head) -> bool:
    return is_chat(head.first) or any(is_chat(row.get(name)) for row in head.objects[:1] for name in LISTS)


def _split(record: Record) -> Iterator[Row | ShapeError]:
    if is_chat(record.value):
        yield Row(value={"messages": record.value}, place=record.place, key=(key_of(record),))
        return
    yield from each_object(record)


def _read(row: Row, path: str) -> Trace:
    value = row.value
    name = next((name for name in LISTS if is_chat(value.get(name))), "")
    if not name:
        held = ", ".join(f"{name} is {kind_of(value.get(name))}" for name in LISTS if name in value) or "none of them"
        raise ShapeError(f"a list of chat messages was expected in {', '.join(LISTS)}; there is {held}")
    messages = mappings(value, name)
    tools = described_tools(listing(value, "tools"))
    extra = rest(value, {name, "tools", "model"})
    if others := [tool for tool in listing(value, "tools") if not described_tools([tool])]:
        extra["tools"] = others
    builder = TraceBuilder(
        "openai-chat", path=path, key=row.key, source=row.place, evidence=_evidence(messages, native=bool(tools))
    )
    builder.describe(tools=tools, model=text(value, "model"), extra=extra)
    read_messages(builder, messages)
    if name == "input" and messages[-1].get("role") != "assistant":
        builder.request()  # the context of one decision, whose reply is not in the file
    return builder.build()


def _evidence(messages: Sequence[Object], *, native: bool) -> Evidence:
    """Without native calls or a list of tools, calls may stand in the texts, where this format cannot see them."""
    native = native or any(m.get("tool_calls") or m.get("function_call") or m.get("role") == "tool" for m in messages)
    seen = Evidence(authorship="present")
    return Evidence(authorship="present", proposals="present", results="present") if native else seen


def _read_message(builder: TraceBuilder, message: Object, source: str) -> None:
    role = meaning_of(message, "role", ROLES)
    content, extra = _content(message), rest(message, _MESSAGE)
    if role == "assistant":
        reasoning = text(message, "reasoning_content") or text(message, "reasoning")
        calls = tuple(_calls(builder, message))
        bodies = ({**mapping(call, "function"), **mapping(call, "custom"), **call} for call in _native_calls(message))
        extra |= beside_calls(bodies, _CALL)
        builder.reply(content, calls=calls, reasoning=reasoning, source=source, extra=extra)
    else:
        call = text(message, "tool_call_id")
        builder.hear(Item(role=role, text=content, call=call, source=source, extra=extra))


def _content(message: Object) -> str:
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in ("tool_use", "tool_result"):
            raise ShapeError("content: a part of text was expected and a call of Anthropic's messages found")
    return plain_text(message.get("content")) or text(message, "refusal")


def _native_calls(message: Object) -> Sequence[Object]:
    legacy = mapping(message, "function_call")
    return mappings(message, "tool_calls") or ([{"function": legacy}] if legacy else [])


def _calls(builder: TraceBuilder, message: Object) -> Iterator[ProposedCall]:
    for call in _native_calls(message):
        body = mapping(call, "function") or mapping(call, "custom") or call
        arguments = body.get("arguments", body.get("input"))
        yield builder.propose(text(body, "name"), arguments_of(arguments), call=text(call, "id"))


OPENAI_CHAT = Format(
    name="openai-chat",
    sentence="OpenAI chat messages, bare or inside messages, traj or input; an answer to a call proves no execution.",
    url="https://platform.openai.com/docs/api-reference/chat",
    proofs=Proofs(
        proposals="present", executions="absent", results="present", errors="absent", times="absent", usage="absent"
    ),
    sniff=_sniff,
    load=each_row(_split, _read),
    general=True,
)
