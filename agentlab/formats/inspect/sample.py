"""One sample of an Inspect log in one epoch: one trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.inspect.log import Log
from agentlab.formats.inspect.messages import Attachments, failure_of, item_of
from agentlab.formats.inspect.places import scoring_from
from agentlab.formats.inspect.replies import Reply, record_message
from agentlab.formats.inspect.requests import expanded, ranges
from agentlab.formats.inspect.transcript import Transcript, once, refusal_of
from agentlab.formats.shapes.fields import Object, ShapeError, integer, listing, mapping, mappings, number, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.messages import ToolDescription
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, TerminationReason

__all__ = ["read_sample"]

_SAMPLE = {
    *("id", "epoch", "input", "messages", "message_refs", "message_pool", "events", "events_data", "transcript"),
    *("attachments", "output", "uuid", "started_at", "completed_at", "total_time"),
}
_OUTPUT = {"model", "choices", "completion"}
_ENDS: Mapping[str, TerminationReason] = {
    "message": "step_limit",
    "turn": "step_limit",
    "time": "deadline",
    "working": "deadline",
    "token": "token_budget",
    "cost": "token_budget",
    "context": "token_budget",
    "operator": "interrupted",
}
_WITH_EVENTS = Evidence(
    proposals="present", executions="present", results="present", errors="present", authorship="present"
)
_MESSAGES_ONLY = Evidence(proposals="present", results="present", authorship="present")


@dataclass(kw_only=True, slots=True)
class _Told:
    """What was found beside the events."""

    evidence: Evidence
    last: Reply | None = None
    """The agent's last reply."""
    error: str = ""
    """What the provider said where no reply came to the agent's last request."""
    tools: Sequence[ToolDescription] = ()
    other: Sequence[Object] = ()
    """Events that say nothing of who said or did what."""
    extra: dict[str, JSONValue] = field(default_factory=dict)


def read_sample(log: Log, sample: Object, *, place: str, key: Callable[[], Sequence[object]]) -> Trace:
    """Read a sample.

    Args:
        log: it is from.
        sample: its record.
        place: its identity in the file.
        key: gives what identifies it where it has no ids of its own.

    Raises:
        ValueError: a `ShapeError` if a part of it is not what Inspect writes, which it names; another if its events
            cannot be one record.
    """
    old, pools = mapping(sample, "transcript"), mapping(sample, "events_data")
    attachments = Attachments({**mapping(old, "content"), **mapping(sample, "attachments")})
    pool = listing(pools, "messages") or listing(sample, "message_pool")
    messages = listing(sample, "messages") or expanded(ranges(sample, "message_refs"), pool)
    events = once(mappings(sample, "events") or mappings(old, "events"))
    if not events and not messages and "epoch" not in sample:
        raise ShapeError("a sample was expected, and there are neither events nor messages")
    builder = TraceBuilder("inspect", path=log.path, key=_key(log, sample, key), evidence=_WITH_EVENTS, source=place)
    if _are_told(events, messages):
        transcript, end = Transcript(builder, attachments, pool), scoring_from(events)
        told = _from_events(builder, transcript, events[:end], messages, attachments)
        _finish(builder, sample, told, attachments, place=place, events=events, end=end)
        transcript.read(events[end:], first=end)
        transcript.close()
    else:
        told = _from_messages(builder, messages, attachments)
        told.other = [attachments.object(dict(event)) for event in events]
        told.extra = {"output": rest(mapping(sample, "output"), _OUTPUT)}
        _finish(builder, sample, told, attachments, place=place, events=events, end=len(events))
    builder.seat("")
    builder.evidence = told.evidence
    builder.describe(
        **log.facts(),
        case=log.case(text(sample, "id")),
        index=max((integer(sample, "epoch") or 1) - 1, 0),
        task=attachments.text(asked) if isinstance(asked := sample.get("input"), str) else "",
        tools=tuple(told.tools),
        time=seconds(sample.get("started_at") or (events[0].get("timestamp") if events else None)),
        extra=log.extra() | attachments.object(rest(sample, _SAMPLE) | told.extra) | _events(told.other),
    )
    return builder.build()


def _events(other: Sequence[Object]) -> dict[str, JSONValue]:
    return {"events": [dict(event) for event in other]} if other else {}


def _key(log: Log, sample: Object, key: Callable[[], Sequence[object]]) -> Sequence[object]:
    """Samples have ids of their own since 2025; before, those of the log and the number in it tell them apart."""
    if own := text(sample, "uuid"):
        return [own, integer(sample, "epoch")]
    identity = log.identity()
    return [*identity, text(sample, "id"), integer(sample, "epoch")] if any(identity) and "id" in sample else key()


def _are_told(events: Sequence[Object], messages: Sequence[JSONValue]) -> bool:
    """Whether the events tell what happened; else, the messages alone do."""
    return not messages or any(event.get("event") in ("model", "tool") for event in events)


# --- events ---


def _from_events(
    builder: TraceBuilder,
    transcript: Transcript,
    events: Sequence[Object],
    messages: Sequence[JSONValue],
    attachments: Attachments,
) -> _Told:
    transcript.read(events)
    transcript.close()
    builder.seat("")
    _hear_rest(builder, transcript, messages, attachments)
    # Where there are answers and not one tool event, the agent's own program ran its tools, out of Inspect's sight.
    unrecorded = not transcript.executed and not transcript.answered.isdisjoint(transcript.proposed)
    return _Told(
        evidence=_MESSAGES_ONLY if unrecorded else _WITH_EVENTS,
        last=transcript.last,
        error=transcript.error,
        tools=tuple(transcript.tools.values()),
        other=transcript.other,
    )


def _hear_rest(
    builder: TraceBuilder, transcript: Transcript, messages: Sequence[JSONValue], attachments: Attachments
) -> None:
    """What joined the conversation after the last request: results that no model saw, mostly."""
    for index, message in enumerate(messages):
        name = text(message, "id") if isinstance(message, dict) else ""
        if name in transcript.heard if name else index < transcript.carried:
            continue
        item = item_of(message, "", index, attachments, transcript.ended)
        known = {"tool": not name and item.call in transcript.answered, "assistant": transcript.last is not None}
        if not known.get(item.role, False):
            builder.hear(item)


# --- messages only ---


def _from_messages(builder: TraceBuilder, messages: Sequence[JSONValue], attachments: Attachments) -> _Told:
    """An answer proves no execution; one that says why the call was refused proves that there was none."""
    told = _Told(evidence=_MESSAGES_ONLY)
    proposed: dict[str, Object] = {}
    refused = False
    for index, message in enumerate(messages):
        try:
            item = replace(item_of(message, "", index, attachments, {}), source=str(index))
            if isinstance(message, dict) and item.role == "assistant" and item.author is None:
                told.last = record_message(
                    builder, message, source=str(index), by="agent", attachments=attachments, extra={}
                )
                proposed.update(told.last.calls)
                continue
            failure = failure_of(message, attachments) if isinstance(message, dict) and item.role == "tool" else None
            if refusal := refusal_of(failure, proposed.get(item.call, {})):
                builder.refuse(item.call, code=refusal[0], reason=refusal[1], source=str(index))
                refused |= item.call in proposed
            builder.hear(item)
        except ShapeError as error:
            raise ShapeError(f"message {index}: {error}") from None
    if refused:
        told.evidence = replace(told.evidence, errors="present")
    return told


# --- the end ---


def _finish(
    builder: TraceBuilder,
    sample: Object,
    told: _Told,
    attachments: Attachments,
    *,
    place: str,
    events: Sequence[Object],
    end: int,
) -> None:
    """Record the answer and the end, before scorers act: what they spend is not the attempt's."""
    final = _answer(sample, told, attachments)
    if final and told.last:
        builder.answer(final, completion=told.last.event)
    ended = _ending(sample, events) or (("answered", "") if final and told.last else None)
    if ended is None:
        return
    reason, detail = ended
    if reason == "other" and told.error and mapping(sample, "error"):
        reason, detail = "provider_error", detail or told.error
    last = events[end - 1] if end else {}
    stated = sample.get("completed_at") if end == len(events) else None
    builder.finish(
        reason,
        detail=attachments.text(detail),
        duration=number(sample, "total_time"),
        time=seconds(stated or last.get("completed") or last.get("timestamp")),
        source=place,
    )


def _answer(sample: Object, told: _Told, attachments: Attachments) -> str:
    """The final text: of the sample's output, which a tool for submitting may have set, but no reply that has calls."""
    final = attachments.text(text(mapping(sample, "output"), "completion"))
    if told.last and told.last.calls:
        return final if final != told.last.text else ""
    return final or (told.last.text if told.last else "")


def _ending(sample: Object, events: Sequence[Object]) -> tuple[TerminationReason, str] | None:
    """Why a sample ended before its time; None where nothing says that it did."""
    error, limit = mapping(sample, "error"), mapping(sample, "limit")
    if error:
        return "other", text(error, "message")
    stated = next((event for event in reversed(events) if event.get("event") == "sample_limit"), {})
    kind = text(limit, "type") or text(stated, "type")
    if not kind:
        return None
    reason = text(limit, "reason") or text(stated, "message")
    return _ENDS.get(kind, "other"), f"{kind} limit: {reason}" if reason else f"{kind} limit"
