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
from agentlab.formats.otel.export import otlp_line
from agentlab.trace.events import CompletionEvent, ExecutionStarted, Request
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence
from tests.trace.samples import FORGED, played

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


def spans_of(trace: Trace) -> list[Span]:
    line = otlp_line(trace)
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
        assert len(json.loads(chat["gen_ai.input.messages"])) == len(trace.contexts[request.id])
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
    resource = official(otlp_line(bare)).resource_spans[0].resource
    said = {each.key: each.value.string_value for each in resource.attributes}
    assert said["agentlab.times"] == "not_recorded"
    begins = [span.start_time_unix_nano for span in spans_of(bare)[1:] if span.name.startswith("chat")]
    assert begins == sorted(begins)
    assert len(set(begins)) == len(begins)


def test_ids_depend_on_the_trace_alone() -> None:
    assert otlp_line(played()) == otlp_line(played())
    other = replace(played().started, attempt="attempt_" + "e" * 32)
    changed = replace(played(), events=(other, *played().events[1:]))
    assert {span.trace_id.hex() for span in spans_of(changed)} == {"e" * 32}
    assert not {span.span_id for span in spans_of(changed)} & {span.span_id for span in spans_of(played())}
