"""A real HTTP server on loopback whose every answer a test writes as a function of the handler."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Handler(BaseHTTPRequestHandler):
    """One request; `send` answers it, `raw` writes bytes past HTTP."""

    protocol_version = "HTTP/1.1"
    server: LoopbackServer
    seen: Received
    """What it answers."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.seen = Received(path=self.path, headers=dict(self.headers), body=body)
        self.server.received.append(self.seen)
        self.close_connection = True
        self.server.answer(self)

    def do_GET(self) -> None:
        self.do_POST()

    def send(self, status: int, body: bytes | str | dict[str, Any], **headers: str) -> None:
        data = json.dumps(body).encode() if isinstance(body, dict) else body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in {"content_type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def drip(self, piece: bytes, seconds: float = 20.0) -> None:
        """Send a piece every 20 ms until the client is gone, the test is over, or the time is."""
        for _ in range(int(seconds / 0.02)):
            if self.server.over.wait(0.02):
                return
            self.raw(piece)

    def hang(self) -> None:
        self.server.over.wait(20)

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.connection.close()

    def log_message(self, *_: object) -> None:
        pass


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Callable[[Handler], None]


@dataclass
class LoopbackServer(ThreadingHTTPServer):
    """Calls `answer` for every request and keeps what it `received`; `over` is set when the test ends."""

    answer: Answer
    received: list[Received] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    request_queue_size = 64

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.daemon_threads = False  # so that closing the server waits for every handler

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what half of these tests are about."""


Serve = Callable[[Answer], LoopbackServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[LoopbackServer] = []
    threads: list[threading.Thread] = []

    def start(answer: Answer) -> LoopbackServer:
        server = LoopbackServer(answer)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append(server)
        threads.append(thread)
        return server

    yield start
    for server, thread in zip(servers, threads, strict=True):
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
        assert not thread.is_alive()


@pytest.fixture
def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
