"""Every text of a trace with its author, each where it first stands: requests, replies, arguments, results, notices.

A text that an author writes again is left out. What a request shows of an earlier event is that event's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from agentlab.audit.arguments import written
from agentlab.audit.origins.values import Writing
from agentlab.messages import Author
from agentlab.trace.events import (
    Answer,
    AttemptStarted,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    MemoryWrite,
    Notice,
    Observation,
    Request,
    Summary,
)
from agentlab.trace.model import Trace

__all__ = ["writings"]

_Text: TypeAlias = tuple[Author, str, str]
"""Author, field, text."""


def writings(trace: Trace) -> tuple[Writing, ...]:
    """The texts of a trace in the order of first appearance."""
    answers = {call.observed_in: call for call in trace.calls if call.observed_in}
    shown = {event.execution: event.text for event in trace.of(Observation) if event.execution}
    found: list[Writing] = []
    seen: set[tuple[str, str]] = set()
    for position, event in enumerate(trace):
        read = _READ.get(type(event))
        if read is None or (isinstance(event, ExecutionFinished) and shown.get(event.execution) == event.result):
            continue
        call = answers.get(event.id)
        for author, field, text in read(trace, event):
            if text and (author, text) not in seen:
                seen.add((author, text))
                found.append(
                    Writing(
                        number=len(found),
                        author=author,
                        text=text,
                        event=event.id,
                        field=field,
                        position=position,
                        call=call.id if call else "",
                        tool=call.tool if call else "",
                    )
                )
    return tuple(found)


def _started(_: Trace, event: AttemptStarted) -> Iterator[_Text]:
    yield "user", "task", event.task


def _request(_: Trace, event: Request) -> Iterator[_Text]:
    for place, item in enumerate(event.items, event.kept):
        if item.text:
            yield item.author, f"context[{place}].text", item.text


def _completion(trace: Trace, event: CompletionEvent) -> Iterator[_Text]:
    yield "model", "text", trace.completion_text(event) or ""
    yield "model", "reasoning", event.reasoning
    for place, call in enumerate(event.calls):
        if call.arguments:
            yield "model", f"calls[{place}].arguments", written(call.arguments)


def _finished(_: Trace, event: ExecutionFinished) -> Iterator[_Text]:
    yield "tool", "result", event.result or ""
    yield "tool", "error", event.error or ""


def _observation(_: Trace, event: Observation) -> Iterator[_Text]:
    yield "tool", "text", event.text


def _notice(_: Trace, event: Notice) -> Iterator[_Text]:
    yield "harness", "text", event.text


def _refused(_: Trace, event: CallRefused) -> Iterator[_Text]:
    yield "harness", "reason", event.reason


def _kept(_: Trace, event: Summary | MemoryWrite) -> Iterator[_Text]:
    yield event.author, "text", event.text


def _answer(_: Trace, event: Answer) -> Iterator[_Text]:
    yield "model", "text", event.text


_READ: Mapping[type[Event], Callable[[Trace, Any], Iterator[_Text]]] = {
    AttemptStarted: _started,
    Request: _request,
    CompletionEvent: _completion,
    ExecutionFinished: _finished,
    Observation: _observation,
    Notice: _notice,
    CallRefused: _refused,
    Summary: _kept,
    MemoryWrite: _kept,
    Answer: _answer,
}
