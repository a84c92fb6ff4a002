"""Writes down a reply and what the gate made of it: accepted text in the journal, rejected text in quarantine."""

from __future__ import annotations

from agentlab.harness.gate import AdmittedAnswer, AdmittedCall, Judgement, Rejected
from agentlab.messages import Completion
from agentlab.strictjson import digest
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
        call: id for the call it proposes, if it proposes one.

    Returns:
        The completion event; a `protocol_error` or `call_refused` event follows it where the reply was rejected.
    """
    rejected = isinstance(judged, Rejected)
    # The text is in quarantine before the journal refers to it, so that a kill between the two loses nothing.
    name = recorder.quarantine(completion.text) if rejected else recorder.know(completion.text)
    event = recorder.record(
        CompletionEvent(
            request=request.id,
            digest=name,
            characters=len(completion.text),
            accepted=not rejected,
            text=None if rejected else completion.text,
            calls=_proposed(judged, call),
            discarded=judged.discarded if isinstance(judged, AdmittedCall) else (),
            finish_reason=completion.finish_reason,
            usage=completion.usage,
            model=completion.model,
            latency=completion.latency,
        )
    )
    if isinstance(judged, Rejected):
        _record_rejection(recorder, event, judged)
    return event


def _proposed(judged: Judgement, call: str) -> tuple[ProposedCall, ...]:
    if isinstance(judged, AdmittedAnswer) or judged.tool is None:
        return ()
    shown = judged.arguments if isinstance(judged, AdmittedCall) else None
    return (ProposedCall(call=call, tool=judged.tool, arguments=shown, arguments_digest=digest(judged.arguments)),)


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
