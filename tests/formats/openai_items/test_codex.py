from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.openai_items.codex import CODEX
from agentlab.formats.openai_items.outputs import judge
from agentlab.messages import Usage
from agentlab.trace.events import (
    Approval,
    CallRefused,
    CompletionEvent,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
    Request,
    Summary,
)
from agentlab.trace.model import Trace

META = {"id": "r-1", "cwd": "/a", "model_provider": "openai"}


def line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-02T03:04:05Z", "type": kind, "payload": payload}


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return line("response_item", type=kind, **fields)


def told(kind: str, **fields: Any) -> dict[str, Any]:
    return line("event_msg", type=kind, **fields)


def says(said: str, role: str = "assistant") -> dict[str, Any]:
    return item("message", role=role, content=[{"type": "output_text", "text": said}])


def asks(call: str = "c1", name: str = "exec_command") -> dict[str, Any]:
    return item("function_call", name=name, arguments='{"cmd": "ls"}', call_id=call)


def gives(output: Any, call: str = "c1") -> dict[str, Any]:
    return item("function_call_output", call_id=call, output=output)


def write(lines: Iterable[Any], folder: Path) -> Path:
    path = folder / "rollout.jsonl"
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), encoding="utf-8")
    return path


def load(lines: Iterable[Any], folder: Path) -> Trace:
    (trace,) = survey([str(write([line("session_meta", **META), *lines], folder))]).load()
    assert isinstance(trace, Trace), trace
    assert trace.started.format == "codex"
    return trace


HEAD = "Chunk ID: 1f\nWall time: 1.5000 seconds\nProcess exited with code {}\nOriginal token count: 3\nOutput:\n"


@pytest.mark.parametrize(
    ("output", "state", "error"),
    [
        (HEAD.format(0) + "a", "succeeded", None),
        (HEAD.format(2) + "a", "failed", "exit code 2"),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno", "failed", "exit code 1"),
        ("Wall time: 1 seconds\nProcess running with session ID 5\nOutput:\n", "answered", None),
        (json.dumps({"output": "a", "metadata": {"exit_code": 0, "duration_seconds": 1.5}}), "succeeded", None),
        (json.dumps({"output": "a", "metadata": {"exit_code": 127}}), "failed", "exit code 127"),
        (json.dumps({"output": "a"}), "answered", None),
        ("Wall time: 1 seconds\nOutput:\nProcess exited with code 0\n", "answered", None),
        ("a\nProcess exited with code 0\n", "answered", None),
        ("Plan updated", "answered", None),
        ("exec command rejected by user", "refused", None),
        (
            'exec_command failed for `rm`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
            "refused",
            None,
        ),
        ("approval policy is Never; reject command", "refused", None),
        ("unsupported call: fly", "refused", None),
        ("failed to parse function arguments: EOF", "refused", None),
        ("patch rejected: writing outside of the project; rejected by user approval settings", "refused", None),
        ("`rm -rf x` rejected: blocked by policy", "refused", None),
        ("sandbox denied exec error, exit code: 2", "failed", "sandbox denied exec error, exit code: 2"),
        ("aborted by user after 3.2s", "answered", None),
        ("rejections: 3", "answered", None),
    ],
)
def test_what_an_output_proves(output: str, state: str, error: str | None, tmp_path: Path) -> None:
    trace = load([says("go", "user"), asks(), gives(output), says("So.")], tmp_path)
    (call,) = trace.calls
    assert (call.state, call.error, call.delivered) == (state, error, True)
    assert trace.of(Observation)[0].text == output
    runs = state in ("succeeded", "failed") or "Process running" in output
    assert (trace.evidence.executions == "present", call.executed_in is not None) == (runs, runs)


@pytest.mark.parametrize(
    ("output", "by"),
    [
        ("exec command rejected by user", ["user"]),
        ("patch rejected: read-only; rejected by user approval settings", ["policy"]),
        ("`rm` rejected: blocked by policy", ["policy"]),
        ("unsupported call: x", []),
    ],
)
def test_who_refused(output: str, by: list[str], tmp_path: Path) -> None:
    trace = load([asks(), gives(output)], tmp_path)
    assert [(each.call, each.by, each.verdict) for each in trace.of(Approval)] == [("c1", who, "reject") for who in by]


def test_the_words_of_an_mcp_server_prove_nothing(tmp_path: Path) -> None:
    trace = load([asks(name="files__read"), gives(HEAD.format(0) + "a")], tmp_path)
    assert trace.calls[0].state == "answered"
    parts = [{"type": "input_text", "text": HEAD.format(0) + "a"}]
    assert load([asks(), gives(parts)], tmp_path).calls[0].state == "succeeded"


def ended(call: str = "c1", code: int = 0, **more: Any) -> dict[str, Any]:
    took = {"secs": 2, "nanos": 500_000_000}
    return told("exec_command_end", call_id=call, exit_code=code, aggregated_output="a", duration=took, **more)


def test_an_event_and_an_output_are_one_execution(tmp_path: Path) -> None:
    begun = told("exec_command_begin", call_id="c1", command=["ls"])
    trace = load([asks(), begun, ended(code=3), gives(HEAD.format(3) + "a"), says("So.")], tmp_path)
    (end,) = trace.of(ExecutionFinished)
    assert (end.error, end.duration, end.source) == ("exit code 3", 2.5, "line 4")
    assert [(call.state, call.delivered) for call in trace.calls] == [("failed", True)]


def test_what_began_and_never_ended_is_unanswered(tmp_path: Path) -> None:
    trace = load([asks(), told("exec_command_begin", call_id="c1", command=["ls"])], tmp_path)
    assert (trace.calls[0].state, trace.calls[0].executed_in is not None) == ("unanswered", True)
    assert load([asks()], tmp_path).calls[0].executed_in is None


def test_an_event_between_calls_of_one_reply_does_not_split_it(tmp_path: Path) -> None:
    lines = [says("I look."), asks("c1"), ended("c1"), asks("c2"), ended("c2"), gives("a", "c1"), gives("b", "c2")]
    split = load(lines, tmp_path)
    assert [call.state for call in split.calls] == ["succeeded", "succeeded"]
    after = load([asks("c1"), ended("c1"), says("It ran.")], tmp_path)
    assert [event.type for event in after][2:] == [
        *("completion", "execution_started", "execution_finished", "request", "completion", "answer"),
    ]


def test_patches_mcp_tools_and_commands_of_the_user(tmp_path: Path) -> None:
    invocation = {"server": "s", "tool": "read", "arguments": {"n": 1}}
    lines = [
        asks("c1", "apply_patch"),
        asks("c2", "s__read"),
        asks("c3", "s__read"),
        told("patch_apply_end", call_id="c1", success=False, stdout="", stderr="no such file"),
        told(
            "mcp_tool_call_end",
            call_id="c2",
            invocation=invocation,
            result={"Ok": {"content": [{"type": "text", "text": "7"}]}},
        ),
        told("mcp_tool_call_end", call_id="c3", invocation=invocation, result={"Err": "gone"}),
        told("exec_command_end", call_id="x", command=["pwd"], exit_code=0, stdout="/a", source="user_shell"),
    ]
    trace = load(lines, tmp_path)
    assert [(call.tool, call.state, call.error or call.result) for call in trace.calls] == [
        ("apply_patch", "failed", "no such file"),
        ("s__read", "succeeded", "7"),
        ("s__read", "failed", "gone"),
        ("exec_command", "succeeded", "/a"),
    ]
    assert trace.calls[-1].proposed_in is None
    assert trace.calls[-1].by == "not_recorded"


def test_messages_that_are_told_again_count_once(tmp_path: Path) -> None:
    lines = [
        says("go", "user"),
        told("user_message", message="go"),
        says("Gone."),
        told("agent_message", message="Gone."),
        told("agent_message", message="And back."),
    ]
    trace = load(lines, tmp_path)
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["Gone.", "And back."]
    assert [item.text for item in trace.of(Request)[0].items] == ["go"]


def count(last: int, total: int) -> dict[str, Any]:
    used = {"input_tokens": last, "cached_input_tokens": 1, "output_tokens": last, "reasoning_output_tokens": 1}
    return told("token_count", info={"last_token_usage": used, "total_token_usage": {"total_tokens": total}})


def test_tokens_belong_to_the_reply_before_them_and_are_counted_once(tmp_path: Path) -> None:
    silent = told("token_count", info=None, rate_limits={})
    lines = [
        asks(),
        gives("a"),
        count(5, 10),
        silent,
        count(5, 10),
        says("So."),
        count(5, 10),
        count(7, 24),
        count(9, 42),
    ]
    replies = load(lines, tmp_path).of(CompletionEvent)
    counted = [reply.extra["last_token_usage"] for reply in replies]
    assert [isinstance(one, dict) and one["cached_input_tokens"] for one in counted] == [1, 1]
    usage = [reply.usage for reply in replies]
    assert usage == [Usage(input_tokens=5, output_tokens=5), Usage(input_tokens=7, output_tokens=7)]


def test_the_model_and_the_harness(tmp_path: Path) -> None:
    lines = [
        line("turn_context", model="m-1", effort="low"),
        says("<environment_context>\n</environment_context>", "user"),
        says("go", "user"),
        says("Gone."),
        line("turn_context", model="m-1", effort="low"),
        line("turn_context", model="m-2", effort="low"),
        says("Back."),
    ]
    trace = load(lines, tmp_path)
    assert [reply.model for reply in trace.of(CompletionEvent)] == ["m-1", "m-2"]
    assert trace.started.task == "go"
    assert [message.author for message in trace.contexts[trace.of(Request)[0].id]] == ["harness", "user"]
    assert [turn["line"] for turn in trace.started.extra["turns"]] == ["line 2", "line 7"]  # type: ignore[index,union-attr,call-overload]
    assert (trace.started.provider, trace.started.source) == ("openai", "r-1")


@pytest.mark.parametrize("kept", [[], [{"type": "message", "role": "user", "content": "They went."}]])
def test_a_compaction_replaces_the_history(kept: list[Any], tmp_path: Path) -> None:
    compacted = line("compacted", message="They went.", replacement_history=kept)
    trace = load([says("go", "user"), says("Gone."), compacted, says("on", "user"), says("Back.")], tmp_path)
    assert [each.text for each in trace.of(Summary)] == ["They went."]
    context = trace.contexts[trace.of(Request)[-1].id]
    assert [(each.text, each.author) for each in context] == [
        ("They went.", "user" if kept else "model"),
        ("on", "user"),
    ]


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ([told("task_complete", last_agent_message="Gone.")], "answered"),
        ([told("task_complete", error={"message": "no key"})], "provider_error"),
        ([told("turn_aborted", reason="interrupted")], "interrupted"),
        ([told("error", message="overloaded")], "provider_error"),
        ([told("task_complete"), says("more", "user")], None),
        ([], None),
    ],
)
def test_how_it_ended(last: list[Any], reason: str | None, tmp_path: Path) -> None:
    trace = load([says("go", "user"), says("Gone."), *last], tmp_path)
    assert (trace.finished.reason if trace.finished else None) == reason


def test_a_session_that_another_one_spawned(tmp_path: Path) -> None:
    meta = line("session_meta", id="r-2", source={"subagent": "review"})
    (trace,) = survey([str(write([meta, asks(), line("session_meta", id="r-1")], tmp_path))]).load()
    assert isinstance(trace, Trace)
    assert [(call.by, call.state) for call in trace.calls] == [("subagent", "unanswered")]
    assert trace.started.source == "r-2"
    assert trace.started.extra["lines"] == [{"line": "line 3", "id": "r-1"}]


def test_the_first_generation(tmp_path: Path) -> None:
    head = {"id": "r-0", "timestamp": "2025-05-01T00:00:00Z", "instructions": "Be brief."}
    items = [
        each["payload"] for each in (says("go", "user"), asks(), gives('{"output":"","metadata":{"exit_code":0}}'))
    ]
    (trace,) = survey([str(write([head, {"record_type": "state"}, *items], tmp_path))]).load()
    assert isinstance(trace, Trace)
    assert (trace.started.format, trace.started.source) == ("codex", "r-0")
    assert [call.state for call in trace.calls] == ["succeeded"]
    assert trace.contexts[trace.of(Request)[0].id][0].text == "Be brief."


def test_a_bad_line_loses_nothing_else(tmp_path: Path) -> None:
    lines = [asks(), '{"type": "resp', "[]", line("response_item", type="message", role=3, content="x"), says("So.")]
    trace = load([*lines, '{"timesta'], tmp_path)
    assert trace.defect.startswith("line 3")
    assert trace.defect.endswith("(and 2 more)")
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["So."]


def test_a_file_with_nothing_readable_is_refused(tmp_path: Path) -> None:
    found = list(survey([str(write(["3", "4"], tmp_path))], format=CODEX).load())
    assert [type(each) for each in found] == [LoadError]


@pytest.mark.parametrize(
    "values",
    [
        [{"type": "response_item", "payload": 3}],
        [{"type": ["event_msg"], "payload": {}}],
        [{"id": "x", "timestamp": "y", "git": {}}, {"role": "user", "content": "x"}],
        [{"timestamp": "x", "type": "message", "payload": {}}],
    ],
)
def test_other_lines_are_not_claimed(values: list[Any]) -> None:
    assert not CODEX.sniff(Head("\n".join(map(json.dumps, values)).encode()))


def test_hostile_texts_take_no_time() -> None:
    for said in (
        "Wall time: 1" * 20_000,
        "Exit code: " + "9" * 200_000,
        "exec_command failed for " + "rejected" * 30_000,
    ):
        judge("exec_command", {}, said)
    judge("exec_command", {}, '{"output"' + "[" * 200_000)


@pytest.mark.parametrize(
    ("end", "by"),
    [
        (told("exec_command_end", call_id="c1", status="declined", exit_code=-1, stderr="no", stdout=""), None),
        (
            told("exec_command_end", call_id="c1", status="declined", exit_code=-1, stdout="command rejected by user"),
            "user",
        ),
        (
            told("patch_apply_end", call_id="c1", status="declined", success=False, stderr="patch rejected by user"),
            "user",
        ),
        (told("mcp_tool_call_end", call_id="c1", result={"Err": "user rejected MCP tool call"}), "user"),
    ],
)
def test_an_event_of_a_call_that_was_declined_proves_no_run(end: Any, by: str | None, tmp_path: Path) -> None:
    begun = told("exec_command_begin", call_id="c1", command=["ls"])
    for before in ([], [begun]):
        trace = load(
            [says("Go.", "user"), asks(), *before, end, gives("command rejected by user"), says("So.")], tmp_path
        )
        assert [call.state for call in trace.calls] == ["refused"]
        assert not trace.of(ExecutionFinished)
        assert [each.by for each in trace.of(Approval)] == ([by] if by else [])
        assert [each.code for each in trace.of(CallRefused)] == ["not_permitted"]


def test_what_a_server_says_of_itself_declines_nothing(tmp_path: Path) -> None:
    said = {"Ok": {"content": [{"type": "text", "text": "user rejected MCP tool call"}], "isError": True}}
    trace = load([asks(name="mcp__a__b"), told("mcp_tool_call_end", call_id="c1", result=said)], tmp_path)
    assert [call.state for call in trace.calls] == ["failed"]


def test_what_stands_beside_a_message_that_no_item_repeats_is_kept(tmp_path: Path) -> None:
    asked = told("user_message", message="Look.", images=["a.png"])
    trace = load([asked, told("agent_message", message="Seen.", phase="last")], tmp_path)
    assert [item.extra for item in trace.of(Request)[0].items] == [{"images": ["a.png"]}]
    assert trace.of(CompletionEvent)[0].extra == {"phase": "last"}


def test_what_a_command_was_is_unknown_where_neither_item_nor_event_says(tmp_path: Path) -> None:
    trace = load([says("Go.", "user"), told("exec_command_end", call_id="c9", exit_code=0), says("So.")], tmp_path)
    assert [event.arguments for event in trace.of(ExecutionStarted)] == [None]
