"""One pool of connections for all attempts, in which every wait for the network obeys the limits of its exchange."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from agentlab.errors import UsageError
from agentlab.providers.wire.replies import MAX_BODY, TooLongError
from agentlab.providers.wire.timing import exchange_of_thread

__all__ = ["NETWORK_ERRORS", "new_client"]

NETWORK_ERRORS = (
    httpx.HTTPError,
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    UnicodeError,
    OSError,
)
"""Whatever can go wrong on the way; a name that cannot be encoded is a `UnicodeError`."""

_IDLE_CONNECTIONS = 64
"""Connections that are kept for the next request."""
_IDLE_SECONDS = 15.0
_PIECE = 65_536
"""Bytes that are sent before the time is looked at again."""


def new_client(url: httpx.URL, *, proxy: bool) -> httpx.Client:
    """A client for one server, which many threads may use at once.

    Args:
        url: address of the server.
        proxy: whether to use the proxy that the environment names for it.

    Raises:
        UsageError: for a proxy that cannot be used.
    """
    return httpx.Client(transport=_Pool(_proxy_for(url) if proxy else None), trust_env=False)


def _proxy_for(url: httpx.URL) -> httpcore.Proxy | None:
    """The proxy that the environment names for an address."""
    proxies = getproxies()
    found = None if proxy_bypass(url.host) else proxies.get(url.scheme) or proxies.get("all")
    if not found:
        return None
    try:
        named = httpx.Proxy(found if "://" in found else f"http://{found}")
        if named.url.scheme in ("http", "https"):
            return httpcore.Proxy(str(named.url), auth=named.raw_auth)
    except (httpx.InvalidURL, ValueError):
        pass  # said below, where nothing leads to the address, which may hold a password
    raise UsageError("A proxy that the environment names cannot be used; give it as http://host:port, or unset it.")


class _Pool(httpx.BaseTransport):
    """Connections that are kept and shared; httpx's own transport does not say how it reaches the network."""

    def __init__(self, proxy: httpcore.Proxy | None) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            proxy=proxy,
            max_connections=None,
            max_keepalive_connections=_IDLE_CONNECTIONS,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=_Network(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        assert isinstance(answer.stream, Iterable), "a synchronous pool answers with synchronous streams"
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        length = 0
        for piece in self._stream:
            length += len(piece)
            if length > MAX_BODY:
                raise TooLongError
            yield piece

    def close(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()


class _Network(httpcore.NetworkBackend):
    """Opens connections within the time of the exchange that asks for one."""

    def __init__(self) -> None:
        self._system = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        exchange = exchange_of_thread()
        seconds = exchange.may_connect()
        if not seconds:
            raise httpcore.ConnectTimeout
        return _Stream(self._system.connect_tcp(host, port, seconds, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._system.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    """A connection that serves one exchange after the other."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        exchange = exchange_of_thread()
        seconds = exchange.may_wait()
        if not seconds:
            raise httpcore.ReadTimeout
        piece = self._stream.read(max_bytes, timeout=seconds)
        if piece:
            exchange.hear()
        return piece

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        exchange = exchange_of_thread()
        exchange.sending()
        for start in range(0, len(buffer), _PIECE):
            seconds = exchange.may_wait()
            if not seconds:
                raise httpcore.WriteTimeout
            self._stream.write(buffer[start : start + _PIECE], timeout=seconds)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        seconds = exchange_of_thread().may_connect()
        if not seconds:
            raise httpcore.ConnectTimeout
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout=seconds))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()
