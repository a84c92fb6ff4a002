"""OpenInference spans: nested and flat, smolagents' steps, and the real traces of a benchmark."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.finding import survey
from agentlab.formats.openinference.smolagents import Steps, code_in, positional
from agentlab.formats.spans.acts import ModelAct, Said
from agentlab.formats.spans.tree import SpanRecord, Tree
from agentlab.trace.events import CompletionEvent, ExecutionStarted, Observation, ProtocolErrorEvent, Request
from agentlab.trace.model import Trace

SAMPLES = Path(__file__).parents[3] / "data" / "samples"


def load(path: Path) -> Trace:
    (trace,) = survey([str(path)]).load()
    assert isinstance(trace, Trace), trace
    return trace


def flat(tmp_path: Path, *spans: dict[str, Any]) -> Trace:
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(json.dumps(span) for span in spans))
    return load(path)


def span(name: str, kind: str, begin: int, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "context": {"trace_id": "t", "span_id": name},
        "span_kind": kind,
        "parent_id": None,
        "start_time": f"2026-05-01T10:00:{begin:02}+00:00",
        "end_time": f"2026-05-01T10:00:{begin + 1:02}+00:00",
        "status_code": "OK",
        "attributes": attributes,
        "events": [],
        **more,
    }


def test_the_steps_of_the_nested_sample() -> None:
    trace = load(SAMPLES / "openinference.json")
    formal = trace.calls[3]
    assert (formal.tool, formal.executed_in, formal.by) == ("final_answer", None, "structured_output")
    assert [(call.tool, call.state, call.by) for call in trace.calls if call is not formal] == [
        ("count_stock", "succeeded", "subagent"),
        ("count_stock", "failed", "subagent"),
        ("weigh_stock", "refused", "subagent"),
        ("python_interpreter", "succeeded", "agent"),
        ("stock_helper", "succeeded", "agent"),
        ("python_interpreter", "failed", "agent"),
        ("python_interpreter", "succeeded", "agent"),
        ("final_answer", "succeeded", "agent"),
    ]
    code = trace.of(ExecutionStarted)[0]
    assert (code.call, code.arguments) == ("call_1", 'print(stock_helper(task="Count the rye loaves."))')
    assert [call.delivered for call in trace.calls if call.tool == "python_interpreter"] == [True, True, False]
    (refused,) = trace.of(ProtocolErrorEvent)
    assert (refused.code, refused.source) == ("unparsed", "f000000000000013")
    assert trace.answer
    assert trace.answer.text == "7"
    assert trace.started.task == "How many rye loaves?"


def asked(*messages: dict[str, str]) -> dict[str, Any]:
    """Attributes of a model's span that was sent some messages and answered with their number."""
    said = [(f"llm.input_messages.{place}.message", message) for place, message in enumerate(messages)]
    sent = {f"{prefix}.{name}": value for prefix, message in said for name, value in message.items()}
    reply = "llm.output_messages.0.message"
    return {**sent, f"{reply}.role": "assistant", f"{reply}.content": str(len(messages))}


def test_a_message_that_later_spans_repeat_is_one_message(tmp_path: Path) -> None:
    rules, task = {"role": "system", "content": "Bake."}, {"role": "user", "content": "Rye?"}
    answer, again = {"role": "assistant", "content": "2"}, {"role": "user", "content": "Rye?", "name": "keeper"}
    trace = flat(
        tmp_path,
        span("one", "LLM", 0, asked(rules, task)),
        span("two", "LLM", 2, asked(rules, task, answer, task)),
        span("three", "LLM", 4, asked(rules, answer, task)),
        span("four", "LLM", 6, asked(rules, answer, task, again)),
    )
    requests = trace.of(Request)
    assert [(request.kept, [item.source for item in request.items]) for request in requests] == [
        (0, ["one", "one"]),
        (2, ["two", "two"]),
        (1, ["two", "one"]),
        (3, ["four"]),
    ]
    assert [dict(item.extra) for item in requests[3].items] == [{"name": "keeper"}]
    assert [message.text for message in trace.contexts[requests[2].id]] == ["Bake.", "2", "Rye?"]


def test_the_memory_of_an_agent_is_told_apart() -> None:
    trace = load(SAMPLES / "openinference.json")
    request = trace.by_id[trace.of(CompletionEvent)[-1].request]
    authors = [(item.role, item.author) for item in trace.contexts[request.id]]
    assert authors[-2:] == [("assistant", "model"), ("user", "harness")]
    assert ("tool", "tool") in authors


def test_nested_and_dotted_attributes_and_columns_are_the_same(tmp_path: Path) -> None:
    call = {"id": "q", "function": {"name": "mill", "arguments": '{"n": 1}'}}
    objects = {"llm": {"output_messages": [{"message": {"role": "assistant", "tool_calls": [{"tool_call": call}]}}]}}
    path = "llm.output_messages.0.message."
    dotted = {
        path + "role": "assistant",
        path + "tool_calls.0.tool_call.id": "q",
        path + "tool_calls.0.tool_call.function.name": "mill",
        path + "tool_calls.0.tool_call.function.arguments": '{"n": 1}',
    }
    row = {
        "context.trace_id": "t",
        "context.span_id": "a",
        "span_kind": "LLM",
        "name": "a",
        **{f"attributes.{name}": value for name, value in dotted.items()},
    }
    for each in (span("a", "LLM", 1, objects), span("a", "LLM", 1, dotted), row):
        (found,) = flat(tmp_path, each).calls
        assert (found.id, found.tool, found.arguments) == ("q", "mill", {"n": 1})


def test_a_tool_without_a_call_id_is_paired_by_name_in_order(tmp_path: Path) -> None:
    path = "llm.output_messages.0.message.tool_calls."
    asked = {
        f"{path}{place}.tool_call.{name}": value
        for place, (call, tool) in enumerate([("q1", "sift"), ("q2", "mill"), ("q3", "mill")])
        for name, value in {"id": call, "function.name": tool}.items()
    }
    runs = [span(f"r{n}", "TOOL", n, {"tool.name": "mill", "input.value": "{}"}) for n in (3, 5)]
    stranger = span("r7", "TOOL", 7, {"tool.name": "oven"})
    trace = flat(tmp_path, span("a", "LLM", 1, asked), *runs, stranger)
    states = [(call.id, call.state) for call in trace.calls]
    assert states == [("q1", "unanswered"), ("q2", "succeeded"), ("q3", "succeeded"), ("r7", "succeeded")]
    assert [event.source for event in trace.of(ExecutionStarted)] == ["r3", "r5", "r7"]


def test_where_a_tool_keeps_its_arguments(tmp_path: Path) -> None:
    schema = json.dumps({"grain": {"type": "string"}, "n": {"type": "integer"}})
    python = json.dumps({"args": ["rye"], "sanitize_inputs_outputs": True, "kwargs": {"n": 2}})
    for held, arguments in (
        ({"tool.parameters": schema, "input.value": python}, {"grain": "rye", "n": 2}),
        ({"tool.parameters": schema}, None),
        ({"tool.parameters": '{"grain": "rye"}'}, {"grain": "rye"}),
        ({"input.value": "rye"}, "rye"),
    ):
        (call,) = flat(tmp_path, span("r", "TOOL", 1, {"tool.name": "mill", **held})).calls
        assert call.arguments == arguments
    assert positional({"args": [1, 2], "kwargs": {}}, ["a"]) == {"args": [1, 2]}


@pytest.mark.parametrize("said", ["NaN", "-Infinity", "1e999", "soon"])
def test_a_duration_that_is_none_is_refused(said: str, tmp_path: Path) -> None:
    """A trace whose times are no numbers could be read, and then not be written by any exporter."""
    held = {"span_id": "s", "span_name": "ask", "timestamp": "2026-05-01T10:00:00Z", "span_attributes": {}}
    path = tmp_path / "nested.json"
    path.write_text(json.dumps({"trace_id": "t", "spans": [{**held, "duration": said, "child_spans": []}]}))
    (error,) = survey([str(path)]).load()
    assert isinstance(error, LoadError)
    assert "span s: duration: an ISO 8601 duration was expected" in error.problem


def test_content_that_was_hidden_or_left_out_is_not_recorded(tmp_path: Path) -> None:
    message = "llm.input_messages.0.message"
    for attributes, items in (
        ({"input.value": "Sift.", "output.value": "Sifted."}, ["Sift."]),
        ({"output.value": "Sifted."}, None),
        ({"input.value": "__REDACTED__", "output.value": "__REDACTED__"}, None),
        ({f"{message}.role": "user", f"{message}.content": "__REDACTED__"}, None),
    ):
        trace = flat(tmp_path, span("a", "LLM", 1, attributes))
        (request,) = trace.of(Request)
        assert request.recorded is (items is not None)
        assert items is None or [item.text for item in request.items] == items
        (reply,) = trace.of(CompletionEvent)
        assert reply.text == ("Sifted." if "Sifted." in attributes.values() else "")


def test_tokens_that_came_from_a_cache_are_kept(tmp_path: Path) -> None:
    counts = {"prompt": 90, "completion": 10, "total": 100, "prompt_details.cache_read": 64}
    attributes = {f"llm.token_count.{name}": count for name, count in counts.items()}
    (reply,) = flat(tmp_path, span("a", "LLM", 1, {"output.value": "Sifted.", **attributes})).of(CompletionEvent)
    assert (reply.usage.input_tokens, reply.extra["token_count"]) == (90, {"prompt_details": {"cache_read": 64}})


def test_the_model_of_a_step_is_read_once_or_twice_however_many_there_are() -> None:
    kinds = {"a": "AGENT"}
    spans = [SpanRecord(trace="t", id="a")]
    for n in range(50):
        kinds |= {f"s{n}": "CHAIN", f"m{n}": "LLM"}
        spans.append(SpanRecord(trace="t", id=f"s{n}", parent="a", attributes={"output.value": "Execution logs: rye"}))
        spans.append(SpanRecord(trace="t", id=f"m{n}", parent=f"s{n}"))
    told = [Said(role="tool", call=f"c{n}") for n in range(49)]
    read: Counter[str] = Counter()

    def model(span: SpanRecord) -> ModelAct:
        read[span.id] += 1
        return ModelAct(span=span, context=told)

    steps = Steps(Tree(spans), lambda span: kinds[span.id], model)
    acts = [steps.code(span) for span in spans if kinds[span.id] == "CHAIN"]
    assert [act.call for act in acts if act] == [*(f"c{n}" for n in range(49)), ""]
    assert max(read.values()) == 2


def test_code_blocks() -> None:
    assert code_in("Thought\n```py\na = 1\n```\nand\n```python\nb\n```\n") == "a = 1\n\nb"
    assert code_in("```json\n{}\n```") == ""
    assert code_in("a```" * 50_000) == ""
    assert not code_in("```py\n" * 50_000).strip()


def test_real_file(shared: Path) -> None:
    trace = load(shared / "traces" / "03_openinference" / "trail_gaia_0242ca2533fac5b8b604a9060b3e15d6.json")
    # counted by hand: three steps ran code, one FinalAnswerTool span; two results came back in a later request
    assert Counter(call.tool for call in trace.calls) == {"python_interpreter": 3, "final_answer": 1}
    assert {call.state for call in trace.calls} == {"succeeded"}
    assert sum(not call.delivered for call in trace.calls) == 2
    assert (trace.evidence.proposals, trace.evidence.executions) == ("not_recorded", "present")


def test_labelled_traces(shared: Path) -> None:
    """Counted in the raw files: 232 TOOL spans, 116 steps that ran code, 23 managed agents; 70 + 11 failed."""
    states: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    proposed = rejected = seen = formal = 0
    paths = sorted((shared / "labelled" / "trail" / "traces").glob("*.json.xz"))
    for path in paths:
        trace = load(path)
        assert not trace.defect
        states.update(call.state for call in trace.calls)
        tools.update(event.tool for event in trace.of(ExecutionStarted))
        formal += sum(call.by == "structured_output" and call.executed_in is None for call in trace.calls)
        proposed += sum(call.proposed_in is not None for call in trace.calls)
        rejected += len(trace.of(ProtocolErrorEvent))
        named = [(event.execution, event.text) for event in trace.of(Observation) if event.execution]
        assert len(named) == len({*named})  # each result once, though every request repeats it
        seen += len(named)
        assert {len(event.source) for event in trace.events[1:]} == {16}
    assert len(paths) == 57
    assert (states["succeeded"], states["failed"]) == (290, 81)
    assert (sum(states.values()), formal) == (393, 22)  # what did not run is final answers in the form of a call
    assert (proposed, rejected) == (190, 2)
    assert (tools["python_interpreter"], tools["search_agent"], sum(tools.values())) == (116, 23, 371)
    assert seen >= 200


@pytest.mark.parametrize("kind", ["CHAIN", "EMBEDDING"])
def test_other_kinds_are_counted(kind: str, tmp_path: Path) -> None:
    trace = flat(tmp_path, span("w", kind, 1, {}), span("a", "LLM", 2, {"output.value": "Hi."}))
    assert trace.started.extra["other_spans"] == {"w": 1}
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["Hi."]


def test_whole_traces_are_told_one_by_one(tmp_path: Path) -> None:
    nested = json.loads((SAMPLES / "openinference.json").read_text())
    other = json.loads(json.dumps(nested).replace(nested["trace_id"], "another"))
    broken = {"trace_id": "third", "spans": [{"span_id": "a", "span_attributes": {}, "child_spans": [{}]}]}
    path = tmp_path / "traces.jsonl"
    path.write_text("\n".join(map(json.dumps, (nested, broken, other))))
    kinds = [type(each).__name__ for each in survey([str(path)]).load()]
    assert kinds == ["Trace", "LoadError", "Trace"]
