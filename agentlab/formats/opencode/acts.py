"""What happened in an OpenCode session, as acts with the line on which each happened."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agentlab.formats.building.seat import Item
from agentlab.formats.opencode.state import Decision, Message, Part, Session
from agentlab.formats.shapes.content import part_text, plain_text, written
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import Object, ShapeError, boolean, integer, mapping, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Author, FinishReason, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller, RefusalCode

__all__ = ["Act", "Call", "Reply", "Step", "acts_of"]

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
_BESIDE = {"messageID", "sessionID", "text", "time"}
_PART = {*_BESIDE, "id", "type"}
_PARTS: Mapping[str, set[str]] = {
    "text": _BESIDE,
    "reasoning": _BESIDE,
    "step-finish": {*_BESIDE, "reason", "tokens", "cost"},
    "tool": {*_PART, "tool", "callID", "state", "metadata"},
}
"""Parts that a reply shows, and the fields of theirs that it, or the call, has."""
_STATE = {"status", "input", "output", "error", "time", "raw"}
_INFO = {"id", "sessionID", "role", "modelID", "providerID", "tokens", "time", "parentID", "finish"}


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


Act: TypeAlias = Item | Reply | Step | Decision
"""An item is a message that joined the context."""


def acts_of(session: Session, defects: list[str], *, main: bool) -> Iterator[tuple[int, Act]]:
    """The acts of a session with their lines, not in order.

    Args:
        session: after its last update.
        defects: why messages could not be read; each costs only itself.
        main: whether nobody started it but the user.
    """
    yield from _systems(session)
    rejected = {decision.call for decision in session.decisions if decision.verdict == "reject"}
    yield from ((decision.line, decision) for decision in session.decisions)
    for name, message in session.messages.items():
        try:
            if _is_models(message):
                above = session.messages.get(text(message.info, "parentID"))
                caller: Caller = "not_recorded" if _is_by_hand(above) else "agent" if main else "subagent"
                acts = list(_made(name, message, caller, rejected))
            else:
                acts = list(_heard(name, message, main=main))
        except ShapeError as error:
            defects.append(f"message {name}: {error}")
        else:
            yield from acts


def _made(name: str, message: Message, caller: Caller, rejected: Collection[str]) -> Iterator[tuple[int, Act]]:
    """What the model answered, and what was run of it; of what a person ran nothing was asked for."""
    for number, parts in enumerate(_answers(message)):
        calls = [(part, _call(part, caller, rejected)) for part in _of(parts, "tool")]
        if caller != "not_recorded":
            source = f"{name}/{number}" if number else name
            yield parts[0].place, _reply(message, parts, [call for _, call in calls], source)
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
        yield where, Item(role="system", text=prompt, source=f"line {line}")


def _is_models(message: Message) -> bool:
    if role := text(message.info, "role"):
        return role == "assistant"
    return any(text(part.body, "type") in ("tool", "reasoning", "step-start") for part in message.parts.values())


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
        yield part.place, Item(role="user", text=said, author=author, time=time, source=identity, extra=extra)


def _answers(message: Message) -> list[list[Part]]:
    """The parts of a message, one group for each time that the model was asked."""
    answers: list[list[Part]] = [[]]
    finished = False
    for part in message.parts.values():
        kind = text(part.body, "type")
        if kind == "step-start" and finished:
            answers.append([])
            finished = False
        elif kind != "step-start":
            answers[-1].append(part)
            finished = finished or kind == "step-finish"
    return [parts for parts in answers if parts]


def _of(parts: Sequence[Part], kind: str) -> list[Part]:
    return [part for part in parts if text(part.body, "type") == kind]


def _reply(message: Message, parts: Sequence[Part], calls: Sequence[Call], source: str) -> Reply:
    info = message.info
    finishes = _of(parts, "step-finish")
    ended = finishes[-1].body if finishes else {}
    times = mapping(info, "time")
    finish = text(ended, "reason") or text(info, "finish")
    done = seconds(finishes[-1].time if finishes and finishes[-1].time is not None else times.get("completed"))
    starts = [moment for moment in (done, *(call.start for call in calls)) if moment is not None]
    extra = rest(info, _INFO)
    others: list[JSONValue] = [more for part in parts if (more := _beyond(part.body))]
    if others:
        extra["parts"] = others
    tokens = mapping(ended, "tokens") or mapping(info, "tokens")
    extra.update(whole_usage(tokens, "tokens"))
    if cost := ended.get("cost"):
        extra["cost"] = cost
    return Reply(
        text="\n".join(part.text for part in _of(parts, "text")),
        reasoning="\n".join(part.text for part in _of(parts, "reasoning")),
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


def _beyond(body: Object) -> dict[str, JSONValue]:
    """A part of which a reply shows nothing, or what it holds beyond that, e.g. the signature of a thought."""
    kind = text(body, "type")
    more = rest(body, _PARTS.get(kind, _BESIDE))
    return more if kind not in _PARTS or more.keys() > {"id", "type"} else {}


def _usage(tokens: Object) -> Usage | None:
    """All prompt tokens and all generated ones; what is in `total` and in no other count was generated."""
    cache = mapping(tokens, "cache")
    given = sum(integer(record, name) or 0 for record, name in ((tokens, "input"), (cache, "read"), (cache, "write")))
    made = sum(integer(tokens, name) or 0 for name in ("output", "reasoning"))
    total = integer(tokens, "total")
    if total is not None and total >= given:
        made = total - given
    return Usage(input_tokens=given, output_tokens=made) if given or made else None


def _call(part: Part, caller: Caller, rejected: Collection[str]) -> Call:
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
