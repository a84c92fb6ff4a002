"""What a model event brought back.

Tokens: Inspect leaves those read from and written to a provider's cache out of `input_tokens` and counts reasoning in
`output_tokens`; the cached ones are added here. How many there were of each stands in the reply's `extra`, with the
provider's id of the response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.inspect.messages import Attachments, Said, said
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import Object, arguments_of, integer, mapping, mappings, number, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.messages import FinishReason, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller, ProposedCall

__all__ = ["Reply", "record_message", "record_reply", "usage_of"]

_FINISH: Mapping[str, FinishReason] = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
}
_OUTPUT = {"model", "choices", "usage", "completion", "time"}
_CHOICE = {"message", "stop_reason"}
_MESSAGE = {"id", "role", "content", "tool_calls", "model", "source"}
_IDS = ("id", "responseId", "response_id", "system_fingerprint", "service_tier")
_CALL = {"id", "function", "arguments", "type", "view"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A recorded reply."""

    event: str
    message: str
    """Id of its message; empty where it has none."""
    text: str
    calls: Mapping[str, Object]
    """What the agent is to run, by id."""


def record_reply(
    builder: TraceBuilder, event: Object, source: str, by: Caller, attachments: Attachments
) -> Reply | None:
    """Record the reply of a model event, if it has one.

    A request that failed has an empty message in place of a reply.

    Args:
        builder: its request has been recorded.
        event: the model event.
        source: its identity.
        by: who asks for the calls in it.
        attachments: the sample's.
    """
    output = mapping(event, "output")
    choices = mappings(output, "choices")
    if not choices:
        return None
    message = mapping(choices[0], "message")
    failed = bool(event.get("error")) or event.get("pending") is True
    if failed and not message.get("content") and not message.get("tool_calls"):
        return None
    extra = rest(output, _OUTPUT)
    extra.update(rest(choices[0], _CHOICE))
    extra.update(whole_usage(mapping(output, "usage")))
    extra.update(_named(event))
    if len(choices) > 1:
        extra["choices"] = list(choices[1:])
    return record_message(
        builder,
        message,
        source=source,
        by=by,
        attachments=attachments,
        extra=extra,
        model=text(output, "model"),
        usage=usage_of(mapping(output, "usage")),
        finish_reason=_FINISH.get(text(choices[0], "stop_reason"), "unknown"),
        latency=number(output, "time"),
        time=seconds(event.get("completed") or event.get("timestamp")),
        remembered=False,
    )


def record_message(
    builder: TraceBuilder,
    message: Object,
    *,
    source: str,
    by: Caller,
    attachments: Attachments,
    extra: dict[str, JSONValue],
    time: float | None = None,
    remembered: bool = True,
    model: str = "",
    usage: Usage | None = None,
    finish_reason: FinishReason = "unknown",
    latency: float | None = None,
) -> Reply:
    """Record an assistant's message as a reply, and what its provider executed meanwhile."""
    content = said(message.get("content"), attachments)
    calls = mappings(message, "tool_calls")
    proposed = [_proposed(builder, call, by, attachments) for call in calls]
    provided = [
        builder.propose(call.name, call.arguments, call=call.id, by="provider") for call in content.server_calls
    ]
    reply = builder.reply(
        content.text,
        calls=[*proposed, *provided],
        reasoning=content.reasoning,
        model=model or text(message, "model"),
        usage=usage,
        finish_reason=finish_reason,
        latency=latency,
        remembered=remembered,
        time=time,
        source=source,
        extra=attachments.object(_extra(extra, message, content, calls)),
    )
    for call, ran in zip(provided, content.server_calls, strict=True):
        execution = builder.begin(ran.name, ran.arguments, call=call.call, source=source)
        result = ran.result if ran.result or ran.error is None else None
        builder.end(execution, result=result, error=ran.error, time=time, source=source)
    return Reply(
        event=reply, message=text(message, "id"), text=content.text, calls={text(call, "id"): call for call in calls}
    )


def usage_of(usage: Object) -> Usage | None:
    """The tokens of a reply, cached ones included; None where they are not recorded."""
    if not usage:
        return None
    prompt = integer(usage, "input_tokens")
    for name in ("input_tokens_cache_read", "input_tokens_cache_write"):
        if (cached := integer(usage, name)) is not None:
            prompt = (prompt or 0) + cached
    return Usage(input_tokens=prompt, output_tokens=integer(usage, "output_tokens"))


def _named(event: Object) -> dict[str, JSONValue]:
    """How the provider names the response, from its own words, of which the rest is a copy of what Inspect read."""
    call = event.get("call")
    response = call.get("response") if isinstance(call, dict) else None
    found = {name: response[name] for name in _IDS if response.get(name)} if isinstance(response, dict) else {}
    return {"response": found} if found else {}


def _proposed(builder: TraceBuilder, call: Object, by: Caller, attachments: Attachments) -> ProposedCall:
    given = arguments_of(call.get("arguments"))
    arguments = attachments.text(given) if isinstance(given, str) else attachments.object(dict(given))
    return builder.propose(text(call, "function"), arguments, call=text(call, "id"), by=by)


def _extra(
    extra: dict[str, JSONValue], message: Object, content: Said, calls: Sequence[Object]
) -> dict[str, JSONValue]:
    extra.update(rest(message, _MESSAGE))
    more: list[JSONValue] = [rest(call, _CALL) for call in calls]
    if any(more):
        extra["tool_calls"] = more
    if content.parts:
        extra["content"] = [dict(part) for part in content.parts]
    return extra
