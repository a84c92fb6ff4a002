from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.openai_items.responses import OPENAI_RESPONSES
from agentlab.messages import Usage
from agentlab.trace.events import Approval, CallRefused, CompletionEvent, Observation, Request
from agentlab.trace.model import Trace

ASK = {"role": "user", "content": "How deep is the well?"}


def says(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}], **more}


def asks(call: str = "c1", arguments: str = '{"rope": 9}', **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call, "name": "sound", "arguments": arguments, **more}


def gives(output: Any, call: str = "c1") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call, "output": output}


def write(value: Any, folder: Path) -> Path:
    path = folder / "items.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def load(value: Any, folder: Path) -> Trace:
    (trace,) = survey([str(write(value, folder))], format=OPENAI_RESPONSES).load()
    assert isinstance(trace, Trace), trace
    return trace


def states(trace: Trace) -> list[tuple[str, str, bool]]:
    return [(call.by, call.state, call.delivered) for call in trace.calls]


def test_an_answer_is_no_execution(tmp_path: Path) -> None:
    trace = load([ASK, asks(), gives("7 m"), says("7 m deep.")], tmp_path)
    assert states(trace) == [("agent", "answered", True)]
    assert trace.calls[0].arguments == {"rope": 9}
    assert trace.evidence.executions == "not_recorded"
    assert trace.evidence.errors == "not_recorded"
    assert [event.source for event in trace if isinstance(event, (CompletionEvent, Observation))] == ["1", "2", "3"]
    assert trace.answer is not None
    assert trace.answer.text == "7 m deep."


def test_items_of_one_reply_are_one_reply(tmp_path: Path) -> None:
    thought = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "Two."}],
        "encrypted_content": "A" * 90,
    }
    trace = load(
        [ASK, thought, says("I sound."), asks("c1"), asks("c2", "{"), gives("7", "c2"), gives([], "c1")], tmp_path
    )
    (reply,) = trace.of(CompletionEvent)
    assert (reply.text, reply.reasoning, reply.source) == ("I sound.", "Two.", "2")
    assert [(call.call, call.arguments) for call in reply.calls] == [("c1", {"rope": 9}), ("c2", "{")]
    assert "AAA" not in str(trace.events)
    assert [call.state for call in trace.calls] == ["answered", "answered"]


@pytest.mark.parametrize(
    ("item", "state", "result"),
    [
        ({"type": "web_search_call", "status": "completed", "action": {"query": "well"}}, "succeeded", None),
        ({"type": "web_search_call", "status": "failed", "action": {"query": "well"}}, "failed", None),
        ({"type": "web_search_call", "status": "searching"}, "unanswered", None),
        (
            {"type": "code_interpreter_call", "code": "7", "outputs": [{"logs": "7"}, {"logs": "8"}]},
            "succeeded",
            "7\n8",
        ),
        ({"type": "code_interpreter_call", "code": "7", "outputs": None}, "succeeded", None),
        ({"type": "file_search_call", "queries": ["well"], "results": [{"text": "7"}]}, "succeeded", '[{"text":"7"}]'),
        ({"type": "mcp_call", "name": "m", "arguments": "{}", "output": "7", "error": None}, "succeeded", "7"),
        ({"type": "mcp_call", "name": "m", "arguments": "{}", "output": None, "error": "gone"}, "failed", None),
        ({"type": "mcp_call", "name": "m", "arguments": "{}", "error": {"message": "gone"}}, "failed", None),
    ],
)
def test_what_the_provider_runs_is_call_and_execution(
    item: Any, state: str, result: str | None, tmp_path: Path
) -> None:
    trace = load([ASK, {"id": "i1", **item}, says("So.")], tmp_path)
    (call,) = trace.calls
    assert (call.by, call.state, call.result) == ("provider", state, result)
    assert trace.evidence.executions == "present"
    assert len(trace.of(CompletionEvent)) == 2


def test_executions_of_the_provider_vouch_for_no_other_call(tmp_path: Path) -> None:
    ran = {"type": "mcp_call", "id": "m1", "name": "m", "arguments": "{}", "output": "7"}
    trace = load([ASK, ran, asks(), gives("7"), says("So.")], tmp_path)
    assert states(trace) == [("provider", "succeeded", True), ("agent", "answered", True)]
    assert trace.evidence.executions == "not_recorded"


def test_results_that_nobody_wrote_down_are_not_recorded(tmp_path: Path) -> None:
    search = {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"query": "well"}}
    assert load([ASK, search, says("7 m.")], tmp_path).evidence.results == "not_recorded"
    assert load([ASK, search, asks(), gives("7"), says("7 m.")], tmp_path).evidence.results == "present"


@pytest.mark.parametrize(
    ("outcomes", "state", "error"),
    [
        ([{"type": "exit", "exit_code": 0}], "succeeded", None),
        ([{"type": "exit", "exit_code": 0}, {"type": "exit", "exit_code": 3}], "failed", "exit code 3"),
        ([{"type": "timeout"}], "failed", "timeout"),
        ([], "answered", None),
    ],
)
def test_a_shell_has_an_exit_code(outcomes: list[Any], state: str, error: str | None, tmp_path: Path) -> None:
    call = {"type": "shell_call", "call_id": "c1", "action": {"commands": ["sound"]}}
    output = [{"stdout": "7", "stderr": "", "outcome": outcome} for outcome in outcomes]
    trace = load([ASK, call, {"type": "shell_call_output", "call_id": "c1", "output": output}, says("So.")], tmp_path)
    assert (trace.calls[0].tool, trace.calls[0].state, trace.calls[0].error) == ("shell", state, error)


def test_a_patch_has_a_status(tmp_path: Path) -> None:
    call = {"type": "apply_patch_call", "call_id": "c1", "operation": {"path": "a"}, "status": "completed"}
    output = {"type": "apply_patch_call_output", "call_id": "c1", "status": "failed", "output": "no such file"}
    trace = load([ASK, call, output], tmp_path)
    assert (trace.calls[0].state, trace.calls[0].error) == ("failed", "no such file")


@pytest.mark.parametrize(("approve", "state"), [(True, "succeeded"), (False, "refused")])
def test_an_mcp_call_that_needs_an_approval(approve: bool, state: str, tmp_path: Path) -> None:
    items = [
        ASK,
        {"type": "mcp_approval_request", "id": "q1", "name": "drain", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_approval_response", "approval_request_id": "q1", "approve": approve, "reason": "dry"},
    ]
    ran = {
        "type": "mcp_call",
        "id": "m1",
        "approval_request_id": "q1",
        "name": "drain",
        "arguments": "{}",
        "output": "ok",
    }
    trace = load([*items, *([ran] if approve else []), says("So.")], tmp_path)
    assert [(call.tool, call.state) for call in trace.calls] == [("drain", state)]
    assert [each.verdict for each in trace.of(Approval)] == ["approve" if approve else "reject"]
    assert len(trace.of(CallRefused)) == (0 if approve else 1)


def test_a_response(tmp_path: Path) -> None:
    usage = {"input_tokens": 20, "input_tokens_details": {"cached_tokens": 8}, "output_tokens": 5}
    row = {
        "object": "response",
        "id": "resp_1",
        "created_at": 1770000000,
        "model": "m-1",
        "status": "completed",
        "instructions": "Be brief.",
        "output": [asks()],
        "usage": usage,
        "temperature": 1,
    }
    trace = load(row, tmp_path)
    (reply,) = trace.of(CompletionEvent)
    assert (reply.usage, reply.finish_reason, reply.model) == (
        Usage(input_tokens=20, output_tokens=5),
        "tool_calls",
        "m-1",
    )
    assert reply.extra["usage"] == usage
    assert (reply.time, trace.started.source) == (1770000000, "resp_1")
    assert trace.started.extra == {"temperature": 1}
    assert states(trace) == [("agent", "unanswered", False)]
    cut = load(
        {
            **row,
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [says("It i")],
        },
        tmp_path,
    )
    assert cut.of(CompletionEvent)[0].finish_reason == "length"
    assert cut.answer is None
    failed = load({**row, "output": [], "status": "failed", "error": {"message": "overloaded"}}, tmp_path)
    assert failed.finished is not None
    assert (failed.finished.reason, failed.finished.detail) == ("provider_error", "overloaded")


def test_a_request_was_sent(tmp_path: Path) -> None:
    trace = load({"model": "m-1", "input": [ASK, asks(), gives("7 m")], "instructions": "Be brief."}, tmp_path)
    assert states(trace) == [("agent", "answered", True)]
    assert trace.of(Request)[-1].source == "2"
    bare = load({"items": [ASK, asks(), gives("7 m")]}, tmp_path)
    assert states(bare) == [("agent", "answered", False)]


def test_input_and_output_of_one_record(tmp_path: Path) -> None:
    trace = load({"input": "How deep?", "output": [says("7 m.")]}, tmp_path)
    assert trace.started.task == "How deep?"
    both = load({"input": [ASK, asks(), gives("7")], "output": [says("7 m.")], "usage": {"input_tokens": 3}}, tmp_path)
    first, second = both.of(CompletionEvent)
    assert (first.usage, second.usage.input_tokens) == (Usage(), 3)
    assert (first.source, second.source) == ("1", "output 0")


def test_lines_of_items_are_one_trace_and_responses_are_their_own(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    response = {"object": "response", "id": "resp_1", "output": [says("Hi.")]}
    lines = [ASK, asks(), gives("7"), response, asks(), "{", gives("8"), {"object": "response", "output": 3}]
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), encoding="utf-8")
    found = list(survey([str(path)], format=OPENAI_RESPONSES).load())
    first, second, third, fourth = found
    assert isinstance(first, Trace)
    assert isinstance(second, Trace)
    assert isinstance(third, Trace)
    assert isinstance(fourth, LoadError)
    assert [len(each.calls) for each in (first, second, third)] == [1, 0, 1]
    assert "line 6" in third.defect
    assert len({each.id for each in (first, second, third)}) == 3


def test_unknown_fields_and_items_are_kept(tmp_path: Path) -> None:
    reference = {"type": "item_reference", "id": "x"}
    listed = {
        "type": "mcp_list_tools",
        "id": "l",
        "server_label": "s",
        "tools": [{"name": "drain", "input_schema": {}}],
    }
    cited = {"type": "output_text", "text": "So.", "annotations": [{"url": "u"}], "logprobs": []}
    message = {"type": "message", "role": "assistant", "content": [cited], "phase": "final"}
    trace = load([reference, listed, {**ASK, "mood": "calm"}, asks(namespace="n"), message], tmp_path)
    reply = trace.of(CompletionEvent)[0]
    assert reply.extra == {
        "calls": [{"call": "c1", "namespace": "n"}],
        "phase": "final",
        "annotations": [{"annotations": [{"url": "u"}]}],
    }
    assert [tool.name for tool in trace.started.tools] == ["drain"]
    assert trace.started.extra["items"] == [
        {"item": "0", **reference},
        {"item": "1", "type": "mcp_list_tools", "id": "l", "server_label": "s"},
    ]
    assert trace.of(Request)[0].items[0].extra == {"mood": "calm"}


def test_an_error_names_the_item(tmp_path: Path) -> None:
    (error,) = survey(
        [str(write([ASK, asks(), {"role": "judge", "content": ""}], tmp_path))], format=OPENAI_RESPONSES
    ).load()
    assert isinstance(error, LoadError)
    assert "item 2: role: one of user, assistant, system, developer was expected" in str(error)


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ([ASK, asks()], True),
        ([says("Hi.")], True),
        ({"items": [asks()]}, True),
        ({"object": "response", "output": []}, True),
        ({"input": [ASK, {"type": "reasoning", "summary": []}, ASK]}, True),
        ([ASK], False),
        ([ASK, {"role": "assistant", "content": None, "tool_calls": []}], False),
        ({"object": "trace", "output": []}, False),
        ({"items": [{"type": ["message"]}, {"type": {}, "role": []}]}, False),
        ([{"type": "function_call"}], False),
        ([], False),
    ],
)
def test_it_is_known_by_its_shape(value: Any, known: bool) -> None:
    assert OPENAI_RESPONSES.sniff(Head(json.dumps(value).encode())) is known


def test_a_list_that_the_head_cuts_off_is_known() -> None:
    whole = json.dumps([ASK, asks(), gives("7"), says("y" * 3000)]).encode()
    assert OPENAI_RESPONSES.sniff(Head(whole[:1000], whole=False))


@pytest.mark.parametrize(("name", "tool"), [("TR-06", "search"), ("TR-11", "exec")])
def test_items_in_cases(name: str, tool: str, shared: Path) -> None:
    (trace,) = survey([str(shared / "cases" / name / "trace.json")]).load()
    assert isinstance(trace, Trace)
    assert [(call.tool, call.state, call.delivered) for call in trace.calls] == [(tool, "answered", False)]


def test_pictures_are_marked_and_not_carried_along(tmp_path: Path) -> None:
    drawn = {"type": "image_generation_call", "id": "i1", "status": "completed", "result": "AAAA" * 50}
    outputs = [{"type": "logs", "logs": "7"}, {"type": "image", "url": "data:image/png;base64,AAAA"}]
    ran = {"type": "code_interpreter_call", "id": "i2", "status": "completed", "code": "7", "outputs": outputs}
    trace = load([ASK, drawn, ran, says("So.")], tmp_path)
    first, second = (event.text for event in trace.of(Observation))
    assert first.startswith("[image, 200 characters, sha256 ")
    assert second.startswith("7\n[image, ")
    assert "AAAA" not in first + second


@pytest.mark.parametrize(("status", "kept"), [("completed", {}), ("cancelled", {"status": "cancelled"})])
def test_a_response_that_was_not_completed_says_so(status: str, kept: dict[str, str], tmp_path: Path) -> None:
    row = {"object": "response", "id": "r1", "status": status, "output": [says("7 m.")]}
    assert load(row, tmp_path).started.extra == kept


def test_a_bad_row_of_a_list_costs_no_other(tmp_path: Path) -> None:
    path = write([{"output": [says("7 m.")]}, 3, {"input": "How deep?", "model": "m"}], tmp_path)
    found = list(survey([str(path)], format=OPENAI_RESPONSES).load())
    assert [isinstance(each, Trace) for each in found] == [True, False, True]
    assert "row 1: a list of items or an object with one was expected and a number found" in str(found[1])


@pytest.mark.timeout(15)
def test_many_rows_are_read_in_linear_time(tmp_path: Path) -> None:
    path = write([{"output": [says("x" * 2_000)]}] * 4_000, tmp_path)
    assert len(list(survey([str(path)], format=OPENAI_RESPONSES).load())) == 4_000
