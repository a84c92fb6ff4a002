"""The answers of a trace: which reply gives one, where it stands, and whose it is.

An answer is given by a marker in the text, by a call of a tool for finishing, by a program that calls such a tool, or
by an agent's last reply, if that asks for nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentlab.audit.code.runs import CodeRun
from agentlab.audit.evidence.effects import kind_of
from agentlab.audit.values import Claim, Where
from agentlab.trace.events import CompletionEvent, ExecutionFinished
from agentlab.trace.model import Trace

__all__ = ["GivenAnswer", "given_answers", "passed_texts"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenAnswer:
    """An answer that an agent gave."""

    reply: CompletionEvent
    where: Where
    """The answer; where a program gives it, what it passes on; where a call does, the tool's name."""
    run: CodeRun | None = None
    """The program that gave it."""

    @property
    def is_final(self) -> bool:
        """Whether the main agent gave it, not one that it had started."""
        return not self.reply.agent_name


def given_answers(trace: Trace, claims: Sequence[Claim], runs: Sequence[CodeRun]) -> tuple[GivenAnswer, ...]:
    """Every answer, in the order of the replies; of one reply one.

    Args:
        trace: of which.
        claims: read from it.
        runs: its programs.
    """
    by_marker = {claim.where.event: claim for claim in claims if claim.kind == "answer"}
    by_program: dict[str, list[CodeRun]] = {}
    for run in runs:
        by_program.setdefault(run.reply.id, []).append(run)
    acting = {claim.where.event for claim in claims if claim.kind == "call"}
    last = set({reply.agent_name: reply.id for reply in trace.of(CompletionEvent)}.values()) - acting
    handed = {end.result.strip() for end in trace.of(ExecutionFinished) if end.result}
    found = (
        _of_program(by_program.get(reply.id, ()))
        or _of_call(reply)
        or _of_marker(reply, by_marker)
        or (_of_last(trace, reply, handed) if reply.id in last else None)
        for reply in trace.of(CompletionEvent)
        if reply.accepted
    )
    return tuple(answer for answer in found if answer is not None)


def _of_program(runs: Sequence[CodeRun]) -> GivenAnswer | None:
    for run in runs:
        finisher = next((name for name in run.program.calls if kind_of(name, None) == "finish"), None)
        given = run.program.passed_to(finisher) if finisher else None
        if given is not None:
            start = run.text.find(given, run.start) if given else run.start
            start, text = (start, given) if given and start >= 0 else (run.start, run.program.source)
            where = Where(event=run.reply.id, field="text", start=start, end=start + len(text), text=text)
            return GivenAnswer(reply=run.reply, where=where, run=run)
    return None


def _of_call(reply: CompletionEvent) -> GivenAnswer | None:
    for place, call in enumerate(reply.calls):
        if kind_of(call.tool, call.arguments) == "finish":
            where = Where(event=reply.id, field=f"calls[{place}].tool", start=0, end=len(call.tool), text=call.tool)
            return GivenAnswer(reply=reply, where=where)
    return None


def _of_marker(reply: CompletionEvent, claims: Mapping[str, Claim]) -> GivenAnswer | None:
    claim = claims.get(reply.id)
    return GivenAnswer(reply=reply, where=claim.where) if claim else None


def _of_last(trace: Trace, reply: CompletionEvent, handed: Collection[str]) -> GivenAnswer | None:
    """The last reply of an agent; of one that was started, only what was handed back to whoever started it."""
    text = trace.completion_text(reply)
    if reply.calls or not text or not text.strip() or (reply.agent_name and text.strip() not in handed):
        return None
    return GivenAnswer(reply=reply, where=Where(event=reply.id, field="text", start=0, end=len(text), text=text))


def passed_texts(reply: CompletionEvent) -> Iterator[tuple[str, str]]:
    """The texts that a reply passes to a tool for finishing, with the field each stands in."""
    for place, call in enumerate(reply.calls):
        if kind_of(call.tool, call.arguments) != "finish":
            continue
        given = call.arguments
        values = given.items() if isinstance(given, Mapping) else [("", given)]
        for name, value in values:
            if isinstance(value, str):
                yield f"calls[{place}].arguments{f'.{name}' if name else ''}", value
