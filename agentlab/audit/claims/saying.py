"""What an agent stated, sentence by sentence, with the place of each: in its replies, its reasoning, its last words.

Rejected replies are left out: nothing in them reached anybody. So is what a harness wrote in the agent's place, and
what stands in a reply as an action, a result or another party's turn, of which other claims are made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from agentlab.audit.claims.answering import GivenAnswer, passed_texts
from agentlab.audit.claims.claims import Parts
from agentlab.audit.prose.reading import statements
from agentlab.audit.prose.values import Statement
from agentlab.audit.values import Where
from agentlab.markers.segments import Segment, SegmentKind
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace

__all__ = ["Saying", "is_its_own", "sayings", "texts_of"]

_SPOKEN: tuple[SegmentKind, ...] = ("prose", "thought", "finish", "reasoning", "label")


@dataclass(frozen=True, kw_only=True, slots=True)
class Saying:
    """One statement of an agent."""

    statement: Statement
    where: Where
    reply: CompletionEvent
    position: int
    """Place among the events before which what it speaks of must have been done: that of the reply, or, for what is
    passed to a tool for finishing, that of the next reply, as calls beside it are asked for with it."""
    in_answer: bool
    """Whether it stands in a reply that gives an answer."""
    context: str
    """All of the text that it stands in."""


def sayings(
    trace: Trace,
    parts: Parts,
    answers: Sequence[GivenAnswer],
    tools: Collection[str],
    plain: Callable[[str], str],
    *,
    since: int,
    also: Collection[str] = (),
) -> tuple[Saying, ...]:
    """Every statement of which something can be held, in the order of the replies.

    Args:
        trace: of which.
        parts: of its replies.
        answers: that were given in it.
        tools: that the agent knew.
        plain: masks a text.
        since: place of the first event after which something had been done; what is said before, and is no answer,
            is plans, but for what somebody is said to have asked.
        also: replies that are read wherever they stand.
    """
    giving = {answer.reply.id for answer in answers}
    replies = trace.of(CompletionEvent)
    places = [trace.positions[reply.id] for reply in replies]
    return tuple(
        Saying(
            statement=each,
            where=Where(event=reply.id, field=field, start=each.start, end=each.end, text=each.text),
            reply=reply,
            position=following if field.startswith("calls[") else place,
            in_answer=reply.id in giving,
            context=text,
        )
        for reply, place, following in zip(replies, places, [*places[1:], len(trace)], strict=False)
        if is_its_own(reply)
        for only in (None if place > since or reply.id in giving or reply.id in also else "request",)
        for field, text in texts_of(trace, reply)
        for each in _stated(
            statements(text, tools=tools, only=only, plain=plain(text)),
            text,
            parts.get(reply.id, ()) if field == "text" else None,
        )
    )


def is_its_own(reply: CompletionEvent) -> bool:
    """Whether the model wrote it, and it was taken."""
    return reply.accepted and reply.extra.get("author") not in ("harness", "system", "tool")


def texts_of(trace: Trace, reply: CompletionEvent) -> Iterator[tuple[str, str]]:
    """The texts in which a reply speaks, each with its field."""
    if reply.reasoning:
        yield "reasoning", reply.reasoning
    text = trace.completion_text(reply)
    if text:
        yield "text", text
    yield from passed_texts(reply)


def _stated(found: Sequence[Statement], text: str, parts: Sequence[Segment] | None) -> Iterator[Statement]:
    """What a text states where it speaks for itself; a text without parts does so everywhere."""
    if found and (draft := _draft(text)):
        found = [each for each in found if not draft[0] <= each.start < draft[1]]
    if not found or parts is None:
        return iter(found)
    spoken = [part for part in parts if part.kind in _SPOKEN]
    return (each for each in found if any(part.start <= each.start and each.end <= part.end for part in spoken))


_HEADED = re.compile(
    r"^\W{0,4}(?:subject|commit message|betreff|主题|提交信息)\W{0,4}[:：]", re.IGNORECASE | re.MULTILINE
)
_GREETS = re.compile(r"^(?:hi|hello|dear|hey|尊敬的)\b[^\n]{0,60}[,，:：!]?[ \t]*$", re.IGNORECASE | re.MULTILINE)
_SIGNS = re.compile(
    r"^(?:(?:kind |warm |best )?regards|best(?: wishes)?|cheers|thanks|thank you|sincerely|yours|此致)\b"
    r"[^\n]{0,30}$",
    re.IGNORECASE | re.MULTILINE,
)


def _draft(text: str) -> tuple[int, int] | None:
    """Where a text holds a letter or a message that somebody else is to send, by its head or its greeting."""
    headed = _HEADED.search(text)
    if headed is not None:
        return headed.start(), len(text)
    greets = _GREETS.search(text)
    signs = _SIGNS.search(text, greets.end()) if greets is not None else None
    return (greets.start(), signs.end()) if greets is not None and signs is not None else None
