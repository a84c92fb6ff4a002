from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.reading import read_traces
from agentlab.formats.swe_agent.loading import SWE_AGENT
from agentlab.trace.events import CallRefused, ExecutionFinished, Observation, ProtocolErrorEvent
from agentlab.trace.model import Trace

SYSTEM = {"role": "system", "content": "You use a shell.", "agent": "main", "message_type": "system_prompt"}
TASK = {"role": "user", "content": "Count the buoys.", "agent": "main", "message_type": "observation"}
STATE = {"working_dir": "/bay"}


def native(text: str, line: str, call: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments or {"command": line})}
    calls = [{"id": call, "type": "function", "function": function}]
    return {
        "role": "assistant",
        "content": text,
        "action": line,
        "thought": text,
        "agent": "main",
        "message_type": "action",
        "tool_calls": calls,
    }


def plain(text: str, line: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "action": line, "agent": "main", "message_type": "action"}


def seen(text: str, *calls: str) -> dict[str, Any]:
    role = "tool" if calls else "user"
    return {"role": role, "content": text, "message_type": "observation", "tool_call_ids": list(calls) or None}


def step(response: str, action: str, observation: str = "", **more: Any) -> dict[str, Any]:
    state = STATE if observation else {}
    return {"action": action, "observation": observation, "response": response, "thought": "", "state": state, **more}


def run(steps: list[dict[str, Any]], history: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"trajectory": steps, "history": history, "info": {"exit_status": "submitted"}, **more}


def read(value: Any, folder: Path) -> Trace:
    path = folder / "run.traj"
    path.write_text(json.dumps(value), encoding="utf-8")
    (trace,) = read_traces(path)
    assert trace.started.format == "swe-agent"
    return trace


def states(trace: Trace) -> list[tuple[str, str, bool]]:
    return [(call.tool, call.state, call.delivered) for call in trace.calls]


ONE = native("I count.", "wc buoys", "c1")
TWO = native("I submit.", "submit", "c2", "submit", now=True)


def test_a_step_is_a_proposal_an_execution_and_a_result(tmp_path: Path) -> None:
    history = [SYSTEM, TASK, ONE, seen("12\nbash-$", "c1"), TWO]
    trace = read(run([step("I count.", "wc buoys", "12"), step("I submit.", "submit", "diff")], history), tmp_path)
    first, second = trace.calls
    assert (first.id, first.arguments, first.result) == ("c1", {"command": "wc buoys"}, "12")
    assert (second.tool, second.arguments, second.delivered) == ("submit", {"now": True}, False)
    assert states(trace) == [("bash", "succeeded", True), ("submit", "succeeded", False)]
    assert [event.text for event in trace.of(Observation)] == ["12\nbash-$"]
    assert [event.source for event in trace][1:4] == ["trajectory[0]"] * 3
    assert trace.started.task == "Count the buoys."
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("answered", "submitted")


def test_a_result_of_text_protocol_comes_in_a_user_message(tmp_path: Path) -> None:
    first = plain("I count.\n```\nwc buoys\n```", "wc buoys\n")
    history = [SYSTEM, TASK, first, seen("12\r\n(base) bash-$"), plain("Done.", "submit")]
    steps = [
        step(first["content"], "wc buoys\n", "12\r\n", state='{"open_file": "n/a"}\n'),
        step("Done.", "submit", "d"),
    ]
    trace = read(run(steps, history), tmp_path)
    assert states(trace) == [("bash", "succeeded", True), ("bash", "succeeded", False)]
    assert trace.calls[0].arguments == {"command": "wc buoys\n"}
    (observation,) = trace.of(Observation)
    assert (observation.text, observation.source, observation.extra["role"]) == (
        "12\r\n(base) bash-$",
        "history[3]",
        "user",
    )


def test_an_example_stands_in_the_context_and_is_no_run(tmp_path: Path) -> None:
    demo = [{**message, "is_demo": True} for message in (native("I list.", "ls", "d1"), seen("net.py", "d1"))]
    history = [SYSTEM, *demo, TASK, ONE, seen("12", "c1")]
    trace = read(run([step("I count.", "wc buoys", "12")], history), tmp_path)
    assert states(trace) == [("bash", "succeeded", False)]
    context = next(iter(trace.contexts.values()))
    assert [(m.role, m.author) for m in context] == [
        ("system", "system"),
        ("assistant", "harness"),
        ("user", "harness"),
        ("user", "user"),
    ]
    assert [event.text for event in trace.of(Observation)] == ["12"]


QUERIES = [
    [SYSTEM, TASK],
    [
        SYSTEM,
        TASK,
        {"role": "assistant", "content": "I just know.", "message_type": "assistant"},
        {"role": "user", "content": "No tool call found.", "message_type": "user"},
    ],
    [
        SYSTEM,
        TASK,
        {"role": "assistant", "content": "I open it.", "message_type": "assistant"},
        {"role": "user", "content": "Operation 'vim b' is not supported by this environment.", "message_type": "user"},
    ],
    [SYSTEM, TASK, ONE, seen("12", "c1")],
]


def test_a_step_that_was_asked_again_is_refused(tmp_path: Path) -> None:
    steps = [
        step("I just know.", "", query=QUERIES[0], execution_time=0.0),
        step("I open it.", "vim b", query=QUERIES[1], execution_time=0.0),
        step("I count.", "wc buoys", "12", query=QUERIES[2], execution_time=0.5),
        step("I submit.", "submit", "diff", query=QUERIES[3], execution_time=0.1),
    ]
    trace = read(run(steps, [SYSTEM, TASK, ONE, seen("12", "c1"), TWO, seen("diff", "c2")]), tmp_path)
    assert states(trace) == [("bash", "refused", False), ("bash", "succeeded", True), ("submit", "succeeded", False)]
    (rejected,) = trace.of(ProtocolErrorEvent)
    assert (rejected.code, rejected.reason) == ("unparsed", "No tool call found.")
    (refused,) = trace.of(CallRefused)
    assert (refused.code, refused.reason) == (
        "not_permitted",
        "Operation 'vim b' is not supported by this environment.",
    )
    contexts = list(trace.contexts.values())
    assert [len(context) for context in contexts] == [2, 4, 4, 4]
    assert (contexts[1][3].author, contexts[1][2].author) == ("harness", "model")
    assert trace.evidence.errors == "present"
    assert [event.source for event in trace.of(Observation)] == ["trajectory[3].query[3]", "history[5]"]


def test_messages_of_a_step_are_what_the_next_one_sent(tmp_path: Path) -> None:
    """And each message is read once, though it is copied into every later step; a shortened one is new."""
    first = [SYSTEM, TASK, ONE, seen("12", "c1")]
    short = [SYSTEM, TASK, ONE, seen("Old output: (1 line omitted)", "c1"), TWO, seen("ok", "c2")]
    last = native("Done.", "submit", "c2")
    steps = [
        step("I count.", "wc buoys", "12", messages=first),
        step("I submit.", "submit", "ok", messages=short),
        step("Done.", "submit", "diff", messages=[*short, last, seen("diff", "c2")]),
    ]
    trace = read(run(steps, [*short, last, seen("diff", "c2")]), tmp_path)
    assert [len(context) for context in trace.contexts.values()] == [2, 4, 6]
    assert [event.text for event in trace.of(Observation)] == ["12", "ok", "diff"]
    assert [call.delivered for call in trace.calls] == [True, True, False]
    shortened = list(trace.contexts.values())[2][3]
    assert (shortened.author, shortened.text) == ("harness", "Old output: (1 line omitted)")


def test_an_id_that_comes_again_is_another_call(tmp_path: Path) -> None:
    again = native("Once more.", "wc buoys", "c1")
    history = [SYSTEM, TASK, ONE, seen("12", "c1"), again, seen("13", "c1"), TWO]
    steps = [step("I count.", "wc buoys", "12"), step("Once more.", "wc buoys", "13"), step("I submit.", "submit", "d")]
    trace = read(run(steps, history), tmp_path)
    assert [(call.id, call.result) for call in trace.calls] == [("c1", "12"), ("c1", "13"), ("c2", "d")]


def test_a_cancelled_command_failed(tmp_path: Path) -> None:
    said = "The command 'sleep 9' was cancelled because it took more than 3 seconds. Try another."
    trace = read(run([step("I wait.", "sleep 9", said, execution_time=3.0)], [SYSTEM, TASK]), tmp_path)
    (call,) = trace.calls
    assert (call.state, call.error) == ("failed", said)
    assert trace.evidence.errors == "present"


def test_the_harness_ends_a_run_with_a_step_of_its_own(tmp_path: Path) -> None:
    closing = step("Exit due to cost limit", "", "Exited (autosubmitted)", query=[{}])
    value = run([step("I count.", "wc buoys", "12"), closing], [SYSTEM, TASK, ONE, seen("12", "c1")])
    value["info"]["exit_status"] = "submitted (exit_cost)"
    trace = read(value, tmp_path)
    assert len(trace.calls) == 1
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("token_budget", "submitted (exit_cost)")
    assert trace.finished.extra["step"] == closing


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("exit_context", "token_budget"),
        ("exit_api", "provider_error"),
        ("exit_command_timeout", "deadline"),
        ("exit_format", "other"),
        ("early_exit", "other"),
    ],
)
def test_why_a_run_ended(status: str, reason: str, tmp_path: Path) -> None:
    value = run([step("I count.", "wc buoys", "12")], [SYSTEM, TASK])
    value["info"]["exit_status"] = status
    trace = read(value, tmp_path)
    assert trace.finished is not None
    assert trace.finished.reason == reason


@pytest.mark.parametrize(("sent", "received", "usage"), [(7000, 240, "present"), (0, 0, "not_recorded")])
def test_tokens_are_those_of_the_whole_run(sent: int, received: int, usage: str, tmp_path: Path) -> None:
    info = {"exit_status": "submitted", "model_stats": {"tokens_sent": sent, "tokens_received": received}}
    steps = [step("I count.", "wc buoys", "12", execution_time=0.5)]
    trace = read({**run(steps, [SYSTEM, TASK, ONE]), "info": info}, tmp_path)
    assert trace.finished is not None
    counted = (trace.finished.input_tokens, trace.finished.output_tokens)
    assert counted == ((sent, received) if sent else (None, None))
    assert (trace.evidence.usage, trace.evidence.times) == (usage, "not_recorded")
    assert [event.duration for event in trace.of(ExecutionFinished)] == [0.5]


def test_no_status_is_no_ending(tmp_path: Path) -> None:
    assert read({"trajectory": [step("I count.", "wc", "12")], "history": [SYSTEM]}, tmp_path).finished is None


def test_a_history_alone_shows_answers_only(tmp_path: Path) -> None:
    trace = read({"history": [SYSTEM, TASK, ONE, seen("12", "c1"), TWO]}, tmp_path)
    assert states(trace) == [("bash", "answered", True), ("submit", "unanswered", False)]
    assert (trace.evidence.executions, trace.evidence.results) == ("not_recorded", "present")
    assert [event.source for event in trace.of(Observation)] == ["3"]


def test_each_try_is_a_trace(tmp_path: Path) -> None:
    tries = [run([step("I count.", "wc buoys", text)], [SYSTEM, TASK]) for text in ("12", "13")]
    path = tmp_path / "tries.traj"
    path.write_text(json.dumps({"attempts": tries, **tries[1], "environment": "bay"}))
    traces = list(read_traces(path))
    assert [trace.calls[0].result for trace in traces] == ["12", "13"]
    assert [(trace.started.index, trace.started.source) for trace in traces] == [(0, "attempts[0]"), (1, "attempts[1]")]
    assert len({trace.id for trace in traces}) == 2


def test_what_the_run_was(tmp_path: Path) -> None:
    config = {"agent": {"model": {"name": "tern"}}, "problem_statement": {"id": "bay-7"}}
    for given in (config, json.dumps(config)):
        trace = read(run([step("I count.", "wc", "12")], [SYSTEM], replay_config=given, odd=1), tmp_path)
        assert (trace.started.model, trace.started.case) == ("tern", "bay-7")
        assert (trace.started.extra["replay_config"], trace.started.extra["odd"]) == (config, 1)


def test_reasoning_and_unknown_fields_are_kept(tmp_path: Path) -> None:
    message = {**ONE, "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}], "tags": ["x"]}
    trace = read(run([step("I count.", "wc buoys", "12", odd=2)], [SYSTEM, TASK, message]), tmp_path)
    reply = next(event for event in trace if event.type == "completion")
    assert (reply.reasoning, reply.extra["tags"]) == ("Hm.", ["x"])
    end = next(event for event in trace if event.type == "execution_finished")
    assert end.extra == {"state": STATE, "odd": 2}


def test_a_misshapen_step_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.traj"
    path.write_text(json.dumps(run([step("I count.", "wc", "12"), {"action": [], "observation": ""}], [])))
    (error,) = survey([str(path)]).load()
    assert isinstance(error, LoadError)
    assert error.problem == "trajectory[1]: action: a text was expected and a list found"


@pytest.mark.parametrize(
    "value",
    [
        {"history": [{"id": 1, "action": "run", "args": {}}], "instance_id": "x"},
        {"trajectory": [{"observation": "o", "extras": {}}]},
        {"trajectory": [{"role": "user", "content": "x"}], "history": []},
        {"messages": [{"role": "user", "content": "x"}]},
        {"history": [{"role": "user", "content": "x"}]},
    ],
)
def test_others_are_not_claimed(value: Any) -> None:
    assert not SWE_AGENT.sniff(Head(json.dumps(value).encode()))


def test_a_head_that_is_cut_is_enough() -> None:
    whole = json.dumps(run([step("I count.", "wc", "12" * 400)], [SYSTEM])).encode()
    assert SWE_AGENT.sniff(Head(whole[: whole.index(b'"state"')], whole=False))


@pytest.mark.timeout(60)
def test_copies_cost_their_bytes_only(tmp_path: Path) -> None:
    history: list[dict[str, Any]] = [SYSTEM, TASK]
    steps = []
    for number in range(200):
        steps.append(step(f"say {number}", f"echo {number}", str(number), query=list(history)))
        history += [native(f"say {number}", f"echo {number}", f"c{number}"), seen(str(number), f"c{number}")]
    trace = read(run(steps, history), tmp_path)
    assert len(trace.of(Observation)) == 200
    assert Counter(call.delivered for call in trace.calls) == {True: 199, False: 1}


REAL = {
    "function_calling_simple.traj": (5, 0, {"answered": 5}, 1),
    "humanevalfix-0.traj": (5, 5, {"succeeded": 5}, 1),
    "marshmallow-1867_function_calling.traj": (13, 13, {"succeeded": 13}, 1),
    "test-repo-1c2844.traj": (5, 5, {"succeeded": 5}, 1),
}
"""Counted by hand: proposed, executed, states, undelivered."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    (trace,) = read_traces(shared / "traces/06_swe_agent/sweagent" / name)
    calls = trace.calls
    assert trace.started.format == "swe-agent"
    assert (
        sum(call.proposed_in is not None for call in calls),
        sum(call.executed_in is not None for call in calls),
        dict(Counter(call.state for call in calls)),
        sum(not call.delivered for call in calls),
    ) == REAL[name]
    assert Counter(call.by for call in calls) == {"agent": len(calls)}
    assert not trace.started.extra.get("unsent")


def test_a_bad_try_costs_no_other(tmp_path: Path) -> None:
    good, bad = run([step("I count.", "wc buoys", "12")], [SYSTEM, TASK]), run([{"action": [], "state": {}}], [SYSTEM])
    path = tmp_path / "tries.traj"
    path.write_text(json.dumps({"attempts": [bad, 7, good], **good}))
    first, second, third = survey([str(path)], format=SWE_AGENT).load()
    assert isinstance(first, LoadError)
    assert first.problem.startswith("attempts[0]: trajectory[0]: ")
    assert isinstance(second, LoadError)
    assert second.problem == "attempts[1]: an object was expected and a number found"
    assert isinstance(third, Trace)
    assert (third.started.index, third.calls[0].result) == (2, "12")
