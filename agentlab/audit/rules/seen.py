"""The calls of a trace as the rules about calls look at them: where asked for, what came back, whether it failed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import ref

from agentlab.audit.arguments import plain
from agentlab.audit.evidence.faults import Fault, fault_of
from agentlab.audit.values import Where
from agentlab.strictjson import JSONValue
from agentlab.trace.calls import TracedCall
from agentlab.trace.events import CompletionEvent, ExecutionFinished, ExecutionStarted, Observation
from agentlab.trace.model import Trace

__all__ = ["SeenCall", "is_finish_name", "ran", "reply_place", "seen_calls", "whole"]

_FINISH = frozenset(
    {"finish", "final", "finalanswer", "done", "submit", "submitanswer", "terminate", "complete", "completetask"}
    | {
        "taskcomplete",
        "attemptcompletion",
        "finishtask",
        "taskdone",
        "answer",
        "giveanswer",
        "exit",
        "endtask",
        "endrun",
    }
    | {"完成", "结束", "提交"}
)
_CODE = re.compile(r"code|commands?|cmd|script|source|program|bash|shell|python|keystrokes", re.IGNORECASE)
_LONG = 2000
"""Code points that a finding quotes of a text."""
_MARKED = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenCall:
    """One call, with the reply it was asked in and what the record shows of its outcome."""

    call: TracedCall
    agent: str
    """Empty for the main agent."""
    reply: CompletionEvent | None
    """The reply that proposed it; of an execution without a recorded proposal, the agent's last reply before it."""
    place: Where
    """Where it was asked for."""
    outcome: Where | None
    """Where what came back stands; None where nothing came back."""
    text: str
    """What came back: the error, the result, or what the model was shown; empty where nothing did."""
    failed: bool | None
    """What the record says; None where it says nothing."""
    fault: Fault | None
    """What went wrong, by the text; None where nothing did as far as it can be told."""
    position: int
    """Place of the reply, or of the execution where there is none, in the trace."""
    inner: bool
    """Whether it ran within another execution of the same agent, such as from code that ran."""

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def step(self) -> int:
        return self.call.step or 0

    @property
    def runs_code(self) -> bool:
        """Whether what it is given is a program: what that program raises is the program's own affair."""
        arguments = self.call.arguments
        if isinstance(arguments, str):
            return not arguments.lstrip().startswith(("{", "["))
        few = len(arguments or ()) <= 2  # an editor's command is one word beside many fields
        return any(
            _CODE.fullmatch(name) and isinstance(value, str) and (few or len(value.split()) > 1)
            for name, value in (arguments or {}).items()
        )

    @property
    def is_finish(self) -> bool:
        """Whether it hands over an answer and asks for nothing to be done."""
        return self.call.by == "structured_output" or is_finish_name(self.call.tool)


def is_finish_name(name: str) -> bool:
    """Whether a tool's name says that it ends the attempt."""
    return _MARKED.sub("", name).casefold() in _FINISH


def ran(seen: SeenCall, **more: JSONValue) -> dict[str, JSONValue]:
    """The executed side of a finding about a call, as far as the record goes."""
    return {
        "tool": seen.tool,
        "arguments": plain(seen.call.arguments),
        "state": seen.call.state,
        "result": None if seen.fault else seen.text[:_LONG],
        "error": seen.text[:_LONG] if seen.fault else None,
        "event": seen.call.executed_in,
        **more,
    }


def reply_place(trace: Trace, reply: CompletionEvent, shown: int = _LONG) -> Where:
    """The place of a reply: its text, or, where that is lost, its digest."""
    text = trace.completion_text(reply)
    return whole(reply.id, "digest", reply.digest) if text is None else whole(reply.id, "text", text, shown)


def whole(event: str, field: str, text: str, limit: int = _LONG) -> Where:
    """A place that covers a field from its beginning, at most `limit` code points of it."""
    return Where(event=event, field=field, start=0, end=min(len(text), limit), text=text[:limit])


def seen_calls(trace: Trace) -> tuple[SeenCall, ...]:
    """Every call an agent asked for, in the order of its reply or its start. Linear in the trace."""
    global _latest  # noqa: PLW0603  # each rule asks for the same trace's calls in turn; nothing else is kept
    kept = _latest
    if kept is not None and kept[0]() is trace:
        return kept[1]
    found = _look(trace)
    _latest = (ref(trace), found)
    return found


_latest: tuple[ref[Trace], tuple[SeenCall, ...]] | None = None


def _look(trace: Trace) -> tuple[SeenCall, ...]:
    world = _World(trace)
    found = [
        world.see(call) for call in trace.calls if call.by in ("agent", "subagent", "not_recorded", "structured_output")
    ]
    found = [each for each in found if each.reply is not None or each.call.executed_in is not None]
    return tuple(sorted(found, key=lambda each: each.position))


class _World:
    """What is looked up for each call."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._asked: dict[str, CompletionEvent | None] = {}
        self._inner: set[str] = set()
        self._ends: dict[str, ExecutionFinished] = {}
        self._flags = trace.evidence.errors == "present"
        self._places: dict[str, Iterator[int]] = {}
        last: dict[str, CompletionEvent] = {}
        running: dict[str, set[str]] = {}
        started: dict[str, ExecutionStarted] = {}
        for event in trace.events:
            if isinstance(event, CompletionEvent):
                last[event.agent_name] = event
                self._places[event.id] = iter(range(len(event.calls)))
            elif isinstance(event, ExecutionStarted):
                self._asked[event.id] = last.get(event.agent_name)
                open_ones = running.setdefault(event.agent_name, set())
                if open_ones:
                    self._inner.add(event.id)
                open_ones.add(event.execution)
                started[event.execution] = event
            elif isinstance(event, ExecutionFinished) and (begun := started.get(event.execution)):
                running[begun.agent_name].discard(event.execution)
                self._ends[begun.id] = event

    def see(self, call: TracedCall) -> SeenCall:
        begun = self._trace.by_id[call.executed_in] if call.executed_in else None
        proposing = self._trace.by_id[call.proposed_in] if call.proposed_in else None
        reply = proposing if isinstance(proposing, CompletionEvent) else self._asked.get(call.executed_in or "")
        first = reply or begun
        outcome, text, failed = self._outcome(call)
        return SeenCall(
            call=call,
            agent=(begun or reply).agent_name if (begun or reply) else "",  # type: ignore[union-attr]
            reply=reply,
            place=self._place(call, reply),
            outcome=outcome,
            text=text,
            failed=failed,
            fault=fault_of(text, failed=failed) if outcome is not None else None,
            position=self._trace.positions[first.id] if first else 0,
            inner=call.proposed_in is None and call.executed_in in self._inner,
        )

    def _place(self, call: TracedCall, reply: CompletionEvent | None) -> Where:
        if reply is None:
            return whole(call.executed_in or "", "tool", call.tool)
        if call.proposed_in is not None:
            field = f"calls[{next(self._places[reply.id], 0)}].tool"
            return whole(reply.id, field, call.tool)
        text = self._trace.completion_text(reply) or ""
        start = text.find(f"{call.tool}(")
        if start < 0:
            return whole(call.executed_in or "", "tool", call.tool) if not text else whole(reply.id, "text", text, 200)
        end = start + len(call.tool)
        return Where(event=reply.id, field="text", start=start, end=end, text=text[start:end])

    def _outcome(self, call: TracedCall) -> tuple[Where | None, str, bool | None]:
        """Where what came back stands, its text, and whether the record says that it failed."""
        seen = self._trace.by_id[call.observed_in] if call.observed_in else None
        end = self._ends.get(call.executed_in or "")
        if end is not None:
            text = (end.error if end.status == "failed" else end.result) or ""
            failed = True if end.status == "failed" else False if self._flags else None
            if text or not isinstance(seen, Observation):
                return whole(end.id, "error" if failed else "result", text), text, failed
            return whole(seen.id, "text", seen.text), seen.text, failed
        if isinstance(seen, Observation):
            flag = seen.extra.get("is_error")
            return whole(seen.id, "text", seen.text), seen.text, True if flag is True else None
        return None, "", call.state == "failed" or None
