"""What an Inspect sample says of calls, by events and by messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentlab.formats.files.jsontext import parse
from agentlab.formats.inspect.log import Log
from agentlab.formats.inspect.sample import read_sample
from agentlab.formats.shapes.fields import ShapeError
from agentlab.messages import Usage
from agentlab.trace.events import (
    Approval,
    CallRefused,
    CompletionEvent,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
    Request,
)
from agentlab.trace.model import Trace

SAMPLES = Path(__file__).parents[3] / "data" / "samples"
ASKED = {"id": "q", "role": "user", "content": "Is the oven hot?", "source": "input"}


def read(sample: dict[str, Any], **header: Any) -> Trace:
    return read_sample(Log(path="x", header=header), {"id": 1, "epoch": 1, **sample}, place="sample 0", key=lambda: [0])


def call(name: str, tool: str = "gauge", **more: Any) -> dict[str, Any]:
    return {"id": name, "function": tool, "arguments": {"oven": 2}, "type": "function", **more}


def said(text: Any, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {}), **more}


def answer(text: str, name: str, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": name, "function": "gauge", **more}


def model(sent: list[Any], reply: dict[str, Any], **more: Any) -> dict[str, Any]:
    output = {"model": "m", "choices": [{"message": reply, "stop_reason": "stop"}]}
    return {
        "event": "model",
        "timestamp": "2026-01-01T00:00:00Z",
        "model": "x/m",
        "input": sent,
        "output": output,
        **more,
    }


def tool(name: str, result: Any = "", kind: str = "", message: str = "", **more: Any) -> dict[str, Any]:
    error = {"error": {"type": kind, "message": message}} if kind else {}
    common = {"event": "tool", "timestamp": "2026-01-01T00:00:01Z", "id": name, "function": "gauge", "arguments": {}}
    return {**common, "result": result, "events": [], **error, **more}


def states(trace: Trace) -> list[tuple[str, str]]:
    return [(each.id, each.state) for each in trace.calls]


def asked(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [model([ASKED], said("", *(call(name, **more) for name in names)))]


# --- events ---


@pytest.mark.parametrize(
    ("kind", "message", "state", "code"),
    [
        ("", "", "succeeded", None),
        ("timeout", "too slow", "failed", None),
        ("permission", "no", "failed", None),
        ("output_limit", "too long", "failed", None),
        ("unknown", "?", "failed", None),
        ("cancelled", "Cancelled by the operator", "failed", None),
        ("cancelled", "Not executed: an earlier gauge action in this turn failed.", "refused", "not_permitted"),
        ("parsing", "'oven' is a required property", "refused", "invalid_arguments"),
        ("parsing", "Tool gauge not found", "refused", "unknown_tool"),
        ("approval", "The cook said no.", "refused", "not_permitted"),
    ],
)
def test_the_error_of_a_tool_event_says_whether_the_call_ran(
    kind: str, message: str, state: str, code: str | None
) -> None:
    trace = read({"events": [*asked("a"), tool("a", "211", kind, message)]})
    assert states(trace) == [("a", state)]
    assert [each.code for each in trace.of(CallRefused)] == ([code] if code else [])
    assert [(each.error, each.error_kind) for each in trace.of(ExecutionFinished)] == (
        [] if code else [(message or None, kind or None)]
    )


def test_a_call_that_was_no_json_is_unparsed() -> None:
    trace = read({"events": [*asked("a", parse_error="no JSON"), tool("a", "", "parsing", "no JSON")]})
    assert [each.code for each in trace.of(CallRefused)] == ["unparsed"]
    (reply,) = trace.of(CompletionEvent)
    assert reply.extra["tool_calls"] == [{"parse_error": "no JSON"}]


def test_an_approver_that_ends_the_sample_refuses_a_call_whose_event_is_left_pending() -> None:
    verdict = {
        "event": "approval",
        "call": call("a"),
        "approver": "cook",
        "decision": "terminate",
        "explanation": "stop",
    }
    trace = read({"events": [*asked("a"), verdict, tool("a", pending=True)]})
    assert states(trace) == [("a", "refused")]
    (approval,) = trace.of(Approval)
    assert (approval.call, approval.verdict, approval.by, approval.reason) == ("a", "terminate", "cook", "stop")


def test_a_pending_tool_event_began_and_never_ended() -> None:
    assert states(read({"events": [*asked("a"), tool("a", pending=True)]})) == [("a", "unanswered")]


def test_a_call_without_a_tool_event_at_the_end_is_unanswered() -> None:
    trace = read({"events": asked("a")})
    assert states(trace) == [("a", "unanswered")]
    assert trace.evidence.executions == "absent"


def test_a_result_that_no_request_carried_is_undelivered() -> None:
    events = [*asked("a", "b"), tool("a", "1"), tool("b", "2")]
    first = [ASKED, said("", call("a"), call("b"), id="r"), answer("1", "a", id="t")]
    trace = read({"events": events, "messages": first, "limit": {"type": "message", "limit": 3}})
    assert [(each.id, each.delivered, each.observed_in is not None) for each in trace.calls] == [
        ("a", False, True),
        ("b", False, False),
    ]
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("step_limit", "message limit")


def test_ids_that_begin_anew_in_every_reply_belong_to_the_latest_one() -> None:
    first, second = said("", call("call_0"), id="r1"), said("", call("call_0"), id="r2")
    events = [model([ASKED], first), tool("call_0", "1"), model([ASKED, first, answer("1", "call_0", id="t1")], second)]
    events += [tool("call_0", "", "timeout", "slow")]
    rest = [ASKED, first, answer("1", "call_0", id="t1"), second, answer("", "call_0", id="t2")]
    trace = read({"events": events, "messages": rest})
    assert [(each.state, each.delivered) for each in trace.calls] == [("succeeded", True), ("failed", False)]
    assert len(trace.of(Observation)) == 2


def test_a_tool_that_raised_is_failed() -> None:
    trace = read({"events": [*asked("a"), tool("a", failed=True)], "error": {"message": "boom", "traceback": ""}})
    assert states(trace) == [("a", "failed")]
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("other", "boom")


def test_an_event_written_twice_counts_once_as_it_was_at_its_end() -> None:
    begun = tool("a", uuid="u", pending=True)
    trace = read({"events": [*asked("a"), begun, tool("a", "211", uuid="u")]})
    assert states(trace) == [("a", "succeeded")]
    assert len(trace.of(ExecutionStarted)) == 1


def test_tools_that_the_agents_own_program_ran_are_not_recorded() -> None:
    first = said("", call("a"))
    trace = read({"events": [model([ASKED], first), model([ASKED, first, answer("211", "a")], said("Hot."))]})
    assert states(trace) == [("a", "answered")]
    assert (trace.evidence.executions, trace.evidence.errors) == ("not_recorded", "not_recorded")


def test_what_an_agent_did_that_was_called_through_a_tool_lies_within_the_call() -> None:
    def span(name: str, kind: str, parent: str = "") -> dict[str, Any]:
        return {"event": "span_begin", "id": name, "type": kind, "name": f"{kind}-{name}", "parent_id": parent}

    helper = {"role": "user", "content": "Look at the door."}
    events = [
        span("s1", "agent"),
        {**asked("a")[0], "span_id": "s1"},
        span("s2", "tool", "s1"),
        tool("a", "shut", span_id="s2"),
        span("s3", "agent", "s2"),
        model([helper], said("", call("d")), span_id="s3"),
        span("s4", "tool", "s3"),
        tool("d", "closed", span_id="s4"),
        {"event": "sandbox", "span_id": "s4", "action": "exec", "cmd": "look", "timestamp": "2026-01-01T00:00:02Z"},
        {"event": "span_end", "id": "s4"},
        {"event": "span_end", "id": "s3"},
        {"event": "span_end", "id": "s2"},
    ]
    trace = read({"events": events})
    assert [(each.id, each.by, each.state) for each in trace.calls] == [
        ("a", "agent", "succeeded"),
        ("d", "subagent", "succeeded"),
    ]
    order = [(each.type, each.agent_name) for each in trace if "execution" in each.type]
    assert order == [
        ("execution_started", ""),
        ("execution_started", "agent-s3"),
        ("execution_finished", "agent-s3"),
        ("execution_finished", ""),
    ]
    inner = trace.of(ExecutionFinished)[0]
    assert [each["cmd"] for each in inner.extra["sandbox"]] == ["look"]  # type: ignore[union-attr,call-overload,index]


def test_one_agent_called_twice_at_a_time_has_two_contexts() -> None:
    events: list[dict[str, Any]] = [model([ASKED], said("", call("a"), call("b")))]
    for name in ("a", "b"):
        events += [
            {"event": "span_begin", "id": f"t-{name}", "type": "tool", "name": "help"},
            tool(name, "done", span_id=f"t-{name}"),
            {"event": "span_begin", "id": f"s-{name}", "type": "agent", "name": "helper", "parent_id": f"t-{name}"},
        ]
    sent = {name: [{"role": "user", "content": name}] for name in ("a", "b")}
    for name in ("a", "b"):
        events.append(model(sent[name], said("", call(f"{name}1")), span_id=f"s-{name}"))
    for name in ("a", "b"):
        events.append({"event": "span_begin", "id": f"u-{name}", "type": "tool", "name": "g", "parent_id": f"s-{name}"})
        events.append(tool(f"{name}1", "1", span_id=f"u-{name}"))
    for name in ("b", "a"):
        more = [*sent[name], said("", call(f"{name}1")), answer("1", f"{name}1")]
        events.append(model(more, said(f"{name} is done"), span_id=f"s-{name}"))
    trace = read({"events": events})
    assert [(each.id, each.by, each.state, each.delivered) for each in trace.calls] == [
        ("a", "agent", "succeeded", False),
        ("b", "agent", "succeeded", False),
        ("a1", "subagent", "succeeded", True),
        ("b1", "subagent", "succeeded", True),
    ]
    assert {each.agent_name for each in trace.of(CompletionEvent)} == {"", "helper"}
    assert [[each.text for each in context] for context in trace.contexts.values()][3:] == [
        ["b", "", "1"],
        ["a", "", "1"],
    ]


def test_events_within_a_tool_event_of_an_older_log_are_a_subagents() -> None:
    inner = [model([{"role": "user", "content": "Door?"}], said("", call("d"))), tool("d", "closed")]
    trace = read({"events": [*asked("a"), tool("a", "shut", events=inner)]})
    assert [(each.id, each.by) for each in trace.calls] == [("a", "agent"), ("d", "subagent")]


def test_a_scorers_model_is_not_the_agent() -> None:
    steps = [{"event": "step", "action": "begin", "type": "scorer", "name": "graded"}]
    events = [model([ASKED], said("Hot.")), *steps, model([{"role": "user", "content": "Right?"}], said("GRADE: C"))]
    trace = read({"events": [*events, {"event": "step", "action": "end", "type": "scorer", "name": "graded"}]})
    assert [each.agent_name for each in trace.of(CompletionEvent)] == ["", "graded"]
    assert trace.answer is not None
    assert trace.answer.text == "Hot."


def counted(sent: list[Any], text: str, given: int, made: int, **more: Any) -> dict[str, Any]:
    event = model(sent, said(text), **more)
    event["output"]["usage"] = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
    return event


def test_what_a_scorer_spends_is_not_the_attempts() -> None:
    scorer = {"event": "span_begin", "id": "s", "type": "scorer", "name": "graded"}
    judged = {"role": "user", "content": "Right?"}
    told = {"role": "system", "content": "You judge."}
    events = [counted([ASKED], "Hot.", 9, 2), scorer, counted([told, judged], "GRADE: C", 70, 30, span_id="s")]
    trace = read({"events": events, "completed_at": "2026-01-01T00:00:09Z"})
    assert trace.finished is not None
    assert trace.answer is not None
    spent = (trace.finished.steps, trace.finished.input_tokens, trace.finished.output_tokens)
    assert (spent, trace.answer.step) == ((1, 9, 2), 1)
    authors = [item.author for item in trace.of(Request)[1].items]
    assert authors == ["system", "harness"]
    kinds = [event.type for event in trace]
    assert kinds[-4:] == ["answer", "attempt_finished", "request", "completion"]


def test_a_scorer_between_two_acts_ends_nothing() -> None:
    scorer = {"event": "span_begin", "id": "s", "type": "scorers", "name": "scorers"}
    graded = counted([{"role": "user", "content": "Right?"}], "GRADE: I", 70, 30, span_id="s")
    trace = read({"events": [counted([ASKED], "Cold.", 1, 1), scorer, graded, counted([ASKED], "Hot.", 2, 2)]})
    assert trace.answer is not None
    assert (trace.answer.text, trace.of(CompletionEvent)[-1].text) == ("Hot.", "Hot.")
    assert trace.events[-1] is trace.finished


def test_the_end_stands_where_and_when_the_sample_does() -> None:
    timed = read({"events": asked("a"), "error": {"message": "lost"}, "completed_at": "2026-01-01T00:00:09Z"})
    untimed = read({"events": asked("a"), "error": {"message": "lost"}})
    assert timed.finished is not None
    assert untimed.finished is not None
    assert (timed.finished.source, timed.finished.time) == ("sample 0", 1767225609.0)
    assert untimed.finished.time == 1767225600.0


def test_cached_tokens_and_the_providers_id_stay_with_the_reply() -> None:
    event = counted([ASKED], "Hot.", 9, 2)
    event["output"]["usage"]["input_tokens_cache_read"] = 5
    event["call"] = {
        "request": {"messages": []},
        "response": {"id": "cmpl-9", "choices": [], "system_fingerprint": "f"},
    }
    (reply,) = read({"events": [event]}).of(CompletionEvent)
    assert reply.usage == Usage(input_tokens=14, output_tokens=2)
    assert reply.extra["usage"] == event["output"]["usage"]
    assert reply.extra["response"] == {"id": "cmpl-9", "system_fingerprint": "f"}


def test_an_answer_to_a_call_that_no_message_proposes_names_its_tool() -> None:
    trace = read({"messages": [answer("no", "g", error={"type": "approval", "message": "no"}), said("So be it.")]})
    assert [(each.tool, each.state, each.by) for each in trace.calls] == [("gauge", "answered", "not_recorded")]
    (seen,) = trace.of(Observation)
    assert seen.extra["error"] == {"type": "approval", "message": "no"}


def test_a_request_that_failed_has_no_reply() -> None:
    empty = said("")
    trace = read({"events": [model([ASKED], empty, error="Overloaded()"), model([ASKED], said("Hot."))]})
    requests = trace.of(Request)
    assert len(requests) == 2
    assert requests[0].extra["error"] == "Overloaded()"
    assert [each.request for each in trace.of(CompletionEvent)] == [requests[1].id]
    assert (requests[1].kept, requests[1].items) == (1, ())


def test_calls_of_the_provider_are_proposed_and_executed_in_one_item() -> None:
    used = {
        "type": "tool_use",
        "tool_type": "web_search",
        "id": "w",
        "name": "web_search",
        "arguments": '{"q": "ovens"}',
    }
    bad = {**used, "id": "v", "result": "", "error": "quota"}
    parts = [
        {"type": "reasoning", "reasoning": "Hm."},
        {**used, "result": "2 pages"},
        bad,
        {"type": "text", "text": "Hot."},
    ]
    trace = read({"events": [model([ASKED], said(parts))]})
    assert [(each.id, each.by, each.state, each.arguments) for each in trace.calls] == [
        ("w", "provider", "succeeded", {"q": "ovens"}),
        ("v", "provider", "failed", {"q": "ovens"}),
    ]
    (reply,) = trace.of(CompletionEvent)
    assert (reply.text, reply.reasoning) == ("Hot.", "Hm.")


def test_cached_tokens_are_prompt_tokens() -> None:
    counts = {"input_tokens": 3, "input_tokens_cache_read": 40, "input_tokens_cache_write": 7, "output_tokens": 9}
    event = model([ASKED], said("Hot."))
    event["output"]["usage"] = {**counts, "total_tokens": 59, "reasoning_tokens": 4}
    (reply,) = read({"events": [event]}).of(CompletionEvent)
    assert reply.usage == Usage(input_tokens=50, output_tokens=9)


@pytest.mark.parametrize("mark", ["attachment://", "tc://"])
def test_long_texts_are_looked_up_wherever_they_are_named(mark: str) -> None:
    first = said(f"{mark}1", {**call("a"), "arguments": {"oven": f"{mark}2", "deep": [f"{mark}2"]}})
    events = [
        model([ASKED], first),
        tool("a", f"{mark}3"),
        model([ASKED, first, answer(f"{mark}3", "a")], said("Hot.")),
    ]
    texts = {"1": "one", "2": "two", "3": "three"}
    trace = read({"transcript": {"events": events, "content": texts}})
    (found,) = trace.calls
    assert (found.arguments, found.result, found.delivered) == ({"oven": "two", "deep": ["two"]}, "three", True)
    assert trace.of(CompletionEvent)[0].text == "one"
    assert [each.text for each in trace.of(Observation)] == ["three"]
    lost = read({"events": [model([ASKED], said("attachment://9"))]})
    assert lost.of(CompletionEvent)[0].text == "attachment://9"


@pytest.mark.parametrize("pool", ["message_pool", "events_data"])
def test_requests_name_ranges_of_a_pool(pool: str) -> None:
    messages = [ASKED, said("", call("a"), id="r"), answer("211", "a", id="t"), said("Hot.", id="e")]
    refs = [[[0, 1]], [[0, 3]], [[0, 1], [3, 4]], [[3, 4], [0, 1]]]
    events = [model([], said(f"{place}"), input_refs=each) for place, each in enumerate(refs)]
    trace = read({"events": events, pool: messages if pool == "message_pool" else {"messages": messages, "calls": []}})
    contexts = [[each.text for each in context] for context in trace.contexts.values()]
    asked = "Is the oven hot?"
    assert contexts == [[asked], [asked, "", "211"], [asked, "Hot."], ["Hot.", asked]]
    assert [each.kept for each in trace.of(Request)] == [0, 1, 1, 0]


@pytest.mark.parametrize("refs", [[[0]], [[1, 0]], [["0", 1]], [0], [[-1, 1]], "x", [[0, 10**12]] * 1_000_001])
def test_ranges_that_are_none_are_an_error_with_the_place(refs: Any) -> None:
    with pytest.raises(ShapeError, match=r"event 0: input_refs"):
        read({"events": [model([], said(""), input_refs=refs)], "message_pool": [ASKED]})


def test_the_text_that_was_submitted_is_the_answer() -> None:
    submit = said("I am done.", call("s", "submit"))
    output = {"choices": [{"message": submit}], "completion": "I am done.\n\n211 degrees"}
    trace = read({"events": [model([ASKED], submit), tool("s", "211 degrees")], "output": output, "total_time": 3.5})
    assert trace.answer is not None
    assert trace.answer.text == "I am done.\n\n211 degrees"
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.duration) == ("answered", 3.5)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("token", "token_budget"),
        ("time", "deadline"),
        ("working", "deadline"),
        ("operator", "interrupted"),
        ("x", "other"),
    ],
)
def test_limits_end_a_sample_also_where_only_an_event_tells(kind: str, reason: str) -> None:
    event = {"event": "sample_limit", "type": kind, "message": "enough"}
    trace = read({"events": [*asked("a"), event]})
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == (reason, f"{kind} limit: enough")
    assert trace.started.extra["events"] == [event]


def test_other_events_are_kept_and_copies_are_not() -> None:
    kept = [{"event": "info", "data": "x"}, {"event": "score", "score": {"value": 1}}, {"event": "newer", "a": 1}]
    copies = [{"event": "state", "changes": []}, {"event": "sample_init", "state": {}}]
    trace = read({"events": [*copies, *kept, model([ASKED], said("Hot."))]})
    assert trace.started.extra["events"] == kept


def test_an_assistants_message_of_the_task_is_no_reply_of_the_model() -> None:
    shown = {"role": "assistant", "content": "It was cold.", "source": "input"}
    trace = read({"events": [model([ASKED, shown, ASKED], said("Hot."))]})
    (context,) = trace.contexts.values()
    assert [(each.role, each.author) for each in context] == [("user", "user"), ("assistant", "user"), ("user", "user")]


# --- messages only ---


def test_messages_alone_prove_answers_and_refusals() -> None:
    messages = [
        ASKED,
        said("", call("a"), call("b"), call("c"), id="r"),
        answer("211", "a"),
        answer("", "b", error={"type": "approval", "message": "no"}),
        answer("", "c", error={"type": "timeout", "message": "slow"}),
        said("Hot.", id="e"),
    ]
    trace = read({"messages": messages})
    assert states(trace) == [("a", "answered"), ("b", "refused"), ("c", "answered")]
    evidence = trace.evidence
    assert (evidence.executions, evidence.results, evidence.errors) == ("not_recorded", "present", "present")
    assert [each.source for each in trace.of(Observation)] == ["2", "3", "4"]
    assert [each.source for each in trace.of(CompletionEvent)] == ["1", "5"]
    assert [each.text for each in trace.of(Observation)] == ["211", "no", "slow"]


def test_events_that_tell_nothing_leave_the_messages_to_tell() -> None:
    trace = read({"messages": [ASKED, said("Hot.")], "events": [{"event": "info", "data": 1}]})
    assert [each.text for each in trace.of(CompletionEvent)] == ["Hot."]
    assert trace.started.extra["events"] == [{"event": "info", "data": 1}]


def test_an_error_as_text_is_how_early_logs_wrote_it() -> None:
    trace = read({"messages": [ASKED, said("", call("a")), answer("", "a", tool_error="broken"), said("Hm.")]})
    assert [each.text for each in trace.of(Observation)] == ["broken"]


# --- size ---


def pooled(turns: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [ASKED]
    events: list[dict[str, Any]] = []
    for turn in range(turns):
        reply = said(f"turn {turn}", call(f"c{turn}"), id=f"r{turn}")
        events += [model([], reply, input_refs=[[0, len(messages)]]), tool(f"c{turn}", "1")]
        messages += [reply, answer("1", f"c{turn}", id=f"t{turn}")]
    return {"events": events, "events_data": {"messages": messages}}


@pytest.mark.timeout(60)
def test_a_sample_with_a_pool_is_read_in_linear_time() -> None:
    assert len(read(pooled(20_000)).calls) == 20_000


def test_the_data_sample_shows_each_kind_once() -> None:
    value: Any = parse((SAMPLES / "inspect.json").read_bytes(), non_finite=True)
    trace = read_sample(Log(path="x"), value["samples"][0], place="", key=lambda: [0])
    assert [(each.tool, each.by, each.state, each.delivered) for each in trace.calls] == [
        ("soil_moisture", "agent", "succeeded", True),
        ("open_vent", "agent", "failed", True),
        ("water_everything", "agent", "refused", True),
        ("drain_tank", "agent", "refused", True),
        ("botanist", "agent", "succeeded", True),
        ("web_search", "provider", "succeeded", False),
        ("leaf_scan", "subagent", "succeeded", True),
        ("write_note", "agent", "succeeded", False),
    ]
