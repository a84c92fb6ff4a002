"""Claims: what the model said happened, read from its own text with the exact place.

Rejected replies are read from quarantine: what was kept out of the context is exactly what an audit must see.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from agentlab.audit.values import Claim, Where
from agentlab.markers.segments import Segment, segment
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace

__all__ = ["claims_of"]


def claims_of(trace: Trace) -> tuple[Claim, ...]:
    """Every claim in the model's replies, in order."""
    names = count(1)
    tools = [tool.name for tool in trace.started.tools]
    found: list[Claim] = []
    for completion in trace.of(CompletionEvent):
        text = trace.completion_text(completion)
        if text is not None:
            found += _claims_in(text, completion, tools, names)
    return tuple(found)


def _claims_in(text: str, completion: CompletionEvent, tools: list[str], names: Iterator[int]) -> Iterator[Claim]:
    proposed = [call.call for call in completion.calls]
    about: Claim | None = None
    for part in segment(text, tools=tools):
        kind = part.kind
        if kind == "action" and part.call is not None:
            claim = Claim(
                id=f"k{next(names)}",
                kind="call",
                where=_where(text, completion, part),
                step=completion.step,
                tool=part.call.name,
                arguments=part.call.arguments,
                call=proposed.pop(0) if proposed else None,
                body=text[part.body_start : part.body_end],
                rejected=not completion.accepted,
            )
            about = claim
            yield claim
        elif kind == "observation" or kind == "turn" or kind == "finish":
            yield Claim(
                id=f"k{next(names)}",
                kind="answer" if kind == "finish" else kind,
                where=_where(text, completion, part),
                step=completion.step,
                body=text[part.body_start : part.body_end].strip(),
                tool=about.tool if about and kind == "observation" else None,
                arguments=about.arguments if about and kind == "observation" else None,
                about=about.id if about and kind == "observation" else None,
                rejected=not completion.accepted,
            )


def _where(text: str, completion: CompletionEvent, part: Segment) -> Where:
    return Where(event=completion.id, field="text", start=part.start, end=part.end, text=text[part.start : part.end])
