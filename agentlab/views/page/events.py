"""What is told of each type of event: a title, whose voice it is, and its texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from agentlab.audit.arguments import plain, written
from agentlab.messages import Arguments
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    MemoryWrite,
    Notice,
    Observation,
    ProtocolErrorEvent,
    Request,
    Summary,
)
from agentlab.trace.formatting import event_content, shorten
from agentlab.trace.model import Trace

__all__ = ["Piece", "Voice", "pieces", "title_of", "voice_of"]

Voice: TypeAlias = Literal["model", "tool", "harness", "other"]

_CONTENT = 300
"""Characters of an event that is told in a line."""
_NAMED = 40
"""Tools that are named of those an attempt was given."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A text of an event."""

    text: str
    label: str = ""
    field: str = ""
    """Field that places of findings name; empty where none can."""
    form: Literal["block", "inline", "line"] = "block"
    """A block of its own, a name behind its label, or a line about the event."""


_TITLES: Mapping[str, tuple[str, Voice]] = {
    "attempt_started": ("Start", "harness"),
    "request": ("Request", "harness"),
    "completion": ("Reply of the model", "model"),
    "protocol_error": ("Reply refused", "harness"),
    "call_refused": ("Call refused", "harness"),
    "execution_started": ("Execution", "tool"),
    "execution_finished": ("Execution ended", "tool"),
    "observation": ("Observation", "tool"),
    "notice": ("Notice of the harness", "harness"),
    "summary": ("Summary", "other"),
    "memory_write": ("Memory", "other"),
    "answer": ("Answer", "model"),
    "attempt_finished": ("End", "harness"),
}


def title_of(event: Event) -> str:
    """What an event is called on the page, with the round of the loop."""
    title = _TITLES.get(event.type, (event.type.replace("_", " ").capitalize(), "other"))[0]
    return (
        f"{title}, step {event.step}" if event.step is not None and event.type in ("request", "completion") else title
    )


def voice_of(event: Event) -> Voice:
    """Who speaks in it."""
    return _TITLES.get(event.type, ("", "other"))[1]


def pieces(trace: Trace, event: Event) -> list[Piece]:
    """The texts of an event, those of a request's context left out."""
    told = _PIECES.get(type(event))
    return list(told(trace, event)) if told else [Piece(text=event_content(event, _CONTENT), form="line")]


def _start(trace: Trace, event: AttemptStarted) -> Iterator[Piece]:
    if event.tools:
        names = ", ".join(tool.name for tool in event.tools[:_NAMED])
        more = f" and {len(event.tools) - _NAMED} more" if len(event.tools) > _NAMED else ""
        yield Piece(text=f"tools: {shorten(names, 2000)}{more}", form="line")
    if event.task and not trace.of(Request):
        yield Piece(text=event.task, label="task")


def _reply(trace: Trace, event: CompletionEvent) -> Iterator[Piece]:
    if not event.accepted:
        yield Piece(text="refused by the harness", form="line")
    if event.reasoning:
        yield Piece(text=event.reasoning, label="reasoning", field="reasoning")
    text = trace.completion_text(event)
    if text is None:
        yield Piece(text=f"its text is lost; SHA-256 {event.digest}", form="line")
    elif text:
        yield Piece(text=text, field="text")
    for place, call in enumerate(event.calls):
        label = f"call {shorten(call.call, 40)}"
        yield Piece(text=call.tool, label=label, field=f"calls[{place}].tool", form="inline")
        if call.arguments is not None and written(call.arguments) not in (text or ""):
            yield Piece(text=_arguments(call.arguments), label="arguments", field=f"calls[{place}].arguments")


def _refused(_: Trace, event: ProtocolErrorEvent | CallRefused) -> Iterator[Piece]:
    yield Piece(text=f"{event.code}: {event.reason}", form="line")


def _started(_: Trace, event: ExecutionStarted) -> Iterator[Piece]:
    yield Piece(text=event.tool, label=f"call {shorten(event.call, 40)}", field="tool", form="inline")
    if event.arguments is not None:
        yield Piece(text=_arguments(event.arguments), label="arguments", field="arguments")


def _ended(_: Trace, event: ExecutionFinished) -> Iterator[Piece]:
    took = "" if event.duration is None else f" after {event.duration:.3g} s"
    yield Piece(text=f"{event.status}{took}", form="line")
    if event.result is not None:
        yield Piece(text=event.result, label="result", field="result")
    if event.error is not None:
        yield Piece(text=event.error, label="error", field="error")


def _text(_: Trace, event: Observation | Notice | Summary | MemoryWrite | Answer) -> Iterator[Piece]:
    yield Piece(text=event.text, field="text")


def _finish(_: Trace, event: AttemptFinished) -> Iterator[Piece]:
    words = f"{event.reason.replace('_', ' ')}; {event.steps} steps, {event.executions} executions"
    yield Piece(text=words, form="line")
    if event.detail:
        yield Piece(text=event.detail, field="detail")


def _request(_: Trace, __: Request) -> Iterator[Piece]:
    return iter(())


_PIECES: Mapping[type[Event], Callable[[Trace, Any], Iterator[Piece]]] = {
    AttemptStarted: _start,
    Request: _request,
    CompletionEvent: _reply,
    ProtocolErrorEvent: _refused,
    CallRefused: _refused,
    ExecutionStarted: _started,
    ExecutionFinished: _ended,
    Observation: _text,
    Notice: _text,
    Summary: _text,
    MemoryWrite: _text,
    Answer: _text,
    AttemptFinished: _finish,
}


def _arguments(arguments: Arguments) -> str:
    """A text as it is, an object as indented JSON: text of several lines within it stays legible."""
    value = plain(arguments)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
