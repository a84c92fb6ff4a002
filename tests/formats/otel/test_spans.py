"""OpenTelemetry GenAI spans: containers, conventions, and what their writers get wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.finding import survey
from agentlab.formats.otel.export import otlp_lines
from agentlab.trace.codec import decode, encode
from agentlab.trace.events import CompletionEvent, ExecutionFinished, ExecutionStarted, Observation, Request
from agentlab.trace.model import Trace

SAMPLES = Path(__file__).parents[3] / "data" / "samples"
SECOND = 10**9
ZERO = 1_700_000_000


def attribute(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    if isinstance(value, list):
        return {"key": key, "value": {"arrayValue": {"values": [{"stringValue": each} for each in value]}}}
    return {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}


def span(name: str, parent: str, begin: float, end: float, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A span whose id is its name."""
    return {
        "traceId": "aa",
        "spanId": name,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(int((ZERO + begin) * SECOND)),
        "endTimeUnixNano": str(int((ZERO + end) * SECOND)),
        "attributes": [attribute(key, value) for key, value in attributes.items()],
        **more,
    }


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "s"}, "spans": list(spans)}]}]}


def load(tmp_path: Path, *values: Any) -> list[Trace | LoadError]:
    path = tmp_path / "spans"
    path.write_text("\n".join(json.dumps(value) for value in values))
    return list(survey([str(path)]).load())


def one(tmp_path: Path, *values: Any) -> Trace:
    (trace,) = load(tmp_path, *values)
    assert isinstance(trace, Trace), trace
    return trace


def chat(name: str, parent: str, begin: float, end: float, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    reply = [{"role": "assistant", "parts": list(parts), "finish_reason": "stop"}]
    return span(name, parent, begin, end, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": reply, **more})


def says(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


def calls(call: str, tool: str) -> dict[str, Any]:
    return {"type": "tool_call", "id": call, "name": tool, "arguments": {"n": 1}}


def tool(name: str, parent: str, begin: float, end: float, called: str, **more: Any) -> dict[str, Any]:
    held = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": called, **more}
    return span(name, parent, begin, end, held)


AGENT = span("desk", "", 0, 100, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"})


def states(trace: Trace) -> dict[str, str]:
    return {call.id: call.state for call in trace.calls}


def test_events_are_in_the_order_of_time_whatever_the_file_has(tmp_path: Path) -> None:
    spans = [
        chat("last", "desk", 6, 7, says("Done.")),
        tool("run", "desk", 3, 4, "mill", **{"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "flour"}),
        AGENT,
        chat("first", "desk", 1, 2, calls("c1", "mill")),
    ]
    for order in (spans, spans[::-1]):
        trace = one(tmp_path, request(*order))
        assert [event.source for event in trace.events[1:]] == [
            *("first", "first", "run", "run"),
            *("last", "last", "last", "desk"),
        ]
        assert states(trace) == {"c1": "succeeded"}
        assert trace.answer
        assert trace.answer.text == "Done."


def test_a_trace_is_put_together_from_many_lines(tmp_path: Path) -> None:
    trace = one(tmp_path, request(tool("run", "desk", 3, 4, "mill")), request(AGENT), request(chat("a", "desk", 1, 2)))
    assert [type(event).__name__ for event in trace if event.source == "run"] == [
        "ExecutionStarted",
        "ExecutionFinished",
    ]
    other = {**AGENT, "traceId": "bb"}
    assert len(load(tmp_path, request(AGENT, other))) == 2


def test_a_line_that_cannot_be_read_is_the_defect_of_the_one_trace(tmp_path: Path) -> None:
    bad = request({"spanId": "x", "name": "y"})
    trace = one(tmp_path, request(AGENT), bad)
    assert "line 2" in trace.defect or "span x" in trace.defect
    found = load(tmp_path, request(AGENT), bad, request({**AGENT, "traceId": "bb"}))
    assert [type(each).__name__ for each in found] == ["LoadError", "Trace", "Trace"]


def test_spans_of_one_call_inside_each_other_are_one_call(tmp_path: Path) -> None:
    outer = span("outer", "desk", 1, 9, {"gen_ai.operation.name": "generate_content", "gen_ai.usage.input_tokens": 7})
    inner = chat("inner", "outer", 2, 4, calls("c1", "mill"))
    run = tool("run", "outer", 5, 8, "mill", **{"gen_ai.tool.call.id": "c1"})
    trace = one(tmp_path, request(AGENT, outer, inner, run))
    (reply,) = trace.of(CompletionEvent)
    assert (reply.source, reply.usage.input_tokens) == ("inner", 7)
    assert [call.state for call in trace.calls] == ["succeeded"]


def test_a_span_around_several_calls_is_none(tmp_path: Path) -> None:
    loop = span("loop", "desk", 1, 9, {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 99})
    trace = one(tmp_path, request(AGENT, loop, chat("a", "loop", 2, 3, says("A")), chat("b", "loop", 4, 5, says("B"))))
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["A", "B"]


def test_a_span_recorded_twice_counts_once(tmp_path: Path) -> None:
    begun = {**chat("a", "desk", 1, 2, says("A")), "endTimeUnixNano": "0", "attributes": []}
    begun["attributes"] = [attribute("gen_ai.operation.name", "chat")]
    trace = one(tmp_path, request(begun), request(AGENT, chat("a", "desk", 1, 2, says("A"))))
    (reply,) = trace.of(CompletionEvent)
    assert (reply.text, reply.latency) == ("A", pytest.approx(1))


def test_a_tool_that_never_ended_is_unanswered(tmp_path: Path) -> None:
    run = {**tool("run", "desk", 3, 4, "mill"), "endTimeUnixNano": None}
    trace = one(tmp_path, request(AGENT, run))
    assert [call.state for call in trace.calls] == ["unanswered"]


def test_an_mcp_result_that_says_it_is_an_error_is_a_failure(tmp_path: Path) -> None:
    answer = {"content": [{"type": "text", "text": "no such mill"}], "isError": True}
    run = tool("run", "desk", 3, 4, "mill", **{"gcp.vertex.agent.tool_response": answer})
    (call,) = one(tmp_path, request(AGENT, run)).calls
    assert (call.state, call.error) == ("failed", "no such mill")


def test_a_status_that_says_ok_wins_over_a_handled_exception(tmp_path: Path) -> None:
    raised = [{"name": "exception", "attributes": [attribute("exception.message", "dusty")]}]
    for code, state in ((1, "succeeded"), (0, "failed"), (2, "failed")):
        run = {**tool("run", "desk", 3, 4, "mill"), "events": raised, "status": {"code": code}}
        (call,) = one(tmp_path, request(AGENT, run)).calls
        assert call.state == state


def test_without_content_nothing_is_said_of_calls(tmp_path: Path) -> None:
    silent = span(
        "a", "desk", 1, 2, {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ["tool_calls"]}
    )
    trace = one(tmp_path, request(AGENT, silent, tool("run", "desk", 3, 4, "mill")))
    assert trace.evidence.proposals == trace.evidence.results == trace.evidence.authorship == "not_recorded"
    assert trace.evidence.executions == "present"
    (reply,) = trace.of(CompletionEvent)
    assert (reply.text, reply.extra["content"]) == ("", "not recorded")


def test_a_client_library_alone_knows_of_no_tools(tmp_path: Path) -> None:
    trace = one(tmp_path, request(chat("a", "", 1, 2, calls("c1", "mill"))))
    assert (trace.evidence.proposals, trace.evidence.executions) == ("present", "not_recorded")


def test_messages_as_events_of_a_span(tmp_path: Path) -> None:
    def event(name: str, **held: Any) -> dict[str, Any]:
        return {"name": name, "attributes": [attribute(key, value) for key, value in held.items()]}

    call = [{"id": "c1", "function": {"name": "mill", "arguments": '{"n": 1}'}}]
    asked = span("a", "", 1, 2, {"gen_ai.operation.name": "chat"})
    asked["events"] = [
        event("gen_ai.system.message", content="Be kind."),
        event("gen_ai.user.message", content="Grind."),
        event("gen_ai.choice", index=0, finish_reason="tool_calls", message={"tool_calls": call}),
    ]
    trace = one(tmp_path, request(asked))
    (reply,) = trace.of(CompletionEvent)
    assert [(each.call, each.tool, each.arguments) for each in reply.calls] == [("c1", "mill", {"n": 1})]
    assert reply.finish_reason == "tool_calls"
    assert [item.text for item in trace.of(Request)[0].items] == ["Be kind.", "Grind."]


@pytest.mark.parametrize("capture", ["all", "instructions", "nothing", "roles"])
def test_a_request_is_recorded_only_where_its_messages_are(capture: str, tmp_path: Path) -> None:
    sent: dict[str, Any] = {"gen_ai.system_instructions": [says("Be brief.")]}
    if capture == "all":
        sent["gen_ai.input.messages"] = [{"role": "user", "parts": [says("Mill.")]}]
    empty = {"name": "gen_ai.user.message", "attributes": [attribute("gen_ai.system", "openai")]}
    told = chat("c", "", 1, 2, says("Milled."), **(sent if capture in ("all", "instructions") else {}))
    trace = one(tmp_path, request(told | ({"events": [empty]} if capture == "roles" else {})))
    (asked,) = trace.of(Request)
    assert asked.recorded is (capture == "all")
    known = {"all": ["Be brief.", "Mill."], "instructions": ["Be brief."], "nothing": [], "roles": [""]}
    assert [item.text for item in asked.items] == known[capture]


def test_spans_of_nothing_known_that_failed_are_kept_whole(tmp_path: Path) -> None:
    said = [attribute("exception.type", "OSError"), attribute("exception.stacktrace", "line 1")]
    failed = span("POST", "desk", 2, 3, {"http.url": "http://mill"}, status={"code": 2, "message": "gone"})
    caught = span("GET", "desk", 3, 4, {}, status={"code": 1})
    caught["events"] = [{"name": "exception", "timeUnixNano": str(ZERO * SECOND), "attributes": said}]
    fine = [{**span("wait", "desk", 4, 5, {}), "spanId": f"w{n}"} for n in range(3)]
    trace = one(tmp_path, request(AGENT, chat("c", "desk", 1, 2, says("Done.")), failed, caught, *fine))
    assert trace.started.extra["other_spans"] == {"GET": 1, "POST": 1, "wait": 3}
    one_, two = trace.started.extra["failed_spans"]  # type: ignore[misc]
    assert (one_["id"], one_["parent"], one_["error"], one_["attributes"]) == (
        *("POST", "desk", "gone", {"http.url": "http://mill"}),
    )
    assert (one_["start"], one_["end"]) == (ZERO + 2, ZERO + 3)
    assert (two["id"], two["error"], two["events"][0]["attributes"]["exception.stacktrace"]) == ("GET", None, "line 1")


def test_raaf_gives_exact_durations_beside_times_in_whole_seconds(tmp_path: Path) -> None:
    def record(event: str, name: str, kind: str, lasts: float | None, **attributes: Any) -> dict[str, Any]:
        moment = "2026-06-01T08:00:01Z"
        held = {"span_id": name, "trace_id": "t", "parent_id": None, "name": name, "kind": kind, "start_time": moment}
        held |= {"end_time": None if lasts is None else moment, "duration_ms": lasts, "attributes": attributes}
        return {"event": event, "timestamp": moment, "span": {**held, "events": [], "status": "ok"}}

    asked = {"llm.request.messages": [{"role": "user", "content": "Mill."}], "llm.response.content": "Milled."}
    spans = [("boss", "agent", 1922.75, {}), ("ask", "llm", 1645.7, asked), ("mill", "tool", 0.18, {})]
    lines = [
        each for n, k, ms, more in spans for each in (record("start", n, k, None), record("end", n, k, ms, **more))
    ]
    trace = one(tmp_path, *lines)
    assert [reply.latency for reply in trace.of(CompletionEvent)] == [pytest.approx(1.6457)]
    assert [run.duration for run in trace.of(ExecutionFinished)] == [pytest.approx(0.00018)]
    assert trace.finished is not None
    assert trace.finished.duration == pytest.approx(1.92275)
    begun = one(tmp_path, lines[0])
    assert (begun.started.time, begun.evidence.times) == (1780300801.0, "present")


def test_what_a_provider_ran_itself_is_its_own(tmp_path: Path) -> None:
    served = {"type": "server_tool_call", "id": "s1", "name": "search", "server_tool_call": {"type": "search"}}
    found = {"type": "server_tool_call_response", "id": "s1", "server_tool_call_response": {"hits": 2}}
    (call,) = one(tmp_path, request(AGENT, chat("a", "desk", 1, 2, served, found, says("Two.")))).calls
    assert (call.by, call.state, call.result) == ("provider", "succeeded", '{"hits":2}')


def test_a_call_that_the_api_refused_carried_nothing_to_a_model(tmp_path: Path) -> None:
    sent = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "flour"}]}]
    held = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": sent, "error.type": "BadRequest"}
    failed = {**span("b", "desk", 5, 6, held), "status": {"code": 2, "message": "400 no"}}
    run = tool("run", "desk", 3, 4, "mill", **{"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "flour"})
    trace = one(tmp_path, request(AGENT, chat("a", "desk", 1, 2, calls("c1", "mill")), run, failed))
    (call,) = trace.calls
    assert (call.state, call.delivered) == ("succeeded", False)
    assert trace.finished
    assert (trace.finished.reason, trace.finished.detail) == ("provider_error", "BadRequest: 400 no")
    assert trace.started.extra["model_errors"][0]["source"] == "b"  # type: ignore[index, call-overload]


def test_a_sub_agent_has_its_own_seat_and_counts_as_an_execution(tmp_path: Path) -> None:
    helper = span("help", "desk", 3, 6, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "miller"})
    spans = [AGENT, chat("a", "desk", 1, 2, says("I ask.")), helper, chat("b", "help", 4, 5, calls("c1", "mill"))]
    trace = one(tmp_path, request(*spans))
    assert [(call.tool, call.by) for call in trace.calls] == [("mill", "subagent"), ("miller", "agent")]
    assert {event.agent_name for event in trace if event.source == "b"} == {"miller"}
    wrapped = tool("wrap", "desk", 2.5, 7, "ask_miller")
    trace = one(tmp_path, request(*spans, wrapped, {**helper, "parentSpanId": "wrap"}))
    assert [event.tool for event in trace.of(ExecutionStarted)] == ["ask_miller"]


def test_a_server_that_passes_a_task_on_is_not_the_agent(tmp_path: Path) -> None:
    server = span("srv", "", 0, 99, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "front"})
    below = [{**AGENT, "parentSpanId": "srv"}, chat("a", "desk", 1, 2, says("Hi."))]
    trace = one(tmp_path, request(server, *below))
    assert (trace.started.agent, trace.answer and trace.answer.text) == ("desk", "Hi.")
    assert {event.agent_name for event in trace} == {""}


def test_a_parent_that_is_not_there_and_circles_of_parents(tmp_path: Path) -> None:
    lost = tool("run", "gone", 3, 4, "mill")
    trace = one(tmp_path, request(AGENT, lost))
    assert "span run names a parent gone" in trace.defect
    assert trace.calls[0].by == "agent"  # it lies within the agent's time
    assert not one(tmp_path, request({**AGENT, "parentSpanId": "caller"})).defect
    round_ = [tool("x", "y", 1, 2, "mill"), tool("y", "x", 1, 2, "mill"), tool("z", "z", 1, 2, "mill")]
    assert len(one(tmp_path, request(*round_)).of(ExecutionStarted)) == 3


def test_what_hangs_below_a_circle_stays_there(tmp_path: Path) -> None:
    def agent(name: str, parent: str) -> dict[str, Any]:
        return span(name, parent, 0, 9, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name})

    runs = [tool(f"run{n}", "x", n, n + 1, "mill") for n in range(1, 4)]
    trace = one(tmp_path, request(*runs, agent("x", "y"), agent("y", "x")))
    assert {call.by for call in trace.calls} == {"agent"}


def test_wrappers_that_failed_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    held = {"gen_ai.operation.name": "chat"}
    wrappers = [{**span(f"w{n}", "desk", 10 * n, 10 * n + 9, held), "status": {"code": 2}} for n in range(8)]
    inner = [chat(f"c{n}{m}", f"w{n}", 10 * n + m, 10 * n + m + 1, says("A")) for n in range(8) for m in (1, 3)]
    failed = one(tmp_path, request(AGENT, *wrappers, *inner)).started.extra["failed_spans"]
    assert [each["id"] for each in failed] == [f"w{n}" for n in range(8)]  # type: ignore[union-attr, index, call-overload]


def test_an_agent_that_answered_did_not_end_with_the_error_of_a_model(tmp_path: Path) -> None:
    said = [{"role": "assistant", "parts": [says("Closed today.")], "finish_reason": "stop"}]
    desk = span("desk", "", 0, 9, {"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": said})
    failed = {**span("b", "desk", 5, 6, {"gen_ai.operation.name": "chat"}), "status": {"code": 2, "message": "busy"}}
    for end, reason in (({}, "answered"), ({"status": {"code": 2}}, "provider_error")):
        trace = one(tmp_path, request({**desk, **end}, failed))
        assert trace.finished
        assert trace.finished.reason == reason
        assert trace.started.extra["model_errors"][0]["source"] == "b"  # type: ignore[index, call-overload]


def test_arguments_that_are_a_list_do_not_cost_the_trace(tmp_path: Path) -> None:
    asked = {**calls("c1", "mill"), "arguments": [1, 2]}
    (call,) = one(tmp_path, request(AGENT, chat("a", "desk", 1, 2, asked))).calls
    assert call.arguments == "[1,2]"


def test_a_number_of_more_than_64_bits_is_text_and_can_be_written(tmp_path: Path) -> None:
    run = tool("run", "desk", 3, 4, "mill")
    run["attributes"].append({"key": "grains", "value": {"intValue": "9" * 400}})
    (begun,) = one(tmp_path, request(AGENT, run)).of(ExecutionStarted)
    assert decode(encode(begun)) == begun
    assert begun.extra["grains"] == "9" * 400


@pytest.mark.parametrize(
    ("mark", "state"), [(True, "failed"), ("true", "failed"), (False, "succeeded"), ("x", "succeeded")]
)
def test_the_tag_error_of_jaeger_marks_a_failure_or_is_kept(mark: Any, state: str, tmp_path: Path) -> None:
    tags = [{"key": "gen_ai.operation.name", "value": "execute_tool"}, {"key": "error", "value": mark}]
    run = {"traceID": "t", "spanID": "s", "operationName": "mill", "startTime": 1, "duration": 1, "tags": tags}
    trace = one(tmp_path, {"data": [{"traceID": "t", "spans": [run], "processes": {}}]})
    assert [call.state for call in trace.calls] == [state]
    assert trace.of(ExecutionStarted)[0].extra == ({"error": "x"} if mark == "x" else {})


@pytest.mark.parametrize(
    "record",
    [
        {
            "name": "a",
            "context": {"span_id": "0x7", "trace_id": "0x2"},
            "kind": "SpanKind.CLIENT",
            "start_time": "soon",
        },
        {"event": "start", "span": {"span_id": "0x7", "trace_id": "t", "kind": "llm", "start_time": "soon"}},
    ],
)
def test_a_span_of_any_container_that_cannot_be_read_is_named(record: dict[str, Any], tmp_path: Path) -> None:
    (error,) = load(tmp_path, [record])
    assert isinstance(error, LoadError)
    assert "span 0x7: a time was expected" in error.problem


def test_spans_of_no_model_tool_or_agent_are_refused_together(tmp_path: Path) -> None:
    (error,) = load(tmp_path, request(span("GET /", "", 0, 1, {"http.request.method": "GET"})))
    assert isinstance(error, LoadError)
    assert "none of its spans" in str(error)


def test_a_long_chain_and_many_siblings_take_linear_time(tmp_path: Path) -> None:
    kinds = ("invoke_agent", "chat", "execute_tool")
    chain = [
        span(f"s{i}", f"s{i - 1}" if i else "", 1 + i / 1e4, 90 - i / 1e4, {"gen_ai.operation.name": kinds[i % 3]})
        for i in range(6000)
    ]
    same = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "same"}
    many = [span(f"m{i}", "s0", 1 + i / 1e4, 80, same) for i in range(6000)]
    assert isinstance(one(tmp_path, request(*chain, *many)), Trace)


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_our_own_export_is_read_back_exactly(sample: Path, tmp_path: Path) -> None:
    traces = [each for each in survey([str(sample)]).load() if isinstance(each, Trace)]
    path = tmp_path / "otlp.jsonl"
    path.write_bytes(b"".join(otlp_lines(traces)))
    back = list(survey([str(path)]).load())
    assert [each.events for each in back if isinstance(each, Trace)] == [trace.events for trace in traces]


def test_events_of_ours_that_are_missing_or_broken_are_named(tmp_path: Path) -> None:
    (trace,) = (each for each in survey([str(SAMPLES / "otel-genai.json")]).load() if isinstance(each, Trace))
    document = json.loads(*otlp_lines([trace]))
    spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    held = next(each for each in spans if each["name"].startswith("execute_tool"))
    gone = held["events"].pop()
    short = one(tmp_path, document)
    assert "1 of the attempt's" in short.defect
    held["events"].append(gone)
    place = next(each for each in gone["attributes"] if each["key"] == "agentlab.position")
    for broken in ([place], [place, {"key": "agentlab.event", "value": {"arrayValue": {}}}], []):
        gone["attributes"] = broken
        (error,) = load(tmp_path, document)
        assert isinstance(error, LoadError)
        assert f"span {held['spanId']}: agentlab." in error.problem


def test_an_end_before_its_beginning_gives_no_duration(tmp_path: Path) -> None:
    (run,) = one(tmp_path, request(AGENT, tool("run", "desk", 4, 3, "mill"))).of(ExecutionFinished)
    assert run.duration is None


def test_every_line_that_cannot_be_read_is_told_where_the_others_tell_nothing(tmp_path: Path) -> None:
    bad = request({"spanId": "x", "name": "y"})
    (error,) = load(tmp_path, request(span("GET /", "", 0, 1, {})), bad, bad)
    assert isinstance(error, LoadError)
    assert "line 2" in error.problem
    assert "and 1 more" in error.problem


def test_events_that_no_convention_reads_are_kept(tmp_path: Path) -> None:
    run = tool("run", "desk", 3, 4, "mill")
    raised = [attribute("exception.message", "dusty"), attribute("exception.stacktrace", "line 1")]
    events = [{"name": name, "attributes": [attribute("n", 2)]} for name in ("sifted", "gen_ai.tool.message")]
    run["events"] = [*events, {"name": "exception", "attributes": raised}]
    (begun,) = one(tmp_path, request(AGENT, run)).of(ExecutionStarted)
    assert begun.extra["events"] == [
        {"name": "sifted", "time": None, "attributes": {"n": 2}},
        {"name": "gen_ai.tool.message", "time": None, "attributes": {"n": 2}},
        {"name": "exception", "time": None, "attributes": {"exception.stacktrace": "line 1"}},
    ]


def test_a_result_that_a_request_left_out_is_still_the_same_later(tmp_path: Path) -> None:
    def asked(name: str, begin: float, *messages: Any) -> dict[str, Any]:
        return chat(name, "desk", begin, begin + 1, says(name), **{"gen_ai.input.messages": list(messages)})

    answer = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "flour"}]}
    task = {"role": "user", "parts": [says("Grind.")]}
    plan = {"role": "user", "parts": [says("Plan.")]}
    run = tool("run", "desk", 3, 4, "mill", **{"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "flour"})
    first = chat("a", "desk", 1, 2, calls("c1", "mill"))
    trace = one(
        tmp_path,
        request(AGENT, first, run, *(asked("b", 5, task, answer), asked("c", 7, plan)), asked("d", 9, task, answer)),
    )
    assert len(trace.of(Observation)) == 1


def test_google_counts_thoughts_apart() -> None:
    (trace,) = survey([str(SAMPLES / "otel-genai.jaeger.json")]).load()
    assert isinstance(trace, Trace)
    first, last = trace.of(CompletionEvent)
    assert (first.usage.output_tokens, last.usage.output_tokens) == (12, 12)  # 8 candidates and 4 thoughts
    assert [call.id for call in trace.calls] == ["c-9"]  # an id that only the client library's span has


def test_further_replies_to_one_request_are_kept_whole(tmp_path: Path) -> None:
    def candidate(word: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"content": {"role": "model", "parts": [*parts]}, "finish_reason": word}

    call = {"function_call": {"id": "c2", "name": "sift", "args": {"n": 1}}}
    response = {"candidates": [candidate("MAX_TOKENS", {"text": "One"}), candidate("STOP", {"text": "Two"}, call)]}
    held = {"gen_ai.operation.name": "chat", "gcp.vertex.agent.llm_response": response}
    (reply,) = one(tmp_path, request(AGENT, span("a", "desk", 1, 2, held))).of(CompletionEvent)
    assert (reply.text, reply.finish_reason, reply.calls) == ("One", "length", ())
    asked = [{"id": "c2", "name": "sift", "arguments": {"n": 1}}]
    assert reply.extra["choices"] == [{"text": "Two", "finish_reason": "stop", "tool_calls": asked}]


def test_spans_of_traceloop_workflows(tmp_path: Path) -> None:
    work = span("flow", "", 0, 9, {"traceloop.span.kind": "workflow", "traceloop.entity.name": "flow"})
    run = span("run", "flow", 3, 4, {"traceloop.span.kind": "tool", "traceloop.entity.name": "mill"})
    run["attributes"] += [attribute("traceloop.entity.input", {"n": 1}), attribute("traceloop.entity.output", "flour")]
    (call,) = one(tmp_path, request(work, run)).calls
    assert (call.tool, call.arguments, call.result, call.by) == ("mill", {"n": 1}, "flour", "not_recorded")


def test_openinference_attributes_in_an_otlp_container(tmp_path: Path) -> None:
    held = {"openinference.span.kind": "TOOL", "tool.name": "mill", "input.value": '{"n": 1}', "output.value": "flour"}
    (call,) = one(tmp_path, request(span("run", "", 3, 4, held))).calls
    assert (call.tool, call.arguments, call.result) == ("mill", {"n": 1}, "flour")


def test_our_export_is_read_by_its_attributes_where_our_events_are_gone(tmp_path: Path) -> None:
    (trace,) = (each for each in survey([str(SAMPLES / "otel-genai.json")]).load() if isinstance(each, Trace))
    document = json.loads(*otlp_lines([trace]))
    for each in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        each["events"] = []
    again = one(tmp_path, document)
    assert states(again) == states(trace)
    assert [reply.text for reply in again.of(CompletionEvent)] == [reply.text for reply in trace.of(CompletionEvent)]
    assert [call.delivered for call in again.calls] == [call.delivered for call in trace.calls]


SAMPLED = {
    # file: per call (id, state, delivered)
    "otel-genai.json": [("c-rye", "succeeded", True), ("c-res", "failed", True)],
    "otel-genai.lines.jsonl": [("c-1", "answered", True)],
    "otel-genai.jaeger.json": [("c-9", "failed", True)],
    "otel-genai.tempo.json": [("c-3", "succeeded", None)],
    "otel-genai.console.txt": [("c-5", "succeeded", False)],
    "otel-genai.raaf.jsonl": [("span_f3", "succeeded", True), ("span_f5", "unanswered", False)],
}


@pytest.mark.parametrize("name", SAMPLED)
def test_the_samples(name: str) -> None:
    (trace,) = survey([str(SAMPLES / name)]).load()
    assert isinstance(trace, Trace)
    assert [(call.id, call.state, call.delivered) for call in trace.calls] == SAMPLED[name]


REAL = {
    # file: per trace (proposed, executed, succeeded, failed, undelivered); counted in the raw attributes
    "adk_helm.json": [(1, 1, 1, 0, 0)],
    "adk_helm_2.json": [(0, 0, 0, 0, 0)],
    "adk_helm_3.json": [(1, 1, 1, 0, 0)],
    "adk_k8s.json": [(0, 0, 0, 0, 0)],
    "adk_tempo_export_with_batches.json": [(1, 1, 1, 0, 0)],
    "helm_reversed_order.json": [(0, 2, 2, 0, 2)],
    "raaf_ruby_span_events.jsonl": [(0, 0, 0, 0, 0), *[(0, 1, 1, 0, 1)] * 7],
}


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    traces = list(survey([str(shared / "traces" / "02_otel_genai" / name)]).load())
    found = []
    for trace in traces:
        assert isinstance(trace, Trace)
        assert not trace.defect
        assert len(trace.of(Observation)) <= len(trace.of(ExecutionFinished))
        count = Counter(call.state for call in trace.calls)
        proposed = sum(call.proposed_in is not None for call in trace.calls)
        executed = sum(call.executed_in is not None for call in trace.calls)
        undelivered = sum(not call.delivered for call in trace.calls)
        found.append((proposed, executed, count["succeeded"], count["failed"], undelivered))
        assert {call.by for call in trace.calls} <= {"agent"}
        blind = [request.recorded for request in trace.of(Request)] == [True, False]
        assert blind == (name == "helm_reversed_order.json")
        assert {call.delivered for call in trace.calls} <= ({None} if blind else {True, False})
    assert found == REAL[name]


def test_the_runs_that_ended_in_an_error_of_the_api(shared: Path) -> None:
    traces = [*survey([str(shared / "traces" / "02_otel_genai" / "raaf_ruby_span_events.jsonl")]).load()]
    ends = [trace.finished.reason if isinstance(trace, Trace) and trace.finished else None for trace in traces]
    assert ends == [None, *["provider_error"] * 7]
