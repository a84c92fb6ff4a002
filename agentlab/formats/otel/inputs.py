"""What each request of a trace sent, as `gen_ai.input.messages`.

The conventions want the whole context in every `chat` span, which makes a file grow with the square of an attempt's
steps. `new` writes each message once: those that did not stand in the same agent's last request. `auto` writes whole
contexts for as short an attempt as costs no more than a few times that, and what is new for a longer one, so that a
file stays linear in its traces. A span with less than the context says so: `agentlab.input.messages` is `new`, and
`agentlab.input.earlier` counts the messages of the context that earlier spans of the agent hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.formats.otel.messages import said
from agentlab.formats.otel.values import Attributes
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.events import CompletionEvent, Observation, Request
from agentlab.trace.model import Trace
from agentlab.trace.values import ContextItem

__all__ = ["Messages", "inputs"]

Messages: TypeAlias = Literal["auto", "new", "all"]
"""Which messages of a context are written into the span of its request."""

_FEW = 4
"""Whole contexts may take so many times the room of what is new in them before `auto` leaves the rest out."""

_Key: TypeAlias = tuple[str, str, str | None]
"""Role, digest and origin: what decides how a message is written."""


def inputs(trace: Trace, messages: Messages) -> Mapping[str, Attributes]:
    """The attributes of each request that tell what it sent, by event id; none of one whose content is not recorded.

    Takes linear time and room but for `all`.
    """
    writer = _Writer(trace)
    if messages == "auto":
        messages = "all" if _is_affordable(trace, writer) else "new"
    return {sent.request: _attributes(sent, writer, messages) for sent in _requests(trace)}


@dataclass(frozen=True, slots=True)
class _Sent:
    """What a request sent."""

    request: str
    context: list[_Key]
    """Of the whole request; changes with the next one of the same agent."""
    new: list[_Key]


def _attributes(sent: _Sent, writer: _Writer, messages: Messages) -> Attributes:
    shown = sent.context if messages == "all" else sent.new
    written: Attributes = {"gen_ai.input.messages": f"[{','.join(map(writer.message, shown))}]"}
    earlier = len(sent.context) - len(shown)
    return {**written, "agentlab.input.messages": "new", "agentlab.input.earlier": earlier} if earlier else written


def _is_affordable(trace: Trace, writer: _Writer) -> bool:
    left = _FEW * sum(len(writer.message(key)) for sent in _requests(trace) for key in sent.new)
    for sent in _requests(trace):
        for key in sent.context:
            left -= len(writer.message(key))
            if left < 0:  # asked for each message, so that the contexts of a long attempt are not all added up
                return False
    return True


def _requests(trace: Trace) -> Iterator[_Sent]:
    """Each request whose content is recorded; its new messages are found without looking at those that it kept."""
    contexts: dict[str, list[_Key]] = {}
    lasts: dict[str, list[_Key]] = {}
    last = ""
    for request in trace.of(Request):
        items = [_key(item) for item in request.items]
        if request.kept:
            context = contexts.pop(request.base or last)
            before = context[request.kept :]
            del context[request.kept :]
            context += items
        else:
            context, before = items, lasts.get(request.agent_name, [])
        last = request.id
        contexts[last] = lasts[request.agent_name] = context
        if request.recorded:
            yield _Sent(request=request.id, context=context, new=_new(items, before))


def _new(items: list[_Key], before: list[_Key]) -> list[_Key]:
    old = Counter(before)
    found = []
    for key in items:
        if old[key] > 0:
            old[key] -= 1
        else:
            found.append(key)
    return found


def _key(item: ContextItem) -> _Key:
    return item.role, item.digest, item.origin


class _Writer:
    """Messages as JSON texts, each worked out once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._written: dict[_Key, str] = {}

    def message(self, key: _Key) -> str:
        """A message; its calls, and the call that it answers, stand in the event that it came from."""
        if key not in self._written:
            self._written[key] = dumps(self._message(*key))
        return self._written[key]

    def _message(self, role: str, digest: str, origin: str | None) -> JSONValue:
        text, event = self._trace.texts[digest], self._trace.by_id.get(origin or "")
        if isinstance(event, Observation) and role == "tool":
            return {"role": "tool", "parts": [{"type": "tool_call_response", "id": event.call, "response": text}]}
        return {"role": role, "parts": said(text, event.calls if isinstance(event, CompletionEvent) else ())}
