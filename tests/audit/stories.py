"""Attempts told event by event, for records that our own agent would not leave, and places found again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentlab.audit.values import Where
from agentlab.clock import TickClock
from agentlab.messages import Author, Message, Sampling, ToolDescription
from agentlab.strictjson import digest
from agentlab.trace.codec import JOURNAL_SCHEMA
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Notice,
    Observation,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.model import Trace
from agentlab.trace.quarantine import MemoryQuarantine
from agentlab.trace.quarantine_reader import read_side
from agentlab.trace.recorder import Recorder
from agentlab.trace.values import Evidence, ProposedCall, Span

ALL_RECORDED = Evidence(
    proposals="present",
    executions="present",
    results="present",
    errors="present",
    times="present",
    usage="present",
    authorship="present",
)
TASK = "How many boats lie in the north basin?"


class Story:
    """An attempt under way: each method records what it says; `trace` is what has been recorded so far."""

    def __init__(self, *, task: str = TASK, tools: Sequence[str] = ("count_boats", "note"), **evidence: Any) -> None:
        self._events: list[Event] = []
        self._quarantine = MemoryQuarantine()
        self._book = Recorder(self._events.append, quarantine=self._quarantine, clock=TickClock())
        self._executions = 0
        self.history = [message("system", "You work in a harbour."), message("user", task)]
        self._book.record(
            AttemptStarted(
                schema=JOURNAL_SCHEMA,
                attempt="attempt_" + "7" * 32,
                run="run_" + "7" * 32,
                case="boats",
                condition="only",
                condition_digest="",
                index=0,
                agent="react",
                loop_version="react-v2",
                prompt_version="chat-v3",
                language="en",
                provider="scripted",
                model="script",
                sampling=Sampling(),
                seed=0,
                task=task,
                tools=tuple(ToolDescription(name=name, description="", parameters={}) for name in tools),
                package_version="0",
                evidence=replace(ALL_RECORDED, **evidence),
            )
        )

    @property
    def trace(self) -> Trace:
        return Trace(events=tuple(self._events), quarantine=read_side(self._quarantine))

    def ask(self) -> Request:
        self._book.step = (self._book.step or 0) + 1
        return self._book.request(self.history)

    def reply(
        self,
        text: str,
        *,
        accepted: bool = False,
        calls: Sequence[ProposedCall] = (),
        keep: bool = False,
        lose: bool = False,
    ) -> CompletionEvent:
        """A request and a reply to it; `keep` puts the raw text into the history, `lose` keeps it out of quarantine."""
        asked = self.ask()
        if not accepted and not lose:
            self._book.quarantine(text)
        completion = self._book.record(
            CompletionEvent(
                request=asked.id,
                digest=self._book.know(text) if accepted else digest(text),
                characters=len(text),
                accepted=accepted,
                text=text if accepted else None,
                calls=tuple(calls),
            )
        )
        if keep:
            self.history.append(message("model", text, completion.id))
        return completion

    def call(
        self, tool: str, arguments: dict[str, Any], result: str | None = None, *, name: str = "", **more: Any
    ) -> str:
        """An accepted reply with one call, and its execution; returns the id of the execution's event."""
        name = name or f"c{len(self._events)}"
        proposed = ProposedCall(call=name, tool=tool, arguments=arguments)
        text = f"Action: {tool}[{json.dumps(arguments)}]"
        reply = self.reply(text, accepted=True, calls=[proposed])
        self.history.append(message("model", text, reply.id))
        return self.execute(name, tool, arguments, result, **more)

    def execute(
        self,
        call: str,
        tool: str,
        arguments: Mapping[str, Any] | None,
        result: str | None = None,
        *,
        error: str | None = None,
        deliver: bool = True,
    ) -> str:
        """An execution without a reply; with neither result nor error it never ends."""
        self._executions += 1
        name = f"x{self._executions}"
        begun = self._book.record(ExecutionStarted(execution=name, call=call, tool=tool, arguments=arguments))
        if result is None and error is None:
            return begun.id
        status = "succeeded" if error is None else "failed"
        self._book.record(ExecutionFinished(execution=name, status=status, result=result, error=error))  # type: ignore[arg-type]
        seen = self._book.record(Observation(execution=name, call=call, text=f"Observation: {result or error}"))
        if deliver:
            self.history.append(message("tool", seen.text, seen.id))
        return begun.id

    def mark(self, reply: CompletionEvent, *forged: Span) -> None:
        """The harness refuses a reply and marks what is forged in it."""
        self._book.record(
            ProtocolErrorEvent(
                completion=reply.id, code="forged_observation", reason="r", digest=reply.digest,
                start=0, end=reply.characters, forged=forged,
            )
        )  # fmt: skip

    def notice(self, text: str, about: str) -> str:
        told = self._book.record(Notice(code="forged_observation", about=about, text=text))
        self.history.append(message("harness", text, told.id))
        return told.id

    def answer(self, text: str) -> str:
        """A final reply and the answer taken from it."""
        reply = self.reply(f"Action: Finish[{text}]", accepted=True)
        return self._book.record(Answer(completion=reply.id, text=text)).id

    def finish(self) -> Trace:
        self._book.step = None
        self._book.record(AttemptFinished(reason="answered", steps=1, requests=1, executions=0, duration=1.0))
        return self.trace


def message(author: Author, text: str, origin: str | None = None) -> Message:
    role = {"system": "system", "model": "assistant"}.get(author, "user")
    return Message(role=role, text=text, author=author, origin=origin)  # type: ignore[arg-type]


def forged(result: str, *, tool: str = "count_boats", arguments: str = '{"basin": "north"}') -> str:
    """A reply with a call and a result of the model's own making."""
    return f"Thought: I count.\nAction: {tool}[{arguments}]\nObservation: {result}"


def field_of(trace: Trace, where: Where) -> str:
    """The whole text of the field a place is in."""
    event = trace.by_id[where.event]
    if isinstance(event, Request):
        place = re.fullmatch(r"context\[([0-9]+)\]\.text", where.field)
        assert place, where.field
        return trace.contexts[event.id][int(place[1])].text
    if isinstance(event, CompletionEvent) and where.field == "text":
        text = trace.completion_text(event)
        assert text is not None
        return text
    if native := re.fullmatch(r"calls\[([0-9]+)\]\.tool", where.field):
        assert isinstance(event, CompletionEvent)
        return event.calls[int(native[1])].tool
    return str(getattr(event, where.field))
