"""Writes down a reply and what the gate made of it: accepted text in the journal, rejected text in quarantine."""

from __future__ import annotations

from agentlab.harness.gate import AdmittedAnswer, AdmittedCall, AdmittedCalls, Judgement, Rejected
from agentlab.messages import Arguments, Completion
from agentlab.strictjson import digest, dumps
from agentlab.trace.events import CallRefused, CompletionEvent, ProtocolErrorEvent, Request
from agentlab.trace.recorder import Recorder
from agentlab.trace.values import ProposedCall

__all__ = ["record_completion"]


def record_completion(
    recorder: Recorder, request: Request, completion: Completion, judged: Judgement, *, call: str
) -> CompletionEvent:
    """Record a judged reply.

    Args:
        recorder: of the attempt.
        request: what the reply answers.
        completion: the reply.
        judged: what the gate made of it.
        call: id for the call it proposes, if it proposes one; those of further ones are numbered.

    Returns:
        The completion event; a `protocol_error` or `call_refused` event follows it where the reply was rejected.
    """
    rejected = isinstance(judged, Rejected)
    # The text is in quarantine before the journal refers to it, so that a kill between the two loses nothing.
    name = recorder.quarantine(completion.text) if rejected else recorder.know(completion.text)
    hidden = recorder.quarantine(completion.reasoning) if rejected and completion.reasoning else ""
    event = recorder.record(
        CompletionEvent(
            request=request.id,
            digest=name,
            characters=len(completion.text),
            accepted=not rejected,
            text=None if rejected else completion.text,
            reasoning="" if rejected else completion.reasoning,
            reasoning_digest=hidden,
            calls=_proposed(recorder, judged, call),
            discarded=judged.discarded if isinstance(judged, AdmittedCall | AdmittedCalls) else (),
            finish_reason=completion.finish_reason,
            usage=completion.usage,
            model=completion.model,
            latency=completion.latency,
            first_byte=completion.first_byte,
            tries=completion.tries,
            remarks=completion.remarks,
        )
    )
    if isinstance(judged, Rejected):
        _record_rejection(recorder, event, judged)
    return event


def _proposed(recorder: Recorder, judged: Judgement, call: str) -> tuple[ProposedCall, ...]:
    if isinstance(judged, AdmittedAnswer):
        return ()
    calls: list[tuple[str, Arguments | None]]
    if not isinstance(judged, Rejected):
        calls = [(each.tool, each.arguments) for each in judged.calls]
    elif judged.native_calls:
        calls = [(each.tool, each.arguments) for each in judged.native_calls]
        for each in judged.native_calls:  # the text, which is in quarantine, does not hold them
            given = each.arguments
            recorder.quarantine(given if isinstance(given, str) else dumps(given, sort_keys=True))
    else:
        calls = [(judged.tool, judged.arguments)] if judged.tool is not None else []
    return tuple(
        ProposedCall(
            call=call if number == 1 else f"{call}.{number}",
            tool=tool,
            arguments=None if isinstance(judged, Rejected) else arguments,
            arguments_digest=digest(arguments),
        )
        for number, (tool, arguments) in enumerate(calls, start=1)
    )


def _record_rejection(recorder: Recorder, event: CompletionEvent, rejected: Rejected) -> None:
    if rejected.refusal != "unparsed":
        recorder.record(
            CallRefused(
                completion=event.id,
                call=event.calls[0].call,
                code=rejected.refusal,
                reason=rejected.reason,
                digest=event.digest,
            )
        )
        return
    recorder.record(
        ProtocolErrorEvent(
            completion=event.id,
            code=rejected.code,
            reason=rejected.reason,
            digest=event.digest,
            start=rejected.start,
            end=rejected.end,
            forged=rejected.forged,
        )
    )
