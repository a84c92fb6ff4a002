from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.claude_code.outcome import judge
from agentlab.formats.claude_code.session import CLAUDE_CODE
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.messages import Usage
from agentlab.trace.events import (
    Approval,
    CallRefused,
    CompletionEvent,
    ExecutionFinished,
    ExecutionStarted,
    Request,
    Summary,
)
from agentlab.trace.model import Trace

SESSION = "s-1"


def line(kind: str, uuid: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "isSidechain": False,
        "timestamp": "2026-01-02T03:04:05.000Z",
        **more,
    }


def user(uuid: str, content: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return line("user", uuid, parent, message={"role": "user", "content": content}, **more)


def reply(
    uuid: str, *blocks: Any, parent: str | None = None, name: str = "", out: Any = 1, **more: Any
) -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    message = {"id": name or f"msg_{uuid}", "role": "assistant", "model": "m-1", "content": content}
    usage = {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": out}
    return line("assistant", uuid, parent, message={**message, "usage": usage}, **more)


def use(call: str = "t1", tool: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": tool, "input": given}


def gave(uuid: str, content: Any, returned: Any = None, *, call: str = "t1", error: bool = False, **more: Any) -> Any:
    block = {"type": "tool_result", "tool_use_id": call, "content": content, **({"is_error": True} if error else {})}
    return user(uuid, [block], **({} if returned is None else {"toolUseResult": returned}), **more)


def write(lines: Iterable[Any], folder: Path) -> Path:
    path = folder / "session.jsonl"
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), encoding="utf-8")
    return path


def load(lines: Iterable[Any], folder: Path) -> Trace:
    (trace,) = survey([str(write(lines, folder))]).load()
    assert isinstance(trace, Trace), trace
    assert trace.started.format == "claude-code"
    return trace


def context(trace: Trace) -> list[str]:
    return [message.text for message in trace.contexts[trace.of(Request)[-1].id]]


@pytest.mark.parametrize(
    ("content", "returned", "error", "state"),
    [
        ("7", {"stdout": "7", "stderr": ""}, False, "succeeded"),
        ("7", "7", False, "succeeded"),
        ("7", [{"type": "text", "text": "7"}], False, "succeeded"),
        ("", {"stdout": "", "interrupted": True}, False, "failed"),
        ("Exit code 1", "Error: Exit code 1", True, "failed"),
        ("no such key", "Error: no such key", False, "failed"),
        ("7", None, False, "answered"),
        ("Exit code 1", None, True, "answered"),
        ("[Request interrupted by user for tool use]", "Error: [Request interrupted by user]", True, "answered"),
        ("The user doesn't want to proceed with this tool use. Stop.", "User rejected tool use", True, "refused"),
        ("The user doesn't want to take this action right now.", None, True, "refused"),
        ("Permission to use Bash has been denied.", "Error: Permission to use Bash has been denied.", True, "refused"),
        ("Bash operation blocked by hook:\n- no", "Error: Bash operation blocked by hook", True, "refused"),
        ("PreToolUse:Bash hook error: no", "Error: no", True, "refused"),
        ("<tool_use_error>File does not exist.</tool_use_error>", "Error: File does not exist.", True, "refused"),
        ("The user doesn't want to proceed with this tool use", {"stdout": "x"}, False, "succeeded"),
    ],
)
def test_what_became_of_a_call(content: str, returned: Any, error: bool, state: str, tmp_path: Path) -> None:
    trace = load(
        [user("u", "go"), reply("a", use()), gave("r", content, returned, error=error), reply("b", "ok")], tmp_path
    )
    (call,) = trace.calls
    assert (call.state, call.delivered) == (state, True)
    assert (trace.evidence.executions == "present") == (state in ("succeeded", "failed"))
    assert (trace.evidence.errors == "present") == (state in ("refused", "failed"))


@pytest.mark.parametrize(
    ("content", "code", "by"),
    [
        ("The user doesn't want to proceed with this tool use.", "not_permitted", "user"),
        ("Claude requested permissions to write to x, but you haven't granted it yet.", "not_permitted", "policy"),
        ("<tool_use_error>Error: No such tool available: Fly</tool_use_error>", "unknown_tool", ""),
        ("<tool_use_error>InputValidationError: Bash failed</tool_use_error>", "invalid_arguments", ""),
        ("<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>", "not_permitted", "policy"),
    ],
)
def test_why_it_was_refused(content: str, code: str, by: str, tmp_path: Path) -> None:
    trace = load([user("u", "go"), reply("a", use()), gave("r", content, "Error: x", error=True)], tmp_path)
    (refused,) = trace.of(CallRefused)
    assert (refused.code, refused.reason, refused.source) == (code, content, "r")
    assert [(each.verdict, each.by) for each in trace.of(Approval)] == ([("reject", by)] if by else [])


def test_a_message_on_several_lines_is_one_reply(tmp_path: Path) -> None:
    lines = [
        user("u", "go"),
        reply("a1", {"type": "thinking", "thinking": "Hm.", "signature": "x"}, name="m", out=1),
        reply("a2", "I look.", parent="a1", name="m", out=1),
        reply("a3", use("t1"), parent="a2", name="m", out=8),
        gave("r1", "1", {"stdout": "1"}, parent="a3"),
        reply("a4", use("t2"), parent="a3", name="m", out=30),
        reply("a5", use("t2"), parent="a3", name="m", out=30),
        gave("r2", "2", {"stdout": "2"}, call="t2", parent="a4"),
        reply("b", "Done."),
    ]
    trace = load(lines, tmp_path)
    first, second = trace.of(CompletionEvent)
    assert (first.text, first.reasoning, first.source, first.usage) == (
        "I look.",
        "Hm.",
        "a1",
        Usage(input_tokens=15, output_tokens=30),
    )
    assert [call.call for call in first.calls] == ["t1", "t2"]
    assert [call.state for call in trace.calls] == ["succeeded", "succeeded"]
    assert second.text == "Done."
    assert trace.answer is not None
    assert trace.answer.source == "b"


def test_a_line_twice_counts_once(tmp_path: Path) -> None:
    lines = [user("u", "go"), reply("a", use()), gave("r", "1", {"stdout": "1"})]
    trace = load([*lines, *lines], tmp_path)
    assert [call.state for call in trace.calls] == ["succeeded"]
    assert len(trace.of(CompletionEvent)) == 1


def hook(kind: str, call: str = "t1") -> dict[str, Any]:
    return line("progress", f"p-{kind}", data={"type": "hook_progress", "hookEvent": kind}, parentToolUseID=call)


def test_a_hook_after_a_call_proves_that_it_ran_and_one_before_it_does_not(tmp_path: Path) -> None:
    before = load([user("u", "go"), reply("a", use()), hook("PreToolUse")], tmp_path)
    assert before.calls[0].state == "unanswered"
    assert before.calls[0].executed_in is None
    assert before.evidence.executions == "not_recorded"
    after = load([user("u", "go"), reply("a", use()), hook("PostToolUse"), gave("r", "1"), reply("b", "ok")], tmp_path)
    assert after.calls[0].state == "succeeded"
    running = line("progress", "p", data={"type": "bash_progress", "fullOutput": "x" * 99}, parentToolUseID="t1")
    begun = load([user("u", "go"), reply("a", use()), running, running], tmp_path)
    assert begun.calls[0].state == "unanswered"
    assert begun.calls[0].executed_in is not None
    assert "xxx" not in str(begun.started.extra)


def test_an_agent_inside_a_session_is_told_apart(tmp_path: Path) -> None:
    side: Any = {"isSidechain": True}
    lines = [
        user("u", "go"),
        reply("a", use("t1", "Task")),
        user("s1", "look", **side),
        reply("s2", use("t2", "Grep"), parent="s1", **side),
        gave("s3", "1", {"numFiles": 1}, call="t2", parent="s2", **side),
        reply("s4", "Found.", parent="s3", **side),
        reply("s9", "A part whose parents were lost.", parent="gone", **side),
        gave("r", "Found.", {"status": "completed", "totalDurationMs": 2500}),
        reply("b", "It is there."),
    ]
    trace = load(lines, tmp_path)
    assert [(call.tool, call.by, call.state) for call in trace.calls] == [
        ("Task", "agent", "succeeded"),
        ("Grep", "subagent", "succeeded"),
    ]
    assert [each.agent_name for each in trace.of(CompletionEvent)] == [
        "",
        "sidechain s1",
        "sidechain s1",
        "sidechain s9",
        "",
    ]
    assert context(trace) == ["go", "", "Found."]
    assert trace.answer is not None
    assert trace.answer.text == "It is there."
    assert trace.of(ExecutionFinished)[-1].duration == 2.5


def test_an_agents_messages_inside_progress_lines_are_its_own(tmp_path: Path) -> None:
    def inside(message: Any) -> dict[str, Any]:
        data = {"type": "agent_progress", "agentId": "g7", "message": message}
        return line("progress", "p-" + message["uuid"], parentToolUseID="t1", data=data)

    said = [reply("s1", use("t2", "Read")), gave("s2", "1", {"file": {}}, call="t2")]
    lines = [user("u", "go"), reply("a", use("t1", "Task")), *map(inside, said), inside(said[0])]
    trace = load(lines, tmp_path)
    assert [(call.tool, call.by, call.state) for call in trace.calls] == [
        ("Task", "agent", "unanswered"),
        ("Read", "subagent", "succeeded"),
    ]
    assert trace.calls[0].executed_in is not None
    assert trace.of(CompletionEvent)[1].agent_name == "g7"


def test_an_agents_own_file_is_a_trace_of_its_own(tmp_path: Path) -> None:
    side: Any = {"isSidechain": True, "agentId": "g7"}
    trace = load([user("u", "look", **side), reply("a", use(), **side), gave("r", "1", **side)], tmp_path)
    assert trace.started.agent == "g7"
    assert [(call.by, call.state) for call in trace.calls] == [("subagent", "answered")]
    main = load([user("u", "look"), reply("a", use())], tmp_path)
    assert main.id != trace.id


def test_a_compaction_replaces_the_history(tmp_path: Path) -> None:
    lines = [
        user("u", "go"),
        reply("a", "Gone."),
        line("system", "y", subtype="compact_boundary", compactMetadata={"trigger": "auto"}),
        user("c", "They went.", isCompactSummary=True),
        user("v", "and back"),
        reply("b", "Back."),
    ]
    trace = load(lines, tmp_path)
    (summary,) = trace.of(Summary)
    assert (summary.text, summary.author, summary.source) == ("They went.", "model", "c")
    assert summary.replaces == (trace.of(CompletionEvent)[0].id,)
    assert summary.extra["compactMetadata"] == {"trigger": "auto"}
    assert context(trace) == ["They went.", "and back"]
    assert trace.contexts[trace.of(Request)[-1].id][0].author == "model"


def test_messages_that_a_compaction_kept_stay(tmp_path: Path) -> None:
    kept = {"preservedMessages": {"uuids": ["v", "b", 3, "lost"]}}
    lines = [
        user("u", "go"),
        reply("a", "Gone."),
        user("v", "and back"),
        reply("b", "Back."),
        line("system", "y", subtype="compact_boundary", compactMetadata=kept),
        user("c", "They went.", isCompactSummary=True),
        user("w", "again"),
        reply("d", "Gone again."),
    ]
    trace = load(lines, tmp_path)
    messages = trace.contexts[trace.of(Request)[-1].id]
    assert [message.text for message in messages] == ["They went.", "and back", "Back.", "again"]
    assert messages[2].origin == trace.of(CompletionEvent)[1].id


def test_clear_empties_the_context(tmp_path: Path) -> None:
    clear = "<command-name>/clear</command-name>"
    lines = [user("u", "go"), reply("a", "Gone."), user("c", clear), user("v", "anew"), reply("b", "Hi.")]
    assert context(load(lines, tmp_path)) == [clear, "anew"]


def test_newer_versions_say_that_a_call_was_denied(tmp_path: Path) -> None:
    denied = gave("r", "No.", "Error: No.", error=True, toolDenialKind="user-rejected")
    trace = load([user("u", "go"), reply("a", use()), denied], tmp_path)
    assert [call.state for call in trace.calls] == ["refused"]
    assert [each.by for each in trace.of(Approval)] == ["user"]


def test_a_title_replaces_nothing(tmp_path: Path) -> None:
    title = {"type": "summary", "summary": "Going", "leafUuid": "a"}
    trace = load([title, user("u", "go"), reply("a", "Gone.")], tmp_path)
    assert not trace.of(Summary)
    assert trace.started.extra["lines"] == [{"line": "line 1", **title}]


def test_a_prompt_after_an_earlier_line_goes_back_to_there(tmp_path: Path) -> None:
    lines = [
        user("u", "go"),
        reply("a", "Gone.", parent="u"),
        user("v", "further", parent="a"),
        reply("b", "Lost.", parent="v"),
        user("w", "home", parent="a"),
        reply("c", "Home.", parent="w"),
    ]
    assert context(load(lines, tmp_path)) == ["go", "Gone.", "home"]


def test_parallel_results_are_no_way_back(tmp_path: Path) -> None:
    lines = [
        user("u", "go"),
        reply("a1", use("t1"), parent="u", name="m"),
        reply("a2", use("t2"), parent="a1", name="m"),
        gave("r2", "2", {}, call="t2", parent="a2"),
        gave("r1", "1", {}, call="t1", parent="a1"),
        user("v", "well?", parent="r2"),
        reply("b", "1 and 2.", parent="v"),
    ]
    assert context(load(lines, tmp_path)) == ["go", "", "2", "1", "well?"]


def test_who_wrote_what_stands_in_the_users_seat(tmp_path: Path) -> None:
    attached = line("attachment", "x", attachment={"type": "todo", "content": "1 open"})
    meta = user("m", "Caveat.", isMeta=True)
    lines = [user("u", "go"), meta, user("c", "<command-name>/model</command-name>"), attached, reply("a", "ok")]
    trace = load(lines, tmp_path)
    messages = trace.contexts[trace.of(Request)[0].id]
    assert [message.author for message in messages] == ["user", "harness", "harness", "harness"]


def test_an_error_of_the_api_is_no_reply(tmp_path: Path) -> None:
    broken = reply("e", "API Error: 529", isApiErrorMessage=True)
    broken["message"]["model"] = "<synthetic>"
    trace = load([user("u", "go"), broken], tmp_path)
    assert not trace.of(CompletionEvent)
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("provider_error", "API Error: 529")
    recovered = load([user("u", "go"), broken, user("v", "again"), reply("a", "Done.")], tmp_path)
    assert recovered.finished is None
    assert recovered.answer is not None


def test_an_interruption_ends_it(tmp_path: Path) -> None:
    trace = load(
        [user("u", "go"), reply("a", "I g"), user("v", [{"type": "text", "text": "[Request interrupted by user]"}])],
        tmp_path,
    )
    assert trace.finished is not None
    assert trace.finished.reason == "interrupted"
    assert trace.answer is None


def test_structured_output_is_a_call_in_form_only(tmp_path: Path) -> None:
    done = gave("r", "Structured output provided successfully", "Structured output provided successfully")
    trace = load([user("u", "go"), reply("a", use("t1", "StructuredOutput", n=1)), done], tmp_path)
    assert [(call.by, call.state) for call in trace.calls] == [("structured_output", "answered")]


def test_constant_fields_are_kept_once_and_where_they_change(tmp_path: Path) -> None:
    lines = [
        user("u", "go", cwd="/a", mood="calm"),
        reply("a", "ok", cwd="/a"),
        user("v", "on", cwd="/b"),
        reply("b", "ok", cwd="/b"),
    ]
    trace = load(lines, tmp_path)
    assert trace.started.extra == {"cwd": "/a"}
    assert [item.extra for request in trace.of(Request) for item in request.items if item.author == "user"] == [
        {"mood": "calm"},
        {"cwd": "/b"},
    ]


def test_sessions_behind_each_other_and_resumed_ones(tmp_path: Path) -> None:
    other = {"sessionId": "s-2"}
    lines = [
        user("u", "go"),
        reply("a", "Gone."),
        user("v", "go on", parent="a", **other),
        user("w", "new", **other | {"sessionId": "s-3"}),
    ]
    first, second = survey([str(write(lines, tmp_path))]).load()
    assert isinstance(first, Trace)
    assert isinstance(second, Trace)
    assert (first.started.source, second.started.source) == ("s-1", "s-3")
    assert first.id != second.id
    again = [user("u", "go"), user("v", "other", **other), user("w", "back")]
    ids = [each.id for each in survey([str(write(again, tmp_path))]).load() if isinstance(each, Trace)]
    assert len(set(ids)) == 3


def test_a_snapshot_alone_is_an_empty_session(tmp_path: Path) -> None:
    trace = load([{"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}], tmp_path)
    assert len(trace) == 1
    assert trace.evidence.proposals == "absent"


def test_a_bad_line_loses_nothing_else(tmp_path: Path) -> None:
    lines: list[Any] = [
        user("u", "go"),
        '{"type":"user","sess',
        "3",
        user("v", "on", timestamp="noon"),
        reply("a", use(), out="x"),
        reply("b", "ok"),
    ]
    trace = load(lines, tmp_path)
    assert trace.defect.startswith("line 2")
    assert trace.defect.endswith("(and 3 more)")
    assert [each.text for each in trace.of(CompletionEvent)] == ["ok"]


def test_a_file_with_nothing_readable_is_refused(tmp_path: Path) -> None:
    found = list(survey([str(write(["[1, 2", "{"], tmp_path))], format=CLAUDE_CODE).load())
    assert found
    assert all(isinstance(each, LoadError) for each in found)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user", "sessionID": "x", "uuid": "u"},
        {"type": "system", "session_id": "x"},
        {"type": "summary", "summary": "x"},
        {"type": 3, "sessionId": "x", "uuid": "u", "parentUuid": None},
        {"sessionId": "x", "message": {"role": "user"}},
    ],
)
def test_other_lines_are_not_claimed(value: Any) -> None:
    assert not CLAUDE_CODE.sniff(Head(json.dumps(value).encode()))


def test_hostile_texts_take_no_time() -> None:
    for said in ("<tool_use_error>" * 20_000, "PreToolUse:" * 20_000, "a:" + " " * 200_000, "Permission" * 20_000):
        judge(said, "Error: " + said, wrong=True, witnessed=False)


def test_when_a_tool_of_the_api_began_is_not_recorded(tmp_path: Path) -> None:
    asked = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    (trace,) = survey([str(write([user("u1", "Look."), reply("a1", asked, found, "Hi.")], tmp_path))]).load()
    assert isinstance(trace, Trace)
    assert [event.time for event in trace.of(ExecutionStarted)] == [None]
    assert [event.time for event in trace.of(ExecutionFinished)] == [1767323045.0]


def test_a_reply_keeps_its_id_and_the_whole_count(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s" * 90}
    path = write([user("u1", "Hello."), reply("a1", thought, "Hi.", name="msg_9")], tmp_path)
    (trace,) = survey([str(path)]).load()
    assert isinstance(trace, Trace)
    (said,) = trace.of(CompletionEvent)
    assert said.extra["id"] == "msg_9"
    assert said.extra["usage"] == {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 1}
    assert said.extra["blocks"] == [{"block": 0, "signature": "s" * 90}]


REAL = {
    "synthetic_cclog_todowrite_examples": (
        ["succeeded", "succeeded", "succeeded"],
        [True, True, False],
        "agent",
        (883, 328),
    ),
    "synthetic_scout_agent-atest01": (["answered"], [True], "subagent", (200, 60)),
    "synthetic_scout_compaction_session": ([], [], "", (180, 40)),
}
"""By hand: `tool_use` blocks, results with an object in `toolUseResult`, replies behind them, and usage by message."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    path = shared / "traces" / "05_anthropic" / "claude_code" / f"{name}.jsonl"
    (trace,) = survey([str(path)]).load()
    assert isinstance(trace, Trace)
    states, delivered, by, tokens = REAL[name]
    assert [call.state for call in trace.calls] == states
    assert [call.delivered for call in trace.calls] == delivered
    assert {call.by for call in trace.calls} == ({by} if by else set())
    usage = [each.usage for each in trace.of(CompletionEvent)]
    assert (sum(one.input_tokens or 0 for one in usage), sum(one.output_tokens or 0 for one in usage)) == tokens
    assert len(trace.of(Summary)) == (1 if "compaction" in name else 0)
    assert trace.defect == ""


def test_what_a_tool_ran_with_is_unknown_where_no_call_is_on_record(tmp_path: Path) -> None:
    trace = load([user("u1", "Go on."), gave("u2", "done", {"stdout": "done"})], tmp_path)
    assert [(event.tool, event.arguments) for event in trace.of(ExecutionStarted)] == [("", None)]


@pytest.mark.timeout(15)
def test_many_sessions_in_a_list_are_read_in_linear_time(tmp_path: Path) -> None:
    lines = [{**user(f"u{number}", "x" * 2_000), "sessionId": f"s-{number}"} for number in range(4_000)]
    path = tmp_path / "sessions.json"
    path.write_text(json.dumps(lines), encoding="utf-8")
    assert len(list(survey([str(path)], format=CLAUDE_CODE).load())) == 4_000
