"""Replies that go round in circles: nothing at all, or the same words to the same complaint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlab.audit.evidence.faults import is_error_text, is_parse_error
from agentlab.audit.rules.base import Crossing
from agentlab.audit.values import Where
from agentlab.trace.events import CompletionEvent, Request
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["replies_in_circles"]

_ON = re.compile(
    r"\s*(?:please )?(?:continue|go on|proceed|keep going|carry on|继续|请继续)\b[^\n]{0,80}\s*", re.IGNORECASE
)
_RESULT = re.compile(
    r"\s*(?:\*\*)?(?:observation|tool (?:result|output)|result|观察|观测|工具结果)\s*[:：]", re.IGNORECASE
)
"""How a text protocol hands over a result in the user's seat."""
_FIRM = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class _Turn:
    """A reply, and the request it answers, whose new items are what was heard since the agent's last reply."""

    reply: CompletionEvent
    text: str
    asked: Request | None

    @property
    def is_empty(self) -> bool:
        return not self.text and not self.reply.calls and not self.reply.reasoning


def replies_in_circles(trace: Trace) -> Iterator[Crossing]:
    """Empty replies in a row, and the same reply in a row to the same complaint."""
    for turns in _turns(trace).values():
        for run in _runs(trace, turns):
            yield _crossing(trace, run, is_last=run[-1] is turns[-1])


def _crossing(trace: Trace, run: Sequence[_Turn], *, is_last: bool) -> Crossing:
    first, last = run[0], run[-1]
    heard = " ".join(text for _, text in _heard(trace, last))
    what = "empty" if first.is_empty else f"the same: {shorten(first.text, 60)!r}"
    to = f", each to {shorten(heard, 80)!r}" if heard.strip() else ""
    return Crossing(
        message=f"{len(run)} replies in a row were {what}{to}.",
        where=tuple(_place(turn) for turn in (last, *run[:-1])),
        severity="failure" if len(run) >= _FIRM or is_last else "warning",
    )


def _place(turn: _Turn) -> Where:
    text = turn.text[:200]
    return Where(event=turn.reply.id, field="text", start=0, end=len(text), text=text)


def _runs(trace: Trace, turns: Sequence[_Turn]) -> Iterator[list[_Turn]]:
    run: list[_Turn] = []
    for turn in turns:
        if run and not _goes_on(trace, run[-1], turn, first=len(run) == 1):
            if _is_circle(trace, run) and not _was_waiting(trace, run, turn):
                yield run
            run = []
        run.append(turn)
    if _is_circle(trace, run):
        yield run


def _goes_on(trace: Trace, one: _Turn, other: _Turn, *, first: bool) -> bool:
    """Whether a reply says what the last one said, and nothing new was said to it, nor shown, in between."""
    if one.text != other.text or one.reply.calls or other.reply.calls or one.is_empty != other.is_empty:
        return False
    heard = _heard(trace, other)
    if not all(author == "harness" or _is_complaint(text) for author, text in heard):
        return False
    return first or _heard(trace, one) == heard


def _was_waiting(trace: Trace, run: Sequence[_Turn], after: _Turn) -> bool:
    """Whether the same was asked until another result came."""
    heard = _heard(trace, run[-1])
    return any(_RESULT.match(text) for _, text in heard) and _heard(trace, after) != heard


def _is_circle(trace: Trace, run: Sequence[_Turn]) -> bool:
    """Two will do where a reply is empty or a format error was answered word for word; else three."""
    if len(run) < 2:
        return False
    return run[0].is_empty or len(run) >= _FIRM or any(is_parse_error(text) for _, text in _heard(trace, run[-1]))


def _turns(trace: Trace) -> dict[str, list[_Turn]]:
    found: dict[str, list[_Turn]] = {}
    asked: dict[str, Request] = {}
    for event in trace.events:
        if isinstance(event, Request):
            asked[event.id] = event
        elif isinstance(event, CompletionEvent) and (text := trace.completion_text(event)) is not None:
            turn = _Turn(reply=event, text=text.strip(), asked=asked.get(event.request))
            found.setdefault(event.agent_name, []).append(turn)
    return found


def _heard(trace: Trace, turn: _Turn) -> list[tuple[str, str]]:
    """Author and text of what others than the model said since the agent's last reply."""
    items = turn.asked.items if turn.asked is not None else ()
    others = (item for item in items if item.author not in ("model", "system"))
    return [(i.author, i.text if i.text is not None else trace.texts.get(i.digest, "")) for i in others]


def _is_complaint(text: str) -> bool:
    if not text.strip() or _RESULT.match(text) is not None or _ON.fullmatch(text) is not None:
        return True
    return is_parse_error(text) or is_error_text(text)
