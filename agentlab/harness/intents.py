"""What a reply intends, as parsed and not yet allowed: a call, an answer, plain text, no wish for a tool, or a breach.

A reply that holds an observation or another party's turn is refused whole, whatever else stands in it. Of the rest the
first action counts, and what stands behind it is discarded. Reasons quote nothing of the reply.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.markers.arguments import Problem
from agentlab.markers.segments import Party, Segment, segment
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue, dumps

__all__ = [
    "Call",
    "Clarify",
    "ErrorCode",
    "Finish",
    "Forged",
    "ForgedKind",
    "Intent",
    "Proposed",
    "ProtocolError",
    "Reply",
    "Span",
    "parse_reply",
    "to_document",
]

ErrorCode = Literal[
    "forged_observation", "forged_turn", "malformed_call", "ambiguous_call", "unknown_tool", "empty_reply"
]
ForgedKind = Literal["observation", "user_turn", "system_turn", "tool_turn"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A stretch of a reply, in code points, end exclusive."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Forged:
    """A stretch that only somebody else may write."""

    start: int
    end: int
    text: str
    kind: ForgedKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposed:
    """A call that a refused reply asked for."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True, kw_only=True, slots=True)
class _Parsed:
    forged: tuple[Forged, ...] = ()
    discarded: tuple[Span, ...] = ()
    """What stood behind the action or the answer and was not read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call(_Parsed):
    """One action to dispatch."""

    tool: str
    """A registered name; as written where none are registered."""
    arguments: Arguments
    """An object, or the raw text where it is not a JSON object."""
    thought: str = ""
    """The model's own words before the action, markers left out."""
    start: int
    end: int
    """Where the action stands, marker included."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finish(_Parsed):
    """A final answer."""

    answer: str
    thought: str = ""
    start: int
    end: int
    """Where the answer stands, marker included."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply(_Parsed):
    """Text with neither an action nor a final answer marked as one; it may well be a complete answer."""

    text: str
    """The whole reply without reasoning, the label of the own turn, and what a stop string left."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Clarify(_Parsed):
    """The model says that it wants no tool and gives no answer: ask for one."""

    thought: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProtocolError(_Parsed):
    """A reply that is refused whole."""

    code: ErrorCode
    reason: str
    """One or two sentences made of fixed wording and registered names; no word of the reply."""
    proposed: Proposed | None = None
    """The first well-formed action before anything forged."""
    start: int
    end: int
    """Where the breach stands first."""


Intent: TypeAlias = Call | Finish | Reply | Clarify | ProtocolError


def parse_reply(text: str, *, tools: Collection[str]) -> Intent:
    """Parse one raw reply. Never raises; the cost is linear in the text.

    Args:
        text: the reply as the model wrote it.
        tools: registered tool names, compared exactly after NFC normalisation. Where none are registered every name is
            accepted that is written as a call behind a marker at the start of a line, and no marker within a line.
    """
    parts = segment(text, tools=tools)
    forgery = next((at for at, part in enumerate(parts) if part.kind in ("observation", "turn")), None)
    if forgery is not None:
        forged = _forged(text, parts)
        return _refused(_forged_code(forged), parts[forgery], parts[:forgery], forged)
    for at, part in enumerate(parts):
        if part.kind in ("action", "finish"):
            return _step(text, parts, at, tools)
    if any(part.kind == "no_action" for part in parts):
        return Clarify(thought=_thought(text, parts))
    own = _own_text(text, parts)
    if own:
        return Reply(text=own)
    return ProtocolError(code="empty_reply", reason=_REASONS["empty_reply"], start=0, end=len(text))


def to_document(intent: Intent) -> dict[str, JSONValue]:
    """The document that `agentlab parse --json` prints, schema `agentlab.parse/1`."""
    proposed = getattr(intent, "proposed", None)
    return {
        "schema": "agentlab.parse/1",
        "intent": _NAMES[type(intent)],
        "tool": getattr(intent, "tool", None),
        "arguments": getattr(intent, "arguments", None),
        "answer": getattr(intent, "answer", getattr(intent, "text", None)),
        "reason": getattr(intent, "reason", None),
        "proposed": {"tool": proposed.tool, "arguments": proposed.arguments} if proposed else None,
        "forged": [
            {"start": part.start, "end": part.end, "text": part.text, "kind": part.kind} for part in intent.forged
        ],
        "discarded": [{"start": part.start, "end": part.end, "text": part.text} for part in intent.discarded],
    }


def _step(text: str, parts: Sequence[Segment], at: int, tools: Collection[str]) -> Call | Finish | ProtocolError:
    """What the first action or answer of a reply without forgery comes to."""
    part = parts[at]
    call = part.call
    if call is not None and call.problem is not None:
        code: ErrorCode = "ambiguous_call" if call.problem in _AMBIGUOUS else "malformed_call"
        return _refused(code, part, parts, reason=f"{_REASONS[code]} {_PROBLEMS[call.problem]}")
    if part.kind == "finish" or call is None:
        return _finish(text, parts, at)
    if tools and not call.registered:
        known = ", ".join(sorted(tools))
        return _refused("unknown_tool", part, parts, reason=f"{_REASONS['unknown_tool']} Registered are: {known}.")
    return Call(
        tool=call.name,
        arguments=call.arguments,
        thought=_thought(text, parts[:at]),
        start=part.start,
        end=part.end,
        discarded=_spans(text, parts[at + 1 :]),
    )


def _finish(text: str, parts: Sequence[Segment], at: int) -> Finish:
    """The answer; an empty Finish leaves the word to a final answer behind it."""
    given = next((later for later in range(at, len(parts)) if _answer(text, parts[later])), at)
    part = parts[given]
    return Finish(
        answer=_answer(text, part),
        thought=_thought(text, parts[:at]),
        start=part.start,
        end=part.end,
        discarded=_spans(text, parts[given + 1 :]),
    )


def _answer(text: str, part: Segment) -> str:
    if part.kind != "finish":
        return ""
    if part.call is None:
        return _unemphasised(text[part.start : part.body_start], text[part.body_start : part.body_end])
    arguments = part.call.arguments
    if isinstance(arguments, str):
        return arguments
    texts = [value for value in arguments.values() if isinstance(value, str)]
    if not arguments or len(texts) == 1:
        return "".join(texts)
    return dumps(arguments)


def _unemphasised(marker: str, answer: str) -> str:
    """An answer without the `**` that was opened before its marker."""
    opened = marker.startswith("**") and not marker.rstrip().endswith("**")
    return answer.removesuffix("**").rstrip() if opened else answer


def _refused(
    code: ErrorCode, where: Segment, read: Iterable[Segment], forged: tuple[Forged, ...] = (), *, reason: str = ""
) -> ProtocolError:
    """A refusal; `read` are the segments in which a well-formed action is looked for."""
    calls = (part.call for part in read if part.kind == "action" and part.call is not None)
    proposed = next((Proposed(tool=call.name, arguments=call.arguments) for call in calls if not call.problem), None)
    return ProtocolError(
        code=code,
        reason=reason or _REASONS[code],
        proposed=proposed,
        start=where.start,
        end=where.end,
        forged=forged,
    )


def _forged_code(forged: Iterable[Forged]) -> ErrorCode:
    return "forged_observation" if any(part.kind == "observation" for part in forged) else "forged_turn"


def _forged(text: str, parts: Iterable[Segment]) -> tuple[Forged, ...]:
    return tuple(
        Forged(start=part.start, end=part.end, text=text[part.start : part.end], kind=_PARTY_KINDS[part.party])
        for part in parts
        if part.kind in ("observation", "turn")
    )


def _spans(text: str, parts: Iterable[Segment]) -> tuple[Span, ...]:
    said = (part for part in parts if part.kind not in ("label", "cut"))
    return tuple(Span(start=part.start, end=part.end, text=text[part.start : part.end]) for part in said)


def _thought(text: str, parts: Iterable[Segment]) -> str:
    own = ("thought", "prose", "quotation")
    return "\n".join(text[part.body_start : part.body_end] for part in parts if part.kind in own).strip()


def _own_text(text: str, parts: Sequence[Segment]) -> str:
    """The text without reasoning, what a stop string left, and labels before anything else."""
    begun = next((at for at, part in enumerate(parts) if part.kind not in ("label", "reasoning", "cut")), len(parts))
    kept, at = [], 0
    for place, part in enumerate(parts):
        if part.kind in ("reasoning", "cut") or place < begun:
            kept.append(text[at : part.start])
            at = part.end
    return "".join([*kept, text[at:]]).strip()


_NAMES: Mapping[type[Intent], str] = {
    Call: "call",
    Finish: "finish",
    Reply: "reply",
    Clarify: "clarify",
    ProtocolError: "protocol_error",
}
_PARTY_KINDS: Mapping[Party | None, ForgedKind] = {
    None: "observation",
    "user": "user_turn",
    "system": "system_turn",
    "tool": "tool_turn",
}
_AMBIGUOUS: frozenset[Problem] = frozenset({"same_key_twice", "two_calls"})
_REASONS: Mapping[ErrorCode, str] = {
    "forged_observation": "The reply holds an observation, which only the harness may write.",
    "forged_turn": "The reply speaks for another party of the conversation.",
    "malformed_call": "The action cannot be read as a call.",
    "ambiguous_call": "The action can be understood in more than one way.",
    "unknown_tool": "The action names a tool that is not registered.",
    "empty_reply": "The reply is empty.",
}
_PROBLEMS: Mapping[Problem, str] = {
    "not_a_call": "It is not written as a tool's name with its arguments.",
    "no_name": "It names no tool.",
    "unclosed": "Its arguments are not closed.",
    "trailing_text": "More text stands behind it on its line.",
    "not_json": "Its arguments begin like a JSON object and are none.",
    "same_key_twice": "A key, or the tool's name, is given twice.",
    "two_calls": "It holds several calls that differ.",
}
