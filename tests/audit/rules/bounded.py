"""Attempts whose harness bounds the context: what it keeps is said by a function of the whole history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentlab.audit.reading import read
from agentlab.audit.rules.base import Rule
from agentlab.audit.values import Finding
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.messages import Message
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence
from tests.audit.stories import Story, message

History = list[Message]
Keep = Callable[[History], History]
Call = tuple[str, dict[str, Any], str]
"""A tool, what it is called with, what comes back."""

SPANS = Evidence(proposals="present", results="present", authorship="present")


def whole(history: History) -> History:
    return history


def window(width: int) -> Keep:
    """The system prompt and the last items."""
    return lambda history: history[:1] + history[1:][-width:]


def bare(width: int) -> Keep:
    """The last items only."""
    return lambda history: history[-width:]


def pinned(width: int) -> Keep:
    """The system prompt, the task and the last items."""
    return lambda history: history[:2] + history[2:][-width:]


def replaced(text: str, *, author: Any = "harness", after: int = 6) -> Keep:
    """Once the history is long, a text takes the place of all but the system prompt and the last exchange."""

    def keep(history: History) -> History:
        return history if len(history) < after else [history[0], message(author, text), *history[-2:]]

    return keep


def attempt(
    *turns: Call | str,
    task: str,
    keep: Keep,
    system: str = "You work in a harbour.",
    answer: str = "Finished.",
) -> Trace:
    """Our own journal of an attempt: calls, and what others say between them (`user:`, `harness:`, `system:`)."""
    story = Story(task=task)
    story.history[0] = message("system", system)
    for turn in turns:
        if isinstance(turn, str):
            author, _, text = turn.partition(":")
            story.history.append(message(author, text.strip()))  # type: ignore[arg-type]
        else:
            tool, arguments, result = turn
            story.call(tool, arguments, result)
        story.history = keep(story.history)
    story.answer(answer)
    return story.finish()


def spans(
    *requests: tuple[Sequence[Item], str, Sequence[tuple[str, dict[str, Any], str]]], form: str = "spans"
) -> Trace:
    """A foreign record of whole requests: what stood in each, the reply, and its calls as tool, arguments, id."""
    builder = TraceBuilder(form, path="x", key=["k", repr(requests)], evidence=SPANS)
    for items, text, calls in requests:
        builder.see(list(items))
        builder.reply(text, calls=[builder.propose(t, a, call=c) for t, a, c in calls], remembered=False)
    builder.answer(requests[-1][1])
    return builder.build()


def judged(rule: Rule, trace: Trace) -> list[Finding]:
    return list(rule.judge(read(trace)))
