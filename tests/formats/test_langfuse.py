from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.source import Source
from agentlab.formats.finding import survey
from agentlab.formats.langfuse.load import LANGFUSE
from agentlab.formats.reading import read_traces
from agentlab.messages import Usage
from agentlab.trace.events import CompletionEvent, ExecutionFinished, ExecutionStarted, Observation, Request
from agentlab.trace.model import Trace

ASK = {"role": "user", "content": "Is the kettle on?"}


def obs(name: str, kind: str = "GENERATION", start: float = 0, end: float | None = None, **more: Any) -> dict[str, Any]:
    """An observation; times are seconds after noon."""

    def moment(after: float) -> str:
        return f"2026-03-01T12:00:{after:06.3f}Z"

    fields = {"id": name, "traceId": "t", "type": kind, "name": more.pop("called", name), "startTime": moment(start)}
    attributes, scope = more.pop("attributes", None), more.pop("scope", "")
    if attributes is not None or scope:
        more["metadata"] = json.dumps({"attributes": attributes or {}, "scope": {"name": scope}})
    parent = more.pop("parent", None)
    return {**fields, "endTime": moment(start + 1 if end is None else end), "parentObservationId": parent, **more}


def export(*observations: Any) -> dict[str, Any]:
    trace = {"id": "t", "projectId": "p", "name": "kitchen", "timestamp": "2026-03-01T12:00:00Z", "public": True}
    return {"trace": trace, "observations": list(observations)}


def load(folder: Path, *values: Any) -> list[Trace | LoadError]:
    path = folder / "export.json"
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return list(LANGFUSE.load(Source.at(path)))


def one(folder: Path, *observations: Any) -> Trace:
    (trace,) = load(folder, export(*observations))
    assert isinstance(trace, Trace), trace
    return trace


def openai_calls(*calls: tuple[str, str], text: str = "") -> dict[str, Any]:
    listed = [{"id": i, "type": "function", "function": {"name": n, "arguments": '{"x": 1}'}} for i, n in calls]
    return {"role": "assistant", "content": text, "tool_calls": listed}


def states(trace: Trace) -> list[tuple[str, str, str]]:
    return [(call.tool, call.state, call.by) for call in trace.calls]


# --- identity, times, fields


def test_texts_hold_json_and_sometimes_twice(tmp_path: Path) -> None:
    once = json.dumps([ASK])
    trace = one(tmp_path, obs("g", input=json.dumps(once), output=json.dumps(json.dumps(openai_calls(("c", "boil"))))))
    (request,) = trace.of(Request)
    assert [(item.role, item.text) for item in request.items] == [("user", "Is the kettle on?")]
    assert states(trace) == [("boil", "unanswered", "agent")]


def test_a_reply_that_is_the_models_own_json_stays_byte_for_byte(tmp_path: Path) -> None:
    written = '{"message":  "on", "text": "x", "content": "y"}'
    (reply,) = one(tmp_path, obs("g", input=[ASK], output=written)).of(CompletionEvent)
    assert reply.text == written


def test_events_carry_the_observations_id_and_times(tmp_path: Path) -> None:
    trace = one(tmp_path, obs("g", start=1, end=3.5, input=[ASK], output={"role": "assistant", "content": "On."}))
    (request,), (reply,) = trace.of(Request), trace.of(CompletionEvent)
    assert (request.source, reply.source, request.time, reply.time, reply.latency) == (
        *("g", "g", 1772366401.0, 1772366403.5, 2.5),
    )
    assert trace.answer is not None
    assert trace.answer.text == "On."
    assert trace.started.agent == "kitchen"


def test_an_observation_that_stands_twice_is_one(tmp_path: Path) -> None:
    first = obs("g", input=[ASK], output=None, model="m")
    later = obs("g", input=None, output=openai_calls(("c", "boil")))
    trace = one(tmp_path, first, later)
    assert len(trace.of(CompletionEvent)) == 1
    assert trace.of(CompletionEvent)[0].model == "m"
    assert len(trace.calls) == 1


def test_what_is_neither_model_call_nor_execution_is_kept(tmp_path: Path) -> None:
    chain = obs("s", "CHAIN", called="brew", input={"state": 1}, level="WARNING")
    found = obs("r", "RETRIEVER", called="shelf", input="tea", output=["green"])
    trace = one(tmp_path, chain, found, obs("g", parent="s", input=[ASK], output="On.", version="7"))
    kept = trace.started.extra["observations"]
    assert isinstance(kept, list)
    assert [(each["name"], each.get("output")) for each in kept if isinstance(each, dict)] == [
        *(("brew", None), ("shelf", ["green"])),
    ]
    assert trace.of(CompletionEvent)[0].extra["version"] == "7"


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"input": 10, "output": 4, "total": 14, "prompt_details.cache_read": 8}, (10, 4)),
        ({"input": 10, "input_cache_read": 5, "output": 4, "output_reasoning": 6, "total": 25}, (15, 10)),
        ({"input": 5, "output": 8, "total": 20}, (5, 15)),  # Google's total has the thoughts too
        ({"input": 12, "total": 12}, (12, None)),
        ({"input": 0, "output": 0, "total": 0}, (None, None)),
    ],
)
def test_tokens_count_cached_and_reasoning_ones_in(tmp_path: Path, details: Any, expected: Any) -> None:
    (reply,) = one(tmp_path, obs("g", input=[ASK], output="On.", usageDetails=details)).of(CompletionEvent)
    assert reply.usage == Usage(input_tokens=expected[0], output_tokens=expected[1])


def test_latency_in_other_units_is_not_read(tmp_path: Path) -> None:
    (reply,) = one(tmp_path, obs("g", end=2, input=[ASK], output="On.", latency=2000)).of(CompletionEvent)
    assert reply.latency == 2.0


# --- containers


def test_a_trace_with_its_observations_inside_and_rows_of_a_table(tmp_path: Path) -> None:
    whole = export(obs("g", input=[ASK], output="On."))
    inside = {**whole["trace"], "observations": whole["observations"]}
    rows = [obs("a", input=[ASK], output="On."), {**obs("b", input=[ASK], output="Off."), "traceId": "u"}]
    assert [len(trace.of(CompletionEvent)) for trace in load(tmp_path, inside) if isinstance(trace, Trace)] == [1]
    assert [trace.id for trace in load(tmp_path, *rows) if isinstance(trace, Trace)] == [
        trace.id for trace in load(tmp_path, rows) if isinstance(trace, Trace)
    ]
    assert len(load(tmp_path, *rows)) == 2


def test_a_broken_line_loses_no_other(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    good = json.dumps(export(obs("g", input=[ASK], output="On.")))
    other = good.replace('"t"', '"v"')
    path.write_text(f'{good}\n{{"trace": \n{json.dumps(export())}\n{other}\n')
    found = list(LANGFUSE.load(Source.at(path)))
    assert [isinstance(each, Trace) for each in found] == [True, False, False, True]
    assert "line 3" in str(found[2])


def test_an_error_names_the_observation(tmp_path: Path) -> None:
    bad = obs("g7", input=[ASK], output={"role": "assistant", "content": 5})
    (error,) = load(tmp_path, export(bad))
    assert isinstance(error, LoadError)
    assert "observation g7: content" in str(error)


def test_a_broken_observation_is_a_defect_of_its_trace(tmp_path: Path) -> None:
    bad = obs("g7", start=1, input=[ASK], output={"role": "assistant", "content": 5})
    late = {**obs("g8", input=[ASK], output="On."), "startTime": "soon"}
    trace = one(tmp_path, bad, late, 5, obs("g9", start=9, input=[ASK], output="On."))
    assert [reply.source for reply in trace.of(CompletionEvent)] == ["g9"]
    assert trace.defect.startswith("3 observations could not be read: observation g8: a time was expected")


# --- pairing, frameworks


def test_calls_without_ids_are_paired_by_tool_and_order(tmp_path: Path) -> None:
    """Claude's agent: one reply a call, executions without ids, later requests that were lost by the exporter."""

    def turn(name: str, start: float, city: str, given: Any) -> dict[str, Any]:
        use = {"type": "tool_use", "id": f"id-{city}", "name": "mcp__tea__pour", "input": {"city": city}}
        return obs(name, start=start, end=start + 5, input=given, output={"role": "assistant", "content": [use]})

    trace = one(
        tmp_path,
        turn("g1", 1, "Ulm", ASK),
        turn("g2", 2, "Bari", {"content": "role"}),
        obs(
            "t1", "TOOL", 3, called="mcp__tea__pour", input={"input": {"city": "Ulm"}}, output="ulm", scope="langsmith"
        ),
        obs("t2", "TOOL", 4, called="mcp__tea__pour", input={"input": {"city": "Bari"}}, output="bari"),
        obs("g3", start=6, input={"content": "role"}, output={"role": "assistant", "content": "Poured."}),
    )
    assert [(call.id, call.result, call.delivered) for call in trace.calls] == [
        *(("id-Ulm", "ulm", None), ("id-Bari", "bari", None)),
    ]
    assert trace.of(ExecutionStarted)[0].arguments == {"city": "Ulm"}
    assert trace.of(Request)[1].extra == {"input": {"content": "role"}}


def test_an_execution_of_an_earlier_step_takes_no_later_one_with_it(tmp_path: Path) -> None:
    later = [ASK, openai_calls(("", "boil")), {"role": "user", "content": "Well?"}]
    trace = one(
        tmp_path,
        obs("g1", start=1, input=[ASK], output=openai_calls(("", "boil"))),
        obs("g2", start=3, input=later, output=openai_calls(("", "boil"))),
        obs("t", "TOOL", 5, called="boil", input={}, output="hot"),
    )
    assert [call.state for call in trace.calls] == ["dropped", "succeeded"]


def test_google_has_other_ids_in_the_execution(tmp_path: Path) -> None:
    answer = {"function_response": {"name": "boil", "response": {"is": "hot"}}}
    said = {"role": "user", "parts": [{"text": "Boil."}]}
    called = {"role": "model", "parts": [{"function_call": {"name": "boil", "args": {}}}]}
    trace = one(
        tmp_path,
        obs("g1", start=1, end=3, input={"contents": [said], "config": {"system_instruction": "Be quick."}},
            output={"content": called, "finish_reason": "STOP"}, scope="gcp.vertex.agent"),
        obs("t1", "TOOL", 2.5, 2.9, called="execute_tool boil", parent="g1", input={}, output={}, attributes={
            "gen_ai.tool.call.id": "adk-1", "gen_ai.tool.name": "boil",
            "gcp.vertex.agent.tool_response": '{"is": "hot"}'}),
        obs("t2", "TOOL", 2.9, 2.9, called="execute_tool (merged tools)", parent="g1"),
        obs("g2", start=4, input={"contents": [said, called, {"role": "user", "parts": [answer]}]},
            output={"candidates": [{"content": {"role": "model", "parts": [{"text": "Hot."}]}}]}),
    )  # fmt: skip
    assert [(call.tool, call.state, call.result, call.delivered) for call in trace.calls] == [
        ("boil", "succeeded", '{"is": "hot"}', True)
    ]
    assert trace.contexts[trace.of(Request)[0].id][0].text == "Be quick."
    assert trace.answer is not None
    assert trace.answer.text == "Hot."


def test_c_sharp_names_calls_like_tools_and_says_errors_in_the_payload(tmp_path: Path) -> None:
    def call(name: str) -> dict[str, Any]:
        return {"role": "assistant", "parts": [{"type": "tool_call", "id": name, "name": name, "arguments": {"a": 1}}]}

    failed = '{\n  "response_status": "Error",\n  "message": "no data"\n}'
    answer = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "report", "response": json.loads(failed)}]}
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "report"}
    form = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "final_result"}
    user = {"role": "user", "parts": [{"type": "text", "content": "Report."}]}
    trace = one(
        tmp_path,
        obs("g1", start=1, parent="lost", input=[user], output=[call("report")]),
        obs("t1", "TOOL", 2, called="report", parent="lost", input="{}", output=failed, attributes=attributes),
        obs("g2", start=4, parent="lost", input=[user, call("report"), answer], output=[call("report")]),
        obs("t2", "TOOL", 5, called="report", parent="lost", input="{}", output='{"rows": 3}', attributes=attributes),
        obs("g3", start=7, parent="lost", input=[user], output=[call("final_result")]),
        obs("t3", "TOOL", 8, 8, called="final_result", parent="lost", input="{}", output="null", attributes=form),
    )
    assert states(trace) == [
        ("report", "failed", "agent"),
        ("report", "succeeded", "agent"),
        ("final_result", "unanswered", "structured_output"),
    ]
    assert trace.calls[0].error == failed
    assert [call.delivered for call in trace.calls] == [True, False, False]


def test_koog_writes_calls_as_texts(tmp_path: Path) -> None:
    def call(name: str, number: str, role: str) -> dict[str, Any]:
        body = [{"function": {"name": name, "arguments": '{"to": "Ada"}'}, "id": number, "type": "function"}]
        return {"role": role, "content": json.dumps(body)}

    later = [ASK, call("Hail", "k1", "tool"), {"role": "tool", "content": "Hail!"}]
    tool = {"gen_ai.tool.name": "Hail", "gen_ai.tool.call.id": "k1"}
    trace = one(
        tmp_path,
        obs("g1", start=1, input=[ASK], scope="ai.koog",
            output=[call("Hail", "k1", "assistant"), call("Wave", "k2", "assistant")]),
        obs("t1", "SPAN", 2, called="tool.Hail", input='{"to": "Ada"}', output="Hail!", attributes=tool),
        obs("g2", start=4, input=later, output=[{"role": "assistant", "content": "Done."}], scope="ai.koog"),
    )  # fmt: skip
    assert states(trace) == [("Hail", "succeeded", "agent"), ("Wave", "dropped", "agent")]
    assert trace.calls[0].delivered


def test_calls_in_a_text_are_only_kooges(tmp_path: Path) -> None:
    text = json.dumps([{"function": {"name": "Hail", "arguments": "{}"}, "id": "k1", "type": "function"}])
    trace = one(tmp_path, obs("g", input=[ASK], output=[{"role": "assistant", "content": text}]))
    assert not trace.calls
    assert trace.of(CompletionEvent)[0].text == text


def test_a_wrapper_around_a_model_call_is_no_second_one(tmp_path: Path) -> None:
    asked = [{"toolCallId": "v1", "toolName": "boil", "input": '{"x": 1}'}]
    tool = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "boil", "ai.toolCall.id": "v1"}
    prompt = {"prompt": "Boil."}
    answered = {
        "type": "tool-result",
        "toolCallId": "v1",
        "toolName": "boil",
        "output": {"type": "text", "value": "hot"},
    }
    said = {"role": "user", "content": [{"type": "text", "text": "Boil."}]}
    inner = {"parent": "w", "called": "ai.generateText.doGenerate", "scope": "ai"}
    run = {"parent": "w", "called": "ai.toolCall", "scope": "ai", "attributes": tool}
    trace = one(
        tmp_path,
        obs("w", start=0, end=9, called="ai.generateText", input=prompt, output="Hot.", usageDetails={"input": 1}),
        obs("g1", start=1, input=[said], output=asked, **inner),
        obs("t", "SPAN", 2.5, 2.5, input={"x": 1}, output="hot", **run),
        obs("g2", start=3, input=[said, {"role": "tool", "content": [answered]}], output="Hot.", **inner),
    )
    assert len(trace.of(CompletionEvent)) == 2
    assert [(call.state, call.delivered, call.result) for call in trace.calls] == [("succeeded", True, "hot")]


def test_of_two_records_of_one_call_the_fuller_one_counts(tmp_path: Path) -> None:
    printed = "role='user' content='It\\'s tea\\n\\u00e9' name=None tool_call_id=None tool_calls=None"
    response = {"choices": [{"message": openai_calls(("c", "boil")), "finish_reason": "tool_calls"}], "model": "m-1"}
    trace = one(
        tmp_path,
        obs(
            "w", start=0, end=3, input={"messages": [printed]}, output=response, usageDetails={"input": 99, "output": 9}
        ),
        obs(
            "g",
            start=1,
            end=2,
            parent="w",
            input="user: It's tea",
            output="None",
            usageDetails={"input": 5, "output": 2},
        ),
    )
    (reply,) = trace.of(CompletionEvent)
    assert (reply.source, reply.usage.input_tokens, reply.latency) == ("w", 5, 1.0)
    assert reply.finish_reason == "tool_calls"
    assert trace.of(Request)[0].items[0].text == "It's tea\né"
    assert states(trace) == [("boil", "unanswered", "agent")]


def lc(kind: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", kind], "kwargs": fields}


def test_langgraph_where_only_the_node_is_recorded(tmp_path: Path) -> None:
    good = lc("ToolMessage", content="hot", tool_call_id="c1", name="boil", status="success")
    bad = lc("ToolMessage", content="burnt", tool_call_id="c2", name="boil", status="error")
    unknown = lc(
        "ToolMessage", content="Error: fry is not a valid tool, try one of [boil].", tool_call_id="c3", status="error"
    )
    node = {"langgraph_node": "tools", "langgraph_step": 2}
    state = {"messages": [good, bad, unknown]}
    trace = one(
        tmp_path,
        obs("g", start=1, input=[ASK], output=openai_calls(("c1", "boil"), ("c2", "boil"), ("c3", "fry"))),
        obs("n", "SPAN", 3, called="tools", input={"messages": []}, output=state, metadata=node),
        obs("w", "SPAN", 3.5, called="ChannelWrite", input=state, output=state, metadata=node, level="DEBUG"),
    )
    assert [call.state for call in trace.calls] == ["succeeded", "failed", "refused"]


def test_langgraph_where_the_run_of_the_tool_is_recorded_too(tmp_path: Path) -> None:
    good = lc("ToolMessage", content="hot", tool_call_id="c1", name="boil", status="success")
    node = {"langgraph_node": "tools"}
    trace = one(
        tmp_path,
        obs("g", start=1, input=[ASK], output=openai_calls(("c1", "boil"))),
        obs("n", "SPAN", 3, 5, called="tools", output={"messages": [good]}, metadata=node),
        obs("t", "SPAN", 3.5, 4, called="boil", parent="n", input="{'x': 1}", output=good, metadata=node),
    )
    assert len(trace.of(ExecutionStarted)) == 1
    assert trace.of(ExecutionStarted)[0].arguments == "{'x': 1}"
    assert [(call.state, call.result) for call in trace.calls] == [("succeeded", "hot")]


def test_pydantic_names_its_output_tools(tmp_path: Path) -> None:
    request = {
        "function_tools": [{"name": "boil", "parameters_json_schema": {"type": "object"}}],
        "output_tools": [{"name": "Verdict"}],
    }
    asked = openai_calls(("c1", "boil"), ("c2", "Verdict"))
    run = {
        "gen_ai.tool.name": "boil",
        "gen_ai.tool.call.id": "c1",
        "tool_arguments": '{"x": 1}',
        "tool_response": "hot",
    }
    trace = one(
        tmp_path,
        obs("g", input=[ASK], output=asked, attributes={"model_request_parameters": json.dumps(request)}),
        obs("t", "SPAN", 2, called="running tool: boil", attributes={**run, "tool_response": "hot"}),
    )
    assert states(trace) == [("boil", "succeeded", "agent"), ("Verdict", "unanswered", "structured_output")]
    assert trace.calls[0].result == "hot"
    assert [tool.name for tool in trace.started.tools] == ["boil", "Verdict"]


def test_an_agent_that_a_tool_started_is_a_sub_agent(tmp_path: Path) -> None:
    trace = one(
        tmp_path,
        obs("g1", start=1, input=[ASK], output=openai_calls(("c1", "ask_cook"))),
        obs("t1", "TOOL", 3, 9, called="ask_cook", input={}, output="hot", attributes={"tool_call_id": "c1"}),
        obs("a", "AGENT", 4, 8, called="cook", parent="t1"),
        obs("g2", start=4, end=5, parent="a", input=[ASK], output=openai_calls(("c1", "boil"))),
        obs(
            "t2", "TOOL", 6, 7, called="boil", parent="a", input={}, output="boiled", attributes={"tool_call_id": "c1"}
        ),
    )
    assert states(trace) == [("ask_cook", "succeeded", "agent"), ("boil", "succeeded", "subagent")]
    assert [event.agent_name for event in trace.of(CompletionEvent)] == ["", "ask_cook"]


def test_a_tool_whose_end_is_missing_is_unanswered(tmp_path: Path) -> None:
    begun = {
        **obs("t", "TOOL", 3, called="boil", input={}, output=None, attributes={"tool_call_id": "c1"}),
        "endTime": None,
    }
    trace = one(tmp_path, obs("g", start=1, input=[ASK], output=openai_calls(("c1", "boil"))), begun)
    assert [(call.state, call.executed_in is not None) for call in trace.calls] == [("unanswered", True)]


def test_an_execution_that_nobody_asked_for(tmp_path: Path) -> None:
    trace = one(tmp_path, obs("t", "TOOL", called="boil", input={"x": 1}, output="hot"))
    assert [(call.proposed_in, call.by, call.state) for call in trace.calls] == [(None, "not_recorded", "succeeded")]
    assert trace.evidence.proposals == "not_recorded"
    assert trace.evidence.executions == "present"


def test_errors_of_the_provider(tmp_path: Path) -> None:
    failed = obs("g1", start=1, input=[ASK], output=None, level="ERROR", statusMessage="529 overloaded")
    good = obs("g2", start=3, input=[ASK], output={"role": "assistant", "content": "On."})
    trace = one(tmp_path, failed, good)
    assert (len(trace.of(Request)), len(trace.of(CompletionEvent)), trace.finished) == (2, 1, None)
    ended = one(tmp_path, good, {**failed, "startTime": "2026-03-01T12:00:09Z"}).finished
    assert ended is not None
    assert (ended.reason, ended.detail) == ("provider_error", "529 overloaded")


def test_calls_that_only_langfuse_found(tmp_path: Path) -> None:
    listed = {"toolCallNames": ["boil"], "toolCalls": ['{"id": "c1", "arguments": "{\\"x\\": 1}", "type": "tool_use"}']}
    trace = one(tmp_path, obs("g", input=[ASK], output="I boil it.", **listed))
    assert [(call.id, call.tool, call.arguments) for call in trace.calls] == [("c1", "boil", {"x": 1})]


# --- what is declared


def test_texts_alone_cannot_tell_what_was_asked_for(tmp_path: Path) -> None:
    trace = one(tmp_path, obs("g", input="user: Boil it", output="None"))
    assert (trace.evidence.proposals, trace.evidence.executions) == ("not_recorded", "not_recorded")


def test_a_library_that_traces_every_tool_proves_that_none_ran(tmp_path: Path) -> None:
    reply = {"role": "assistant", "content": "Boiled."}
    inside = one(tmp_path, obs("a", "AGENT"), obs("g", parent="a", input=[ASK], output=reply, scope="agent_framework"))
    alone = one(tmp_path, obs("g", input=[ASK], output=reply, scope="agent_framework"))
    other = one(tmp_path, obs("a", "AGENT"), obs("g", parent="a", input=[ASK], output=reply, scope="langfuse-sdk"))
    assert [each.evidence.executions for each in (inside, alone, other)] == ["absent", "not_recorded", "not_recorded"]


def test_an_answer_is_no_execution(tmp_path: Path) -> None:
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "u1", "name": "boil", "input": {}}]}
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u1", "content": "hot"}]}
    trace = one(
        tmp_path,
        obs("g1", start=1, input={"messages": [ASK]}, output=use),
        obs("g2", start=3, input={"messages": [ASK, use, answer]}, output={"role": "assistant", "content": "Hot."}),
    )
    assert [(call.state, call.delivered) for call in trace.calls] == [("answered", True)]
    assert trace.evidence.executions == "not_recorded"


# --- BeeAI


def test_beeai_puts_replies_together_from_what_the_harness_understood(tmp_path: Path) -> None:
    scope = "openinference.instrumentation.beeai"

    def bee(name: str, start: float, called: str, **more: Any) -> dict[str, Any]:
        return obs(name, more.pop("kind", "SPAN"), start, 9, called=called, scope=scope, **more)

    update = {"thought": "I boil.", "tool.name": "Kettle", "tool.parameters": '{"x": 1}'}
    said = "Thought: I boil.\nFunction Name: Kettle\nFunction Output: hot\n"
    again = "Thought: Again.\nFunction Name: Kettle\nFunction Output: cold\n"
    second = {"thought": "Again.", "tool.name": "Kettle", "tool.parameters": '{"x": 2}'}
    history = [ASK, {"role": "assistant", "content": [{"type": "text", "text": said}]}]
    trace = one(
        tmp_path,
        bee("g1", 1, "backend.local.chat.start-1", kind="GENERATION", input=[ASK]),
        bee("u1", 1.1, "agent.react.update-1", attributes={"thought": "I bo", "tool.parameters": "null"}),
        bee("u2", 1.2, "agent.react.update-2", attributes=update),
        bee("t1", 1.3, "tool.kitchen.kettle.start-1", parent="u2", attributes={"tool.parameters": '{"x":1,"y":2}'}),
        bee("t2", 1.5, "tool.kitchen.kettle.success-1", output="hot"),
        bee("t3", 1.5, "tool.kitchen.kettle.finish-1"),
        bee("u3", 1.6, "agent.react.update-3", output="hot", attributes=update),
        bee("g2", 2, "backend.local.chat.start-2", kind="GENERATION", input=history),
        bee("u4", 2.1, "agent.react.update-4", attributes=second),
        bee("u5", 2.2, "agent.react.partial_update-9", output="cold", attributes=second),  # its tool events are missing
        bee(
            "g3",
            3,
            "backend.local.chat.start-3",
            kind="GENERATION",
            input=[*history, {"role": "assistant", "content": again}],
        ),
        bee("u6", 3.1, "agent.react.update-5", output="It was cold.", attributes={"thought": "I know."}),
    )
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["I boil.", "Again.", "I know."]
    assert [(call.tool, call.state, call.delivered) for call in trace.calls] == [
        *(("Kettle", "succeeded", True), ("Kettle", "answered", True)),
    ]
    assert trace.of(ExecutionStarted)[0].arguments == {"x": 1, "y": 2}
    assert trace.of(ExecutionFinished)[0].duration == pytest.approx(0.2)
    assert [event.text for event in trace.of(Observation)] == ["hot\n", "cold\n"]
    assert trace.answer is not None
    assert trace.answer.text == "It was cold."
    harness = [item for request in trace.of(Request) for item in request.items if item.author == "harness"]
    assert [item.text for item in harness] == [
        *(
            "Thought: I boil.\nFunction Name: Kettle\nFunction Output: ",
            "Thought: Again.\nFunction Name: Kettle\nFunction Output: ",
        ),
    ]


def test_what_a_request_and_its_response_hold_beside_messages(tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "It was.", "signature": "sig"}
    sealed = {"type": "redacted_thinking", "data": "abc"}
    content = [thinking, sealed, {"type": "text", "text": "On."}]
    usage = {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 40}
    given = {"model": "m", "max_tokens": 9, "thinking": {"budget_tokens": 4}, "tools": [], "messages": [ASK]}
    response = {"id": "msg-1", "type": "message", "role": "assistant", "content": content, "usage": usage}
    beside = {"input": 5, "output": 2, "total": 47, "cache_read_input_tokens": 40}
    trace = one(tmp_path, obs("g", input=json.dumps(given), output=json.dumps(response), usageDetails=beside))
    (request,), (reply,) = trace.of(Request), trace.of(CompletionEvent)
    assert request.extra == {"model": "m", "max_tokens": 9, "thinking": {"budget_tokens": 4}}
    assert (reply.text, reply.reasoning, reply.usage.input_tokens) == ("On.", "It was.", 45)
    assert (reply.extra["id"], reply.extra["usage"]) == ("msg-1", usage)
    assert reply.extra["thinking"] == [{"signature": "sig"}, {"data": "abc"}]
    assert reply.extra["usageDetails"] == {"cache_read_input_tokens": 40}
    choice = {"message": {"role": "assistant", "content": "On."}, "finish_reason": "stop"}
    response = {"id": "c-1", "model": "m", "system_fingerprint": "fp", "choices": [choice]}
    (reply,) = one(tmp_path, obs("g", input=[ASK], output=response)).of(CompletionEvent)
    assert (reply.text, reply.extra) == ("On.", {"id": "c-1", "system_fingerprint": "fp"})


def test_what_a_span_was_given_and_gave_back_is_kept(tmp_path: Path) -> None:
    started = obs("s", "SPAN", called="start_run", input={"args": ["thread-1"]}, output=[{"id": "run-1"}])
    state = obs("c", "CHAIN", input={"messages": [ASK]}, output={"messages": [ASK]})
    trace = one(tmp_path, started, state, obs("g", start=2, parent="s", input=[ASK], output="On."))
    span, chain = trace.started.extra["observations"]  # type: ignore[misc]
    assert (span["input"], span["output"]) == ({"args": ["thread-1"]}, [{"id": "run-1"}])
    assert "input" not in chain


@pytest.mark.parametrize(
    ("given", "recorded"), [(None, False), ({"content": "role"}, False), ({}, False), ([ASK], True), ("On?", True)]
)
def test_a_request_is_recorded_only_where_its_messages_are(given: Any, recorded: bool, tmp_path: Path) -> None:
    first = obs("g1", input=[ASK], output={"role": "assistant", "content": "I look."})
    trace = one(tmp_path, first, obs("g2", start=2, input=given, output={"role": "assistant", "content": "On."}))
    request = trace.of(Request)[1]
    assert (request.recorded, bool(trace.contexts[request.id])) == (recorded, recorded)


def test_a_trace_ends_where_its_outermost_observation_does(tmp_path: Path) -> None:
    root = obs("s", "AGENT", end=9)
    asks = obs("g", parent="s", start=1, input=[ASK], output=openai_calls(("c", "boil")))
    says = obs("g", parent="s", start=1, input=[ASK], output={"role": "assistant", "content": "On."})
    failed = obs("g", parent="s", start=1, input=[ASK], output=None, level="ERROR", statusMessage="529")
    for model, reason in ((says, "answered"), (asks, "other"), (failed, "provider_error")):
        ended = one(tmp_path, root, model).finished
        assert ended is not None
        assert (ended.reason, ended.time, ended.duration, ended.source) == (reason, 1772366409.0, 9.0, "s")
    assert one(tmp_path, {**root, "endTime": None}, says).finished is None


# --- what a node, a retry or an odd record must not change


NODE = {"langgraph_node": "tools"}


def test_answers_of_a_node_to_calls_that_are_not_on_record_are_of_different_calls(tmp_path: Path) -> None:
    answers = [lc("ToolMessage", content=name, tool_call_id=name, name="boil", status="success") for name in ("x", "y")]
    trace = one(tmp_path, obs("n", "SPAN", called="tools", output={"messages": answers}, metadata=NODE))
    assert [(call.id, call.result) for call in trace.calls] == [("x", "x"), ("y", "y")]


def test_a_refusal_of_a_call_that_is_not_on_record_refuses_no_other(tmp_path: Path) -> None:
    words = "Error: fry is not a valid tool, try one of [boil]."
    refused = lc("ToolMessage", content=words, tool_call_id="c7", name="fry", status="error")
    trace = one(
        tmp_path,
        obs("g", start=1, input=[ASK], output=openai_calls(("c1", "boil"))),
        obs("n", "SPAN", 3, called="tools", output={"messages": [refused]}, metadata=NODE),
    )
    assert [(call.id, call.state) for call in trace.calls] == [("c1", "unanswered")]
    assert [each["id"] for each in trace.started.extra["observations"]] == ["n"]  # type: ignore[union-attr,index,call-overload]


def test_a_tools_own_record_may_say_that_nothing_was_run(tmp_path: Path) -> None:
    words = "Error invoking tool 'boil' with kwargs {} with error: x is missing"
    answer = lc("ToolMessage", content=words, tool_call_id="c1", name="boil", status="error")
    trace = one(
        tmp_path,
        obs("g", start=1, input=[ASK], output=openai_calls(("c1", "boil"))),
        obs("t", "TOOL", 3, called="boil", input={}, output=answer),
    )
    assert [(call.state, call.executed_in) for call in trace.calls] == [("refused", None)]


def test_a_model_call_that_failed_and_was_made_again_is_kept(tmp_path: Path) -> None:
    failed = obs("g1", start=1, input=[ASK], output=None, level="ERROR", statusMessage="529 overloaded")
    trace = one(tmp_path, failed, obs("g2", start=3, input=[ASK], output="On."))
    kept = trace.started.extra["observations"]
    assert [(each["id"], each["statusMessage"]) for each in kept] == [("g1", "529 overloaded")]  # type: ignore[union-attr,index,call-overload]


def test_messages_of_a_status_and_fields_of_spans_are_kept(tmp_path: Path) -> None:
    agent = obs("a", "AGENT", attributes={"agent.team": "cooks"}, scope="kitchen", release="r7")
    model = obs("g", parent="a", input=[ASK], output="On.", level="WARNING", statusMessage="second try")
    trace = one(tmp_path, agent, model)
    assert trace.of(CompletionEvent)[0].extra["statusMessage"] == "second try"
    (kept,) = trace.started.extra["observations"]  # type: ignore[misc]
    assert (kept["release"], kept["metadata"]) == ("r7", {"attributes": {"agent.team": "cooks"}})


def test_an_odd_answer_costs_only_itself(tmp_path: Path) -> None:
    odd = lc("ToolMessage", content="hot", tool_call_id=["c1"], name="boil")
    trace = one(
        tmp_path,
        obs("g", start=1, input=[ASK], output=openai_calls(("c1", "boil"))),
        obs("t", "TOOL", 3, called="boil", input={}, output=odd),
        obs("n", "SPAN", 5, called="tools", output={"messages": [odd]}, metadata=NODE),
    )
    assert [(call.id, call.state, call.result) for call in trace.calls] == [("c1", "succeeded", "hot")]
    assert trace.defect.startswith("one of the observations could not be read: observation n: tool_call_id")


def test_a_time_before_the_start_is_no_duration(tmp_path: Path) -> None:
    (reply,) = one(tmp_path, obs("g", start=5, end=2, input=[ASK], output="On.")).of(CompletionEvent)
    assert reply.latency is None


def test_beeais_calls_with_the_same_result_are_told_apart(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": "Function Name: Kettle\nFunction Output: hot\n"}
    update = {"thought": "I boil.", "tool.name": "Kettle", "tool.parameters": '{"x": 1}'}
    records = []
    for turn in (1, 2, 3):
        place: dict[str, Any] = {"start": turn, "end": 9, "scope": "openinference.instrumentation.beeai"}
        asked = [ASK, *([said] * (turn - 1))]
        records += [
            obs(f"g{turn}", **place, called=f"backend.local.chat.start-{turn}", input=asked),
            obs(f"u{turn}", "SPAN", **place, called=f"agent.react.update-{turn}", attributes=update),
            obs(f"t{turn}", "SPAN", **place, parent=f"u{turn}", called=f"tool.kettle.start-{turn}"),
            obs(f"e{turn}", "SPAN", **place, called=f"tool.kettle.success-{turn}", output="hot"),
        ]
    trace = one(tmp_path, *records)
    assert [(call.state, call.delivered) for call in trace.calls] == [
        *(("succeeded", True), ("succeeded", True), ("succeeded", False)),
    ]
    assert [event.call for event in trace.of(Observation)] == [call.id for call in trace.calls[:2]]


def test_beeai_says_that_the_provider_failed(tmp_path: Path) -> None:
    scope = "openinference.instrumentation.beeai"
    trace = one(
        tmp_path,
        obs("g1", start=1, called="backend.local.chat.start-1", input=[ASK], scope=scope),
        obs("e1", "SPAN", 2, called="backend.local.chat.error-1", statusMessage="no route", scope=scope),
        obs("t1", "SPAN", 3, called="tool.kettle.success-5", output="hot", scope=scope),
        obs("t2", "SPAN", 4, called="tool.kettle.start-6", scope=scope),
    )
    assert (len(trace.of(Request)), len(trace.of(CompletionEvent)), len(trace.of(ExecutionStarted))) == (1, 0, 1)
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("provider_error", "no route")
    assert [each["id"] for each in trace.started.extra["observations"]] == ["t1"]  # type: ignore[union-attr,index,call-overload]


# --- hostile input


@pytest.mark.timeout(60)
def test_parents_in_a_circle_and_deep_ones(tmp_path: Path) -> None:
    circle = [
        obs("a", "SPAN", parent="b"),
        obs("b", "SPAN", parent="a"),
        obs("g", parent="a", input=[ASK], output="On."),
    ]
    assert len(one(tmp_path, *circle).of(CompletionEvent)) == 1
    deep = [obs(f"s{i}", "SPAN", parent=f"s{i - 1}") for i in range(20_000)]
    assert len(one(tmp_path, *deep, obs("g", parent="s19999", input=[ASK], output="On.")).of(CompletionEvent)) == 1


@pytest.mark.timeout(60)
def test_a_long_text_of_almost_printed_messages_is_read_in_linear_time(tmp_path: Path) -> None:
    hostile = "role='user' content='" + "\\\\" * 500_000
    trace = one(tmp_path, obs("g", input={"messages": [hostile]}, output="On."))
    assert trace.of(Request)[0].items[0].text == hostile


# --- real files: counted by hand from the raw observations


REAL = {
    # file: replies, proposed, executed, refused, failed, succeeded, delivered
    "agno-2025-06-11.trace.json": (2, 1, 1, 0, 0, 1, 1),
    "anthropic-messages-api-2026-03-25.trace.json": (3, 2, 0, 0, 0, 0, 2),
    "autogen-2025-06-06.trace.json": (1, 0, 0, 0, 0, 0, 0),
    "beeai-2025-08-01.trace.json": (3, 2, 1, 0, 0, 1, 2),
    "claude-agent-2025-12-22.trace.json": (4, 2, 2, 0, 0, 2, 0),
    "google-adk-2025-08-28.trace.json": (2, 1, 1, 0, 0, 1, 1),
    "langgraph-js-2025-10-30.trace.json": (2, 1, 1, 0, 0, 1, 1),
    "microsoft-agent-2025-12-17.trace.json": (2, 1, 1, 0, 0, 1, 1),
    "openai-agents-2025-09-30.trace.json": (2, 1, 1, 0, 0, 1, 1),
    "openai-assistants-2024-05-29.seed.json": (1, 0, 0, 0, 0, 0, 0),
    "pydantic-ai-with-gemini-2025-12-24.trace.json": (1, 0, 0, 0, 0, 0, 0),
    "vercel-aisdk-2025-11-17.trace.json": (1, 1, 1, 0, 0, 1, 0),
    "vertex-ai-2025-08-01.trace.json": (1, 0, 0, 0, 0, 0, 0),
}


@pytest.mark.parametrize("name", REAL)
def test_real_exports(name: str, shared: Path) -> None:
    path = shared / "traces" / "10_langfuse" / name
    (found,) = survey([str(path)]).found
    assert found.format is LANGFUSE
    (trace,) = read_traces(path)
    states = Counter(call.state for call in trace.calls)
    assert (
        len(trace.of(CompletionEvent)),
        sum(call.proposed_in is not None for call in trace.calls),
        sum(call.executed_in is not None for call in trace.calls),
        states["refused"],
        states["failed"],
        states["succeeded"],
        sum(call.delivered is True for call in trace.calls),
    ) == REAL[name]
    unrecorded = {"claude-agent-2025-12-22.trace.json": 3}.get(name, 0)
    assert sum(not request.recorded for request in trace.of(Request)) == unrecorded
    assert {call.delivered for call in trace.calls} <= ({None} if unrecorded else {True, False})
    several_roots = name in ("anthropic-messages-api-2026-03-25.trace.json", "openai-assistants-2024-05-29.seed.json")
    assert several_roots or (trace.finished is not None and trace.finished.duration)
    assert {call.by for call in trace.calls} <= {"agent"}
    assert all(call.arguments for call in trace.calls if call.tool != "say_hello")


def test_every_real_export_is_in_the_table(shared: Path) -> None:
    assert {path.name for path in (shared / "traces" / "10_langfuse").iterdir()} == set(REAL)
