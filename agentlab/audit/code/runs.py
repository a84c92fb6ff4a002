"""Code agents: which program of which reply was run as which execution, and what ran inside of it.

Such an agent writes its action as a program in a fence; the harness runs it with a tool of its own, and the tools that
the program calls run within. No call is proposed by name, so a run belongs to a reply by the program itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentlab.audit.code.programs import Program, program
from agentlab.trace.events import CompletionEvent, ExecutionStarted
from agentlab.trace.model import Trace

__all__ = ["CodeRun", "code_runs"]

_FIELDS = ("code", "source", "script", "python")
"""Arguments in which harnesses pass a program."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeRun:
    """A program that a reply holds and that was run."""

    reply: CompletionEvent
    text: str
    """The reply's."""
    start: int
    """Where the program stands in the text, in code points; the end is exclusive."""
    end: int
    program: Program
    execution: ExecutionStarted
    inner: tuple[ExecutionStarted, ...]
    """What ran after it and before the agent's next reply."""


def code_runs(trace: Trace) -> tuple[CodeRun, ...]:
    """Every program that was run, in the order of the replies."""
    spans = _stretches(trace)
    return tuple(run for reply in trace.of(CompletionEvent) for run in _of_reply(trace, reply, spans[reply.id]))


def _of_reply(trace: Trace, reply: CompletionEvent, ran: Sequence[ExecutionStarted]) -> Iterator[CodeRun]:
    places = [place for place, event in enumerate(ran) if _code_of(event)]
    text = trace.completion_text(reply) if places else None
    if text is None:
        return
    for place, following in zip(places, [*places[1:], len(ran)], strict=True):
        code = _code_of(ran[place]).strip()
        start = text.find(code)
        if start >= 0:
            yield CodeRun(
                reply=reply,
                text=text,
                start=start,
                end=start + len(code),
                program=program(code),
                execution=ran[place],
                inner=tuple(ran[place + 1 : following]),
            )


def _code_of(event: ExecutionStarted) -> str:
    given = event.arguments
    if isinstance(given, str):
        return given
    values = [given[name] for name in _FIELDS if name in given] if given else []
    return values[0] if values and isinstance(values[0], str) else ""


def _stretches(trace: Trace) -> Mapping[str, Sequence[ExecutionStarted]]:
    """What an agent ran after each of its replies and before its next, by the reply's id."""
    found: dict[str, list[ExecutionStarted]] = defaultdict(list)
    last: dict[str, str] = {}
    for event in trace:
        if isinstance(event, CompletionEvent):
            last[event.agent_name] = event.id
        elif isinstance(event, ExecutionStarted) and event.agent_name in last:
            found[last[event.agent_name]].append(event)
    return found
