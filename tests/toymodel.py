"""A model server of few words, of which a test chooses what it ignores."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agentlab.providers.scripted import crude_tokens

KEY = "planted-key-5e02"

Writer = Callable[[dict[str, Any]], str]
"""The text for a request's JSON."""


def rambling(asked: dict[str, Any]) -> str:
    """Twenty words that depend on the seed and on nothing else."""
    return " ".join(f"river{(asked.get('seed') or 0) % 7}" for _ in range(20))


@dataclass
class ToyModel:
    """Answers one request after another; every field that is False takes away what a good server does."""

    write: Writer = rambling
    models: tuple[str, ...] = ("toy",)
    key: str | None = None
    stops: bool = True
    limits: bool = True
    tools: bool = True
    schemas: bool = True
    streams: bool = True
    counts: bool = True
    seeded: bool = True
    asked: list[dict[str, Any]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, handler: Any) -> None:
        if self.key is not None and handler.headers.get("authorization") != f"Bearer {self.key}":
            handler.send(401, {"error": {"message": "Incorrect API key provided"}})
        elif handler.command == "GET":
            found = [{"id": name} for name in self.models]
            handler.send(200, {"data": found}) if self.models else handler.send(404, {"error": "no list"})
        elif not handler.path.endswith("/v1/chat/completions"):
            handler.send(404, {"error": {"message": "Not Found"}})
        else:
            self._answer(handler, handler.seen.json)

    def _answer(self, handler: Any, asked: dict[str, Any]) -> None:
        with self._lock:
            self.asked.append(asked)
            number = len(self.asked)
        text, calls, reason = self._text(asked, number), [], "stop"
        if asked.get("tools") and self.tools:
            function = {"name": asked["tools"][0]["function"]["name"], "arguments": '{"valve": 7}'}
            text, calls, reason = "", [{"id": "call_1", "type": "function", "function": function}], "tool_calls"
        for stop in asked.get("stop", ()) if self.stops else ():
            text = text.partition(stop)[0]
        most = asked.get("max_tokens")
        if most is not None and self.limits and crude_tokens(text) > most:
            text, reason = text[: 4 * most], "length"
        shown = json.dumps(asked["messages"]) + (json.dumps(asked.get("tools")) if self.tools else "")
        usage = {"prompt_tokens": crude_tokens(shown), "completion_tokens": crude_tokens(text)}
        message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
        reply = {"model": "toy-1", **({"usage": usage} if self.counts else {})}
        if asked.get("stream") and self.streams:
            events = [{"choices": [{"delta": message}]}, {"choices": [{"delta": {}, "finish_reason": reason}], **reply}]
            data = "".join(f"data: {json.dumps(each)}\n\n" for each in events) + "data: [DONE]\n\n"
            handler.send(200, data, content_type="text/event-stream")
        else:
            handler.send(200, {"choices": [{"message": message, "finish_reason": reason}], **reply})

    def _text(self, asked: dict[str, Any], number: int) -> str:
        if asked.get("response_format") and self.schemas:
            return '{"river": "Elbe"}'
        return self.write(asked if self.seeded else {**asked, "seed": number})
