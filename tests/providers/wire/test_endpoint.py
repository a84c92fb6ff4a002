"""What is asked again, when, and what a server that asks for patience gets; over real sockets."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any, TypeAlias

import pytest

from agentlab.errors import ProviderError, ProviderFault
from agentlab.providers.wire.endpoint import Answered, Endpoint
from agentlab.providers.wire.pacing import Pace, Rate
from agentlab.providers.wire.replies import Reply
from agentlab.providers.wire.timing import Timeouts

Handler: TypeAlias = Any
Answer: TypeAlias = Callable[[Handler], None]
Server: TypeAlias = Any
Serve: TypeAlias = Callable[[Answer], Server]


def ask(server: Server, *, time_left: float | None = 20.0, **options: Any) -> Answered[str]:
    return Endpoint(server.url, "echo", **options).ask(b"{}", time_left, Reply.text)


def in_turn(*answers: Answer) -> Answer:
    """The first request gets the first answer, all after the last one the last."""
    return lambda handler: answers[min(len(handler.server.received), len(answers)) - 1](handler)


def says(status: int, **headers: str) -> Answer:
    return lambda handler: handler.send(status, {"status": status}, **headers)


def reset(handler: Handler) -> None:
    handler.reset()


def silent(handler: Handler) -> None:
    """Closes without a word."""


FINE = says(200)


@pytest.mark.parametrize("trouble", [says(429), says(500), says(502), says(503), says(529), says(408), reset, silent])
def test_what_may_pass_is_asked_again(serve: Serve, trouble: Answer) -> None:
    server = serve(in_turn(trouble, FINE))
    assert ask(server).tries == 2
    assert len(server.received) == 2


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 413, 422, 501, 505])
def test_what_does_not_pass_is_asked_once(serve: Serve, status: int) -> None:
    server = serve(in_turn(says(status), FINE))
    with pytest.raises(ProviderError) as caught:
        ask(server)
    assert len(server.received) == 1
    assert "times" not in str(caught.value)


def test_an_allowance_that_is_spent_is_not_waited_for(serve: Serve) -> None:
    said = {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}
    server = serve(in_turn(lambda handler: handler.send(429, said), FINE))
    with pytest.raises(ProviderError) as caught:
        ask(server)
    assert (caught.value.fault, len(server.received)) == ("rate_limited", 1)


def test_the_last_failure_says_how_often_it_was_asked(serve: Serve) -> None:
    server = serve(says(503))
    with pytest.raises(ProviderError, match=r"answered HTTP 503: .* It was asked 2 times\.$") as caught:
        ask(server, tries=2)
    assert caught.value.server_said == '{"status": 503}'
    assert len(server.received) == 2


@pytest.mark.parametrize("wanted", ["1", "1.0", "a date"])
def test_a_server_is_given_the_time_that_it_asks_for(serve: Serve, wanted: str) -> None:
    """A date is so far away that the time left does not reach."""
    header = wanted if wanted[0] == "1" else formatdate(time.time() + 400, usegmt=True)
    server = serve(in_turn(says(429, retry_after=header), FINE))
    begun = time.monotonic()
    if wanted[0] == "1":
        assert ask(server).tries == 2
        assert time.monotonic() - begun >= 1
    else:
        with pytest.raises(ProviderError) as caught:
            ask(server)
        assert (caught.value.fault, len(server.received)) == ("rate_limited", 1)
        assert time.monotonic() - begun < 1


@pytest.mark.parametrize("wanted", ["soon", "-3", "nan", "", "٣", "1e9"])
def test_a_wait_that_cannot_be_read_counts_for_nothing(serve: Serve, wanted: str) -> None:
    header = wanted if wanted.isascii() else "x"
    assert ask(serve(in_turn(says(429, retry_after=header), FINE))).tries == 2


def test_no_try_goes_beyond_the_deadline(serve: Serve) -> None:
    server = serve(says(500))
    begun = time.monotonic()
    with pytest.raises(ProviderError):
        ask(server, time_left=0.4, tries=50)
    assert time.monotonic() - begun < 1
    assert len(server.received) == 1


def test_connections_are_kept_and_shared(serve: Serve) -> None:
    def answer(handler: Handler) -> None:
        handler.close_connection = False
        handler.send(200, {"port": handler.client_address[1]})

    endpoint = Endpoint(serve(answer).url, "echo")
    alone = {endpoint.ask(b"{}", 5.0, Reply.text).value for _ in range(10)}
    assert len(alone) == 1
    with ThreadPoolExecutor(8) as pool:
        shared = set(pool.map(lambda _: endpoint.ask(b"{}", 5.0, Reply.text).value, range(80)))
    assert len(shared) <= 9


def test_a_kept_connection_that_the_server_closed_costs_no_try(serve: Serve) -> None:
    endpoint = Endpoint(serve(FINE).url, "echo", tries=1)  # it closes each without saying so
    for _ in range(30):
        assert endpoint.ask(b"{}", 5.0, Reply.text).tries == 1


@pytest.mark.parametrize(
    ("timeouts", "answer", "limit"),
    [
        (
            Timeouts(first_byte=0.2),
            lambda handler: handler.hang(),
            "before its reply began, more than 0.2 s (first_byte)",
        ),
        (
            Timeouts(between_bytes=0.2),
            lambda handler: (handler.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"), handler.hang()),
            "in the middle of its reply, more than 0.2 s (between_bytes)",
        ),
    ],
)
def test_each_wait_has_a_limit(serve: Serve, timeouts: Timeouts, answer: Answer, limit: str) -> None:
    begun = time.monotonic()
    with pytest.raises(ProviderError) as caught:
        ask(serve(answer), timeouts=timeouts)
    assert caught.value.fault == "timeout"
    assert limit in str(caught.value)
    assert time.monotonic() - begun < 2


def test_the_time_to_the_first_byte_is_measured(serve: Serve) -> None:
    def later(handler: Handler) -> None:
        handler.server.over.wait(0.2)
        handler.send(200, {})

    assert 0.2 <= ask(serve(later)).first_byte < 2


def test_a_rate_is_kept_over_all_who_ask(serve: Serve) -> None:
    pace = Pace(Rate(requests_per_minute=600))  # 100 at once, then ten a second
    endpoint = Endpoint(serve(FINE).url, "echo", pace=pace)
    for _ in range(100):
        pace.take_turn()
    begun = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: endpoint.ask(b"{}", 9.0, Reply.text), range(5)))
    assert time.monotonic() - begun >= 0.4


def test_a_turn_that_would_come_too_late_is_an_error(serve: Serve) -> None:
    pace = Pace(Rate(tokens_per_minute=60))
    server = serve(FINE)
    endpoint = Endpoint(server.url, "echo", pace=pace)
    endpoint.spend(1_000)
    fault: ProviderFault = "rate_limited"
    with pytest.raises(ProviderError, match=r"gives a turn in 9\d\d s, and 1 s are left") as caught:
        endpoint.ask(b"{}", 1.0, Reply.text)
    assert (caught.value.fault, server.received) == (fault, [])
