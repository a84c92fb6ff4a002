"""One POST to a model server, bounded in time and size, and asked again where that can help.

Each failure is a `ProviderError`.

An error names the server as host and port and says what to do. The server's own words stand in `server_said` only,
and the key nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar
from weakref import finalize

import httpcore
import httpx
from pydantic import SecretStr
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_any,
    stop_before_delay,
    wait_exponential,
    wait_random,
)

from agentlab.errors import ProviderError, UsageError
from agentlab.providers.wire.faults import fault_of, is_transient, wait_asked_for
from agentlab.providers.wire.pacing import Pace
from agentlab.providers.wire.replies import MAX_BODY, NotAReplyError, Reply, TooLongError
from agentlab.providers.wire.timing import Exchange, Timeouts, current_exchange
from agentlab.providers.wire.transport import NETWORK_ERRORS, new_client

__all__ = ["Answered", "Endpoint"]

T = TypeVar("T")

_MAX_SAID = 2_000
_BACKOFF = wait_exponential(multiplier=0.5, max=20.0) + wait_random(0.0, 0.5)
"""Seconds before each further try."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered(Generic[T]):
    """What came of a request."""

    value: T
    tries: int
    """How often it was sent."""
    first_byte: float
    """Seconds from sending the last try to the first byte of its reply."""


@dataclass(kw_only=True, slots=True)
class _Question(Generic[T]):
    """A request on its way to an answer."""

    url: str
    payload: bytes | None
    """None for a look at what stands there."""
    read: Callable[[Reply], T]
    ends: float
    """When all must be over."""
    tries: int = 0


class _AgainError(Exception):
    """A failure after which the same request can succeed."""

    def __init__(self, error: ProviderError, *, answered: bool, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.answered = answered
        """Whether the server said so, and was not lost."""
        self.wait = wait
        """Seconds that it asked to wait."""


class Endpoint:
    """An address that takes JSON and answers.

    Connections are kept and shared; one endpoint may be used from many threads.

    Args:
        base_url: address of the API, `http://host:port/v1`, without user, query or fragment.
        path: what follows the address, e.g. `chat/completions`.
        headers: sent with each request.
        key: None for none; never shown.
        key_header: the header that carries the key, and what stands before it there.
        proxy: whether the proxies that the environment names are used.
        timeouts: limits of one request.
        tries: how often a request is sent at most.
        pace: keeps a rate; None for none.

    Raises:
        UsageError: for an address or key that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        key: SecretStr | None = None,
        key_header: tuple[str, str] = ("authorization", "Bearer "),
        proxy: bool = False,
        timeouts: Timeouts | None = None,
        tries: int = 4,
        pace: Pace | None = None,
    ) -> None:
        url = _checked_url(base_url)
        self._key = _checked_key(key)
        self._key_header = key_header
        self.base_url = str(url).rstrip("/")
        self.where = _host_and_port(url)
        self._url = f"{self.base_url}/{path}"
        self._headers = {"content-type": "application/json", "accept-encoding": "identity", **(headers or {})}
        self._client = new_client(url, proxy=proxy)
        finalize(self, self._client.close)  # with the last copy that uses it
        self._timeouts = timeouts or Timeouts()
        self._tries = tries
        self._pace = pace

    def __repr__(self) -> str:
        return f"Endpoint({self._url!r})"

    def ask(self, payload: bytes, time_left: float | None, read: Callable[[Reply], T]) -> Answered[T]:
        """Send JSON and read the answer.

        Args:
            payload: the JSON to send.
            time_left: seconds for all of it, tries and waits included; can shorten the total limit and not lengthen it.
            read: makes the value of a reply of status 200 to 299; may raise `NotAReplyError`.

        Raises:
            ProviderError: for anything but such a reply.
        """
        limit = self._timeouts.total if time_left is None else min(self._timeouts.total, time_left)
        if not limit > 0:
            raise ProviderError("timeout", f"No time was left to ask {self.where}; nothing was sent.")
        ends = time.monotonic() + limit
        return self._asked(_Question(url=self._url, payload=payload, read=read, ends=ends), limit)

    def look(self, path: str, read: Callable[[Reply], T]) -> T:
        """Read what stands at another path of the address.

        Args:
            path: what follows the address, e.g. `models`.
            read: as in `ask`.

        Raises:
            ProviderError: as `ask` does.
        """
        limit = self._timeouts.total
        question = _Question(url=f"{self.base_url}/{path}", payload=None, read=read, ends=time.monotonic() + limit)
        return self._asked(question, limit).value

    def _asked(self, question: _Question[T], limit: float) -> Answered[T]:
        retrying = Retrying(
            retry=retry_if_exception_type(_AgainError),
            stop=stop_any(stop_after_attempt(self._tries), stop_before_delay(limit)),
            wait=_pause,
            reraise=True,
        )
        try:
            answered: Answered[T] = retrying(self._try, question)
            return answered
        except _AgainError as error:
            problem = error.error
        if question.tries > 1:
            message = f"{problem.message} It was asked {question.tries} times."
            problem = ProviderError(problem.fault, message, server_said=problem.server_said)
        # Raised out here so that nothing leads from the error to the frames of the client, which hold the key.
        raise problem

    def _try(self, question: _Question[T]) -> Answered[T]:
        """Send it once; again at once where a connection that had been kept turns out to be gone."""
        question.tries += 1
        self._await_turn(question)
        while True:
            exchange = Exchange(self._timeouts, question.ends)
            outcome = self._outcome(question, exchange)
            if isinstance(outcome, Answered):
                return outcome
            if exchange.connected or not isinstance(outcome, _AgainError) or outcome.answered:
                raise outcome

    def _outcome(self, question: _Question[T], exchange: Exchange) -> Answered[T] | ProviderError | _AgainError:
        """What came of it; an error is returned, so that nothing leads from it to the frames it was made in."""
        begun = time.monotonic()
        try:
            with current_exchange(exchange):
                value = self._exchanged(question)
        except (ProviderError, _AgainError) as error:
            return error.with_traceback(None)
        except NotAReplyError as error:
            return self.bad_reply(error.found, error.body)
        except TooLongError:
            return self.bad_reply(f"more than {MAX_BODY} bytes", "")
        except NETWORK_ERRORS as error:
            return self._explained(error, exchange)
        heard = exchange.heard_at or begun
        return Answered(value=value, tries=question.tries, first_byte=heard - begun)

    def _await_turn(self, question: _Question[T]) -> None:
        wait = self._pace.take_turn() if self._pace is not None else 0.0
        left = question.ends - time.monotonic()
        if wait > left:
            raise ProviderError(
                "rate_limited",
                f"The rate that is kept for {self.where} gives a turn in {wait:.0f} s, and {left:.0f} s are left; "
                "allow a higher rate, or more time.",
            )
        if wait:
            time.sleep(wait)

    def _exchanged(self, question: _Question[T]) -> T:
        headers = dict(self._headers)
        if self._key is not None:
            name, before = self._key_header
            headers[name] = before + self._key.get_secret_value()
        method = "GET" if question.payload is None else "POST"
        with self._client.stream(method, question.url, content=question.payload, headers=headers) as response:
            if 200 <= response.status_code < 300:
                return question.read(Reply(response, self.without_key))
            said = self.without_key(b"".join(response.iter_bytes()).decode("utf-8", "replace"))
            fault, advice = fault_of(response.status_code)
            problem = ProviderError(
                fault, f"{self.where} answered HTTP {response.status_code}: {advice}.", server_said=said[:_MAX_SAID]
            )
            if is_transient(response.status_code, said):
                raise _AgainError(problem, answered=True, wait=wait_asked_for(response.headers))
            raise problem

    def _explained(self, error: Exception, exchange: Exchange) -> ProviderError | _AgainError:
        if isinstance(error, httpcore.TimeoutException | httpx.TimeoutException | TimeoutError):
            return ProviderError(
                "timeout",
                f"{self.where} took too long {exchange.phase}, more than {exchange.limit}; "
                "allow more time, or ask for a shorter reply.",
            )
        kind = type(error).__name__
        if isinstance(error, httpcore.ConnectError | httpcore.ProxyError | UnicodeError):
            # The other kinds keep their text to themselves: it may quote what was sent.
            reason = str(error) if isinstance(error, httpcore.ConnectError) else kind
            advice = "start the server or correct the address"
            return ProviderError("unreachable", f"Nothing can be reached at {self.where} ({reason}); {advice}.")
        if isinstance(error, httpcore.ProtocolError | httpx.DecodingError) and exchange.heard_at is not None:
            return ProviderError(
                "bad_reply", f"{self.where} broke off, or broke HTTP, {exchange.phase} ({kind}); see its log."
            )
        problem = ProviderError("unreachable", f"{self.where} was lost {exchange.phase} ({kind}); see whether it runs.")
        return problem if exchange.heard_at is not None else _AgainError(problem, answered=False)

    def spend(self, tokens: int) -> None:
        """Count the tokens of a reply against the rate."""
        if self._pace is not None:
            self._pace.spend(tokens)

    def bad_reply(self, found: str, body: str) -> ProviderError:
        """The error for an answer that is none.

        Args:
            found: what was found in place of a completion, as a noun.
            body: the answer.
        """
        return ProviderError(
            "bad_reply",
            f"{self.where} sent {found} in place of a completion; check that the address is the API's.",
            server_said=self.without_key(body)[:_MAX_SAID],
        )

    def without_key(self, text: str) -> str:
        """A text of the server without the key, should it repeat it."""
        return text if self._key is None else text.replace(self._key.get_secret_value(), "[key]")


def _pause(state: RetryCallState) -> float:
    """Seconds before the next try: what the server asks for, and at least a growing and jittered while."""
    error = state.outcome.exception() if state.outcome is not None else None
    asked = error.wait if isinstance(error, _AgainError) else None
    return max(asked or 0.0, _BACKOFF(state))


def _checked_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise UsageError("The server's address is not a URL; give it as http://host:port/v1.") from None
    if url.userinfo:
        raise UsageError("The server's address holds a user or a key; leave it out and give the key by itself.")
    if url.scheme not in {"http", "https"} or not url.host or url.query or url.fragment:
        raise UsageError("The server's address should be http://host:port/v1 or https://host/v1, and nothing more.")
    return url


def _checked_key(key: SecretStr | None) -> SecretStr | None:
    if key is not None:
        value = key.get_secret_value()
        if not value or not value.isascii() or not value.isprintable() or " " in value:
            raise UsageError("The key is empty or holds what no key holds, such as a line break; check it.")
    return key


def _host_and_port(url: httpx.URL) -> str:
    host = f"[{url.host}]" if ":" in url.host else url.host
    return f"{host}:{url.port or (443 if url.scheme == 'https' else 80)}"
