"""Anthropic's messages: what is sent, what comes back, whole and streamed, over real sockets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import ProviderError
from agentlab.messages import Completion, Message, Sampling, ToolCall, ToolDescription, Usage
from agentlab.providers import anthropic_replies
from agentlab.providers.anthropic import AnthropicProvider
from agentlab.providers.base import ProviderRequest
from agentlab.providers.server import ServerOptions
from agentlab.providers.wire.replies import NotAReplyError
from agentlab.strictjson import dumps

Handler: TypeAlias = Any
Serve: TypeAlias = Callable[[Callable[[Handler], None]], Any]

KEY = "planted-key-77aa"
WEIGH = ToolDescription(name="weigh", description="Weighs a crate.", parameters={"type": "object", "properties": {}})
PLAIN = ProviderRequest(messages=(Message(role="user", text="How heavy?", author="user"),))
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 2, "output_tokens": 3}


def message(*blocks: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    return {"type": "message", "model": "toy-1", "content": list(blocks), "stop_reason": reason, "usage": USAGE}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def ask(serve: Serve, reply: dict[str, Any], request: ProviderRequest = PLAIN) -> tuple[Completion, Any]:
    server = serve(lambda handler: handler.send(200, reply))
    provider = AnthropicProvider(server.url, "toy", api_key=KEY, options=ServerOptions(tries=1))
    return provider.complete(request), server.received[0]


def test_what_is_sent(serve: Serve) -> None:
    call = ToolCall(id="c1", tool="weigh", arguments={"crate": 7})
    request = ProviderRequest(
        messages=(
            Message(role="system", text="Be brief.", author="system"),
            Message(role="user", text="How heavy?", author="user"),
            Message(role="assistant", text="", author="model", calls=(call,)),
            Message(role="tool", text='{"kg": 4}', author="tool", call="c1"),
            Message(role="user", text="And now?", author="user"),
        ),
        sampling=Sampling(temperature=0.5, max_tokens=None, seed=3, stop=("\nObs",)),
        tools=(WEIGH,),
    )
    _, received = ask(serve, message(text("4 kg.")), request)
    assert received.path == "/v1/messages"
    assert received.headers["x-api-key"] == KEY
    assert received.headers["anthropic-version"] == "2023-06-01"
    assert received.json == {
        "model": "toy",
        "max_tokens": 4096,
        "system": "Be brief.",
        "temperature": 0.5,
        "stop_sequences": ["\nObs"],
        "tools": [{"name": "weigh", "description": "Weighs a crate.", "input_schema": dict(WEIGH.parameters)}],
        "messages": [
            {"role": "user", "content": [text("How heavy?")]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "weigh", "input": {"crate": 7}}],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": '{"kg": 4}'},
                    text("And now?"),
                ],
            },
        ],
    }


def test_what_comes_back(serve: Serve) -> None:
    blocks = (
        {"type": "thinking", "thinking": "Hmm."},
        text("Let me "),
        text("see."),
        {"type": "tool_use", "id": "t1", "name": "weigh", "input": {"crate": 7}},
    )
    reply, _ = ask(serve, message(*blocks, reason="tool_use"))
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("Let me see.", "Hmm.", "tool_calls")
    assert reply.calls == (ToolCall(id="t1", tool="weigh", arguments={"crate": 7}),)
    assert (reply.usage, reply.model) == (Usage(input_tokens=12, output_tokens=3), "toy-1")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "unknown"),
    ],
)
def test_finish_reasons(serve: Serve, said: str, meant: str) -> None:
    assert ask(serve, message(text("x"), reason=said))[0].finish_reason == meant


def test_a_reply_that_matches_a_schema_comes_as_a_call(serve: Serve) -> None:
    schema = {"type": "object", "properties": {"kg": {"type": "number"}}}
    block = {"type": "tool_use", "id": "t1", "name": "reply", "input": {"kg": 4}}
    request = ProviderRequest(messages=PLAIN.messages, reply_schema=schema)
    reply, received = ask(serve, message(block, reason="tool_use"), request)
    assert (json.loads(reply.text), reply.calls) == ({"kg": 4}, ())
    assert received.json["tool_choice"] == {"type": "tool", "name": "reply"}
    assert received.json["tools"][0]["input_schema"] == schema


EVENTS = (
    {"type": "message_start", "message": {"model": "toy-1", "usage": {"input_tokens": 10, "output_tokens": 1}}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hmm."}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Let me \ud83e"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "\udea8 see."}},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "t1", "name": "weigh", "input": {}},
    },
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"cra'}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": 'te": 7}'}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
)


def streamed(serve: Serve, *events: dict[str, Any]) -> Completion:
    data = b"".join(b"event: %s\ndata: %s\n\n" % (e["type"].encode(), json.dumps(e).encode()) for e in events)
    server = serve(lambda handler: handler.send(200, data, content_type="text/event-stream; charset=utf-8"))
    options = ServerOptions(stream=True, tries=1)
    return AnthropicProvider(server.url, "toy", options=options).complete(PLAIN)


def test_a_stream(serve: Serve) -> None:
    reply = streamed(serve, *EVENTS)
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("Let me 🪨 see.", "Hmm.", "tool_calls")
    assert reply.calls == (ToolCall(id="t1", tool="weigh", arguments={"crate": 7}),)
    assert reply.usage == Usage(input_tokens=10, output_tokens=9)


def test_a_call_without_arguments_has_an_empty_object(serve: Serve) -> None:
    events = [event for event in EVENTS if event.get("delta", {}).get("type") != "input_json_delta"]
    assert streamed(serve, *events).calls[0].arguments == {}


def test_streams_that_are_no_reply(serve: Serve) -> None:
    with pytest.raises(ProviderError, match="a stream that breaks off"):
        streamed(serve, *EVENTS[:-1])
    with pytest.raises(ProviderError, match="an error in the middle of a stream") as caught:
        streamed(serve, *EVENTS[:5], {"type": "error", "error": {"type": "overloaded_error"}})
    assert "overloaded" in caught.value.server_said


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("{", "invalid JSON"),
        ("[]", "JSON that is no object"),
        ("{}", "a message without content"),
        ('{"content": ["x"]}', "a message without content"),
        ('{"type": "error", "error": {}}', "an error with status 200"),
        ('{"content": [{"type": "tool_use", "input": {}}]}', "a tool call without a tool's name"),
    ],
)
def test_replies_that_are_no_message(body: str, found: str) -> None:
    with pytest.raises(NotAReplyError, match=found):
        anthropic_replies.whole(body)


NAMES = st.sampled_from(["type", "text", "thinking", "tool_use", "name", "input", "id", "usage"])
SCALARS = st.none() | st.booleans() | st.integers() | st.text() | NAMES


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner)))
def test_any_json_is_a_completion_or_named_for_what_it_is(content: object) -> None:
    try:
        anthropic_replies.whole(dumps({"content": content})).text.encode()
    except NotAReplyError as error:
        shown = error.found
    else:
        shown = "a completion"
    assert shown
