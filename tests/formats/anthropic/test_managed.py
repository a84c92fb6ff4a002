from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.formats.anthropic.managed import MANAGED_AGENTS
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.trace.events import Answer, Approval, CallRefused, CompletionEvent, ExecutionStarted
from agentlab.trace.model import Trace


def event(kind: str, identity: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": identity, "processed_at": "2026-01-02T03:04:05Z", **more}


def texts(said: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": said}]


def call(identity: str = "sevt_c", kind: str = "agent.tool_use", **more: Any) -> dict[str, Any]:
    return event(kind, identity, name="oven", input={"hot": True}, **more)


def result(call: str = "sevt_c", field: str = "tool_use_id", kind: str = "agent.tool_result", **more: Any) -> Any:
    return event(kind, f"sevt_{field}{call}", **{field: call, "content": texts("warm"), **more})


ASKED = event("user.message", "sevt_u", content=texts("Warm the oven."))
DONE = event("agent.message", "sevt_m", content=texts("It is warm."))


def load(events: list[Any], folder: Path) -> Trace:
    path = folder / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    (trace,) = survey([str(path)]).load()
    assert isinstance(trace, Trace), trace
    assert trace.started.format == "managed-agents"
    return trace


def states(trace: Trace) -> list[tuple[str, bool]]:
    return [(call.state, call.delivered) for call in trace.calls]


def test_a_result_of_the_platform_proves_an_execution(tmp_path: Path) -> None:
    trace = load([ASKED, call(evaluated_permission="allow"), result(is_error=False), DONE], tmp_path)
    assert states(trace) == [("succeeded", True)]
    assert [approval.verdict for approval in trace.of(Approval)] == ["approve"]
    assert trace.of(ExecutionStarted)[0].source == "sevt_c"


def test_a_failed_tool_failed(tmp_path: Path) -> None:
    trace = load([ASKED, call(), result(is_error=True), DONE], tmp_path)
    assert states(trace) == [("failed", True)]
    assert trace.calls[0].error == "warm"


def test_a_denied_call_is_refused_although_it_was_answered(tmp_path: Path) -> None:
    denied = event("user.tool_confirmation", "sevt_d", tool_use_id="sevt_c", result="deny", deny_message="too hot")
    trace = load([ASKED, call(evaluated_permission="ask"), denied, result(is_error=True), DONE], tmp_path)
    assert states(trace) == [("refused", True)]
    assert trace.evidence.executions == "absent"
    (refused,) = trace.of(CallRefused)
    assert (refused.code, refused.reason, refused.source) == ("not_permitted", "too hot", "sevt_d")
    assert [(word.verdict, word.by) for word in trace.of(Approval)] == [("reject", "user")]


def test_a_call_that_the_policy_denies_is_refused(tmp_path: Path) -> None:
    trace = load([ASKED, call(evaluated_permission="deny"), result(is_error=True), DONE], tmp_path)
    assert states(trace) == [("refused", True)]
    assert trace.of(Approval)[0].by == "policy"


def test_a_call_that_was_allowed_ran(tmp_path: Path) -> None:
    allowed = event("user.tool_confirmation", "sevt_a", tool_use_id="sevt_c", result="allow")
    kind = "agent.mcp_tool_use"
    given = result(field="mcp_tool_use_id", kind="agent.mcp_tool_result")
    trace = load([ASKED, call(kind=kind, evaluated_permission="ask"), allowed, given, DONE], tmp_path)
    assert states(trace) == [("succeeded", True)]


def test_a_custom_tool_is_run_elsewhere(tmp_path: Path) -> None:
    given = result(field="custom_tool_use_id", kind="user.custom_tool_result", is_error=False)
    trace = load([ASKED, call(kind="agent.custom_tool_use"), given, DONE], tmp_path)
    assert states(trace) == [("answered", True)]
    assert trace.evidence.executions == "not_recorded"
    assert trace.evidence.errors == "not_recorded"


def test_a_request_is_one_reply_with_its_tokens(tmp_path: Path) -> None:
    usage = {"input_tokens": 1, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 4, "output_tokens": 8}
    begin = event("span.model_request_start", "sevt_b")
    end = event("span.model_request_end", "sevt_e", model_request_start_id="sevt_b", model_usage=usage)
    thought = event("agent.thinking", "sevt_t", thinking="Turn it on.")
    trace = load([ASKED, begin, thought, DONE, call("sevt_c1"), call("sevt_c2"), end], tmp_path)
    (reply,) = trace.of(CompletionEvent)
    assert (reply.text, reply.reasoning, reply.source) == ("It is warm.", "Turn it on.", "sevt_m")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 8)
    assert [each.call for each in reply.calls] == ["sevt_c1", "sevt_c2"]
    assert states(trace) == [("unanswered", False)] * 2
    assert not trace.of(Answer)


def test_when_a_call_began_is_not_recorded(tmp_path: Path) -> None:
    """It was asked for, approved and answered, and may have waited in between."""
    allowed = event("user.tool_confirmation", "sevt_ok", tool_use_id="sevt_c", result="allow")
    trace = load([ASKED, call(evaluated_permission="ask"), allowed, result(is_error=False), DONE], tmp_path)
    (begun,) = trace.of(ExecutionStarted)
    assert (begun.time, begun.source) == (None, "sevt_c")


def test_a_reply_names_the_model_and_keeps_the_whole_count(tmp_path: Path) -> None:
    session = {"type": "session", "id": "sesn_1", "agent": {"name": "baker", "model": {"id": "m-9"}}}
    usage = {"input_tokens": 2, "cache_creation_input_tokens": 70, "cache_read_input_tokens": 0, "output_tokens": 5}
    begun = event("span.model_request_start", "sevt_s")
    end = event("span.model_request_end", "sevt_e", model_request_start_id="sevt_s", model_usage=usage, is_error=False)
    (reply,) = load([session, ASKED, begun, DONE, end], tmp_path).of(CompletionEvent)
    assert (reply.model, reply.usage.input_tokens) == ("m-9", 72)
    assert reply.extra["model_request_end"] == {"id": "sevt_e", "is_error": False, "model_usage": usage}


def test_what_was_sent_and_came_back_counts_once(tmp_path: Path) -> None:
    sends = [["client.beta.sessions.events.send", ["sesn_1", {"events": [{"type": "user.message"}]}]]] * 2
    lines = [*sends, *(["client.beta.sessions.events.stream", each] for each in (ASKED, DONE))]
    trace = load(lines, tmp_path)
    assert trace.started.extra["sent"] == [{"type": "user.message"}]
    assert trace.started.task == "Warm the oven."


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ({"type": "session.status_idle", "stop_reason": {"type": "end_turn"}}, "answered"),
        ({"type": "session.status_idle", "stop_reason": {"type": "retries_exhausted"}}, "provider_error"),
        ({"type": "session.status_idle", "stop_reason": {"type": "requires_action"}}, None),
        ({"type": "session.error", "error": {"message": "overloaded"}}, "provider_error"),
        ({"type": "user.interrupt"}, "interrupted"),
        ({"type": "session.status_terminated"}, "other"),
        ({"type": "session.status_running"}, None),
    ],
)
def test_how_it_ended(last: dict[str, Any], reason: str | None, tmp_path: Path) -> None:
    trace = load([ASKED, DONE, last], tmp_path)
    assert (trace.finished.reason if trace.finished else None) == reason


def test_another_thread_is_another_agent(tmp_path: Path) -> None:
    main = {"session_thread_id": "sthr_1", "agent_name": "Baker"}
    other = {"session_thread_id": "sthr_2", "agent_name": "Helper"}
    events = [
        {**ASKED, **main},
        {**call("sevt_c1"), **main},
        {**call("sevt_c2"), **other},
        {**result("sevt_c2"), **other},
        {**result("sevt_c1"), **main},
        {**DONE, **main},
    ]
    trace = load(events, tmp_path)
    assert [(call.id, call.by, call.state) for call in trace.calls] == [
        ("sevt_c1", "agent", "succeeded"),
        ("sevt_c2", "subagent", "succeeded"),
    ]
    assert {reply.agent_name for reply in trace.of(CompletionEvent)} == {"", "Helper"}


def test_a_bad_line_loses_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    lines = [json.dumps(ASKED), '{"type": "agent.mess', json.dumps({**DONE, "content": 3}), json.dumps(DONE)]
    path.write_text("\n".join(lines), encoding="utf-8")
    (trace,) = survey([str(path)]).load()
    assert isinstance(trace, Trace)
    assert "line 2" in trace.defect
    assert "1 more" in trace.defect
    assert trace.answer is not None


@pytest.mark.parametrize("wrap", [lambda events: events, lambda events: {"data": events, "next_page": None}])
def test_a_list_and_a_page_are_read_too(wrap: Any, tmp_path: Path) -> None:
    trace = load([wrap([ASKED, call(), result(), DONE])], tmp_path)
    assert states(trace) == [("succeeded", True)]


def test_other_events_are_not_claimed() -> None:
    for value in ({"type": "user.message"}, {"type": "agent", "id": "sevt_1"}, {"data": [1]}, ["a", 2], [["a", {}]]):
        assert not MANAGED_AGENTS.sniff(Head(json.dumps(value).encode()))


REAL = {
    "builtin": ("succeeded", "agent", (14329, 80), "present"),
    "custom": ("answered", "agent", (14476, 80), "not_recorded"),
    "mcp": ("succeeded", "agent", (18028, 435), "present"),
}
"""By hand: each file proposes one call, answered once, without an error; tokens are the sums of `model_usage`."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    path = shared / "traces" / "05_anthropic" / "managed_agents" / f"anthropic_managed_{name}_tools.jsonl"
    (trace,) = survey([str(path)]).load()
    assert isinstance(trace, Trace)
    state, by, tokens, executions = REAL[name]
    assert [(call.state, call.by, call.delivered) for call in trace.calls] == [(state, by, True)]
    assert trace.evidence.executions == executions
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.input_tokens, trace.finished.output_tokens) == ("answered", *tokens)
    assert trace.defect == ""


def test_a_request_that_brought_nothing_is_kept(tmp_path: Path) -> None:
    begun = event("span.model_request_start", "sevt_s")
    ended = event("span.model_request_end", "sevt_e", model_request_start_id="sevt_s", is_error=True)
    trace = load([ASKED, begun, ended], tmp_path)
    assert trace.started.extra["events"] == [ended]
    spoken = load([ASKED, begun, DONE, ended], tmp_path)
    assert "events" not in spoken.started.extra


def test_what_a_tool_ran_with_is_unknown_where_no_call_is_on_record(tmp_path: Path) -> None:
    trace = load([ASKED, result(), DONE], tmp_path)
    assert [event.arguments for event in trace.of(ExecutionStarted)] == [None]
