from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.mini_swe_agent.loading import MINI_SWE_AGENT
from agentlab.formats.reading import read_traces
from agentlab.messages import Usage
from agentlab.trace.events import CallRefused, CompletionEvent, Observation, ProtocolErrorEvent
from agentlab.trace.model import Trace

SYSTEM = {"role": "system", "content": "You use a shell."}
TASK = {"role": "user", "content": "Count the buoys."}
FENCE = "```"


def native(text: str, *commands: str, parsed: bool = True, **more: Any) -> dict[str, Any]:
    calls = [
        {
            "id": f"id {command}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }
        for command in commands
    ]
    actions = [{"command": command, "tool_call_id": f"id {command}"} for command in commands] if parsed else []
    return {"role": "assistant", "content": text, "tool_calls": calls, "extra": {"actions": actions, **more}}


def ran(command: str, output: str, code: int = 0, trouble: str = "", **more: Any) -> dict[str, Any]:
    extra = {"raw_output": output, "returncode": code, "exception_info": trouble, **more}
    return {
        "role": "tool",
        "tool_call_id": f"id {command}",
        "content": f"<returncode>{code}</returncode>",
        "extra": extra,
    }


def written(text: str, *commands: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text + "".join(f"\n{FENCE}bash\n{each}\n{FENCE}" for each in commands)}


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def told(code: int, output: str) -> dict[str, Any]:
    return said(f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>")


EXIT = {"role": "exit", "content": "+1", "extra": {"exit_status": "Submitted", "submission": "+1"}}


def run(*messages: dict[str, Any], status: str = "Submitted", **more: Any) -> dict[str, Any]:
    info = {"model_stats": {"api_calls": 1}, "config": {}, "exit_status": status, "submission": "+1"}
    return {"info": info, "messages": [SYSTEM, TASK, *messages], "trajectory_format": "mini-swe-agent-1.1", **more}


def read(value: Any, folder: Path) -> Trace:
    path = folder / "run.traj.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    (trace,) = read_traces(path)
    assert trace.started.format == "mini-swe-agent"
    return trace


def states(trace: Trace) -> list[tuple[str, bool]]:
    return [(call.state, call.delivered) for call in trace.calls]


def test_what_ran_has_a_return_code(tmp_path: Path) -> None:
    more = {"timestamp": 1700000002.5, "exception_type": "E"}
    trace = read(
        run(
            native("I count.", "wc", "cat", "who"),
            ran("wc", "12", **more),
            ran("cat", "no", 1),
            ran("who", "", -1, "slow", **more),
        ),
        tmp_path,
    )
    assert states(trace) == [("succeeded", False), ("failed", False), ("failed", False)]
    first, second, third = trace.calls
    assert (first.id, first.arguments, first.result) == ("id wc", {"command": "wc"}, "12")
    assert (second.error, third.error) == ("no", "slow")
    kinds = [event.error_kind for event in trace if event.type == "execution_finished"]
    assert kinds == [None, "returncode", "E"]
    assert [event.source for event in trace.of(Observation)] == ["3", "4", "5"]
    assert trace.of(Observation)[0].time == 1700000002.5


def test_answers_come_in_any_order(tmp_path: Path) -> None:
    trace = read(run(native("I look.", "a", "b"), ran("b", "B"), ran("a", "A"), native("Done.", "c")), tmp_path)
    assert [(call.id, call.result, call.delivered) for call in trace.calls] == [
        ("id a", "A", True),
        ("id b", "B", True),
        ("id c", None, False),
    ]


def test_submitting_proves_that_the_last_command_ran(tmp_path: Path) -> None:
    trace = read(run(native("I count.", "wc"), ran("wc", "12"), native("I submit.", "echo DONE"), EXIT), tmp_path)
    assert states(trace) == [("succeeded", True), ("succeeded", False)]
    assert trace.calls[1].result == "+1"
    assert len(trace.of(Observation)) == 1
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail, trace.finished.source) == ("answered", "Submitted", "5")
    assert trace.answer is None


def test_of_several_waiting_calls_nobody_knows_which_submitted(tmp_path: Path) -> None:
    assert states(read(run(native("Both.", "a", "b"), EXIT), tmp_path)) == [("unanswered", False)] * 2


def test_a_limit_proves_no_execution(tmp_path: Path) -> None:
    last = {"role": "exit", "content": "LimitsExceeded", "extra": {"exit_status": "LimitsExceeded", "submission": ""}}
    trace = read(run(native("I count.", "wc"), last, status="LimitsExceeded"), tmp_path)
    assert states(trace) == [("unanswered", False)]
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.extra) == (
        "step_limit",
        {"content": "LimitsExceeded", "exit_status": "LimitsExceeded", "submission": ""},
    )


def test_refusals(tmp_path: Path) -> None:
    unparsed = {"role": "user", "content": "Bad call.", "extra": {"interrupt_type": "FormatError"}}
    rejected = {"role": "user", "content": "No, keep it.", "extra": {"interrupt_type": "UserRejection"}}
    trace = read(
        run(
            native("I count.", "wc", parsed=False),
            unparsed,
            native("I delete.", "rm"),
            rejected,
            native("Two.", "a", "b"),
            ran("a", "A"),
            ran("b", "", -1, "action was not executed"),
        ),
        tmp_path,
    )
    assert [state for state, _ in states(trace)] == ["refused", "refused", "succeeded", "refused"]
    (whole,) = trace.of(ProtocolErrorEvent)
    assert (whole.code, whole.reason, whole.source) == ("unparsed", "Bad call.", "3")
    assert [(each.code, each.reason) for each in trace.of(CallRefused)] == [
        ("not_permitted", "No, keep it."),
        ("not_permitted", "action was not executed"),
    ]
    authors = [(m.text, m.author) for m in list(trace.contexts.values())[2] if m.role == "user"]
    assert authors == [("Count the buoys.", "user"), ("Bad call.", "harness"), ("No, keep it.", "user")]


def test_a_reply_that_is_lost_leaves_the_complaint(tmp_path: Path) -> None:
    complaint = {"role": "user", "content": "No call found.", "extra": {"interrupt_type": "FormatError"}}
    trace = read(run(native("I count.", "wc"), ran("wc", "12"), complaint, native("Again.", "wc")), tmp_path)
    assert [state for state, _ in states(trace)] == ["succeeded", "unanswered"]
    assert not trace.of(ProtocolErrorEvent)


def test_a_persons_command_has_no_proposal(tmp_path: Path) -> None:
    typed = {"role": "user", "content": "User command", "extra": {"actions": [{"command": "ls"}]}}
    answer = {"role": "user", "content": "<returncode>0</returncode>", "extra": {"returncode": 0, "raw_output": "x"}}
    trace = read(run(native("I count.", "wc"), typed, answer), tmp_path)
    assert [(c.state, c.proposed_in is None, c.by, c.arguments) for c in trace.calls] == [
        ("unanswered", False, "agent", {"command": "wc"}),
        ("succeeded", True, "not_recorded", {"command": "ls"}),
    ]


def test_commands_without_native_calls(tmp_path: Path) -> None:
    reply = {"role": "assistant", "content": "I count.", "extra": {"actions": [{"command": "wc"}]}}
    answer = {"role": "user", "content": "<returncode>0</returncode>", "extra": {"returncode": 0, "raw_output": "12"}}
    trace = read(run(reply, answer, native("Done.", "c")), tmp_path)
    assert states(trace)[0] == ("succeeded", True)
    assert trace.of(Observation)[0].extra["role"] == "user"


def test_the_responses_api(tmp_path: Path) -> None:
    reply = {
        "object": "response",
        "model": "tern",
        "usage": {"input_tokens": 5, "output_tokens": 6},
        "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "I count."}]},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "wc"}'},
        ],
        "extra": {"actions": [{"command": "wc", "tool_call_id": "c1"}]},
    }
    answer = {
        "type": "function_call_output",
        "call_id": "c1",
        "output": "12",
        "extra": {"returncode": 0, "raw_output": "12"},
    }
    trace = read(run(reply, answer), tmp_path)
    (call,) = trace.calls
    assert (call.id, call.state, call.result) == ("c1", "succeeded", "12")
    (completion,) = trace.of(CompletionEvent)
    assert (completion.text, completion.model, completion.usage) == (
        "I count.",
        "tern",
        Usage(input_tokens=5, output_tokens=6),
    )


def test_the_response_gives_usage_and_its_copy_is_left_out(tmp_path: Path) -> None:
    response = {
        "id": "r",
        "model": "tern",
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4},
        "choices": [{"finish_reason": "stop"}],
    }
    trace = read(run(native("I count.", "wc", response=response, cost=0.5, timestamp=3.0)), tmp_path)
    (reply,) = trace.of(CompletionEvent)
    assert (reply.model, reply.usage, reply.finish_reason, reply.time) == (
        "tern",
        Usage(input_tokens=9, output_tokens=2),
        "stop",
        3.0,
    )
    assert reply.extra == {"cost": 0.5, "response": {"id": "r", "usage": response["usage"]}}


def test_a_bare_list_is_read_by_its_texts(tmp_path: Path) -> None:
    trace = read(
        [
            SYSTEM,
            TASK,
            written("I count.", "wc buoys"),
            told(0, "12"),
            written("Either.", "a", "b"),
            said("Please always provide EXACTLY ONE action."),
            written("None."),
            said("Please always provide EXACTLY ONE action."),
            written("I wait.", "sleep 99"),
            said("The last command <command>sleep 99</command> timed out and has been killed."),
            written("I delete.", "rm x"),
            said("Command not executed. The user rejected your command."),
            written("Done.", "echo MINI_SWE_AGENT_FINAL_OUTPUT"),
            said("twelve"),
        ],
        tmp_path,
    )
    assert [(call.arguments, call.state) for call in trace.calls] == [
        ({"command": "wc buoys"}, "succeeded"),
        ({"command": "a"}, "refused"),
        ({"command": "b"}, "refused"),
        ({"command": "sleep 99"}, "failed"),
        ({"command": "rm x"}, "refused"),
        ({"command": "echo MINI_SWE_AGENT_FINAL_OUTPUT"}, "succeeded"),
    ]
    assert (trace.calls[0].result, trace.calls[-1].result) == ("12", "twelve")
    assert len(trace.of(ProtocolErrorEvent)) == 2
    assert trace.finished is None


def test_a_message_that_proves_nothing_is_no_result(tmp_path: Path) -> None:
    trace = read(
        [SYSTEM, TASK, written("I count.", "wc"), told(0, "12"), written("Again.", "wc"), said("Why?"), written("So.")],
        tmp_path,
    )
    assert states(trace) == [("succeeded", True), ("dropped", False)]


@pytest.mark.parametrize(
    "value",
    [
        [SYSTEM, TASK, written("Try this.", "ls"), said("Thank you.")],
        {"messages": [SYSTEM, TASK]},
        {"info": {"model_stats": {}, "config": {}}, "trajectory": [], "messages": []},
        {"info": {"exit_status": "x"}, "messages": [SYSTEM]},
        [1, 2],
        {},
    ],
)
def test_plain_chat_is_not_claimed(value: Any) -> None:
    assert not MINI_SWE_AGENT.sniff(Head(json.dumps(value).encode()))


def test_a_head_that_is_cut_is_enough() -> None:
    whole = json.dumps(run(native("I count.", "wc"), ran("wc", "x" * 900))).encode()
    assert MINI_SWE_AGENT.sniff(Head(whole[:700], whole=False))


def test_a_misshapen_message_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(run({"role": "critic", "content": ""})))
    (error,) = survey([str(path)]).load()
    assert isinstance(error, LoadError)
    assert error.problem.startswith("message 2: role: ")


@pytest.mark.timeout(60)
def test_many_calls_answered_backwards(tmp_path: Path) -> None:
    names = [str(number) for number in range(30_000)]
    trace = read(run(native("All.", *names), *(ran(name, name) for name in reversed(names))), tmp_path)
    assert [call.result for call in trace.calls] == names


def test_real_list(shared: Path) -> None:
    (trace,) = read_traces(shared / "traces/06_swe_agent/mini/local.traj.json")
    assert states(trace) == [("succeeded", True), ("succeeded", False)]


def test_real_run(shared: Path) -> None:
    """Counted by hand: 157 replies with one call each, 137 that returned 0, 19 that did not, and the submission."""
    (trace,) = read_traces(shared / "traces/06_swe_agent/mini/deepseek_sqlfluff-1733_big.traj.json")
    calls = trace.calls
    assert sum(call.proposed_in is not None for call in calls) == 157
    assert sum(call.executed_in is not None for call in calls) == 157
    assert Counter(call.state for call in calls) == {"succeeded": 138, "failed": 19}
    assert sum(not call.delivered for call in calls) == 1
    assert Counter(call.by for call in calls) == {"agent": 157}
    assert trace.of(CompletionEvent)[1].usage == Usage(input_tokens=2104, output_tokens=54)


def test_when_it_ended_is_kept(tmp_path: Path) -> None:
    ended = {**EXIT, "extra": {**EXIT["extra"], "timestamp": 1_700_000_000.5}}
    finished = read(run(native("I count.", "wc"), ran("wc", "12"), ended), tmp_path).finished
    assert finished is not None
    assert (finished.time, finished.extra) == (1_700_000_000.5, {})
