"""Claims: what the model said happened, read from its own text and from its native calls, with the exact place.

Rejected replies are read from quarantine: what was kept out of the context is exactly what an audit must see. Of a
reply whose text is lost nothing is claimed, nor by a call that a foreign record shows in a reply though somebody else
than the model asked for it, such as the reset by which a loop begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TypeAlias, TypedDict

from agentlab.audit.values import Claim, ClaimKind, Where
from agentlab.markers.calls import Call
from agentlab.markers.segments import Segment, SegmentKind, segment
from agentlab.messages import Arguments
from agentlab.strictjson import StrictJSONError, loads
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace
from agentlab.trace.values import ProposedCall

__all__ = ["Parts", "claims_of", "parts_of"]

Parts: TypeAlias = Mapping[str, tuple[Segment, ...]]
"""The segments of each reply whose text is not lost, by event id."""

_KINDS: dict[SegmentKind, ClaimKind] = {
    "action": "call",
    "observation": "observation",
    "turn": "turn",
    "finish": "answer",
}
"""Other segments, quotation and the model's thoughts among them, claim nothing."""


def parts_of(trace: Trace) -> Parts:
    """Cut every reply into segments, once for whoever reads them."""
    tools = [tool.name for tool in trace.started.tools]
    texts = ((reply.id, trace.completion_text(reply)) for reply in trace.of(CompletionEvent))
    return {reply: segment(text, tools=tools) for reply, text in texts if text is not None}


def claims_of(trace: Trace, parts: Parts | None = None) -> tuple[Claim, ...]:
    """Every claim in the model's replies, in order.

    Args:
        trace: whose replies.
        parts: of them, where they are cut already.
    """
    names = (f"k{number}" for number in count(1))
    parts = parts_of(trace) if parts is None else parts
    found: list[Claim] = []
    for completion in trace.of(CompletionEvent):
        text = trace.completion_text(completion)
        if text is None:
            continue
        proposed = list(completion.calls)
        said = list(_claims_in(text, parts[completion.id], completion, proposed, names))
        if completion.accepted or trace.started.tool_calling == "native":
            said += _native_claims(trace, completion, proposed, names)
        others = {call.call for call in completion.calls if call.by == "not_recorded"}
        found += (claim for claim in said if claim.call not in others)
    return tuple(found)


def _native_claims(
    trace: Trace, completion: CompletionEvent, rest: list[ProposedCall], names: Iterator[str]
) -> Iterator[Claim]:
    """The calls that no action in the text stands for; the place of one is its tool's name in the list of calls."""
    first = len(completion.calls) - len(rest)
    for place, call in enumerate(rest, first):
        field = f"calls[{place}].tool"
        where = Where(event=completion.id, field=field, start=0, end=len(call.tool), text=call.tool)
        yield Claim(
            id=next(names),
            kind="call",
            where=where,
            step=completion.step,
            tool=call.tool,
            arguments=call.arguments if completion.accepted else _refused_arguments(trace, call),
            call=call.call,
            rejected=not completion.accepted,
        )


def _refused_arguments(trace: Trace, call: ProposedCall) -> Arguments | None:
    """What a call that was refused had passed, from quarantine; None where that is lost."""
    kept = trace.quarantine.get(call.arguments_digest)
    try:
        value = loads(kept) if kept is not None else None
    except StrictJSONError:
        value = None
    return value if isinstance(value, dict) else kept


def _claims_in(
    text: str,
    parts: Sequence[Segment],
    completion: CompletionEvent,
    proposed: list[ProposedCall],
    names: Iterator[str],
) -> Iterator[Claim]:
    """The claims of a text; what an action in it stands for is taken from the front of `proposed`."""
    call: Claim | None = None
    for part in parts:
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

    The proposals of the journal are the well-formed actions of the reply in their order. A foreign loop may have made
    one of an action that is not well-formed; then what it passes is word for word what is read here.
    """
    if part.kind == "action" and part.call is not None:
        recorded = bool(proposed) and _is_made_of(proposed[0], part.call)
        return _Bound(
            tool=part.call.name,
            arguments=part.call.arguments,
            call=proposed.pop(0).call if recorded else None,
            about=None,
        )
    if call is not None and (part.kind == "observation" or part.party == "tool"):
        return _Bound(tool=call.tool, arguments=call.arguments, call=None, about=call.id)
    return _Bound(tool=None, arguments=None, call=None, about=None)


def _is_made_of(proposed: ProposedCall, call: Call) -> bool:
    return proposed.tool == call.name and (call.problem is None or proposed.arguments == call.arguments)


class _Bound(TypedDict):
    tool: str | None
    arguments: Arguments | None
    call: str | None
    about: str | None


def _where(text: str, completion: CompletionEvent, part: Segment) -> Where:
    return Where(event=completion.id, field="text", start=part.start, end=part.end, text=text[part.start : part.end])
