from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.anthropic.messages import ANTHROPIC_MESSAGES
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.messages import Usage
from agentlab.trace.events import CompletionEvent, ExecutionFinished, ExecutionStarted, Observation, Request
from agentlab.trace.model import Trace

ASK = {"role": "user", "content": "How warm is the kiln?"}


def use(identity: str = "t1", kind: str = "tool_use", **given: Any) -> dict[str, Any]:
    return {"type": kind, "id": identity, "name": "kiln", "input": given}


def gave(content: Any, identity: str = "t1", **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": identity, "content": content, **more}]}


def says(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [text(b) if isinstance(b, str) else b for b in blocks], **more}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def load(value: Any, folder: Path) -> Trace:
    path = folder / "messages.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    (trace,) = survey([str(path)], format=ANTHROPIC_MESSAGES).load()
    assert isinstance(trace, Trace), trace
    return trace


def claims(value: Any) -> bool:
    return ANTHROPIC_MESSAGES.sniff(Head(json.dumps(value).encode()))


def test_an_answer_is_no_execution(tmp_path: Path) -> None:
    trace = load([ASK, says("I look.", use(zone=1)), gave("900"), says("900 degrees.")], tmp_path)
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.state, call.delivered, call.by) == (
        "kiln",
        {"zone": 1},
        "answered",
        True,
        "agent",
    )
    assert trace.evidence.executions == "not_recorded"
    assert trace.evidence.errors == "not_recorded"
    assert trace.answer is not None
    assert trace.answer.text == "900 degrees."
    assert [event.source for event in trace if isinstance(event, (CompletionEvent, Observation))] == ["1", "2", "3"]


def test_an_error_of_the_harness_is_kept_and_proves_nothing(tmp_path: Path) -> None:
    trace = load([ASK, says(use()), gave("not allowed", is_error=True), says("I may not.")], tmp_path)
    assert trace.calls[0].state == "answered"
    assert trace.of(Observation)[0].extra == {"is_error": True}


def test_results_that_no_request_carried_are_not_delivered(tmp_path: Path) -> None:
    messages = [ASK, says(use("t1"), use("t2")), gave("900", "t1")]
    bare = load(messages, tmp_path)
    assert [(call.state, call.delivered) for call in bare.calls] == [("answered", False), ("unanswered", False)]
    sent = load({"messages": messages, "max_tokens": 10, "system": "Be brief."}, tmp_path)
    assert [(call.state, call.delivered) for call in sent.calls] == [("answered", True), ("dropped", False)]
    assert sent.contexts[sent.of(Request)[-1].id][0].text == "Be brief."


def test_texts_and_results_of_one_user_message_keep_their_order(tmp_path: Path) -> None:
    message = {"role": "user", "content": [*gave("900")["content"], text("and the other?"), text("quick")]}
    trace = load([ASK, says(use()), message, says("Off.")], tmp_path)
    context = trace.contexts[trace.of(Request)[-1].id]
    assert [(item.author, item.text) for item in context[2:]] == [("tool", "900"), ("user", "and the other?\nquick")]


def test_what_the_api_ran_stands_between_what_was_written_before_and_after(tmp_path: Path) -> None:
    ran = {"type": "bash_code_execution_tool_result", "tool_use_id": "s1"}
    good = {"type": "bash_code_execution_result", "stdout": "37\n", "stderr": "", "return_code": 0}
    blocks = ["I add.", use("s1", "server_tool_use", command="echo 37"), {**ran, "content": good}, "It is 37."]
    usage = {"input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7, "output_tokens": 11}
    trace = load({"type": "message", **says(*blocks), "stop_reason": "end_turn", "id": "m1", "usage": usage}, tmp_path)
    kinds = [event.type for event in trace][1:]
    assert kinds == [
        *("request", "completion", "execution_started", "execution_finished", "observation"),
        *("request", "completion", "answer"),
    ]
    (call,) = trace.calls
    assert (call.state, call.delivered, call.by) == ("succeeded", True, "provider")
    assert [reply.usage for reply in trace.of(CompletionEvent)] == [Usage(input_tokens=15, output_tokens=11), Usage()]
    assert [reply.finish_reason for reply in trace.of(CompletionEvent)] == ["unknown", "stop"]
    assert trace.evidence.executions == "present"


@pytest.mark.parametrize(
    ("content", "more", "state", "error"),
    [
        ({"type": "web_search_tool_result_error", "error_code": "unavailable"}, {}, "failed", "unavailable"),
        ({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}, {}, "refused", None),
        ({"type": "web_search_tool_result_error", "error_code": "query_too_long"}, {}, "refused", None),
        ({"type": "x", "return_code": 2, "stderr": "no"}, {}, "failed", "return code 2"),
        ([text("no such shed")], {"is_error": True}, "failed", "no such shed"),
        ([text("fine")], {"is_error": False}, "succeeded", None),
    ],
)
def test_errors_of_what_the_api_runs(content: Any, more: Any, state: str, error: str | None, tmp_path: Path) -> None:
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": content, **more}
    trace = load([ASK, says(use("s1", "server_tool_use"), result, "So.")], tmp_path)
    assert (trace.calls[0].state, trace.calls[0].error) == (state, error)
    assert trace.evidence.errors == ("absent" if state == "succeeded" else "present")


def test_executions_of_the_api_vouch_for_no_other_call(tmp_path: Path) -> None:
    result = {"type": "mcp_tool_result", "tool_use_id": "s1", "content": [text("3")]}
    trace = load([ASK, says(use("s1", "mcp_tool_use"), result, use("t1")), gave("900"), says("Ok.")], tmp_path)
    assert [(call.by, call.state) for call in trace.calls] == [("provider", "succeeded"), ("agent", "answered")]
    assert trace.evidence.executions == "not_recorded"


def test_a_result_in_a_later_message_belongs_to_its_call(tmp_path: Path) -> None:
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    paused = says(use("s1", "server_tool_use", query="clay"), stop_reason="pause_turn")
    trace = load([ASK, paused, says(result, "Nothing.")], tmp_path)
    assert [(call.tool, call.state) for call in trace.calls] == [("kiln", "succeeded")]


def test_pieces_with_citations_are_one_text_and_others_are_paragraphs(tmp_path: Path) -> None:
    trace = load([ASK, says("It is", text(" 900", citations=[{"url": "x"}]), ", they say."), ASK], tmp_path)
    assert trace.of(CompletionEvent)[0].text == "It is 900, they say."
    plain = load([ASK, says("It is.", "So be it."), ASK, says(use())], tmp_path)
    assert plain.of(CompletionEvent)[0].text == "It is.\nSo be it."


def test_thinking_is_no_text_and_its_seal_stays_beside_it(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "Ask the kiln.", "signature": "A" * 300}
    hidden = {"type": "redacted_thinking", "data": "B" * 200}
    found = [{"type": "web_search_result", "title": "Clay", "encrypted_content": "C" * 500}]
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": found}
    trace = load([ASK, says(thought, hidden, use("s1", "server_tool_use"), result, "Ok.")], tmp_path)
    first = trace.of(CompletionEvent)[0]
    assert (first.text, first.reasoning) == ("", "Ask the kiln.")
    kept = json.dumps(trace.events, default=str)
    assert "CCC" not in kept
    assert first.extra["blocks"] == [
        {"block": 0, "signature": "A" * 300},
        {"block": 1, "data": "B" * 200},
    ]
    assert "Clay" in (trace.of(ExecutionFinished)[0].result or "")


def test_the_whole_count_of_tokens_and_the_id_stay_with_the_reply(tmp_path: Path) -> None:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 2, "service_tier": "standard"}
    trace = load([ASK, says("Ok.", usage=usage, id="msg_7"), ASK, says("Bye.", usage={"input_tokens": 1})], tmp_path)
    first, second = trace.of(CompletionEvent)
    assert (first.usage.input_tokens, first.extra) == (43, {"usage": usage, "id": "msg_7"})
    assert second.extra == {}


def test_unknown_fields_and_blocks_are_kept(tmp_path: Path) -> None:
    odd = {"type": "weather", "sky": "grey"}
    trace = load(
        {"messages": [ASK, says("Ok.", odd, note=1), {**ASK, "mood": "calm"}], "mark": 2, "max_tokens": 5}, tmp_path
    )
    reply = trace.of(CompletionEvent)[0]
    assert reply.text == "Ok."
    assert reply.extra == {"note": 1, "blocks": [{"block": 1, **odd}]}
    assert trace.started.extra == {"mark": 2, "max_tokens": 5}
    assert trace.of(Request)[-1].items[-1].extra == {"mood": "calm"}


def test_a_reply_that_was_cut_is_no_answer(tmp_path: Path) -> None:
    assert load([ASK, says(use()), gave("1"), says("It is 9", stop_reason="max_tokens")], tmp_path).answer is None


@pytest.mark.parametrize(
    "value",
    [
        [ASK, says("I look.", use())],
        [ASK, says({"type": "thinking", "thinking": "Hm."})],
        {"messages": [ASK], "system": "Be brief.", "max_tokens": 9},
        {"messages": [ASK], "tools": [{"name": "kiln", "input_schema": {}}]},
        {"type": "message", **says("Ok."), "stop_reason": None},
    ],
)
def test_it_is_known_by_its_shape(value: Any) -> None:
    assert claims(value)


@pytest.mark.parametrize(
    "value",
    [
        [ASK, says("Ok.")],
        [ASK, {"role": "assistant", "content": None, "tool_calls": []}, says(use())],
        [{"role": "tool", "content": "1"}, says(use())],
        {"messages": [ASK]},
        [],
        [1, says(use())],
        {"messages": [{"role": ["user"]}], "system": 1, "max_tokens": 1, "tools": [{"input_schema": 1}]},
        {"messages": None},
    ],
)
def test_other_chats_are_not_claimed(value: Any) -> None:
    assert not claims(value)


def test_a_list_that_the_head_cuts_off_is_known() -> None:
    whole = json.dumps([ASK, says("x" * 500, use()), gave("900"), says("y" * 3000)]).encode()
    assert ANTHROPIC_MESSAGES.sniff(Head(whole[:1500], whole=False))


def test_an_error_names_the_message(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps([ASK, says(use()), {"role": "user", "content": [1]}]), encoding="utf-8")
    (error,) = survey([str(path)], format=ANTHROPIC_MESSAGES).load()
    assert isinstance(error, LoadError)
    assert "message 2: content[0]: an object was expected and a number found" in str(error)


def test_rows_stand_for_themselves(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [[ASK, says(use())], {"messages": 3}, {"messages": [ASK, says(use()), gave("1")]}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = list(survey([str(path)]).load())
    assert [isinstance(each, Trace) for each in found] == [True, False, True]
    assert "line 2" in str(found[1])


def test_a_bad_row_of_a_list_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(
        json.dumps([{"messages": [ASK, says(use())]}, {"messages": 3}, 4, {"messages": [ASK, says(use())]}])
    )
    found = list(survey([str(path)], format=ANTHROPIC_MESSAGES).load())
    assert [isinstance(each, Trace) for each in found] == [True, False, False, True]
    assert [str(each).partition(": ")[2] for each in found[1:3]] == [
        "row 1: a list of messages with role and content was expected in messages; there is a number",
        "row 2: an object was expected and a number found",
    ]
    assert [each.started.source for each in found if isinstance(each, Trace)] == ["row 0", "row 3"]


def test_what_stands_beside_results_is_kept(tmp_path: Path) -> None:
    trace = load([ASK, says(use()), {**gave("900"), "id": "m7"}], tmp_path)
    assert trace.of(Observation)[0].extra == {"id": "m7"}


def test_what_a_tool_ran_with_is_unknown_where_no_call_is_on_record(tmp_path: Path) -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "s9", "content": []}
    trace = load([ASK, says(found, "Warm.")], tmp_path)
    assert [(event.tool, event.arguments) for event in trace.of(ExecutionStarted)] == [("web_search", None)]


@pytest.mark.timeout(15)
def test_many_rows_are_read_in_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"messages": [ASK, says(use(), "x" * 2_000)]}] * 4_000))
    assert len(list(survey([str(path)], format=ANTHROPIC_MESSAGES).load())) == 4_000
