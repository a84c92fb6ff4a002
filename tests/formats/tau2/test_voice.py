from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.shapes.fields import ShapeError
from agentlab.formats.tau2.dialogue import Dialogue
from agentlab.formats.tau2.voice import read_ticks, records_calls
from agentlab.trace.events import CompletionEvent, Request
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence


def says(words: str | None, *ids: str, **more: Any) -> dict[str, Any]:
    return {"content": words, "contains_speech": True, "utterance_ids": list(ids) or None, **more}


def tick(agent: Any = None, user: Any = None, **more: Any) -> dict[str, Any]:
    return {"agent_chunk": agent, "user_chunk": user, **more}


def read(*ticks: dict[str, Any]) -> Trace:
    evidence = Evidence(**dict.fromkeys(("proposals", "executions", "results", "errors", "authorship"), "present"))  # type: ignore[arg-type]
    builder = TraceBuilder("tau2-bench", path="", key=["x"], evidence=evidence)
    read_ticks(Dialogue(builder), [{"tick_id": number, **each} for number, each in enumerate(ticks)])
    return builder.build()


def replies(trace: Trace) -> list[tuple[str | None, str]]:
    return [(reply.text, reply.source) for reply in trace.of(CompletionEvent)]


def test_an_utterance_is_put_together_and_ends_with_silence() -> None:
    silent = {"contains_speech": False}
    assert replies(read(tick(silent), tick(says("Good ")), tick(says("day.")), tick(silent), tick(says("Yes?")))) == [
        ("Good day.", "1"),
        ("Yes?", "4"),
    ]


def test_silence_within_speech_ends_nothing_and_another_id_does() -> None:
    ticks = tick(says("Good ", "a")), tick(says(None, "a")), tick(says("day.", "a")), tick(says("Yes?", "b"))
    assert replies(read(*ticks)) == [("Good day.", "0"), ("Yes?", "3")]


def test_both_sides_speak_at_once() -> None:
    trace = read(tick(says("Hel"), says("Is it ")), tick(says("lo."), says("open?")), tick(), tick(says("Yes.")))
    assert replies(trace) == [("Hello.", "0"), ("Yes.", "3")]
    assert [item.text for item in trace.of(Request)[-1].items if item.author == "user"] == ["Is it open?"]


def test_what_was_heard_stands_in_for_what_was_said() -> None:
    trace = read(tick(user={"contains_speech": True}, user_transcript="Is it open?"), tick(), tick(says("Yes.")))
    assert trace.started.task == "Is it open?"


def test_sound_is_no_text() -> None:
    trace = read(
        tick(says("UklGRg==", is_audio=True)), tick(), tick(says("UklG", is_audio=True, audio_script_gold="Hi"))
    )
    assert replies(trace) == [("Hi", "2")]


def test_calls_of_both_sides() -> None:
    call = {"id": "c1", "name": "look", "arguments": {"x": 1}}
    result = {"id": "c1", "role": "tool", "content": "ok", "error": False, "requestor": "assistant"}
    mine = {"id": "u1", "name": "press", "arguments": {}}
    pressed = {"id": "u1", "role": "tool", "content": "Error: stuck", "error": True}
    trace = read(
        tick(says("Let me"), agent_tool_calls=[call]),
        tick(agent_tool_results=[result]),
        tick(user_tool_calls=[mine], user_tool_results=[pressed]),
        tick(user=says("It is stuck.")),
        tick(),
        tick(says("I see.")),
    )
    assert [(each.id, each.by, each.state, each.delivered) for each in trace.calls] == [
        ("c1", "agent", "succeeded", True),
        ("u1", "user_simulator", "failed", True),
    ]
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.source) == ("I see.", "5")


def test_ticks_without_words_and_calls_are_refused() -> None:
    with pytest.raises(ShapeError, match="2 ticks hold neither"):
        read(tick({"contains_speech": True}), tick({"contains_speech": False}))


def test_a_bad_tick_is_named() -> None:
    with pytest.raises(ShapeError, match=r"^tick 1: agent_tool_calls: a list was expected"):
        read(tick(), tick(agent_tool_calls=3))


def test_whether_calls_are_on_record() -> None:
    assert records_calls([tick(), tick(agent_tool_calls=[])])
    assert not records_calls([tick()])
