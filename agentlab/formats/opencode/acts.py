"""What happened in an OpenCode session, as acts with the line on which each happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from agentlab.formats.opencode.state import Message, Part, Session
from agentlab.formats.shapes.content import part_text, plain_text, written
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import Object, boolean, integer, mapping, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Author, FinishReason, Role, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller, RefusalCode

__all__ = ["Act", "Call", "Heard", "Reply", "Step", "acts_of"]

_TITLE = "You are a title generator"
"""How the system prompt of a side request begins, which is no step of the agent."""
_BY_HAND = "The following tool was executed by the user"
"""What the harness tells the model of a command that a person ran between two steps."""
_FORBIDDEN = ("The user rejected permission", "The user has specified a rule which prevents")
_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop",
    "tool-calls": "tool_calls",
    "length": "length",
    "content-filter": "content_filter",
}
_PART = {"id", "messageID", "sessionID", "type", "text", "time"}
_STATE = {"status", "input", "output", "error", "time", "raw"}
_INFO = {"id", "sessionID", "role", "modelID", "providerID", "tokens", "time", "parentID", "finish"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """A message joined the context."""

    role: Role
    text: str
    author: Author | None
    time: float | None
    source: str
    extra: Mapping[str, JSONValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A tool part after its last update."""

    id: str
    tool: str
    arguments: Object
    by: Caller
    status: str
    output: str
    began: bool
    refused: RefusalCode | None
    reason: str
    start: float | None
    end: float | None
    source: str
    extra: Mapping[str, JSONValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """The model answered one request, or summed up what was before."""

    text: str
    reasoning: str
    calls: Sequence[Call]
    model: str
    usage: Usage | None
    finish: str
    reason: FinishReason
    asked: float | None
    time: float | None
    source: str
    extra: Mapping[str, JSONValue]
    sums_up: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A call began (`ends` is false) or ended."""

    call: Call
    ends: bool


Act: TypeAlias = Heard | Reply | Step


@dataclass(slots=True)
class _Parts:
    """The parts of one answer of the model."""

    all: list[Part] = field(default_factory=list)

    def of(self, kind: str) -> list[Part]:
        return [part for part in self.all if text(part.body, "type") == kind]


def acts_of(session: Session, *, main: bool, rejected: set[str]) -> Iterator[tuple[int, Act]]:
    """The acts of a session with their lines, not in order.

    Args:
        session: after its last update.
        main: whether nobody started it but the user.
        rejected: calls for which a permission was denied.

    Raises:
        ShapeError: if a message is not what its kind says.
    """
    yield from _systems(session)
    for name, message in session.messages.items():
        if not _is_models(message):
            yield from _heard(name, message, main=main)
            continue
        by_hand = _is_by_hand(session.messages.get(text(message.info, "parentID")))
        for number, parts in enumerate(_answers(message)):
            caller: Caller = "not_recorded" if by_hand else "agent" if main else "subagent"
            calls = [(part, _call(part, caller, rejected)) for part in parts.of("tool")]
            if not by_hand:
                source = f"{name}/{number}" if number else name
                line = parts.all[0].place if parts.all else message.place
                yield line, _reply(message, parts, [call for _, call in calls], source)
            for part, call in calls:
                if call.began:
                    yield part.began, Step(call=call, ends=False)
                if call.status in ("completed", "error"):
                    yield part.last, Step(call=call, ends=True)


def _systems(session: Session) -> Iterator[tuple[int, Act]]:
    """Each system prompt of the session's model once, the first before everything else."""
    models = {text(message.info, "modelID") for message in session.messages.values()} - {""}
    known: set[str] = set()
    for line, model, prompt in session.systems:
        if prompt in known or prompt.startswith(_TITLE) or (models and model not in models):
            continue
        where = line if known else 0
        known.add(prompt)
        yield where, Heard(role="system", text=prompt, author=None, time=None, source=f"line {line}", extra={})


def _is_models(message: Message) -> bool:
    role = text(message.info, "role")
    kinds = {text(part.body, "type") for part in message.parts.values()}
    return role == "assistant" if role else bool(kinds & {"tool", "reasoning", "step-start"})


def _is_by_hand(message: Message | None) -> bool:
    return message is not None and any(part.text.startswith(_BY_HAND) for part in message.parts.values())


def _heard(name: str, message: Message, *, main: bool) -> Iterator[tuple[int, Act]]:
    """A message of the user; in a session that another one started, that one's agent wrote it."""
    created = mapping(message.info, "time").get("created")
    more = rest(message.info, {*_INFO, "summary"})
    for identity, part in message.parts.items():
        is_text = text(part.body, "type") == "text"
        author: Author = "harness" if boolean(part.body, "synthetic") else "user" if main else "model"
        said = part.text if is_text else part_text(rest(part.body, _PART - {"type"}))
        extra = {**more, "message": name, **(rest(part.body, _PART) if is_text else {})}
        time = seconds(created if created is not None else part.time)
        yield part.place, Heard(role="user", text=said, author=author, time=time, source=identity, extra=extra)


def _answers(message: Message) -> list[_Parts]:
    """The parts of a message, one group for each time that the model was asked."""
    answers: list[_Parts] = []
    for part in message.parts.values():
        starts = text(part.body, "type") == "step-start"
        if not answers or (starts and answers[-1].of("step-finish")):
            answers.append(_Parts())
        if not starts:
            answers[-1].all.append(part)
    return [parts for parts in answers if parts.all]


def _reply(message: Message, parts: _Parts, calls: Sequence[Call], source: str) -> Reply:
    info = message.info
    finishes = parts.of("step-finish")
    ended = finishes[-1].body if finishes else {}
    times = mapping(info, "time")
    finish = text(ended, "reason") or text(info, "finish")
    done = seconds(finishes[-1].time if finishes and finishes[-1].time is not None else times.get("completed"))
    starts = [moment for moment in (done, *(call.start for call in calls)) if moment is not None]
    extra = rest(info, _INFO)
    known = ("text", "reasoning", "tool", "step-finish")
    if others := [part.body for part in parts.all if text(part.body, "type") not in known]:
        extra["parts"] = [rest(body, _PART - {"type", "id"}) for body in others]
    tokens = mapping(ended, "tokens") or mapping(info, "tokens")
    extra.update(whole_usage(tokens, "tokens"))
    if cost := ended.get("cost"):
        extra["cost"] = cost
    return Reply(
        text="\n".join(part.text for part in parts.of("text")),
        reasoning="\n".join(part.text for part in parts.of("reasoning")),
        calls=calls,
        model=text(info, "modelID"),
        usage=_usage(tokens),
        finish=finish,
        reason=_REASONS.get(finish, "unknown"),
        asked=seconds(times.get("created")),
        time=min(starts, default=None),
        source=source,
        extra=extra,
        sums_up=info.get("summary") is True,
    )


def _usage(tokens: Object) -> Usage | None:
    """All prompt tokens and all generated ones; what is in `total` and in no other count was generated."""
    cache = mapping(tokens, "cache")
    given = sum(integer(record, name) or 0 for record, name in ((tokens, "input"), (cache, "read"), (cache, "write")))
    made = sum(integer(tokens, name) or 0 for name in ("output", "reasoning"))
    total = integer(tokens, "total")
    if total is not None and total >= given:
        made = total - given
    return Usage(input_tokens=given, output_tokens=made) if given or made else None


def _call(part: Part, caller: Caller, rejected: set[str]) -> Call:
    body = part.body
    state = mapping(body, "state")
    times, given, metadata = mapping(state, "time"), mapping(state, "input"), mapping(state, "metadata")
    status, name, tool = text(state, "status"), text(body, "callID") or text(body, "id"), text(body, "tool")
    output = plain_text(state.get("error")) if status == "error" else written(state.get("output") or "")
    refused: RefusalCode | None = None
    reason = output
    if status == "error" and (name in rejected or output.startswith(_FORBIDDEN)):
        refused = "not_permitted"
    elif tool == "invalid" and "tool" in given:  # the harness's name for what it could not call
        tool, reason, given = text(given, "tool"), text(given, "error"), {}
        refused = "unknown_tool" if "unavailable tool" in reason else "invalid_arguments"
    provided = boolean(mapping(body, "metadata"), "providerExecuted")
    more = {**rest(body, {*_PART, "tool", "callID", "state"}), **rest(state, {*_STATE, "metadata"})}
    if kept := {key: value for key, value in metadata.items() if value != state.get("output")}:
        more["metadata"] = kept
    return Call(
        id=name,
        tool=tool,
        arguments=given,
        by="provider" if provided else caller,
        status=status,
        output=output,
        began=bool(part.began) and refused is None,
        refused=refused,
        reason=reason,
        start=seconds(times.get("start")),
        end=seconds(times.get("end")),
        source=text(body, "id"),
        extra=more,
    )
