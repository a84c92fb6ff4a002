"""Streams as servers send them: cut anywhere, with and without their end."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlab.errors import ProviderError
from agentlab.messages import Completion, Message, Sampling, ToolCall, Usage
from agentlab.providers.base import ProviderRequest
from agentlab.providers.openai_compat import OpenAICompatProvider
from agentlab.providers.server import ServerOptions

Handler: TypeAlias = Any
Answer: TypeAlias = Callable[[Handler], None]
Serve: TypeAlias = Callable[[Answer], Any]

PLAIN = ProviderRequest(messages=(Message(role="user", text="How heavy?", author="user"),))
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"model": "toy", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


USAGE = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}
HEAVY = [delta(role="assistant", content=""), delta(content="Schwer: "), delta(content="七🪨."), delta("stop"), USAGE]


def lines(events: Sequence[object], end: str = "\n\n") -> bytes:
    texts = [event if isinstance(event, str) else json.dumps(event, ensure_ascii=False) for event in events]
    return "".join(f"data: {text}{end}" for text in texts).encode()


def streams(data: bytes, cuts: Sequence[int] = (), *, whole: bool = True) -> Answer:
    """Sends bytes in chunks that end at the cuts; unless whole, the connection ends without the last chunk."""

    def answer(handler: Handler) -> None:
        handler.raw(STREAM)
        places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
        for start, end in itertools.pairwise(places):
            if end > start:
                handler.raw(b"%x\r\n%s\r\n" % (end - start, data[start:end]))
        if whole:
            handler.raw(b"0\r\n\r\n")

    return answer


def complete(serve: Serve, answer: Answer, request: ProviderRequest = PLAIN) -> Completion:
    return OpenAICompatProvider(serve(answer).url, "toy", options=ServerOptions(stream=True, tries=1)).complete(request)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 2_000), max_size=12), st.sampled_from(["\n\n", "\r\n\r\n", "\r\r"]))
def test_a_stream_may_be_cut_anywhere(serve: Serve, cuts: list[int], end: str) -> None:
    reply = complete(serve, streams(lines([*HEAVY, "[DONE]"], end), cuts))
    assert (reply.text, reply.finish_reason, reply.model) == ("Schwer: 七🪨.", "stop", "toy")
    assert reply.usage == Usage(input_tokens=12, output_tokens=3)


def test_a_stream_is_asked_for_with_its_usage(serve: Serve) -> None:
    server = serve(streams(lines([*HEAVY, "[DONE]"])))
    OpenAICompatProvider(server.url, "toy", options=ServerOptions(stream=True)).complete(PLAIN)
    assert server.received[0].json["stream"] is True
    assert server.received[0].json["stream_options"] == {"include_usage": True}


def test_the_end_mark_may_be_missing_where_a_reason_was_given(serve: Serve) -> None:
    assert complete(serve, streams(lines(HEAVY))).text == "Schwer: 七🪨."


@pytest.mark.parametrize("whole", [True, False])
def test_a_stream_that_breaks_off_is_no_reply(serve: Serve, whole: bool) -> None:
    with pytest.raises(ProviderError) as caught:
        complete(serve, streams(lines(HEAVY[:3]), whole=whole))
    assert caught.value.fault == "bad_reply"
    assert "broke off" in str(caught.value) or "breaks off" in str(caught.value)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([*HEAVY[:2], "{"], "invalid JSON"),
        ([*HEAVY[:2], "[]"], "JSON that is no object"),
        ([*HEAVY[:2], {"error": {"message": "no memory"}}], "an error in the middle of a stream"),
        ([delta(tool_calls=["weigh"])], "a tool call that is no object"),
        (
            [delta("tool_calls", tool_calls=[{"index": 0, "function": {"arguments": "{}"}}])],
            "without a function's name",
        ),
        ([delta(tool_calls=[{"index": place}]) for place in range(300)], "more than 200 tool calls"),
    ],
)
def test_events_that_are_no_part_of_a_reply(serve: Serve, events: list[object], found: str) -> None:
    with pytest.raises(ProviderError, match=found) as caught:
        complete(serve, streams(lines(events)))
    assert caught.value.fault == "bad_reply"


def test_a_server_may_answer_whole_though_a_stream_was_asked_for(serve: Serve) -> None:
    whole = {"choices": [{"message": {"content": "Heavy."}, "finish_reason": "stop"}]}
    assert complete(serve, lambda handler: handler.send(200, whole)).text == "Heavy."


def test_calls_come_in_pieces(serve: Serve) -> None:
    pieces = [
        delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "weigh", "arguments": ""}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": '{"item": "an'}}]),
        delta(tool_calls=[{"index": 1, "id": "b", "function": {"name": "list_crates", "arguments": "{}"}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": 'vil"}'}}]),
        delta("tool_calls"),
    ]
    reply = complete(serve, streams(lines([*pieces, "[DONE]"])))
    assert reply.finish_reason == "tool_calls"
    assert reply.calls == (
        ToolCall(id="a", tool="weigh", arguments={"item": "anvil"}),
        ToolCall(id="b", tool="list_crates", arguments={}),
    )


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(serve: Serve, field: str) -> None:
    streamed = complete(serve, streams(lines([delta(**{field: "Hm"}), delta(**{field: "m."}), *HEAVY, "[DONE]"])))
    assert (streamed.reasoning, streamed.text) == ("Hmm.", "Schwer: 七🪨.")
    message = {"content": "Heavy.", field: "Hmm."}
    whole = complete(serve, lambda handler: handler.send(200, {"choices": [{"message": message}]}))
    assert (whole.reasoning, whole.text) == ("Hmm.", "Heavy.")


def test_a_character_may_be_cut_in_two(serve: Serve) -> None:
    halves = [delta(content="\ud83e"), delta(content="\udea8"), delta("stop")]
    data = b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in halves)
    assert complete(serve, streams(data)).text == "🪨"


def test_a_refusal_and_parts_are_the_text(serve: Serve) -> None:
    def whole(message: dict[str, Any]) -> str:
        return complete(serve, lambda handler: handler.send(200, {"choices": [{"message": message}]})).text

    assert whole({"content": None, "refusal": "I will not."}) == "I will not."
    assert whole({"content": [{"type": "text", "text": "Hea"}, {"type": "text", "text": "vy."}]}) == "Heavy."


def test_a_stream_that_never_ends_is_cut(serve: Serve) -> None:
    def flood(handler: Handler) -> None:
        handler.raw(STREAM)
        piece = b"data: " + b"x" * 65_536 + b"\n"
        for _ in range(400):
            handler.raw(b"%x\r\n%s\r\n" % (len(piece), piece))

    with pytest.raises(ProviderError, match="more than 16000000 bytes"):
        complete(serve, flood)


@pytest.mark.parametrize(
    ("text", "reason", "read", "remarks"),
    [
        ("Action: a\nObservation: 4", "length", "Action: a", ("stop_reapplied",)),
        ("\nObservation: 4", "stop", "", ("stop_reapplied", "empty_reply")),
        ("", "stop", "", ("empty_reply",)),
        (" \n", "stop", " \n", ("empty_reply",)),
        ("", "length", "", ()),
        ("Action: a", "stop", "Action: a", ()),
    ],
)
def test_a_stop_that_the_server_ignores_is_applied_here(
    serve: Serve, text: str, reason: str, read: str, remarks: tuple[str, ...]
) -> None:
    reply = {"choices": [{"message": {"content": text}, "finish_reason": reason}]}
    request = ProviderRequest(messages=PLAIN.messages, sampling=Sampling(stop=("\nObservation:", "###", "")))
    completion = complete(serve, lambda handler: handler.send(200, reply), request)
    assert (completion.text, completion.remarks) == (read, remarks)
    assert completion.finish_reason == ("stop" if "stop_reapplied" in remarks else reason)
