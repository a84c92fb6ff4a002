"""Claims: what the model said happened, read from its own text with the exact place.

Rejected replies are read from quarantine: what was kept out of the context is exactly what an audit must see. Of a
reply whose text is lost nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TypedDict

from agentlab.audit.values import Claim, ClaimKind, Where
from agentlab.markers.segments import Segment, SegmentKind, segment
from agentlab.messages import Arguments
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace
from agentlab.trace.values import ProposedCall

__all__ = ["claims_of"]

_KINDS: dict[SegmentKind, ClaimKind] = {
    "action": "call",
    "observation": "observation",
    "turn": "turn",
    "finish": "answer",
}
"""Other segments, quotation and the model's thoughts among them, claim nothing."""


def claims_of(trace: Trace) -> tuple[Claim, ...]:
    """Every claim in the model's replies, in order."""
    names = (f"k{number}" for number in count(1))
    tools = [tool.name for tool in trace.started.tools]
    found: list[Claim] = []
    for completion in trace.of(CompletionEvent):
        text = trace.completion_text(completion)
        if text is not None:
            found += _claims_in(text, completion, tools, names)
    return tuple(found)


def _claims_in(text: str, completion: CompletionEvent, tools: list[str], names: Iterator[str]) -> Iterator[Claim]:
    proposed = list(completion.calls)
    call: Claim | None = None
    for part in segment(text, tools=tools):
        kind = _KINDS.get(part.kind)
        if kind is None:
            continue
        claim = Claim(
            id=next(names),
            kind=kind,
            where=_where(text, completion, part),
            step=completion.step,
            body=_body(text, part),
            party=part.party,
            rejected=not completion.accepted,
            **_bound(part, proposed, call),
        )
        yield claim
        if kind == "call":
            call = claim
        elif not claim.is_result:  # what stands behind somebody else's turn or an answer belongs to no call before it
            call = None


def _body(text: str, part: Segment) -> str:
    """What is claimed; of an answer that is written as a call, what it passes."""
    if part.kind == "finish" and part.call is not None and isinstance(part.call.arguments, str):
        return part.call.arguments.strip()
    return text[part.body_start : part.body_end].strip()


def _bound(part: Segment, proposed: list[ProposedCall], call: Claim | None) -> _Bound:
    """What a call names, or which call a result stands under.

    The proposals of the journal are the well-formed actions of the reply in their order.
    """
    if part.kind == "action" and part.call is not None:
        recorded = bool(proposed) and part.call.problem is None and proposed[0].tool == part.call.name
        return _Bound(
            tool=part.call.name,
            arguments=part.call.arguments,
            call=proposed.pop(0).call if recorded else None,
            about=None,
        )
    if call is not None and (part.kind == "observation" or part.party == "tool"):
        return _Bound(tool=call.tool, arguments=call.arguments, call=None, about=call.id)
    return _Bound(tool=None, arguments=None, call=None, about=None)


class _Bound(TypedDict):
    tool: str | None
    arguments: Arguments | None
    call: str | None
    about: str | None


def _where(text: str, completion: CompletionEvent, part: Segment) -> Where:
    return Where(event=completion.id, field="text", start=part.start, end=part.end, text=text[part.start : part.end])
