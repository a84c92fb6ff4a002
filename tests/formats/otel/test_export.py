"""Exported spans parse into the official protobuf messages and carry the GenAI attributes."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status, TracesData

from agentlab.formats.finding import survey
from agentlab.formats.otel.export import otlp_lines
from agentlab.formats.otel.inputs import Messages
from agentlab.formats.reading import read_traces
from agentlab.strictjson import digest
from agentlab.trace.events import AttemptStarted, CompletionEvent, ExecutionFinished, ExecutionStarted, Request
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence
from tests.trace.samples import ATTEMPT, FORGED, played, trace_of

SAMPLES = Path(__file__).parents[3] / "data" / "samples"
FILES = sorted(path for path in SAMPLES.iterdir() if path.name != "README.md")


def official(line: bytes) -> TracesData:
    """The official message. OTLP JSON has ids in hex where protobuf's own JSON takes base64, and takes wrong ones."""

    def encoded(value: Any) -> Any:
        if isinstance(value, list):
            return [encoded(each) for each in value]
        if not isinstance(value, dict):
            return value
        digits = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
        for name in digits.keys() & value.keys():
            assert len(value[name]) == digits[name]
            assert set(value[name]) <= set("0123456789abcdef")
        return {
            name: base64.b64encode(bytes.fromhex(each)).decode() if name in digits else encoded(each)
            for name, each in value.items()
        }

    return ParseDict(encoded(json.loads(line)), TracesData())


def spans_of(trace: Trace, messages: Messages = "all") -> list[Span]:
    (line,) = otlp_lines([trace], messages=messages)
    assert line.count(b"\n") == 1
    (resource,) = official(line).resource_spans
    (scope,) = resource.scope_spans
    return list(scope.spans)


def held(span: Span) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def _traces() -> Iterator[Any]:
    for path in FILES:
        for number, trace in enumerate(survey([str(path)]).load()):
            if isinstance(trace, Trace):
                yield pytest.param(trace, id=f"{path.name}-{number}")


TRACES = list(_traces())


@pytest.mark.parametrize("trace", TRACES)
def test_every_sample_parses_into_the_official_messages(trace: Trace) -> None:
    spans = spans_of(trace)
    ids = {span.span_id for span in spans}
    assert len(ids) == len(spans)
    assert all(len(span.trace_id) == 16 and len(span.span_id) == 8 for span in spans)
    assert {len(span.parent_span_id) for span in spans} <= {0, 8}
    assert [span.span_id for span in spans if not span.parent_span_id] == [spans[0].span_id]
    assert all(span.parent_span_id in ids for span in spans[1:])
    assert all(0 < span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)


@pytest.mark.parametrize("trace", TRACES)
def test_every_request_and_every_execution_is_a_span_with_its_attributes(trace: Trace) -> None:
    kinds = [held(span) for span in spans_of(trace)]
    assert all(each["gen_ai.operation.name"] in {"invoke_agent", "chat", "execute_tool"} for each in kinds)
    chats = [each for each in kinds if each["gen_ai.operation.name"] == "chat"]
    tools = [each for each in kinds if each["gen_ai.operation.name"] == "execute_tool"]
    requests, executions = trace.of(Request), trace.of(ExecutionStarted)
    replies = {reply.request: reply for reply in trace.of(CompletionEvent)}
    assert (len(chats), len(tools)) == (len(requests), len(executions))
    for request, chat in zip(requests, chats, strict=True):
        context = json.loads(chat.get("gen_ai.input.messages", "null"))
        assert (context is not None) == request.recorded
        assert len(context or ()) == len(trace.contexts[request.id])
        reply = replies.get(request.id)
        if reply is None or reply.text is None:
            assert "gen_ai.output.messages" not in chat
            continue
        (message,) = json.loads(chat["gen_ai.output.messages"])
        calls = [part for part in message["parts"] if part["type"] == "tool_call"]
        assert [call["name"] for call in calls] == [call.tool for call in reply.calls]
    for execution, tool in zip(executions, tools, strict=True):
        assert (tool["gen_ai.tool.name"], tool["gen_ai.tool.call.id"]) == (execution.tool, execution.call)


def test_an_attempt_of_our_own() -> None:
    root, *rest = spans_of(played())
    assert root.name == "invoke_agent react"
    assert [span.name for span in rest if held(span)["gen_ai.operation.name"] == "chat"] == ["chat script"] * len(
        played().of(CompletionEvent)
    )
    refused = [span for span in rest if span.status.code == Status.STATUS_CODE_ERROR]
    assert [held(span)["error.type"] for span in refused] == ["forged_observation"]
    assert "gen_ai.output.messages" not in held(refused[0])
    texts = [each for each in refused[0].events if each.name == "agentlab.quarantine"]
    assert [pair.value.string_value for pair in texts[0].attributes if pair.key == "agentlab.text"] == [FORGED]
    tool = next(held(span) for span in rest if span.name.startswith("execute_tool"))
    assert json.loads(tool["gen_ai.tool.call.arguments"]) == {"pond": 7}


def test_without_times_the_order_is_kept_and_said_to_be_all_there_is() -> None:
    trace = played()
    bare = replace(trace, events=tuple(replace(event, time=None) for event in trace))
    start = replace(bare.started, evidence=Evidence(proposals="present", executions="present"))
    bare = replace(bare, events=(start, *bare.events[1:]))
    resource = official(*otlp_lines([bare])).resource_spans[0].resource
    said = {each.key: each.value.string_value for each in resource.attributes}
    assert said["agentlab.times"] == "not_recorded"
    begins = [span.start_time_unix_nano for span in spans_of(bare)[1:] if span.name.startswith("chat")]
    assert begins == sorted(begins)
    assert len(set(begins)) == len(begins)


def test_ids_depend_on_the_trace_alone() -> None:
    assert [*otlp_lines([played()])] == [*otlp_lines([played()])]
    other = replace(played().started, attempt="attempt_" + "e" * 32)
    changed = replace(played(), events=(other, *played().events[1:]))
    assert {span.trace_id.hex() for span in spans_of(changed)} == {"e" * 32}
    assert not {span.span_id for span in spans_of(changed)} & {span.span_id for span in spans_of(played())}


# --- several traces, and ids that foreign records chose ---


def back(traces: list[Trace], folder: Path, messages: Messages = "auto") -> list[Trace]:
    path = folder / "spans.jsonl"
    path.write_bytes(b"".join(otlp_lines(traces, messages=messages)))
    return list(read_traces(path))


def test_traces_with_one_id_all_survive_each_with_its_own_id(tmp_path: Path) -> None:
    other = replace(played().started, task="How many ducks?")
    changed = replace(played(), events=(other, *played().events[1:]))
    traces = [played(), played(), changed]
    again = back(traces, tmp_path)
    assert [trace.events for trace in again] == [trace.events for trace in traces]
    assert [trace.id for trace in again] == [ATTEMPT] * 3
    spans = [official(line).resource_spans[0] for line in otlp_lines(traces)]
    ids = [each.scope_spans[0].spans[0].trace_id.hex() for each in spans]
    assert (len(set(ids)), ids[0]) == (3, "0a" * 16)
    copies = [{pair.key: pair.value.int_value for pair in each.resource.attributes} for each in spans]
    assert [said.get("agentlab.copy") for said in copies] == [None, 1, 2]
    assert [*otlp_lines(traces)] == [*otlp_lines(traces)]


def test_foreign_ids_that_look_like_those_of_our_events_hide_no_span(tmp_path: Path) -> None:
    asked = [Request(items=()), Request(items=())]
    reply = CompletionEvent(request="e2", digest=digest("a"), characters=1, accepted=True, text="a")
    second = replace(reply, request="e3", digest=digest("b"), text="b")
    runs = [ExecutionStarted(execution=name, call=name, tool=name, arguments={}) for name in ("e2", "e4", "e2")]
    ends = [ExecutionFinished(execution=name, status="succeeded", result=name) for name in ("e2", "e4")]
    trace = trace_of(*asked, reply, second, *runs, *ends)
    (again,) = back([trace], tmp_path)
    assert again.events == trace.events
    assert len(spans_of(trace)) == 6
    results = [held(span).get("gen_ai.tool.call.result") for span in spans_of(trace)[3:]]
    assert results == [None, "e4", "e2"]  # of two executions under one id the later one ended


def test_two_replies_to_one_request_are_two_spans() -> None:
    texts = ("fog", "rain")
    replies = [
        CompletionEvent(request="e2", digest=digest(text), characters=len(text), accepted=True, text=text)
        for text in texts
    ]
    chats = [held(span) for span in spans_of(trace_of(Request(items=()), *replies))[1:]]
    assert [json.loads(chat["gen_ai.output.messages"])[0]["parts"][0]["content"] for chat in chats] == [*texts]


TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_ids_of_foreign_spans_are_kept(tmp_path: Path) -> None:
    (trace,) = read_traces(SAMPLES / "otel-genai.json")
    given = {event.source for event in trace.of(Request)} | {event.source for event in trace.of(ExecutionStarted)}
    assert len(given) > 2
    assert given < {span.span_id.hex() for span in spans_of(trace)}
    assert {span.trace_id.hex() for span in spans_of(trace)} == {trace.started.source}
    (again,) = back([trace], tmp_path)
    assert again.events == trace.events


@pytest.mark.parametrize(
    ("source", "kept"),
    [(TRACE_ID, True), (TRACE_ID.upper(), True), ("0" * 32, False), (TRACE_ID + "0", False), ("session 7", False)],
)
def test_only_what_is_a_trace_id_is_kept(source: str, kept: bool) -> None:
    trace = trace_of()
    trace = replace(trace, events=(replace(trace.started, source=source),))
    assert (spans_of(trace)[0].trace_id.hex() == TRACE_ID) == kept


def test_one_foreign_id_names_one_span() -> None:
    name = "00f067aa0ba902b7"
    runs = [
        ExecutionStarted(execution=str(i), call="c", tool="t", arguments={}, source=each)
        for i, each in enumerate((name, name, "0" * 16, name.upper()))
    ]
    ids = [span.span_id.hex() for span in spans_of(trace_of(*runs))]
    assert (len(set(ids)), ids.count(name), "0" * 16 in ids) == (5, 1, False)


# --- times ---


@pytest.mark.parametrize(
    ("time", "written"),
    [
        (1_766_700_000.123456, 1_766_700_000_123_456_000),
        (1_700_000_000.1, 1_700_000_000_100_000_000),
        (0.0, 1_000),
        (-5.0, 1_000),
        (1e308, 9_223_372_036_000_000_000),
    ],
)
def test_times_are_whole_microseconds_that_every_reader_holds(time: float, written: int, tmp_path: Path) -> None:
    trace = trace_of()
    start = replace(trace.started, time=time, evidence=Evidence(times="present"))
    trace = replace(trace, events=(start,))
    assert [span.start_time_unix_nano for span in spans_of(trace)] == [written]
    (again,) = back([trace], tmp_path)
    assert again.started.time == time


def test_an_agent_stands_below_the_execution_that_started_it() -> None:
    (trace,) = read_traces(SAMPLES / "langfuse.export.json")
    names = {span.span_id: span.name for span in spans_of(trace)}
    above = {span.name: names.get(span.parent_span_id) for span in spans_of(trace)}
    assert above["invoke_agent ask_pilot"] == "execute_tool ask_pilot"


# --- what other readers get ---


@pytest.mark.parametrize("messages", ["all", "new"])
@pytest.mark.parametrize(
    "name",
    [
        *("agentdojo.log.json", "atif.json", "claude-code.agent.jsonl", "inspect.pooled.eval", "langchain.state.json"),
        *("langfuse.export.json", "langfuse.rows.jsonl", "openai-chat.json", "openai-responses.json"),
        *("openhands.rows.jsonl", "otel-genai.json", "otel-genai.jaeger.json", "swe-agent.old.traj"),
        *("tau-bench.lines.jsonl", "tau2-bench.voice.json"),
    ],
)
def test_the_attributes_alone_tell_the_same_calls(name: str, messages: Messages, tmp_path: Path) -> None:
    traces = list(read_traces(SAMPLES / name))
    assert traces
    for trace in traces:
        path = tmp_path / "bare.json"
        path.write_text(json.dumps(bare(*otlp_lines([trace], messages=messages))))
        assert "agentlab" not in path.read_text().replace('"scope": {"name": "agentlab"', "")
        (again,) = read_traces(path)
        assert again.started.format == "otel-genai"
        told = [
            [(call.tool, call.arguments, call.state, call.result) for call in each.calls] for each in (trace, again)
        ]
        assert told[0] == told[1]


def bare(line: bytes) -> Any:
    """Without anything that is ours."""

    def kept(value: Any) -> Any:
        if isinstance(value, list):
            return [kept(each) for each in value if not _is_ours(each)]
        return {name: kept(each) for name, each in value.items()} if isinstance(value, dict) else value

    return kept(json.loads(line))


def _is_ours(value: Any) -> bool:
    named = value.get("key") or value.get("name", "") if isinstance(value, dict) else ""
    return named.startswith("agentlab.")


def test_a_record_that_promises_times_and_has_none_is_written() -> None:
    timeless = [replace(event, time=None) for event in played()]
    start = timeless[0]
    assert isinstance(start, AttemptStarted)
    timeless[0] = replace(start, evidence=replace(start.evidence, times="present"))
    trace = replace(played(), events=tuple(timeless))
    assert trace.evidence.times == "present"
    assert spans_of(trace)[0].start_time_unix_nano == 1_000_000
