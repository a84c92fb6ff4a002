from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.shapes.fields import ShapeError
from agentlab.formats.tau2.dialogue import Dialogue, is_marked
from agentlab.messages import Usage
from agentlab.trace.events import CallRefused, CompletionEvent, ExecutionFinished, ExecutionStarted, Request
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

GREETING = {"role": "assistant", "content": "Hello, pool desk.", "cost": 0.0, "usage": None, "raw_data": None}
ASKED = {"role": "user", "content": "Is the pool warm?"}


def call(name: str, identity: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"id": identity, "name": name, "arguments": arguments, "requestor": "assistant"}


def asks(*calls: Any, role: str = "assistant", content: str | None = None) -> dict[str, Any]:
    return {"role": role, "content": content, "tool_calls": list(calls)}


def gives(content: str, identity: str = "c1", **more: Any) -> dict[str, Any]:
    return {"id": identity, "role": "tool", "content": content, "requestor": "assistant", "error": False, **more}


def read(*messages: Any) -> Trace:
    evidence = Evidence(**dict.fromkeys(("proposals", "executions", "results", "errors", "authorship"), "present"))  # type: ignore[arg-type]
    builder = TraceBuilder("tau2-bench", path="", key=["x"], evidence=evidence)
    Dialogue(builder).read(messages)
    return builder.build()


def test_an_answer_without_the_flag_was_executed_and_one_with_it_failed() -> None:
    trace = read(
        ASKED,
        asks(call("measure", "c1", depth=1), call("measure", "c2", depth=9)),
        gives("27", "c1"),
        gives("Error: too deep", "c2", error=True, timestamp="2031-01-01T00:00:00"),
        {"role": "assistant", "content": "27 degrees."},
    )
    assert [(each.arguments, each.state, each.result, each.error, each.delivered) for each in trace.calls] == [
        ({"depth": 1}, "succeeded", "27", None, True),
        ({"depth": 9}, "failed", None, "Error: too deep", True),
    ]
    assert [each.arguments for each in trace.of(ExecutionStarted)] == [{"depth": 1}, {"depth": 9}]
    assert [end.time for end in trace.of(ExecutionFinished)] == [None, 1924992000.0]
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.source) == ("27 degrees.", "4")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("Error: Tool 'measure' not found.", "unknown_tool"),
        ("Error: Tools not available", "unknown_tool"),
        ("Error: PoolTools.measure() missing 1 required positional argument: 'depth'", "invalid_arguments"),
        ("Error: measure() got an unexpected keyword argument 'deep'", "invalid_arguments"),
        ("Error: Tool 'thermometer' not found.", None),
        ("Error: measure failed", None),
    ],
)
def test_what_never_ran_is_told_by_its_words(content: str, code: str | None) -> None:
    trace = read(ASKED, asks(call("measure")), gives(content, error=True), {"role": "assistant", "content": "Sorry."})
    assert [each.code for each in trace.of(CallRefused)] == ([code] if code else [])
    assert [each.state for each in trace.calls] == ["refused" if code else "failed"]


def test_whether_every_answer_says_if_it_is_an_error() -> None:
    bare: dict[str, Any] = {"id": "c1", "role": "tool", "content": "27"}
    assert is_marked([ASKED, gives("27")])
    assert not is_marked([gives("27"), bare])
    assert not is_marked([{"role": "tool", "tool_messages": [gives("27"), bare]}])


def test_the_simulated_user_is_not_the_agent() -> None:
    trace = read(
        ASKED,
        {"role": "assistant", "content": "Put a hand in."},
        {**asks({"id": "u1", "name": "touch", "arguments": {}}, role="user"), "usage": {"prompt_tokens": 5}},
        gives("It is cold.", "u1", requestor="user"),
        asks(call("touch", "u2"), role="user"),
        gives("Error: no hands", "u2", requestor="user", error=True),
        {"role": "user", "content": "It is cold."},
        {"role": "assistant", "content": "Then it is cold."},
    )
    assert [(each.id, each.by, each.state, each.delivered) for each in trace.calls] == [
        ("u1", "user_simulator", "succeeded", True),
        ("u2", "user_simulator", "failed", True),
    ]
    replies = [(reply.agent_name, reply.source, reply.text) for reply in trace.of(CompletionEvent)]
    assert replies == [("", "1", "Put a hand in."), ("user", "2", ""), ("user", "4", ""), ("", "7", "Then it is cold.")]
    assert trace.of(CompletionEvent)[1].usage == Usage()
    last = trace.of(Request)[-1]
    assert [item.text for item in trace.contexts[last.id]] == ["Is the pool warm?", "Put a hand in.", "It is cold."]


def test_calls_nobody_answered() -> None:
    trace = read(ASKED, asks(call("a", "c1"), call("b", "c2")), gives("A"), asks(call("c", "c3")))
    assert [(each.tool, each.state) for each in trace.calls] == [
        ("a", "succeeded"),
        ("b", "dropped"),
        ("c", "unanswered"),
    ]
    assert trace.answer is None


def test_several_answers_in_one_message_are_several() -> None:
    both = {"role": "tool", "tool_messages": [gives("A", "c1"), gives("B", "c2", error=True)]}
    trace = read(ASKED, asks(call("a", "c1"), call("b", "c2")), both, {"role": "assistant", "content": "Done."})
    assert [(each.state, each.delivered) for each in trace.calls] == [("succeeded", True), ("failed", True)]
    assert [event.source for event in trace.of(ExecutionFinished)] == ["2.0", "2.1"]


def test_the_greeting_is_the_harnesss_own() -> None:
    trace = read(GREETING, ASKED, {"role": "assistant", "content": "Yes."})
    (reply,) = trace.of(CompletionEvent)
    (request,) = trace.of(Request)
    assert [(item.author, item.source) for item in request.items] == [("harness", "0"), ("user", "1")]
    assert reply.text == "Yes."
    paid = read({**GREETING, "cost": 0.1}, ASKED, {"role": "assistant", "content": "Yes."})
    assert len(paid.of(CompletionEvent)) == 2
    later = read(ASKED, {"role": "assistant", "content": "Yes."}, ASKED, GREETING)
    assert len(later.of(CompletionEvent)) == 2


@pytest.mark.parametrize(
    ("raw", "model", "reasoning", "reason"),
    [
        ({}, "", "", "unknown"),
        ({"finish_reason": "stop", "message": {"reasoning_content": "hm"}}, "", "hm", "stop"),
        (
            {"model": "m-1", "choices": [{"finish_reason": "length", "message": {"reasoning_content": "hm"}}]},
            "m-1",
            "hm",
            "length",
        ),
        (
            {"model": "m-2", "stop_reason": "tool_use", "thinking_blocks": [{"thinking": "a"}, {"thinking": "b"}, 3]},
            "m-2",
            "a\nb",
            "tool_calls",
        ),
        ({"model": 3, "choices": [], "finish_reason": [], "thinking_blocks": 1, "message": None}, "", "", "unknown"),
    ],
)
def test_what_the_provider_said_beside_the_text(raw: Any, model: str, reasoning: str, reason: str) -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 7, "cached_tokens": 60}
    trace = read(ASKED, {"role": "assistant", "content": " Yes.\n", "raw_data": raw, "usage": usage, "cost": 1})
    (reply,) = trace.of(CompletionEvent)
    assert (reply.text, reply.model, reply.reasoning, reply.finish_reason) == (" Yes.\n", model, reasoning, reason)
    assert reply.usage == Usage(input_tokens=90, output_tokens=7)
    assert reply.extra == {"cost": 1, "raw_data": raw, "usage": usage}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "clerk", "content": "x"},
        {"content": "x"},
        {"role": "assistant", "tool_calls": "none"},
        {"role": "assistant", "timestamp": "yesterday"},
        {"role": "tool", "error": "yes"},
        {"role": "tool", "tool_messages": [1]},
        {"role": "user", "content": 5},
    ],
)
def test_a_message_of_another_shape_is_named(message: dict[str, Any]) -> None:
    with pytest.raises(ShapeError, match=r"^message 1: "):
        read(ASKED, message)


@pytest.mark.timeout(60)
def test_a_user_that_calls_at_every_turn_is_read_in_linear_time() -> None:
    turn = [asks(call("touch"), role="user"), gives("cold", requestor="user"), ASKED, {"role": "assistant"}]
    trace = read(*turn * 5_000)
    assert sum(len(request.items) for request in trace.of(Request)) <= 4 * 5_000
