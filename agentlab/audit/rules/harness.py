"""The rule about results and replies that the harness wrote itself, by what the record says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agentlab.audit.arguments import call_key, plain
from agentlab.audit.evidence.outcomes import outcome_of
from agentlab.audit.judging.deeds import Deeds
from agentlab.audit.prose.reading import statements
from agentlab.audit.prose.values import Statement
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.values import Where
from agentlab.strictjson import JSONValue
from agentlab.trace.calls import TracedCall
from agentlab.trace.events import CompletionEvent, Event, ExecutionFinished, ExecutionStarted, Observation, Request
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["HARNESS_FORGED_RESULT"]

_SHOWN = 80
_AUTHORS = ("author", "written_by", "generated_by")
_OTHERS = ("harness", "framework", "system", "runtime", "scaffold")
_MARKS = ("synthetic", "is_synthetic", "isSynthetic", "placeholder", "is_placeholder")
_ADMITTED = re.compile(
    r"placeholder|synthetic|dummy|no (?:result|output|response)|not (?:been )?(?:run|ran|executed|available|called"
    r"|recorded)|never (?:ran|run|executed|called)|interrupt|cancel|skipp|abort|missing|omitted|cleared|truncated"
    r"|timed? ?out|denied|refused|rejected|占位|未执行|没有执行|已取消|已跳过|已省略|中断|拒绝",
    re.IGNORECASE,
)
"""What a harness that does not pretend says in the place of a result."""
_DONE = re.compile(r"\W{0,9}(?:(?:successfully|all) )?(?:finished|completed|done)\b[^.!\n;]{0,80}", re.IGNORECASE)
"""The words of a loop guard at the head of its text."""
_SUCCESS = ("completion", "change", "check")
_USEFUL_LENGTH = 12
"""Shorter results agree by chance."""


def _forged(reading: Reading) -> Iterator[Crossing]:
    trace = reading.trace
    rests = trace.answer is not None
    yield from _replies(reading)
    yield from _marked(trace, rests=rests)
    if reading.executions_recorded:
        yield from _unexecuted(trace)
        yield from _of_others(trace)


def _replies(reading: Reading) -> Iterator[Crossing]:
    """Sentences of success in the model's seat that the record gives to the harness."""
    trace = reading.trace
    last = next((event.id for event in reversed(trace.events) if isinstance(event, CompletionEvent)), "")
    for event, field_name, text in _seated(trace):
        span = _success(reading, text)
        if span is not None:
            said = text[span[0] : span[1]]
            yield Crossing(
                message=f"{shorten(said, _SHOWN)!r} stands where the model speaks; by the record the harness wrote it, "
                "and no call bears it out.",
                where=(Where(event=event.id, field=field_name, start=span[0], end=span[1], text=said),),
                claimed={"text": said, "author": "harness"},
                severity=None if event.id == last else "warning",
            )


def _success(reading: Reading, text: str) -> tuple[int, int] | None:
    """Where a text states a success that no call bears out."""
    for each in statements(text, tools=reading.tools):
        if _succeeds(each) and not _is_true(reading.deeds, each):
            return each.start, each.end
    done = _DONE.match(text)
    return done.span() if done and not _has_finished(reading.deeds) else None


def _seated(trace: Trace) -> Iterator[tuple[Event, str, str]]:
    for event in trace.events:
        if isinstance(event, CompletionEvent):
            if event.extra and _is_by_harness(event.extra):
                yield event, "text", trace.completion_text(event) or ""
        elif isinstance(event, Request):
            for place, item in enumerate(event.items, event.kept):
                if item.author == "harness" and item.role == "assistant" and item.text and item.origin is None:
                    yield event, f"context[{place}].text", item.text


def _succeeds(statement: Statement) -> bool:
    return statement.kind in _SUCCESS and not statement.negated and statement.verb not in ("stop", "abort", "end")


def _is_true(deeds: Deeds, statement: Statement) -> bool:
    """Whether a call that went well has to do with everything that is named, or the model itself had finished."""
    if statement.kind == "completion":
        return _has_finished(deeds)
    names = [name.text for name in statement.names if name.kind in ("path", "url", "hash")]
    done = [deed.text for deed in deeds.all if deed.outcome.status == "ok" and deed.does("write", "send", "check")]
    return bool(names) and all(any(name in text for text in done) for name in names)


def _has_finished(deeds: Deeds) -> bool:
    return bool(deeds.all) and deeds.all[-1].does("finish")


def _marked(trace: Trace, *, rests: bool) -> Iterator[Crossing]:
    """Results that the record itself gives to the harness and that do not say so."""
    for event in trace.events:
        if not event.extra or not isinstance(event, Observation | ExecutionFinished):
            continue
        text = event.text if isinstance(event, Observation) else event.result
        if text and _is_by_harness(event.extra) and not _says_so(text):
            yield Crossing(
                message=f"{shorten(text, _SHOWN)!r} stands in the place of a result; by the record the harness wrote "
                "it, and it does not say so.",
                where=(_place(event.id, "text" if isinstance(event, Observation) else "result", text),),
                claimed={"text": text[:_SHOWN], "author": "harness"},
                severity=None if rests else "warning",
            )


def _unexecuted(trace: Trace) -> Iterator[Crossing]:
    """Calls that were refused, or that nothing ran for, answered as if they had gone well."""
    ran: set[str] | None = None
    for call in trace.calls:
        if call.executed_in is not None or call.observed_in is None or call.proposed_in is None:
            continue
        if ran is None:
            ran = {each.tool for each in trace.of(ExecutionStarted)}
        if call.by not in ("agent", "subagent") or (call.state != "refused" and call.tool not in ran):
            continue
        seen = trace.by_id[call.observed_in]
        if isinstance(seen, Observation) and not _says_so(seen.text) and _says_ok(call, seen.text):
            what = "was refused" if call.state == "refused" else "was never run"
            yield Crossing(
                message=f"The call of {tool_name(call.tool)} {what}, and {shorten(seen.text, _SHOWN)!r} was given "
                "as its result.",
                where=(_place(seen.id, "text", seen.text),),
                claimed=_claimed(call, seen.text),
                severity="failure" if call.state == "refused" or not trace.started.format else "warning",
            )


def _of_others(trace: Trace) -> Iterator[Crossing]:
    """Results of one execution that were shown as those of another call."""
    book = _Book()
    for event in trace.events:
        if isinstance(event, ExecutionStarted):
            book.begun[event.execution] = event
        elif isinstance(event, ExecutionFinished):
            book.end(event)
        elif isinstance(event, Observation) and (other := book.other(event)) is not None:
            yield Crossing(
                message=f"What {tool_name(other.tool)} returned for one call was shown again as the result of another, "
                "which had not returned it.",
                where=(_place(event.id, "text", event.text),),
                claimed={"call": event.call, "text": event.text[:_SHOWN]},
                executed={"call": other.call, "tool": other.tool, "arguments": plain(other.arguments)},
            )


@dataclass(slots=True)
class _Book:
    """What was executed so far, and what came of it."""

    begun: dict[str, ExecutionStarted] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    """By execution."""
    first: dict[str, ExecutionStarted] = field(default_factory=dict)
    """By result: the execution that returned it first."""

    def end(self, event: ExecutionFinished) -> None:
        begun, result = self.begun.get(event.execution), (event.result or "").strip()
        if begun is not None:
            self.results[event.execution] = result
            if len(result) >= _USEFUL_LENGTH:
                self.first.setdefault(result, begun)

    def other(self, seen: Observation) -> ExecutionStarted | None:
        """The other execution whose result this is; None where it is its own, or anybody's."""
        text = seen.text.strip()
        own, result = self.begun.get(seen.execution), self.results.get(seen.execution)
        if own is None or not result or result == text:
            return None
        other = self.first.get(text)
        if other is None or other is own or result in text or text in result:
            return None
        same = call_key(other.tool, other.arguments) == call_key(own.tool, own.arguments)
        return None if same else other


def _is_by_harness(extra: Mapping[str, JSONValue]) -> bool:
    return any(extra.get(key) in _OTHERS for key in _AUTHORS) or any(extra.get(key) is True for key in _MARKS)


def _says_so(text: str) -> bool:
    """Whether a text in the place of a result does not pretend to be one."""
    return (
        not text.strip()
        or bool(_ADMITTED.search(text[:2000]))
        or outcome_of(result=text, error=None, state="answered").said == "failed"
    )


def _says_ok(call: TracedCall, text: str) -> bool:
    return outcome_of(result=text, error=None, state="answered", tool=call.tool, arguments=call.arguments).said == "ok"


def _claimed(call: TracedCall, text: str) -> dict[str, JSONValue]:
    return {"tool": call.tool, "arguments": plain(call.arguments), "text": text[:_SHOWN]}


def _place(event: str, name: str, text: str) -> Where:
    return Where(event=event, field=name, start=0, end=len(text), text=text)


HARNESS_FORGED_RESULT = Rule(
    id="harness-forged-result",
    severity="failure",
    meaning=(
        "The harness wrote, in the place of a tool's result or of the model's reply, what neither had said: a sentence "
        "of success after it had stopped the loop, a result for a call that it had refused or never run, the result of "
        "one call under the id of another. The record must say who wrote it or what ran; a text that says itself that "
        "nothing ran is none of this. A warning where nothing rests on it, or where a foreign record may have left the "
        "execution out. The model is not to blame."
    ),
    cause="The harness keeps the form of the conversation whole by filling a place that nobody had filled.",
    check="Read the code that writes this message; let it say that nothing was run, under the harness's own name.",
    find=_forged,
)
