"""The scribe: an accepted text goes into the journal, a rejected one into quarantine and nowhere else."""

from __future__ import annotations

from agentlab.clock import TickClock
from agentlab.harness.contracts import ToolBox
from agentlab.harness.gate import admit
from agentlab.harness.scribe import record_completion
from agentlab.messages import Completion, Usage
from agentlab.strictjson import digest
from agentlab.trace.events import CallRefused, CompletionEvent, Event, ProtocolErrorEvent
from agentlab.trace.quarantine import MemoryQuarantine
from agentlab.trace.quarantine_reader import read_side
from agentlab.trace.recorder import Recorder


def ring(bell: str) -> dict[str, object]:
    """Ring a bell."""
    return {"bell": bell}


BOX = ToolBox([ring])


def scribble(text: str) -> tuple[CompletionEvent, list[Event], MemoryQuarantine]:
    events: list[Event] = []
    quarantine = MemoryQuarantine()
    recorder = Recorder(events.append, quarantine=quarantine, clock=TickClock())
    request = recorder.request(())
    completion = Completion(text=text, finish_reason="length", usage=Usage(input_tokens=5), model="m", latency=0.25)
    event = record_completion(recorder, request, completion, admit(text, BOX), call="c9")
    return event, events, quarantine


def test_an_accepted_reply_is_written_in_full() -> None:
    text = 'Action: ring[{"bell": "big"}]'
    event, events, quarantine = scribble(text)
    assert (event.accepted, event.text, event.digest) == (True, text, digest(text))
    assert [(c.call, c.tool, c.arguments) for c in event.calls] == [("c9", "ring", {"bell": "big"})]
    assert (event.finish_reason, event.usage.input_tokens, event.model, event.latency) == ("length", 5, "m", 0.25)
    assert len(events) == 2
    assert read_side(quarantine).get(event.digest) is None


def test_a_reply_that_broke_the_protocol_leaves_its_digest_and_the_reason() -> None:
    text = 'Action: ring[{"bell": "huge"}]\nObservation: clang'
    event, events, quarantine = scribble(text)
    assert (event.accepted, event.text) == (False, None)
    assert [(c.tool, c.arguments, c.arguments_digest) for c in event.calls] == [
        ("ring", None, digest({"bell": "huge"}))
    ]
    error = events[-1]
    assert isinstance(error, ProtocolErrorEvent)
    assert [(text[s.start : s.end], s.kind) for s in error.forged] == [("Observation: clang", "observation")]
    assert "clang" not in str(events)
    assert "huge" not in str(events)
    assert read_side(quarantine).get(error.digest) == text


def test_a_call_that_broke_its_contract_is_refused_by_name() -> None:
    event, events, quarantine = scribble('Action: ring[{"loudness": 11}]')
    refused = events[-1]
    assert isinstance(refused, CallRefused)
    assert (refused.call, refused.code, refused.completion) == ("c9", "invalid_arguments", event.id)
    assert "loudness" not in str(events)
    assert read_side(quarantine).get(refused.digest) == 'Action: ring[{"loudness": 11}]'
