from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.opencode.loading import OPENCODE
from agentlab.formats.reading import read_traces
from agentlab.messages import Usage
from agentlab.trace.events import Approval, CallRefused, CompletionEvent, Observation, Summary
from agentlab.trace.model import Trace

T = 1_700_000_000_000


def line(kind: str, **said: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": said}}]


def session(name: str = "s", **info: Any) -> list[Any]:
    return line("session.created", sessionID=name, info={"id": name, **info})


def message(name: str, role: str = "assistant", owner: str = "s", **info: Any) -> list[Any]:
    whole = {"id": name, "role": role, "sessionID": owner, "agent": "build", "time": {"created": T}, **info}
    return line("message.updated", sessionID=owner, info=whole)


def part(name: str, body: dict[str, Any], of: str = "m1", owner: str = "s") -> list[Any]:
    whole = {"id": name, "messageID": of, "sessionID": owner, **body}
    return line("message.part.updated", sessionID=owner, part=whole, time=T + 100)


def said(name: str, text: str, of: str = "m1", owner: str = "s", **more: Any) -> list[Any]:
    return part(name, {"type": "text", "text": text, **more}, of, owner)


def tool(name: str, status: str, of: str = "m1", owner: str = "s", tool: str = "bash", **state: Any) -> list[Any]:
    body = {"type": "tool", "tool": tool, "callID": f"call {name}", "state": {"status": status, "input": {}, **state}}
    return part(name, body, of, owner)


def ended(name: str, of: str = "m1", owner: str = "s", reason: str = "tool-calls", **tokens: Any) -> list[Any]:
    return part(name, {"type": "step-finish", "reason": reason, "tokens": tokens, "cost": 0}, of, owner)


OPENING = [session(), message("u", "user"), said("pu", "Set the clock.", "u"), message("m1", modelID="tern")]
CLOSING = [
    message("m9"),
    said("p9", "Done.", "m9"),
    ended("f9", "m9", reason="stop"),
    line("session.idle", sessionID="s"),
]
RUNNING = {"time": {"start": T + 1000}}
OVER = {"time": {"start": T + 1000, "end": T + 3000}}


def write(lines: list[Any], folder: Path) -> str:
    path = folder / "events.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return str(path)


def read(lines: list[Any], folder: Path) -> Trace:
    (trace,) = read_traces(write(lines, folder))
    assert trace.started.format == "opencode"
    return trace


def states(trace: Trace) -> list[tuple[str, str, bool]]:
    return [(call.tool, call.state, call.delivered) for call in trace.calls]


def test_a_tool_goes_from_pending_to_running_to_its_end(tmp_path: Path) -> None:
    trace = read(
        [
            *OPENING,
            tool("a", "pending"),
            tool("a", "running", **RUNNING),
            tool("a", "completed", input={"x": 1}, output="08:14", metadata={"output": "08:14", "exit": 0}, **OVER),
            tool("b", "pending"),
            tool("b", "running", **RUNNING),
            tool("b", "error", error="no such zone", **OVER),
            tool("c", "running", **RUNNING),
            tool("d", "pending"),
            *CLOSING,
        ],
        tmp_path,
    )
    assert states(trace) == [
        ("bash", "succeeded", True),
        ("bash", "failed", True),
        ("bash", "unanswered", False),
        ("bash", "dropped", False),
    ]
    first = trace.calls[0]
    assert (first.id, first.arguments, first.result) == ("call a", {"x": 1}, "08:14")
    assert trace.calls[1].error == "no such zone"
    end = next(event for event in trace if event.type == "execution_finished")
    assert (end.time, end.duration, end.source, end.extra) == (T / 1000 + 3, 2.0, "a", {"metadata": {"exit": 0}})


def test_updates_of_a_part_count_once(tmp_path: Path) -> None:
    updates = [tool("a", "running", metadata={"output": "." * n}, **RUNNING) for n in range(5)]
    trace = read(
        [*OPENING, tool("a", "pending"), *updates, tool("a", "completed", output="x", **OVER), *CLOSING], tmp_path
    )
    assert states(trace) == [("bash", "succeeded", True)]
    assert len(trace.of(Observation)) == 1


def test_text_is_streamed_and_then_given_whole(tmp_path: Path) -> None:
    pieces = [
        line("message.part.delta", sessionID="s", messageID="m1", partID="t", field="text", delta=d) for d in "ab"
    ]
    trace = read([*OPENING, said("t", ""), *pieces], tmp_path)
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["ab"]
    trace = read([*OPENING, said("t", ""), *pieces, said("t", "ab c")], tmp_path)
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["ab c"]


def test_a_reply_has_its_reasoning_usage_and_times(tmp_path: Path) -> None:
    trace = read(
        [
            *OPENING,
            part("s1", {"type": "step-start", "snapshot": "abc"}),
            part("r", {"type": "reasoning", "text": "Hm."}),
            said("t", "I look."),
            ended("f", input=10, output=3, reasoning=2, total=45, cache={"read": 20, "write": 10}),
            part("p", {"type": "patch", "files": ["clock"]}),
        ],
        tmp_path,
    )
    (reply,) = trace.of(CompletionEvent)
    assert (reply.text, reply.reasoning, reply.model, reply.finish_reason) == ("I look.", "Hm.", "tern", "tool_calls")
    assert reply.usage == Usage(input_tokens=40, output_tokens=5)
    assert (reply.time, reply.source, reply.extra["parts"]) == (
        pytest.approx(T / 1000 + 0.1),
        "m1",
        [{"id": "p", "type": "patch", "files": ["clock"]}],
    )
    assert trace.started.task == "Set the clock."
    assert trace.finished is None


@pytest.mark.parametrize(
    ("tokens", "usage"),
    [
        ({"input": 1, "output": 2, "reasoning": 3}, Usage(input_tokens=1, output_tokens=5)),
        ({"input": 5, "output": 2, "reasoning": 2, "total": 7}, Usage(input_tokens=5, output_tokens=2)),
        ({"input": 0, "output": 0}, Usage()),
    ],
)
def test_reasoning_counts_once(tokens: dict[str, int], usage: Usage, tmp_path: Path) -> None:
    (reply,) = read([*OPENING, said("t", "x"), ended("f", **tokens)], tmp_path).of(CompletionEvent)
    assert reply.usage == usage
    assert reply.extra.get("tokens", tokens) == tokens
    assert ("tokens" in reply.extra) == ("reasoning" in tokens)


def test_a_sub_agents_session_belongs_to_the_call_that_began_it(tmp_path: Path) -> None:
    trace = read(
        [
            *OPENING,
            tool("a", "running", tool="task", **RUNNING),
            session("k", parentID="s"),
            message("ku", "user", "k", agent="scout"),
            said("kp", "When is high tide?", "ku", "k"),
            message("k1", owner="k", agent="scout"),
            tool("b", "running", "k1", "k", **RUNNING),
            tool("b", "completed", "k1", "k", output="09:30", **OVER),
            message("k2", owner="k", agent="scout"),
            said("kt", "At 09:30.", "k2", "k"),
            line("session.idle", sessionID="k"),
            tool("a", "completed", tool="task", output="At 09:30.", **OVER),
            *CLOSING,
        ],
        tmp_path,
    )
    assert [(call.tool, call.by, call.state, call.delivered) for call in trace.calls] == [
        ("task", "agent", "succeeded", True),
        ("bash", "subagent", "succeeded", True),
    ]
    assert [event.agent_name for event in trace.of(CompletionEvent)] == ["", "scout", "scout", ""]
    inner = list(trace.contexts.values())[1]
    assert [(each.text, each.author) for each in inner] == [("When is high tide?", "model")]
    types = [event.type for event in trace if event.type.startswith("execution")]
    assert types == ["execution_started", "execution_started", "execution_finished", "execution_finished"]
    assert trace.answer is not None
    assert trace.answer.text == "Done."


def test_two_sub_agents_of_a_kind_keep_apart(tmp_path: Path) -> None:
    lines = [*OPENING]
    for name in ("k", "l"):
        lines += [
            session(name, parentID="s"),
            message(f"{name}1", owner=name, agent="scout"),
            said(f"{name}t", name, f"{name}1", name),
        ]
    assert [event.agent_name for event in read(lines, tmp_path).of(CompletionEvent)] == ["scout", "scout 2"]


def test_a_denied_permission_refuses_the_call(tmp_path: Path) -> None:
    asked = {"id": "p1", "sessionID": "s", "permission": "bash", "tool": {"messageID": "m1", "callID": "call a"}}
    trace = read(
        [
            *OPENING,
            tool("a", "running", **RUNNING),
            line("permission.asked", **asked),
            line("permission.replied", sessionID="s", requestID="p1", reply="reject"),
            tool("a", "error", error="No.", **OVER),
            line("permission.asked", **{**asked, "id": "p2", "tool": {"callID": "call b"}}),
            line("permission.replied", sessionID="s", requestID="p2", reply="always"),
            tool("b", "running", **RUNNING),
            tool("b", "completed", output="x", **OVER),
            tool("c", "error", error="The user has specified a rule which prevents you from this.", **OVER),
            *CLOSING,
        ],
        tmp_path,
    )
    assert [state for _, state, _ in states(trace)] == ["refused", "succeeded", "refused"]
    assert {each.code for each in trace.of(CallRefused)} == {"not_permitted"}
    assert [(each.call, each.verdict, each.source) for each in trace.of(Approval)] == [
        ("call a", "reject", "p1"),
        ("call b", "approve", "p2"),
    ]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("Model tried to call unavailable tool 'wind'.", "unknown_tool"),
        ("Invalid input for tool wind: JSON parsing failed", "invalid_arguments"),
    ],
)
def test_the_tool_called_invalid_is_a_refusal(error: str, code: str, tmp_path: Path) -> None:
    done = tool("a", "completed", tool="invalid", input={"tool": "wind", "error": error}, output="not valid", **OVER)
    trace = read([*OPENING, done, *CLOSING], tmp_path)
    assert states(trace) == [("wind", "refused", True)]
    (refused,) = trace.of(CallRefused)
    assert (refused.code, refused.reason) == (code, error)


def test_an_error_without_a_start_proves_no_execution(tmp_path: Path) -> None:
    trace = read(
        [*OPENING, tool("a", "pending"), tool("a", "error", error="Tool execution aborted"), *CLOSING], tmp_path
    )
    assert states(trace) == [("bash", "answered", True)]


def test_what_the_provider_ran(tmp_path: Path) -> None:
    body = {"type": "tool", "tool": "search", "callID": "c", "metadata": {"providerExecuted": True}}
    state = {"status": "completed", "input": {}, "output": "x", **OVER}
    trace = read([*OPENING, part("a", {**body, "state": state}), *CLOSING], tmp_path)
    assert [(call.by, call.state) for call in trace.calls] == [("provider", "succeeded")]


def test_a_command_that_a_person_ran_was_proposed_by_nobody(tmp_path: Path) -> None:
    trace = read(
        [
            *OPENING[:1],
            message("u", "user"),
            said("pu", "The following tool was executed by the user", "u", synthetic=True),
            message("m1", parentID="u"),
            tool("a", "completed", output="x", **OVER),
            *CLOSING,
        ],
        tmp_path,
    )
    assert [(call.by, call.proposed_in, call.state) for call in trace.calls] == [("not_recorded", None, "succeeded")]
    assert len(trace.of(CompletionEvent)) == 1


def test_hooks_say_what_a_request_was_made_of(tmp_path: Path) -> None:
    def system(model: str, *texts: str) -> list[Any]:
        given = {"sessionID": "s", "model": {"id": model}}
        return ["experimental.chat.system.transform", given, {"system": list(texts)}]

    hook = {"message": {"id": "u", "role": "user", "sessionID": "s"}, "parts": [{"type": "text", "text": "no place"}]}
    trace = read(
        [
            ["chat.message", {"sessionID": "s"}, hook],
            *OPENING,
            system("small", "You name talks."),
            system("tern", "You are a title generator."),
            ["tool.definition", {"toolID": "bash"}, {"description": "Runs.", "parameters": {"def": 1}}],
            system("tern", "You keep clocks.", "Be brief."),
            system("tern", "You keep clocks.", "Be brief."),
            ["odd.hook", {"a": 1}],
            said("t", "x"),
        ],
        tmp_path,
    )
    (context,) = trace.contexts.values()
    assert [(each.role, each.text) for each in context] == [
        ("system", "You keep clocks.\nBe brief."),
        ("user", "Set the clock."),
    ]
    assert [(each.name, each.description, each.parameters) for each in trace.started.tools] == [("bash", "Runs.", {})]
    assert trace.started.extra["tool_definitions"] == {"bash": {"def": 1}}
    assert trace.started.extra["events"] == [["odd.hook", {"a": 1}]]


def test_older_messages_hold_several_requests(tmp_path: Path) -> None:
    trace = read(
        [
            *OPENING,
            part("s1", {"type": "step-start"}),
            tool("a", "running", **RUNNING),
            tool("a", "completed", output="x", **OVER),
            ended("f1"),
            part("s2", {"type": "step-start"}),
            said("t", "Done."),
            ended("f2", reason="stop"),
        ],
        tmp_path,
    )
    assert [(reply.text, reply.source) for reply in trace.of(CompletionEvent)] == [("", "m1"), ("Done.", "m1/1")]
    assert states(trace) == [("bash", "succeeded", True)]


def test_a_summary_takes_the_place_of_what_was_before(tmp_path: Path) -> None:
    trace = read(
        [*OPENING, said("t", "I look."), message("m2", summary=True), said("t2", "We looked.", "m2"), *CLOSING],
        tmp_path,
    )
    (summary,) = trace.of(Summary)
    assert (summary.text, summary.author) == ("We looked.", "model")
    assert [each.text for each in list(trace.contexts.values())[1]] == ["We looked."]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("MessageAbortedError", "interrupted"),
        ("APIError", "provider_error"),
        ("UnknownError", "other"),
        ("ContextOverflowError", "token_budget"),
    ],
)
def test_why_it_ended(error: str, reason: str, tmp_path: Path) -> None:
    trace = read([*OPENING, message("m2", error={"name": error, "data": {"message": "why"}})], tmp_path)
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == (reason, f"{error}: why")


def test_a_message_that_cannot_be_read_is_a_defect_of_its_session(tmp_path: Path) -> None:
    trace = read([*OPENING, said("t", "I look."), tool("a", "running", time={"start": "soon"}), *CLOSING], tmp_path)
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["Done."]
    assert trace.defect.startswith("message m1: a time was expected")
    (error,) = survey([write([session(), tool("a", "running", time={"start": "soon"})], tmp_path)]).load()
    assert isinstance(error, LoadError)
    assert "session s: message m1: a time was expected" in str(error)


def test_a_question_at_the_end_is_not_answered_by_what_was_said_before(tmp_path: Path) -> None:
    asks = [message("u2", "user"), said("pu2", "And the bell?", "u2"), line("session.idle", sessionID="s")]
    trace = read([*OPENING, *CLOSING, *asks], tmp_path)
    assert (trace.answer, trace.finished) == (None, None)


def test_an_error_of_no_session_is_kept(tmp_path: Path) -> None:
    error = line("session.error", error={"name": "UnknownError"})
    assert read([*OPENING, *CLOSING, error], tmp_path).started.extra["events"] == [error]


def test_a_word_that_is_neither_yes_nor_no_decides_nothing(tmp_path: Path) -> None:
    asked = line("permission.asked", sessionID="s", id="q", tool={"callID": "call a"})
    word = line("permission.replied", sessionID="s", requestID="q", reply="later")
    trace = read([*OPENING, tool("a", "pending"), asked, word, *CLOSING], tmp_path)
    assert not trace.of(Approval)
    events = trace.started.extra["events"]
    assert isinstance(events, list)
    assert word in events


def test_what_a_thought_and_a_text_hold_beside_their_words_is_kept(tmp_path: Path) -> None:
    thought = part("r", {"type": "reasoning", "text": "Hm.", "metadata": {"maker": {"signature": "abc"}}})
    trace = read([*OPENING, thought, said("t", "I look.", ignored=True), ended("f")], tmp_path)
    assert trace.of(CompletionEvent)[0].extra["parts"] == [
        {"id": "r", "type": "reasoning", "metadata": {"maker": {"signature": "abc"}}},
        {"id": "t", "type": "text", "ignored": True},
    ]


def test_what_an_error_without_an_execution_holds_is_kept(tmp_path: Path) -> None:
    failed = tool("a", "error", error="gone", metadata={"try": 2})
    (answer,) = read([*OPENING, tool("a", "pending"), failed, *CLOSING], tmp_path).of(Observation)
    assert answer.extra["metadata"] == {"try": 2}


@pytest.mark.timeout(20)
def test_steps_that_never_finish_are_read_in_linear_time(tmp_path: Path) -> None:
    steps = [each for n in range(40_000) for each in (part(f"s{n}", {"type": "step-start"}), said(f"t{n}", "x"))]
    (reply,) = read([*OPENING, *steps], tmp_path).of(CompletionEvent)
    assert len(reply.text) == 79_999


def test_an_idle_session_that_stopped_has_answered(tmp_path: Path) -> None:
    trace = read([*OPENING, said("t", "x"), *CLOSING], tmp_path)
    assert trace.answer is not None
    assert trace.finished is not None
    assert (trace.answer.text, trace.finished.reason) == ("Done.", "answered")


def test_two_sessions_are_two_traces_and_a_bad_line_is_their_defect(tmp_path: Path) -> None:
    second = [session("z"), message("zu", "user", "z"), said("zp", "Hello.", "zu", "z")]
    path = write([*OPENING, *second, line("message.updated", info=[])], tmp_path)
    found = list(survey([path]).load())
    assert [trace.started.source for trace in found if isinstance(trace, Trace)] == ["s", "z"]
    assert all(isinstance(trace, Trace) and trace.defect.startswith("a line is lost: line 8: info") for trace in found)


@pytest.mark.timeout(60)
def test_sessions_that_began_each_other(tmp_path: Path) -> None:
    ring = [session(f"s{n}", parentID=f"s{(n + 1) % 20_000}") for n in range(20_000)]
    (trace,) = survey([write(ring, tmp_path)]).load()
    assert isinstance(trace, Trace)


def test_no_session_is_an_error(tmp_path: Path) -> None:
    (error,) = survey([write([["chat.params", {"a": 1}]], tmp_path)]).load()
    assert isinstance(error, LoadError)
    assert error.problem == "events of a session were expected and none found"


@pytest.mark.parametrize(
    ("value", "claimed"),
    [
        (session(), True),
        (["tool.definition", {"toolID": "x"}, {}], True),
        (["event", {"event": {}}], False),
        (["other", {"a": 1}], False),
        ([["event", {"event": {"type": "x"}}]], False),
        ({"type": "message.in", "seq": 1, "ts": 2}, False),
    ],
)
def test_what_is_claimed(value: Any, claimed: bool) -> None:
    assert OPENCODE.sniff(Head(json.dumps(value).encode() + b"\n")) is claimed


REAL = {"ses_editing.jsonl": {"agent": 5}, "ses_subagents.jsonl": {"agent": 1, "subagent": 1}}
"""Counted by hand: every call ran, succeeded and was delivered."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    (trace,) = read_traces(shared / "traces/14_other/opencode" / name)
    calls = trace.calls
    assert Counter(call.by for call in calls) == REAL[name]
    assert all(call.state == "succeeded" and call.delivered and call.proposed_in and call.executed_in for call in calls)
    assert trace.finished is not None
    assert trace.finished.reason == "answered"


def test_telemetry_of_another_agent_stays_unclaimed(shared: Path) -> None:
    found = survey([str(shared / "traces/14_other/openclaw")])
    assert found.found == ()
    assert len(found.skipped) == 1
