"""A reply of a model server as it comes in: whole, or as a stream of events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx
from httpx_sse import EventSource, SSEError

__all__ = ["MAX_BODY", "NotAReplyError", "Reply", "TooLongError", "json_object"]

MAX_BODY = 16_000_000
"""Longest reply that is read, in bytes."""


class NotAReplyError(Exception):
    """A body is something else.

    Args:
        found: what it is, as a noun.
        body: the body, or the part of it that shows so.
    """

    def __init__(self, found: str, body: str = "") -> None:
        super().__init__(found)
        self.found = found
        self.body = body


class TooLongError(Exception):
    """A body is longer than `MAX_BODY`."""


class Reply:
    """A reply of status 200 to 299, read once.

    Args:
        response: of which.
        clean: takes the key out of a text, should the server have repeated it.
    """

    def __init__(self, response: httpx.Response, clean: Callable[[str], str]) -> None:
        self._response = response
        self._clean = clean
        self._kind = response.headers.get("content-type", "").lower()

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream of events; a server may answer whole though a stream was asked for."""
        return "text/event-stream" in self._kind

    def text(self) -> str:
        """The whole body.

        Raises:
            NotAReplyError: for an HTML page.
        """
        body = self._clean(b"".join(self._response.iter_bytes()).decode("utf-8", "replace"))
        if "html" in self._kind:
            raise NotAReplyError("an HTML page", body)
        return body

    def events(self) -> Iterator[str]:
        """The data of each event, https://html.spec.whatwg.org/multipage/server-sent-events.html.

        Raises:
            NotAReplyError: for something that is no stream of events.
        """
        self._response.encoding = "utf-8"  # by the standard, whatever the header says
        try:
            for event in EventSource(self._response).iter_sse():
                yield self._clean(event.data)
        except SSEError:
            raise NotAReplyError("no stream of events") from None


def json_object(body: str) -> Mapping[str, Any]:
    """The object that a body of JSON is.

    Raises:
        NotAReplyError: if it is none.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise NotAReplyError("invalid JSON", body) from None
    if not isinstance(data, dict):
        raise NotAReplyError("JSON that is no object", body)
    return data
