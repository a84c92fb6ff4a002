from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.base import Loaded
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.openhands.loading import OPENHANDS
from agentlab.formats.reading import read_traces
from agentlab.messages import Usage
from agentlab.trace.events import (
    Approval,
    CallRefused,
    CompletionEvent,
    ExecutionFinished,
    Observation,
    ProtocolErrorEvent,
    Request,
    Summary,
)
from agentlab.trace.model import Trace


def event(number: int, source: str = "agent", **fields: Any) -> dict[str, Any]:
    return {"id": number, "timestamp": f"2026-01-02T03:04:{number:02d}", "source": source, "message": "", **fields}


def response(identity: str, text: str | None, *calls: tuple[str, str, dict[str, Any]], **usage: int) -> dict[str, Any]:
    native = [
        {"id": call, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call, name, arguments in calls
    ]
    message = {"role": "assistant", "content": text, "tool_calls": native}
    return {
        "id": identity,
        "model": "tern",
        "choices": [{"finish_reason": "tool_calls", "message": message}],
        "usage": usage,
    }


def origin(answer: dict[str, Any], call: str, name: str = "execute_bash") -> dict[str, Any]:
    total = len(answer["choices"][0]["message"]["tool_calls"])
    return {"function_name": name, "tool_call_id": call, "model_response": answer, "total_calls_in_response": total}


def act(number: int, answer: dict[str, Any], call: str, command: str, word: str = "confirmed") -> dict[str, Any]:
    args = {"command": command, "thought": "", "confirmation_state": word, "blocking": False}
    return event(number, action="run", tool_call_metadata=origin(answer, call), args=args)


def saw(number: int, cause: int, text: str, code: int = 0, kind: str = "run", **more: Any) -> dict[str, Any]:
    extras = {"metadata": {"exit_code": code}} if kind == "run" else {}
    return event(number, observation=kind, cause=cause, content=text, extras=extras, **more)


TASK = event(1, "user", action="message", args={"content": "Count the buoys.", "wait_for_response": False})
SHELL = response("r1", "I count.", ("c1", "execute_bash", {"command": "wc"}), prompt_tokens=5, completion_tokens=2)
NEXT = event(59, action="message", args={"content": "Twelve.", "wait_for_response": True})


def read(value: Any, folder: Path) -> Trace:
    path = folder / "events.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    (trace,) = read_traces(path)
    assert trace.started.format == "openhands"
    return trace


def load(value: Any, folder: Path) -> list[Loaded]:
    path = folder / "events.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return list(survey([str(path)], format=OPENHANDS).load())


def states(trace: Trace) -> list[tuple[str, str, bool]]:
    return [(call.id, call.state, call.delivered) for call in trace.calls]


def test_a_call_is_proposed_by_the_response_and_run_where_it_was_observed(tmp_path: Path) -> None:
    trace = read([TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), NEXT], tmp_path)
    (call,) = trace.calls
    assert (call.id, call.tool, call.arguments) == ("c1", "execute_bash", {"command": "wc"})
    assert (call.state, call.delivered, call.result) == ("succeeded", True, "12")
    reply = trace.of(CompletionEvent)[0]
    assert (reply.text, reply.model, reply.usage, reply.finish_reason) == (
        "I count.",
        "tern",
        Usage(input_tokens=5, output_tokens=2),
        "tool_calls",
    )
    assert [(each.type, each.source) for each in trace][1:6] == [
        ("request", "2"),
        ("completion", "2"),
        ("execution_started", "2"),
        ("execution_finished", "3"),
        ("observation", "3"),
    ]
    assert trace.answer is not None
    assert (trace.answer.text, trace.finished) == ("Twelve.", None)


def test_a_reply_keeps_the_responses_id_and_the_whole_count(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "cache_read_input_tokens": 3}
    shell = response("r1", "I count.", ("c1", "execute_bash", {"command": "wc"}), **usage)
    (reply, *_) = read([TASK, act(2, shell, "c1", "wc"), saw(3, 2, "12"), NEXT], tmp_path).of(CompletionEvent)
    assert reply.extra["model_response"] == {"id": "r1", "usage": usage}


def test_an_agents_own_source_on_an_observation_says_nothing(tmp_path: Path) -> None:
    trace = read([TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), NEXT], tmp_path)
    context = list(trace.contexts.values())[1]
    assert [(message.role, message.author) for message in context] == [
        ("user", "user"),
        ("assistant", "model"),
        ("tool", "tool"),
    ]


def test_calls_that_share_a_response_are_one_reply(tmp_path: Path) -> None:
    both = response("r2", "Both.", ("c1", "execute_bash", {"command": "a"}), ("c2", "execute_bash", {"command": "b"}))
    trace = read(
        [TASK, act(2, both, "c1", "a"), saw(3, 2, "A"), act(4, both, "c2", "b"), saw(5, 4, "B", 2), NEXT], tmp_path
    )
    assert len(trace.of(CompletionEvent)) == 2
    assert states(trace) == [("c1", "succeeded", True), ("c2", "failed", True)]
    assert (trace.calls[1].error, trace.calls[1].arguments) == ("B", {"command": "b"})
    assert trace.of(CompletionEvent)[0].extra["total_calls_in_response"] == 2


def test_a_person_confirms_and_rejects(tmp_path: Path) -> None:
    keep = response("r2", "I delete.", ("c2", "execute_bash", {"command": "rm"}))
    trace = read(
        [
            TASK,
            act(2, SHELL, "c1", "wc", "awaiting_confirmation"),
            event(3, "user", observation="null", cause=2, content="", extras={}),
            act(4, SHELL, "c1", "wc"),
            saw(5, 4, "12"),
            act(6, keep, "c2", "rm", "awaiting_confirmation"),
            act(7, keep, "c2", "rm", "rejected"),
            event(8, "user", observation="user_rejected", cause=7, content="Action has been rejected.", extras={}),
            NEXT,
        ],
        tmp_path,
    )
    assert states(trace) == [("c1", "succeeded", True), ("c2", "refused", True)]
    assert [(each.call, each.verdict, each.source) for each in trace.of(Approval)] == [
        ("c1", "approve", "4"),
        ("c2", "reject", "7"),
    ]
    (refused,) = trace.of(CallRefused)
    assert (refused.code, refused.reason) == ("not_permitted", "Action has been rejected.")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Action frobnicate is not supported in the current runtime.", "refused"),
        ("The action has not been executed due to a runtime error.", "refused"),
        ("File not found: x", "failed"),
    ],
)
def test_an_error_answers_what_failed_and_what_did_not_run(text: str, state: str, tmp_path: Path) -> None:
    trace = read([TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, text, kind="error"), NEXT], tmp_path)
    assert states(trace) == [("c1", state, True)]


@pytest.mark.parametrize(
    ("said", "code"),
    [("Parameter 'path' is missing.", "invalid_arguments"), ("Tool sail is not registered. (x)", "unknown_tool")],
)
def test_an_error_that_answers_nothing_refuses_a_reply_that_is_not_on_record(
    said: str, code: str, tmp_path: Path
) -> None:
    stray = event(4, observation="error", content=said, extras={"error_id": ""})
    trace = read([TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), stray, NEXT], tmp_path)
    assert states(trace) == [("c1", "succeeded", True)]
    (refused,) = trace.of(ProtocolErrorEvent)
    assert (refused.code, refused.reason, refused.source) == (code, said, "4")
    reply = next(each for each in trace.of(CompletionEvent) if each.id == refused.completion)
    assert (reply.accepted, reply.text, reply.calls, reply.extra) == (False, "", (), {"content": "not recorded"})
    last = list(trace.contexts.values())[-1][-1]
    assert (last.role, last.author, last.text) == ("user", "harness", said)
    assert not [item for context in trace.contexts.values() for item in context if item.origin == reply.id]


def test_an_error_whose_metadata_hold_the_call_refuses_that_call(tmp_path: Path) -> None:
    asked = origin(response("r2", "Again.", ("c2", "execute_bash", {"command": 5})), "c2")
    stray = event(4, observation="error", content="Parameter 'x' is odd.", extras={}, tool_call_metadata=asked)
    trace = read([TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), stray, NEXT], tmp_path)
    assert states(trace) == [("c1", "succeeded", True), ("c2", "refused", True)]
    (refused,) = trace.of(CallRefused)
    assert (refused.code, refused.reason) == ("invalid_arguments", "Parameter 'x' is odd.")
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["I count.", "Again.", "Twelve."]


def test_an_error_of_nobody_known_is_the_harness_speaking(tmp_path: Path) -> None:
    stray = event(4, "environment", observation="error", content="The disk is full.", extras={})
    trace = read([TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), stray, NEXT], tmp_path)
    assert not trace.of(ProtocolErrorEvent)
    last = list(trace.contexts.values())[-1][-1]
    assert (last.role, last.author, last.text) == ("user", "harness", "The disk is full.")


def test_what_holds_no_event_is_no_attempt(tmp_path: Path) -> None:
    (error,) = load({"events": [], "id": 3}, tmp_path)
    assert isinstance(error, LoadError)
    assert error.problem.endswith("as openhands has them; an object with 'events', 'id' was found")


def test_a_command_that_runs_on_has_no_end(tmp_path: Path) -> None:
    trace = read([TASK, act(2, SHELL, "c1", "serve"), saw(3, 2, "Serving", -1, success=False), NEXT], tmp_path)
    assert states(trace) == [("c1", "answered", True)]
    assert (trace.calls[0].executed_in is not None, trace.calls[0].result) == (True, "Serving")
    assert not trace.of(ExecutionFinished)
    assert [seen.text for seen in trace.of(Observation)] == ["Serving"]


@pytest.mark.parametrize(
    ("kind", "text", "extras", "state"),
    [
        ("edit", "ERROR:\nNo replacement was performed.", {"impl_source": "oh_aci"}, "failed"),
        ("read", "ERROR:\nnot a failure of the editor", {"impl_source": "default"}, "succeeded"),
        ("mcp", '{"content": [], "isError": true}', {}, "failed"),
        ("mcp", '{"content": [], "isError": false}', {}, "succeeded"),
        ("browse", "page", {"error": True}, "failed"),
        ("think", "Your thought has been logged.", {}, "succeeded"),
    ],
)
def test_how_other_observations_tell_a_failure(
    kind: str, text: str, extras: dict[str, Any], state: str, tmp_path: Path
) -> None:
    answer = response("r1", "", ("c1", "tool", {}))
    action = event(2, action=kind, tool_call_metadata=origin(answer, "c1", "tool"), args={"thought": ""})
    seen = event(3, observation=kind, cause=2, content=text, extras=extras)
    assert states(read([TASK, action, seen, NEXT], tmp_path)) == [("c1", state, True)]


def test_finish_only_carries_the_answer(tmp_path: Path) -> None:
    last = response("r2", None, ("c2", "finish", {"message": "Twelve."}))
    finish = event(
        4, action="finish", tool_call_metadata=origin(last, "c2", "finish"), args={"final_thought": "Twelve."}
    )
    trace = read([TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), finish], tmp_path)
    assert [(call.by, call.state) for call in trace.calls] == [
        ("agent", "succeeded"),
        ("structured_output", "unanswered"),
    ]
    assert trace.answer is not None
    assert trace.finished is not None
    assert (trace.answer.text, trace.finished.reason, trace.finished.detail) == ("Twelve.", "answered", "finish")


def test_the_machinery_calls_nothing_and_is_kept(tmp_path: Path) -> None:
    plumbing = [
        event(2, "environment", observation="agent_state_changed", content="", extras={"agent_state": "stopped"}),
        event(3, "user", action="recall", args={"query": "x"}),
        event(4, "environment", observation="recall", cause=3, content="Added", extras={}),
        event(5, "environment", action="change_agent_state", args={"agent_state": "stopped"}),
        event(6, "agent", observation="null", cause=1, content="", extras={}),
    ]
    trace = read([TASK, *plumbing], tmp_path)
    assert trace.calls == ()
    assert trace.started.extra["events"] == plumbing
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("interrupted", "stopped")


def test_the_system_event_tells_of_the_agent(tmp_path: Path) -> None:
    tool = {
        "type": "function",
        "function": {"name": "execute_bash", "description": "Runs.", "parameters": {"type": "object"}},
    }
    args = {"content": "You are a clerk.", "tools": [tool], "agent_class": "Clerk", "openhands_version": "0.9"}
    trace = read([event(0, action="system", args=args), TASK, act(2, SHELL, "c1", "wc")], tmp_path)
    assert (trace.started.agent, trace.started.task) == ("Clerk", "Count the buoys.")
    assert [each.name for each in trace.started.tools] == ["execute_bash"]
    assert trace.started.extra["openhands_version"] == "0.9"
    assert trace.of(Request)[0].items[0].role == "system"


def test_a_delegate_is_another_agent(tmp_path: Path) -> None:
    ask = response("r2", "Ask.", ("c2", "delegate", {"task": "moon"}))
    look = response("r3", "Look.", ("c3", "browser", {"code": "go"}))
    delegate = event(2, action="delegate", tool_call_metadata=origin(ask, "c2"), args={"agent": "Looker", "inputs": {}})
    trace = read(
        [
            TASK,
            delegate,
            event(3, "user", action="message", args={"content": "TASK: moon"}),
            event(4, action="browse", tool_call_metadata=origin(look, "c3"), args={"url": "x"}),
            event(5, observation="browse", cause=4, content="full", extras={"error": False}),
            event(6, action="finish", args={"thought": "Full.", "outputs": {}}),
            event(7, observation="delegate", cause=2, content="Looker says full", extras={}),
            NEXT,
        ],
        tmp_path,
    )
    assert [(call.tool, call.by, call.state) for call in trace.calls] == [
        ("delegate", "agent", "succeeded"),
        ("browser", "subagent", "succeeded"),
        ("finish", "structured_output", "dropped"),
    ]
    names = [event.agent_name for event in trace.of(CompletionEvent)]
    assert names == ["", "Looker", "Looker", ""]
    inner = list(trace.contexts.values())[1]
    assert [(message.text, message.author) for message in inner] == [("TASK: moon", "model")]
    assert trace.answer is not None
    assert (trace.answer.text, trace.finished) == ("Twelve.", None)


def test_a_condensation_takes_events_out_of_the_context(tmp_path: Path) -> None:
    gone = {"forgotten_event_ids": [2, 3], "summary": "Counted already.", "summary_offset": 1}
    trace = read(
        [TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), event(4, action="condensation", args=gone), NEXT], tmp_path
    )
    (summary,) = trace.of(Summary)
    assert (summary.text, summary.replaces, summary.extra["summary_offset"]) == (
        "Counted already.",
        (trace.of(CompletionEvent)[0].id,),
        1,
    )
    assert [message.text for message in list(trace.contexts.values())[1]] == ["Count the buoys.", "Counted already."]
    assert states(trace) == [("c1", "succeeded", False)]


def test_what_a_person_ran_was_proposed_by_nobody(tmp_path: Path) -> None:
    typed = event(2, "user", action="run", args={"command": "ls"})
    trace = read([TASK, typed, saw(3, 2, "x"), NEXT], tmp_path)
    assert [(c.tool, c.arguments, c.by, c.proposed_in, c.state) for c in trace.calls] == [
        ("run", {"command": "ls"}, "not_recorded", None, "succeeded")
    ]


ROW: dict[str, Any] = {"instance_id": "bay-7", "instruction": "Count.", "error": None, "test_result": {"ok": True}}
BARE: list[Any] = [
    {"action": "message", "content": "Count the buoys.", "wait_for_response": False},
    {"action": "run", "command": "wc", "thought": "I count.", "is_confirmed": "confirmed", "keep_prompt": True},
    {"observation": "run", "command": "wc", "exit_code": 1, "content": "no file"},
    {"action": "run_ipython", "code": "1", "thought": "In Python."},
    {"observation": "run_ipython", "code": "1", "content": "1"},
    {"action": "finish", "outputs": {}, "thought": "One."},
]


def test_events_without_ids_pair_by_order(tmp_path: Path) -> None:
    trace = read({**ROW, "history": BARE}, tmp_path)
    assert [(call.tool, call.arguments, call.state) for call in trace.calls] == [
        ("run", {"command": "wc"}, "failed"),
        ("run_ipython", {"code": "1"}, "succeeded"),
        ("finish", {"outputs": {}}, "unanswered"),
    ]
    assert [event.source for event in trace.of(Observation)] == ["2", "4"]
    assert (trace.started.case, trace.started.extra["test_result"]) == ("bay-7", {"ok": True})
    assert trace.of(CompletionEvent)[0].extra["args"] == {"is_confirmed": "confirmed", "keep_prompt": True}
    assert trace.answer is not None
    assert trace.answer.text == "One."


def test_pairs_are_taken_apart(tmp_path: Path) -> None:
    none = {"message": "", "observation": "null", "content": "", "extras": {}}
    run = event(2, action="run_ipython", args={"code": "1", "thought": "I count."})
    pairs = [[TASK, none], [run, saw(3, 2, "12", kind="run_ipython")], [NEXT, none]]
    trace = read({**ROW, "history": pairs}, tmp_path)
    assert [(call.tool, call.state, call.delivered) for call in trace.calls] == [("run_ipython", "succeeded", True)]
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["I count.", "Twelve."]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("RuntimeError: Agent reached maximum iteration in headless mode.", "step_limit"),
        ("Agent reached maximum budget", "token_budget"),
        ("AgentStuckInLoopError", "other"),
    ],
)
def test_a_row_says_why_it_ended(error: str, reason: str, tmp_path: Path) -> None:
    trace = read({**ROW, "history": BARE[:-1], "error": error}, tmp_path)
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == (reason, error)


EVENTS = [TASK, act(2, SHELL, "c1", "wc"), saw(3, 2, "12"), NEXT]


def test_a_folder_with_one_event_a_file_is_one_attempt(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    for number, each in zip((0, 9, 10, 11), EVENTS, strict=True):
        (folder / f"{number}.json").write_text(json.dumps(each, indent=1 if number == 9 else None))
    (tmp_path / "metadata.json").write_text('{"title": "x"}')
    found = survey([str(tmp_path)])
    assert [each.format.name for each in found.found] == ["openhands"]
    (trace,) = found.load()
    assert isinstance(trace, Trace)
    assert [event for event in trace if event.type == "execution_finished"]
    assert trace.events[1:] == read(EVENTS, tmp_path).events[1:]


def test_a_lost_event_is_a_defect_of_the_attempt(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    lines = [json.dumps(each) for each in EVENTS]
    path.write_text("\n".join([*lines[:3], lines[3][:30], lines[3]]))
    (trace,) = survey([str(path)]).load()
    assert isinstance(trace, Trace)
    assert trace.defect.startswith("an event is lost: line 4 is not whole")
    assert states(trace) == [("c1", "succeeded", True)]


def test_an_event_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    (trace,) = load([*EVENTS[:3], {"action": "run", "args": 3}, {"id": 9}, EVENTS[3]], tmp_path)
    assert isinstance(trace, Trace)
    assert trace.defect == "event 3: args: an object was expected and a number found (and 1 more)"
    assert states(trace) == [("c1", "succeeded", True)]


@pytest.mark.parametrize("lost", [0, 2, 3])
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "JSON is expected, and this is an empty file (0 bytes)"),
        (b'{"id": 2, "action": "ru', "the file was cut short: "),
        (b"\x1f\x8b\x08\x00cut", "the gzip data is "),
    ],
)
def test_a_file_of_a_folder_that_is_lost_is_a_defect_of_the_attempt(
    tmp_path: Path, lost: int, content: bytes, problem: str
) -> None:
    for number, each in enumerate(EVENTS):
        (tmp_path / f"{number}.json").write_text(json.dumps(each))
    (tmp_path / f"{lost}.json").write_bytes(content)
    found = survey([str(tmp_path)])
    assert [each.format.name for each in found.found] == ["openhands"]
    (trace,) = found.load()
    assert isinstance(trace, Trace)
    assert trace.defect.startswith(f"an event is lost: {lost}.json: {problem}")
    kept = {str(each["id"]) for number, each in enumerate(EVENTS) if number != lost}
    assert {event.source for event in trace.events} & {str(each["id"]) for each in EVENTS} <= kept


def test_a_folder_of_which_nothing_can_be_read_when_it_is_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text(json.dumps(EVENTS[0]))
    found = survey([str(tmp_path)])
    (tmp_path / "0.json").write_text("")
    (error,) = found.load()
    assert isinstance(error, LoadError)
    assert (error.path, error.problem[:33]) == (str(tmp_path), "an event is lost: 0.json: JSON is")


def test_the_events_of_a_row_stand_in_the_list_that_has_some(tmp_path: Path) -> None:
    events = [{"id": 0, "source": "user", "action": "message", "args": {"content": "Mow."}, "message": "Mow."}]
    (trace,) = load({"instance_id": "lawn", "history": None, "trajectory": events}, tmp_path)
    assert isinstance(trace, Trace)
    assert "Mow." in str(trace.started.extra)


def test_a_bad_row_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    rows = [{**ROW, "history": BARE}, {**ROW, "history": [{"action": []}]}, {**ROW, "history": BARE}]
    path.write_text("\n".join(map(json.dumps, rows)))
    first, second, third = survey([str(path)]).load()
    assert isinstance(first, Trace)
    assert isinstance(third, Trace)
    assert isinstance(second, LoadError)
    assert second.problem == "line 2: event 0: action: a text was expected and a list found"


@pytest.mark.parametrize(
    "value", [[], [1], {"history": 4}, "x", [[[]]], {"history": [3]}, [{"action": "run", "args": 3}]]
)
def test_what_is_not_of_the_format_is_refused(value: Any, tmp_path: Path) -> None:
    assert all(isinstance(each, LoadError) or not each.calls for each in load(value, tmp_path))


@pytest.mark.parametrize(
    ("value", "claimed"),
    [
        (EVENTS, True),
        (EVENTS[0], True),
        ({**ROW, "history": BARE}, True),
        ({"history": [[TASK, {}]]}, True),
        ({"trajectory": EVENTS}, True),
        ({"history": BARE}, False),
        ({"history": [{"role": "user", "content": "x"}], "instance_id": "a"}, False),
        ([{"role": "user", "content": "x"}], False),
        ({"trajectory": [{"action": "ls", "observation": "x"}]}, False),
        ({"type": "message.in", "content": "x", "seq": 1}, False),
    ],
)
def test_what_is_claimed(value: Any, claimed: bool) -> None:
    assert OPENHANDS.sniff(Head(json.dumps(value).encode())) is claimed


REAL: dict[str, list[tuple[int, int, dict[str, int], int, int]]] = {
    "eval_2024_codeact_prontoqa_output.jsonl": [(3, 2, {"succeeded": 2, "unanswered": 1}, 1, 1)] * 5
    + [(2, 1, {"succeeded": 1, "unanswered": 1}, 1, 1)],
    "eval_multi_swe_bench_output.jsonl": [
        (23, 22, {"succeeded": 16, "failed": 6, "unanswered": 1}, 1, 1),
        (33, 32, {"succeeded": 19, "failed": 13, "unanswered": 1}, 1, 1),
        (49, 49, {"succeeded": 25, "failed": 24}, 1, 0),
    ],
    "event_stream_63b43159": [(3, 2, {"succeeded": 2, "unanswered": 1}, 1, 1)],
    "replay_basic_gui_mode.json": [(4, 4, {"succeeded": 3, "answered": 1}, 0, 0)],
    "replay_basic_interactions.json": [(1, 0, {"unanswered": 1}, 1, 1)],
    "replay_wrong_initial_state.json": [(4, 3, {"succeeded": 3, "unanswered": 1}, 1, 1)],
    "resolver_output.jsonl": [
        (4, 3, {"succeeded": 3, "unanswered": 1}, 1, 1),
        (22, 21, {"succeeded": 21, "unanswered": 1}, 1, 1),
    ],
}
"""Counted by hand: proposed, executed, states, undelivered, structured output."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    found = []
    for trace in survey([str(shared / "traces/08_openhands" / name)]).load():
        assert isinstance(trace, Trace)
        assert trace.started.format == "openhands"
        calls = trace.calls
        found.append(
            (
                sum(call.proposed_in is not None for call in calls),
                sum(call.executed_in is not None for call in calls),
                dict(Counter(call.state for call in calls)),
                sum(not call.delivered for call in calls),
                sum(call.by == "structured_output" for call in calls),
            )
        )
    assert found == REAL[name]
