"""One POST to a model server, bounded in time and size, with every failure put into a `ProviderError`.

An error names the server as host and port and says what to do. The server's own words stand in `server_said` only,
and the key nowhere.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock, Timer
from typing import Any, Self

import httpx

from agentlab.errors import ProviderError, ProviderFault, UsageError

__all__ = ["MAX_BODY", "Endpoint"]

MAX_BODY = 16_000_000
"""Longest reply that is read, in bytes."""

_MAX_SAID = 2_000
_MAX_SECONDS = 86_400.0

_STATUSES: Mapping[int, tuple[ProviderFault, str]] = {
    401: ("unauthorized", "the key is missing or wrong; check the key"),
    403: ("unauthorized", "the key does not allow this; check what it may use"),
    404: ("not_found", "there is no such model or path; check the model's name and that the address is the API's"),
    408: ("timeout", "it waited too long for the request; try again"),
    429: ("rate_limited", "too many requests, or no allowance left; wait, or run fewer attempts at once"),
}
_STATUS_CLASSES: Mapping[int, tuple[ProviderFault, str]] = {
    3: ("bad_reply", "a redirect, which is not followed because the key would go with it; give the final address"),
    4: ("refused", "it does not accept this request; read its own words in server_said"),
    5: ("server_error", "the server failed; look into its log, or try again later"),
}
_STRANGE_STATUS: tuple[ProviderFault, str] = ("bad_reply", "no answer to a request; check the address")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reply:
    status: int
    html: bool
    text: str
    """The body without the key, should the server have repeated it."""
    whole: bool
    """False where the body was longer than `MAX_BODY`."""


class Endpoint:
    """An address that takes JSON and answers with JSON.

    Each request has a connection of its own, closed with the reply, so there is nothing to close afterwards. One
    endpoint may be used from many threads.

    Args:
        base_url: address of the API, `http://host:port/v1`, without user, query or fragment.
        path: what follows the address, e.g. `chat/completions`.
        key: sent as a bearer token and never shown; None for none.
        client: a client to use in place of an own one; whoever made it closes it.
        proxy: whether an own client uses the proxies that the environment names.
        connect_timeout: longest wait for a connection, in seconds.
        total_timeout: longest time from sending a request to the end of the reply, in seconds.

    Raises:
        UsageError: for an address, key or time limit that cannot be used.
    """

    __slots__ = ("_client", "_connect_timeout", "_key", "_total_timeout", "_url", "base_url", "where")

    base_url: str
    where: str
    """Host and port, for messages."""

    def __init__(
        self,
        base_url: str,
        path: str,
        *,
        key: str | None = None,
        client: httpx.Client | None = None,
        proxy: bool = False,
        connect_timeout: float = 10.0,
        total_timeout: float = 300.0,
    ) -> None:
        url = _checked_url(base_url)
        for limit in (connect_timeout, total_timeout):
            if not 0 < limit <= _MAX_SECONDS:
                raise UsageError(f"A time limit of {limit!r} s cannot be used; give seconds above 0, at most a day.")
        if key is not None and (not key or not key.isascii() or not key.isprintable() or " " in key):
            raise UsageError("The key is empty or holds what no key holds, such as a line break; check it.")
        self.base_url = str(url).rstrip("/")
        self.where = _host_and_port(url)
        self._url = f"{self.base_url}/{path}"
        self._key = key
        self._client = _new_client(proxy) if client is None else client
        self._connect_timeout = connect_timeout
        self._total_timeout = total_timeout

    def __repr__(self) -> str:
        return f"Endpoint({self._url!r})"

    def post(self, payload: bytes, time_left: float | None) -> str:
        """Send JSON and return the body of the answer.

        Args:
            payload: the JSON to send.
            time_left: seconds for all of it; can shorten the total time limit and not lengthen it.

        Raises:
            ProviderError: for anything but an answer of status 200 to 299 that is no HTML page.
        """
        limit = self._total_timeout if time_left is None else min(self._total_timeout, time_left)
        if not limit > 0:
            raise ProviderError("timeout", f"No time was left to ask {self.where}; nothing was sent.")
        reply = self._reply(payload, limit)
        if not 200 <= reply.status < 300:
            fault, advice = _STATUSES.get(reply.status) or _STATUS_CLASSES.get(reply.status // 100, _STRANGE_STATUS)
            said = reply.text[:_MAX_SAID]
            raise ProviderError(fault, f"{self.where} answered HTTP {reply.status}: {advice}.", server_said=said)
        if not reply.whole:
            raise self.bad_reply(f"more than {MAX_BODY} bytes", reply.text)
        if reply.html:
            raise self.bad_reply("an HTML page", reply.text)
        return reply.text

    def bad_reply(self, found: str, body: str) -> ProviderError:
        """The error for an answer that is none.

        Args:
            found: what was found in place of a completion, as a noun.
            body: the answer.
        """
        return ProviderError(
            "bad_reply",
            f"{self.where} sent {found} in place of a completion; check that the address is the API's.",
            server_said=body[:_MAX_SAID],
        )

    def _reply(self, payload: bytes, limit: float) -> _Reply:
        problem: ProviderError | None = None
        reply: _Reply | None = None
        with _Deadline(limit) as deadline:
            try:
                reply = self._exchange(payload, limit, deadline)
            except (httpx.HTTPError, UnicodeError) as error:
                problem = self._explained(error, deadline)
        # Raised out here so that nothing leads from the error to the frames of the client, which hold the key.
        if deadline.passed:
            raise self._late(deadline)
        if reply is None:
            raise problem or self._late(deadline)
        return reply

    def _exchange(self, payload: bytes, limit: float, deadline: _Deadline) -> _Reply:
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key}"
        with self._client.stream(
            "POST",
            self._url,
            content=payload,
            headers=headers,
            timeout=httpx.Timeout(limit, connect=min(limit, self._connect_timeout)),
            follow_redirects=False,
            extensions={"trace": deadline.trace},
        ) as response:
            deadline.phase = "in the middle of its reply"
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_BODY or deadline.passed:
                    break
            text = body[:MAX_BODY].decode("utf-8", "replace")
            return _Reply(
                status=response.status_code,
                html="html" in response.headers.get("content-type", "").lower(),
                text=text if self._key is None else text.replace(self._key, "[key]"),
                whole=len(body) <= MAX_BODY,
            )

    def _explained(self, error: Exception, deadline: _Deadline) -> ProviderError:
        if isinstance(error, httpx.TimeoutException):
            return self._late(deadline)
        kind = type(error).__name__
        if isinstance(error, httpx.ConnectError | httpx.ProxyError | UnicodeError):
            # The other kinds keep their text to themselves: it may quote what was sent.
            reason = str(error) if isinstance(error, httpx.ConnectError) else kind
            advice = "start the server or correct the address"
            return ProviderError("unreachable", f"Nothing can be reached at {self.where} ({reason}); {advice}.")
        if isinstance(error, httpx.ProtocolError | httpx.DecodingError):
            return ProviderError(
                "bad_reply", f"{self.where} broke off, or broke HTTP, {deadline.phase} ({kind}); see its log."
            )
        return ProviderError("unreachable", f"{self.where} was lost {deadline.phase} ({kind}); see whether it runs.")

    def _late(self, deadline: _Deadline) -> ProviderError:
        return ProviderError(
            "timeout",
            f"{self.where} took too long {deadline.phase}, of at most {deadline.seconds:g} s for all; "
            "allow more time, or ask for a shorter reply.",
        )


class _Deadline:
    """Cuts the connection when the time for the whole exchange is over, wherever the exchange is.

    The client limits the wait for each piece and not for all of them: a server that sends a byte a second would hold
    an attempt for ever, in the headers even where no check between pieces is possible. A second handle on the socket
    is kept, because TLS takes the first one over. The system's name lookup is the one thing that cannot be cut.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self.phase = "to connect"
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._timer = Timer(seconds, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._timer.cancel()
        with self._lock:
            if self._socket is not None:
                self._socket.close()
                self._socket = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Listen to the client's steps, see https://www.encode.io/httpcore/extensions/."""
        if event.endswith("connect_tcp.complete"):
            opened = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._socket = opened.dup()
                self._cut()
        elif event.endswith("send_request_headers.started"):
            self.phase = "before its reply began"

    def _pass(self) -> None:
        with self._lock:
            self.passed = True
            self._cut()

    def _cut(self) -> None:
        if self.passed and self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # the server was first


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


def _host_and_port(url: httpx.URL) -> str:
    host = f"[{url.host}]" if ":" in url.host else url.host
    return f"{host}:{url.port or (443 if url.scheme == 'https' else 80)}"


def _new_client(proxy: bool) -> httpx.Client:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    try:
        return httpx.Client(trust_env=proxy, limits=limits)
    except (httpx.InvalidURL, ValueError, ImportError) as error:
        problem = type(error).__name__
    raise UsageError(f"A proxy that the environment names cannot be used ({problem}); correct or unset it.")
