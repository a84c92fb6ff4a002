from __future__ import annotations

import gc
import logging
import socket
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.clock import TickClock
from agentlab.errors import ProviderError, ProviderFault, UsageError
from agentlab.messages import Completion, Message, Sampling, ToolCall, Usage
from agentlab.providers import openai_replies
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.providers.openai_compat import OpenAICompatProvider
from agentlab.providers.server import ServerOptions
from agentlab.providers.wire.replies import NotAReplyError
from agentlab.providers.wire.timing import Timeouts
from agentlab.strictjson import dumps

Handler: TypeAlias = Any
Answer: TypeAlias = Callable[[Handler], None]
Server: TypeAlias = Any
Serve: TypeAlias = Callable[[Answer], Server]
"""Fixture: starts a loopback server that answers every request in this way."""

KEY = "planted-key-4f1d"
MODEL = "toy-model"
PLAIN = ProviderRequest(messages=(Message(role="user", text="How heavy?", author="user"),))


def body(content: Any = "Heavy.", **message: Any) -> dict[str, Any]:
    return {
        "model": "toy-model-1",
        "choices": [{"message": {"role": "assistant", "content": content, **message}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    }


def says(reply: bytes | str | dict[str, Any], status: int = 200, **headers: str) -> Answer:
    return lambda handler: handler.send(status, reply, **headers)


def within(**seconds: float) -> ServerOptions:
    """Asked once, with these limits."""
    return ServerOptions(timeouts=Timeouts(**seconds), tries=1)


def provider_for(server: Server, **options: Any) -> OpenAICompatProvider:
    return OpenAICompatProvider(
        server.url,
        MODEL,
        **{"api_key": KEY, "options": within(total=5.0), **options},
    )


def complete(serve: Serve, answer: Answer, **options: Any) -> Completion:
    return provider_for(serve(answer), **options).complete(PLAIN)


def failure(provider: OpenAICompatProvider, request: ProviderRequest = PLAIN) -> ProviderError:
    """The error of a request that has to fail, searched for the key and for long or foreign text."""
    with pytest.raises(ProviderError) as caught:
        provider.complete(request)
    error = caught.value
    frames = traceback.TracebackException.from_exception(error, capture_locals=True)
    for shown in (str(error), repr(error), error.server_said, "".join(frames.format()), repr(provider)):
        assert KEY not in shown
    assert error.__context__ is None
    assert error.__cause__ is None
    assert str(error).endswith(".")
    assert "\n" not in str(error)
    return error


# What is sent


def test_the_request_holds_what_is_set_and_nothing_else(serve: Serve) -> None:
    server = serve(says(body()))
    messages = (
        Message(role="system", text="Be brief.", author="system", trust="trusted"),
        Message(role="assistant", text="half \ud800", author="model", origin="e3"),
    )
    sampling = Sampling(temperature=0.5, max_tokens=7, seed=11, stop=("\nObs",))
    provider_for(server).complete(ProviderRequest(messages=messages, sampling=sampling))
    (received,) = server.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.json == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "assistant", "content": "half \ufffd"}],
        "temperature": 0.5,
        "max_tokens": 7,
        "seed": 11,
        "stop": ["\nObs"],
    }


def test_what_is_not_set_is_left_to_the_server(serve: Serve) -> None:
    server = serve(says(body()))
    request = ProviderRequest(messages=PLAIN.messages, sampling=Sampling(max_tokens=None))
    provider_for(server, api_key=None).complete(request)
    assert set(server.received[0].json) == {"model", "messages"}
    assert "authorization" not in server.received[0].headers


def test_an_attempts_seed_goes_with_requests_that_have_none(serve: Serve) -> None:
    server = serve(says(body()))
    provider: Provider = provider_for(server)
    attempt = provider.for_attempt(21)
    for asked in (provider, attempt):
        for seed in (None, 5):
            asked.complete(ProviderRequest(messages=PLAIN.messages, sampling=Sampling(seed=seed)))
    assert [received.json.get("seed") for received in server.received] == [None, 5, 21, 5]
    assert (attempt.name, attempt.model) == ("openai", MODEL)


def test_attempts_may_run_at_the_same_time(serve: Serve) -> None:
    def echo(handler: Handler) -> None:
        handler.send(200, body(str(handler.server.received[-1].json is not None)))

    server = serve(echo)
    provider = provider_for(server)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda seed: provider.for_attempt(seed).complete(PLAIN).text, range(40)))
    assert replies == ["True"] * 40
    assert sorted(received.json["seed"] for received in server.received) == list(range(40))


def test_no_proxy_stands_before_loopback(serve: Serve, monkeypatch: pytest.MonkeyPatch, closed_port: int) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port}")
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{closed_port}")
    assert complete(serve, says(body())).text == "Heavy."


def test_a_proxy_is_used_where_it_is_wanted(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(says(body("By proxy.")))
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.server_port}")
    provider = OpenAICompatProvider("http://model.invalid/v1", MODEL, proxy=True)
    assert provider.complete(PLAIN).text == "By proxy."
    assert server.received[0].path == "http://model.invalid/v1/chat/completions"


def test_a_proxy_that_cannot_be_used_is_the_users_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "carrier://user:hidden@pigeon")
    with pytest.raises(UsageError, match="proxy that the environment names cannot be used") as caught:
        OpenAICompatProvider("http://model.invalid/v1", MODEL, proxy=True)
    assert "hidden" not in str(caught.value)


# What comes back


def test_a_whole_completion(serve: Serve) -> None:
    reply = complete(serve, says(body()), clock=TickClock(tick=0.25))
    usage = Usage(input_tokens=12, output_tokens=3)
    assert 0 < (reply.first_byte or 0) < 5
    assert replace(reply, first_byte=None) == Completion(text="Heavy.", usage=usage, model="toy-model-1", latency=0.25)


def test_what_a_server_leaves_out_is_no_error(serve: Serve) -> None:
    reply = complete(serve, says({"choices": [{"message": {"content": None}}]}), clock=TickClock(tick=0.25))
    assert replace(reply, first_byte=None) == Completion(text="", finish_reason="unknown", latency=0.25)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("content_filter", "content_filter"),
        ("eos", "unknown"),
        (None, "unknown"),
        ({"a": 1}, "unknown"),
    ],
)
def test_finish_reasons(serve: Serve, said: object, meant: str) -> None:
    reply = body()
    reply["choices"][0]["finish_reason"] = said
    assert complete(serve, says(reply)).finish_reason == meant


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "12", "completion_tokens": True}, {"prompt_tokens": -1}])
def test_a_usage_that_is_none(serve: Serve, usage: object) -> None:
    assert complete(serve, says({**body(), "usage": usage})).usage == Usage()


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"item": "anvil"}', {"item": "anvil"}),
        ({"item": "anvil"}, {"item": "anvil"}),
        ('{"item": "anvil"', '{"item": "anvil"'),
        ('{"item": 1, "item": 2}', '{"item": 1, "item": 2}'),
        ('{"item": NaN}', '{"item": NaN}'),
        ('["anvil"]', '["anvil"]'),
        ("", ""),
        (None, "null"),
        ("\ud800", "\ufffd"),
    ],
)
def test_tool_calls(serve: Serve, arguments: object, read: object) -> None:
    calls = [{"id": "c7", "type": "function", "function": {"name": "weigh", "arguments": arguments}}]
    reply = complete(serve, says(body(None, tool_calls=calls)))
    assert reply.text == ""
    assert reply.calls == (ToolCall(id="c7", tool="weigh", arguments=read),)  # type: ignore[arg-type]


def test_tool_calls_without_id_are_numbered(serve: Serve) -> None:
    calls = [{"function": {"name": "weigh"}}, {"id": "", "function": {"name": "list_crates"}}]
    assert [(call.id, call.arguments) for call in complete(serve, says(body(tool_calls=calls))).calls] == [
        ("call_1", ""),
        ("call_2", ""),
    ]


def test_half_a_surrogate_pair_does_not_come_through(serve: Serve) -> None:
    assert complete(serve, says(body("cut \ud83d"))).text == "cut \ufffd"


def test_a_key_that_the_server_repeats_is_hidden_even_in_the_text(serve: Serve) -> None:
    assert complete(serve, says(body(f"Your key is {KEY}."))).text == "Your key is [key]."


# What goes wrong


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (400, "refused"),
        (401, "unauthorized"),
        (403, "unauthorized"),
        (404, "not_found"),
        (408, "timeout"),
        (413, "refused"),
        (422, "refused"),
        (429, "rate_limited"),
        (500, "server_error"),
        (503, "server_error"),
        (302, "bad_reply"),
        (600, "bad_reply"),
    ],
)
def test_statuses(serve: Serve, status: int, fault: ProviderFault) -> None:
    server = serve(says(f'{{"error": "no {KEY}"}}' + "x" * 5_000, status, location="http://127.0.0.1:9/elsewhere"))
    error = failure(provider_for(server))
    assert error.fault == fault
    assert f"127.0.0.1:{server.server_port} answered HTTP {status}: " in str(error)
    assert "xxx" not in str(error)
    assert error.server_said.startswith('{"error": "no [key]"}x')
    assert len(error.server_said) == 2_000
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("", "invalid JSON"),
        ("{", "invalid JSON"),
        ("[" * 200_000, "invalid JSON"),
        ("9" * 5_000, "invalid JSON"),
        (b"\xff\xfe{}", "invalid JSON"),
        ("[]", "JSON that is no object"),
        ({}, "JSON without choices"),
        ({"error": {"message": "busy"}}, "an error with status 200"),
        ({"choices": []}, "JSON without choices"),
        ({"choices": {"0": {}}}, "JSON without choices"),
        ({"choices": ["Heavy."]}, "a choice without a message"),
        ({"choices": [{"text": "Heavy."}]}, "a choice without a message"),
        (body(["Heavy."]), "a message whose content is not text"),
        (body(7), "a message whose content is not text"),
        (body(tool_calls=["weigh"]), "a tool call without a function's name"),
        (body(tool_calls=[{"function": {"name": 7}}]), "a tool call without a function's name"),
    ],
)
def test_replies_that_are_no_completion(serve: Serve, reply: str | bytes | dict[str, Any], found: str) -> None:
    error = failure(provider_for(serve(says(reply))))
    assert error.fault == "bad_reply"
    assert f" sent {found} in place of a completion" in str(error)


def test_an_html_page(serve: Serve) -> None:
    error = failure(provider_for(serve(says("<h1>Welcome</h1>", content_type="text/html; charset=utf-8"))))
    assert error.fault == "bad_reply"
    assert "sent an HTML page" in str(error)
    assert error.server_said == "<h1>Welcome</h1>"


def hang(handler: Handler) -> None:
    handler.hang()


def reset(handler: Handler) -> None:
    handler.reset()


def flood(handler: Handler) -> None:
    handler.raw(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(400):
        handler.raw(b" " * 65_536)


def test_a_huge_body_is_not_read_to_its_end(serve: Serve) -> None:
    error = failure(provider_for(serve(flood)))
    assert error.fault == "bad_reply"
    assert "more than 16000000 bytes" in str(error)


def test_a_body_packed_in_a_way_nobody_asked_for(serve: Serve) -> None:
    error = failure(provider_for(serve(says(b"no gzip", content_encoding="gzip"))))
    assert (error.fault, "DecodingError" in str(error)) == ("bad_reply", True)


def test_nothing_listens(closed_port: int) -> None:
    error = failure(OpenAICompatProvider(f"http://127.0.0.1:{closed_port}/v1", MODEL, api_key=KEY))
    assert error.fault == "unreachable"
    assert f"Nothing can be reached at 127.0.0.1:{closed_port} (" in str(error)


def test_no_such_host() -> None:
    error = failure(OpenAICompatProvider(f"http://{'a' * 70}/v1", MODEL, api_key=KEY))
    assert error.fault == "unreachable"


def test_tls_spoken_to_a_plain_server(serve: Serve) -> None:
    server = serve(says(body()))
    error = failure(
        OpenAICompatProvider(
            server.url.replace("http:", "https:"),
            MODEL,
            api_key=KEY,
            options=within(total=5.0),
        )
    )
    assert error.fault == "unreachable"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (reset, "unreachable"),
        (lambda handler: None, "unreachable"),
        (lambda handler: handler.raw(b"220 mail.invalid ESMTP\r\n"), "bad_reply"),
        (lambda handler: handler.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"), "bad_reply"),
        (lambda handler: handler.raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"), "bad_reply"),
    ],
)
def test_a_connection_that_breaks(serve: Serve, answer: Answer, fault: ProviderFault) -> None:
    assert failure(provider_for(serve(answer))).fault == fault


def test_a_reset_in_the_middle_of_the_body(serve: Serve) -> None:
    def half(handler: Handler) -> None:
        handler.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{")
        handler.server.over.wait(0.1)
        handler.reset()

    error = failure(provider_for(serve(half)))
    assert error.fault == "unreachable"
    assert "in the middle of its reply" in str(error)


# What takes too long

HEADERS = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


def hang_in_body(handler: Handler) -> None:
    handler.raw(HEADERS + b'content-length: 900\r\n\r\n{"choices"')
    handler.hang()


def drip_in_body(handler: Handler) -> None:
    handler.raw(HEADERS + b"content-length: 90000\r\n\r\n")
    handler.drip(b" ")


def drip_without_length(handler: Handler) -> None:
    handler.raw(HEADERS + b"\r\n" + dumps(body()).encode())
    handler.drip(b" ")


def drip_in_headers(handler: Handler) -> None:
    handler.raw(HEADERS + b"x-slow: ")
    handler.drip(b"z")


SLOW = [
    pytest.param(hang, "before its reply began", id="hang before headers"),
    pytest.param(drip_in_headers, "in the middle of its reply", id="drip in headers"),
    pytest.param(hang_in_body, "in the middle of its reply", id="hang in body"),
    pytest.param(drip_in_body, "in the middle of its reply", id="drip in body"),
    pytest.param(drip_without_length, "in the middle of its reply", id="drip without length"),
]


@pytest.fixture
def seconds() -> Callable[[], float]:
    started = time.monotonic()
    return lambda: time.monotonic() - started


@pytest.mark.parametrize(("answer", "phase"), SLOW)
def test_the_whole_exchange_is_bounded(serve: Serve, seconds: Callable[[], float], answer: Answer, phase: str) -> None:
    error = failure(provider_for(serve(answer), options=within(total=0.3)))
    assert error.fault == "timeout"
    assert f"took too long {phase}, more than 0.3 s for all" in str(error)
    assert 0.25 < seconds() < 2


def test_the_attempts_deadline_shortens_the_limit(serve: Serve, seconds: Callable[[], float]) -> None:
    request = ProviderRequest(messages=PLAIN.messages, time_left=0.2)
    assert failure(provider_for(serve(hang)), request).fault == "timeout"
    assert seconds() < 2


def test_the_attempts_deadline_does_not_lengthen_it(serve: Serve, seconds: Callable[[], float]) -> None:
    request = ProviderRequest(messages=PLAIN.messages, time_left=60)
    assert failure(provider_for(serve(hang), options=within(total=0.2)), request).fault == "timeout"
    assert seconds() < 2


@pytest.mark.parametrize("time_left", [0, -1.5])
def test_without_time_nothing_is_sent(serve: Serve, time_left: float) -> None:
    server = serve(says(body()))
    error = failure(provider_for(server), ProviderRequest(messages=PLAIN.messages, time_left=time_left))
    assert (error.fault, server.received) == ("timeout", [])


def test_connecting_is_bounded_by_itself(seconds: Callable[[], float]) -> None:
    """A listener whose queue is full lets no one in."""
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        port = listener.getsockname()[1]
        for _ in range(4):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        provider = OpenAICompatProvider(
            f"http://127.0.0.1:{port}/v1",
            MODEL,
            api_key=KEY,
            options=within(connect=0.3),
        )
        error = failure(provider)
    assert (error.fault, "took too long to connect" in str(error)) == ("timeout", True)
    assert seconds() < 2


def test_nothing_is_left_open(serve: Serve) -> None:
    server = serve(lambda handler: handler.send(200, body()) if len(handler.server.received) % 2 else handler.reset())
    provider = provider_for(server)
    threads = threading.active_count()
    for _ in range(20):
        with suppress(ProviderError):
            provider.complete(PLAIN)
    del provider
    gc.collect()
    assert not [each for each in gc.get_objects() if isinstance(each, socket.socket) and connected(each, server)]
    assert threading.active_count() <= threads + 1  # of the server


def connected(each: socket.socket, server: Server) -> bool:
    try:
        peer = each.getpeername()  # of a Unix socket, a string
        return isinstance(peer, tuple) and peer[1] == server.server_port
    except OSError:
        return False


# Addresses and keys


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8090/v1",
        "ftp://127.0.0.1/v1",
        "http:///v1",
        "http://127.0.0.1:port/v1",
        f"http://user:{KEY}@127.0.0.1/v1",
        f"http://{KEY}@127.0.0.1/v1",
        f"http://127.0.0.1/v1?key={KEY}",
        f"http://127.0.0.1/v1#{KEY}",
    ],
)
def test_addresses_that_cannot_be_used(url: str) -> None:
    with pytest.raises(UsageError, match=r"^The server's address ") as caught:
        OpenAICompatProvider(url, MODEL)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", ["", f"{KEY}\n", f" {KEY}", f"{KEY}\u00e9"])
def test_keys_that_cannot_be_sent(key: str) -> None:
    with pytest.raises(UsageError, match="key") as caught:
        OpenAICompatProvider("http://127.0.0.1/v1", MODEL, api_key=key)
    assert KEY not in str(caught.value)


def test_a_model_without_name() -> None:
    with pytest.raises(UsageError, match="name is empty"):
        OpenAICompatProvider("http://127.0.0.1/v1", "")


def test_its_repr_shows_address_and_model() -> None:
    provider = OpenAICompatProvider("http://127.0.0.1:8090/v1/", MODEL, api_key=KEY)
    assert repr(provider) == "OpenAICompatProvider('http://127.0.0.1:8090/v1', 'toy-model')"
    assert KEY not in repr(vars(type(provider)))


def test_no_log_holds_the_key(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    complete(serve, says(body()))
    assert caplog.text
    assert KEY not in caplog.text


NAMES = st.sampled_from(["choices", "message", "content", "tool_calls", "function", "name", "usage"])
SCALARS = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner)))
def test_any_json_is_a_completion_or_named_for_what_it_is(message: object) -> None:
    outcome(dumps({"choices": [{"message": message}]})).encode()


def outcome(body: str) -> str:
    try:
        return openai_replies.whole(body).text
    except NotAReplyError as error:
        return str(error)


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "", "nonsense;;"])
def test_json_under_a_wrong_name_is_read_as_what_it_is(serve: Serve, kind: str) -> None:
    assert complete(serve, says(body(), content_type=kind)).text == "Heavy."
    error = failure(provider_for(serve(says("Welcome", content_type=kind))))
    assert (error.fault, "invalid JSON" in str(error)) == ("bad_reply", True)
