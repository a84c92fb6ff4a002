from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.source import Source
from agentlab.formats.finding import survey
from agentlab.formats.langsmith.load import LANGSMITH
from agentlab.formats.reading import read_traces
from agentlab.messages import Usage
from agentlab.trace.events import CompletionEvent, ExecutionStarted, Request
from agentlab.trace.model import Trace

ASK = {"role": "user", "content": "Is the gate shut?"}


def uuid(name: str) -> str:
    return f"{name:x>36}"


def order(*names: str) -> str:
    return ".".join(f"20260401T120000000000Z{uuid(name)}" for name in names)


def created(kind: str, *path: str, start: int = 0, inputs: Any = None, **more: Any) -> dict[str, Any]:
    """The record that creates the run at the end of a path of runs."""
    fields = {"id": uuid(path[-1]), "name": more.pop("called", path[-1]), "run_type": kind, "inputs": inputs or {}}
    place = {"trace_id": uuid(path[0]), "dotted_order": order(*path)}
    return {**fields, **place, "start_time": f"2026-04-01T12:00:{start:02d}", **more}


def updated(name: str, end: int, outputs: Any, **more: Any) -> dict[str, Any]:
    return {"id": uuid(name), "end_time": f"2026-04-01T12:00:{end:02d}", "outputs": outputs, "error": None, **more}


def load(folder: Path, *values: Any) -> list[Trace | LoadError]:
    path = folder / "runs.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return list(LANGSMITH.load(Source.at(path)))


def one(folder: Path, *values: Any) -> Trace:
    (trace,) = load(folder, *values)
    assert isinstance(trace, Trace), trace
    return trace


def lc(kind: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": fields}


def ai(text: str = "", *calls: tuple[str, str], **more: Any) -> dict[str, Any]:
    raw = [{"id": i, "type": "function", "function": {"name": n, "arguments": '{"x": 1}'}} for i, n in calls]
    parsed = [{"id": i, "name": n, "args": {"x": 1}, "type": "tool_call"} for i, n in calls]
    about = {"additional_kwargs": {"tool_calls": raw} if raw else {}, "tool_calls": parsed, "invalid_tool_calls": []}
    return lc("AIMessage", content=text, **{**about, **more})


def generation(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"generations": [[{"text": "", "message": message}]], **more}


HUMAN = lc("HumanMessage", content="Is the gate shut?")
PROMPT = {"messages": [[HUMAN]]}


def states(trace: Trace) -> list[tuple[str, str, str]]:
    return [(call.tool, call.state, call.by) for call in trace.calls]


def test_records_of_one_run_are_put_together(tmp_path: Path) -> None:
    """In any order; an empty field of a later record says nothing."""
    create, update = created("llm", "m", start=1, inputs=PROMPT), updated("m", 3, generation(ai("Shut.")), inputs={})
    for records in ((create, update), (update, create)):
        (reply,) = one(tmp_path, *records).of(CompletionEvent)
        assert (reply.text, reply.time, reply.latency, reply.source) == ("Shut.", 1775044803.0, 2.0, uuid("m"))


def test_calls_that_stand_parsed_and_raw_count_once(tmp_path: Path) -> None:
    trace = one(tmp_path, created("llm", "m", inputs=PROMPT), updated("m", 1, generation(ai("", ("c1", "look")))))
    assert states(trace) == [("look", "unanswered", "agent")]
    assert trace.calls[0].arguments == {"x": 1}
    raw = ai("", tool_calls=[], additional_kwargs={"function_call": {"name": "look", "arguments": "{x"}})
    trace = one(tmp_path, created("llm", "m", inputs=PROMPT), updated("m", 1, generation(raw)))
    assert [(call.tool, call.arguments) for call in trace.calls] == [("look", "{x")]


def test_what_the_sdk_could_not_parse_it_refused(tmp_path: Path) -> None:
    invalid = [{"name": "look", "args": '{"x": ', "id": "c9", "error": "it ends early"}]
    trace = one(
        tmp_path, created("llm", "m", inputs=PROMPT), updated("m", 1, generation(ai(invalid_tool_calls=invalid)))
    )
    assert [(call.id, call.state, call.arguments) for call in trace.calls] == [("c9", "refused", '{"x": ')]
    assert trace.evidence.errors == "present"


@pytest.mark.parametrize(
    "inputs",
    [
        {"input": "{'x': 1}"},
        {"input": {"name": "look", "args": {"x": 1}, "id": "unheard-of", "type": "tool_call"}},
        {"x": 1},
    ],
)
def test_tool_runs_are_executions(tmp_path: Path, inputs: dict[str, Any]) -> None:
    trace = one(
        tmp_path,
        created("chain", "r"),
        created("llm", "r", "m", start=1, inputs=PROMPT),
        updated("m", 2, generation(ai("", ("c1", "look"), ("c2", "look"), ("c3", "push")))),
        created("tool", "r", "t1", start=3, called="look", inputs=inputs),
        updated("t1", 4, {"output": "shut"}),
        created("tool", "r", "t2", start=5, called="look", inputs=inputs),
        updated("t2", 6, None, error="TimeoutError()"),
        created("tool", "r", "t3", start=7, called="push", inputs=inputs),
    )
    assert [call.state for call in trace.calls] == ["succeeded", "failed", "unanswered"]
    assert (trace.calls[0].result, trace.calls[1].error) == ("shut", "TimeoutError()")
    assert trace.of(ExecutionStarted)[0].arguments in ("{'x': 1}", {"x": 1})


def test_branches_that_call_the_model_side_by_side(tmp_path: Path) -> None:
    trace = one(
        tmp_path,
        created("chain", "r"),
        created("llm", "r", "m", start=1, inputs=PROMPT),
        updated("m", 2, generation(ai("", ("c1", "look")))),
        created("llm", "r", "n", start=3, inputs=PROMPT),
        updated("n", 4, generation(ai("", ("c2", "push")))),
        created("tool", "r", "look", start=5),
        updated("look", 6, {"output": "shut"}),
    )
    assert [(call.id, call.state) for call in trace.calls] == [("c1", "succeeded"), ("c2", "unanswered")]


def test_messages_of_the_tool_node_name_the_call_and_the_refusal(tmp_path: Path) -> None:
    unknown = "Error: kick is not a valid tool, try one of [look]."
    messages = [
        lc("ToolMessage", content=unknown, tool_call_id="c2", status="error"),
        lc("ToolMessage", content="stuck", tool_call_id="c3", status="error"),
        lc("ToolMessage", content="shut", tool_call_id="c1", status="success"),
    ]
    runs = [
        record
        for place, message in enumerate(messages)
        for record in (
            created("tool", "r", f"t{place}", start=3 + place, called="look", inputs={"input": "{}"}),
            updated(f"t{place}", 4 + place, {"output": message}),
        )
    ]
    trace = one(
        tmp_path,
        created("chain", "r"),
        created("llm", "r", "m", start=1, inputs=PROMPT),
        updated("m", 2, generation(ai("", ("c1", "look"), ("c2", "kick"), ("c3", "look")))),
        *runs,
        created("llm", "r", "n", start=9, inputs={"messages": [[HUMAN, ai("", ("c1", "look")), *messages]]}),
        updated("n", 10, generation(ai("Shut."))),
    )
    assert [(call.id, call.state, call.delivered) for call in trace.calls] == [
        ("c1", "succeeded", True),
        ("c2", "refused", True),
        ("c3", "failed", True),
    ]
    assert trace.answer is not None
    assert trace.answer.text == "Shut."


def test_calls_that_a_parser_takes_are_the_form_of_an_answer(tmp_path: Path) -> None:
    def run(parser: str, *more: dict[str, Any]) -> Trace:
        return one(
            tmp_path,
            created("chain", "r"),
            created("chain", "r", "s"),
            created("llm", "r", "s", "m", start=1, inputs=PROMPT),
            updated("m", 2, generation(ai("", ("c1", "Verdict")))),
            created("parser", "r", "s", "p", start=3, called=parser),
            *more,
        )

    assert states(run("JsonOutputKeyToolsParser")) == [("Verdict", "unanswered", "structured_output")]
    assert run("JsonOutputKeyToolsParser").evidence.executions == "not_recorded"
    assert states(run("OpenAIToolsAgentOutputParser")) == [("Verdict", "unanswered", "agent")]
    tool = created("tool", "r", "t", start=4, inputs={"input": {"id": "c1", "type": "tool_call", "args": {}}})
    assert states(run("PydanticToolsParser", tool)) == [("Verdict", "unanswered", "agent")]


def test_an_agent_that_a_tool_started_is_a_sub_agent(tmp_path: Path) -> None:
    trace = one(
        tmp_path,
        created("chain", "r"),
        created("llm", "r", "m", start=1, inputs=PROMPT),
        updated("m", 2, generation(ai("", ("c1", "ask")))),
        created("tool", "r", "ask", start=3),
        created("chain", "r", "ask", "g", start=4),
        created("llm", "r", "ask", "g", "n", start=5, inputs=PROMPT),
        updated("n", 6, generation(ai("", ("c1", "look")))),
        created("tool", "r", "ask", "g", "look", start=7),
        updated("look", 8, {"output": "shut"}),
        updated("ask", 9, {"output": "It is."}),
    )
    assert states(trace) == [("ask", "succeeded", "agent"), ("look", "succeeded", "subagent")]
    assert [reply.agent_name for reply in trace.of(CompletionEvent)] == ["", "ask"]


def test_a_client_library_inside_a_model_run_is_the_call(tmp_path: Path) -> None:
    outer = created("llm", "m", start=1, inputs=PROMPT)
    inner = created("llm", "m", "o", start=2, inputs={"messages": [ASK]})
    trace = one(
        tmp_path, outer, inner, updated("o", 3, {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]})
    )
    assert [reply.source for reply in trace.of(CompletionEvent)] == [uuid("o")]


def test_a_batch_whose_patch_names_the_run_by_its_order(tmp_path: Path) -> None:
    response = {
        "model": "m-1",
        "choices": [{"message": {"role": "assistant", "content": "Shut."}, "finish_reason": "stop"}],
    }
    counts = {"input_tokens": 9, "output_tokens": 7, "output_token_details": {"reasoning": 4}}
    create = {**created("llm", "m", inputs={"messages": [ASK]}), "start_time": 1775044801000}
    patch = {"end_time": 1775044802500, "dotted_order": order("m"), "outputs": {**response, "usage_metadata": counts}}
    (reply,) = one(tmp_path, {"post": [create], "patch": [patch]}).of(CompletionEvent)
    assert (reply.text, reply.usage, reply.latency) == ("Shut.", Usage(input_tokens=9, output_tokens=7), 1.5)
    assert (reply.model, reply.finish_reason) == ("m-1", "stop")


def test_whole_runs_with_their_children_and_parents_by_id(tmp_path: Path) -> None:
    root = {"id": "r", "run_type": "chain", "name": "guard", "inputs": {}, "start_time": "2026-04-01T12:00:00Z"}
    model = {"id": "m", "run_type": "llm", "inputs": {"messages": [ASK]}, "start_time": "2026-04-01T12:00:01Z"}
    model["outputs"] = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]}
    tool = {"id": "t", "run_type": "tool", "name": "look", "inputs": {}, "start_time": "2026-04-01T12:00:03Z"}
    tool |= {"outputs": {"output": {"shut": True}}, "end_time": "2026-04-01T12:00:04Z"}
    nested = one(tmp_path, {**root, "child_runs": [model, {**tool, "child_runs": []}], "trace_id": "r"})
    assert nested.started.agent == "guard"
    parents = [{**run, "parent_run_id": "r"} for run in (tool, model)]
    by_id = one(tmp_path, [*parents, root])
    for trace in (nested, by_id):
        assert states(trace) == [("look", "succeeded", "agent")]
        assert trace.calls[0].result == '{"shut":true}'


def test_each_trace_of_a_file_is_one(tmp_path: Path) -> None:
    records = [created("llm", name, inputs=PROMPT) for name in "abc"]
    updates = [updated(name, 2, generation(ai(name))) for name in "bca"]
    found = load(tmp_path, *records, {"id": 3.5, "run_type": [1]}, "x", *updates)
    traces = [each for each in found if isinstance(each, Trace)]
    assert [trace.of(CompletionEvent)[0].text for trace in traces] == ["a", "b", "c"]
    assert len({trace.id for trace in traces}) == 3
    assert len(found) == 5


def test_errors(tmp_path: Path) -> None:
    failed = updated("m", 2, None, error="RateLimitError()")
    ended = one(tmp_path, created("llm", "m", inputs=PROMPT), failed).finished
    assert ended is not None
    assert (ended.reason, ended.detail) == ("provider_error", "RateLimitError()")
    good = [created("llm", "r", "m", inputs=PROMPT), updated("m", 2, generation(ai("On.")))]
    ended = one(tmp_path, created("chain", "r"), *good, updated("r", 3, None, error="KeyError('x')")).finished
    assert ended is not None
    assert (ended.reason, ended.detail) == ("other", "KeyError('x')")


def test_a_trace_ends_where_its_outermost_run_does(tmp_path: Path) -> None:
    model = created("llm", "r", "m", start=1, inputs=PROMPT)
    for message, reason in ((ai("It is shut."), "answered"), (ai("", ("c", "look")), "other")):
        parts = [created("chain", "r"), model, updated("m", 2, generation(message)), updated("r", 5, {})]
        ended = one(tmp_path, *parts).finished
        assert ended is not None
        assert (ended.reason, ended.duration, ended.source) == (reason, 5.0, uuid("r"))
    assert one(tmp_path, created("chain", "r"), model, updated("m", 2, generation(ai("It is shut.")))).finished is None


def test_a_request_whose_messages_are_hidden_is_not_recorded(tmp_path: Path) -> None:
    asks = [created("llm", "r", "m", start=1, inputs=PROMPT), updated("m", 2, generation(ai("", ("c", "look"))))]
    look = [created("tool", "r", "look", start=3, inputs={"x": 1}), updated("look", 4, {"output": "shut"})]
    hidden = [created("llm", "r", "n", start=5), updated("n", 6, generation(ai("It is shut.")))]
    trace = one(tmp_path, created("chain", "r"), *asks, *look, *hidden)
    assert [(request.recorded, len(trace.contexts[request.id])) for request in trace.of(Request)] == [
        *((True, 1), (False, 0)),
    ]
    assert [(call.state, call.delivered) for call in trace.calls] == [("succeeded", None)]


def test_what_retrievers_found_is_kept(tmp_path: Path) -> None:
    found = {"documents": [{"page_content": "Gates shut at nine.", "metadata": {"uuid": "d1"}}]}
    search = [created("retriever", "r", "s", start=1, inputs={"query": "gate"}), updated("s", 2, found)]
    chain = [created("chain", "r", "c", inputs={"messages": [ASK]}), updated("c", 2, {"messages": [ASK]})]
    model = [created("llm", "r", "m", start=3, inputs=PROMPT), updated("m", 4, generation(ai("At nine.")))]
    trace = one(tmp_path, created("chain", "r"), *search, *chain, *model)
    runs = {run["name"]: run for run in trace.started.extra["runs"]}  # type: ignore[union-attr,index,call-overload]
    assert (runs["s"]["inputs"], runs["s"]["outputs"]) == ({"query": "gate"}, found)
    assert "inputs" not in runs["c"]
    assert not trace.calls


def test_what_a_response_holds_beside_the_reply(tmp_path: Path) -> None:
    counts = {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13, "input_token_details": {"cache_read": 8}}
    choice = {"message": {"role": "assistant", "content": "Shut."}, "finish_reason": "stop"}
    outputs = {"id": "cmpl-1", "system_fingerprint": "fp", "choices": [choice], "usage_metadata": counts}
    inputs = {"messages": [ASK], "temperature": 0.5}
    trace = one(tmp_path, created("llm", "m", inputs=inputs), updated("m", 2, outputs))
    (request,), (reply,) = trace.of(Request), trace.of(CompletionEvent)
    assert request.extra == {"temperature": 0.5}
    assert (reply.extra["id"], reply.extra["system_fingerprint"]) == ("cmpl-1", "fp")
    assert reply.extra["usage_metadata"] == counts


def test_the_answer_is_what_the_outermost_run_gave_back(tmp_path: Path) -> None:
    trace = one(
        tmp_path,
        created("chain", "r"),
        created("llm", "r", "m", start=1, inputs=PROMPT),
        updated("m", 2, generation(ai("It is shut."))),
        created("llm", "r", "judge", start=3, inputs=PROMPT),
        updated("judge", 4, generation(ai("yes"))),
        updated("r", 5, {"messages": [HUMAN, ai("It is shut.")]}),
    )
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.source) == ("It is shut.", uuid("m"))


def test_other_runs_are_kept_without_the_state(tmp_path: Path) -> None:
    trace = one(
        tmp_path,
        created("chain", "r", inputs={"big": "state"}, tags=["a"]),
        created("retriever", "r", "index", inputs={"query": "gate"}),
        created("llm", "r", "m", inputs=PROMPT, extra={"invocation_params": {"tools": [{"name": "look"}]}}),
        updated(
            "m", 2, generation(ai("Shut."), llm_output={"token_usage": {"prompt_tokens": 4, "completion_tokens": 2}})
        ),
    )
    runs = trace.started.extra["runs"]
    assert isinstance(runs, list)
    assert [(run["name"], run.get("inputs")) for run in runs if isinstance(run, dict)] == [
        ("r", None),
        ("index", {"query": "gate"}),
    ]
    assert trace.started.extra["tags"] == ["a"]
    assert [tool.name for tool in trace.started.tools] == ["look"]
    assert trace.of(CompletionEvent)[0].usage == Usage(input_tokens=4, output_tokens=2)


def test_an_error_names_the_run(tmp_path: Path) -> None:
    (error,) = load(tmp_path, created("llm", "m", inputs={"messages": [[{"role": "user", "content": 4}]]}))
    assert isinstance(error, LoadError)
    assert f"run {uuid('m')}: content" in str(error)


def test_a_broken_run_is_a_defect_of_its_trace(tmp_path: Path) -> None:
    bad = created("llm", "r", "m", inputs={"messages": [[{"role": "user", "content": 4}]]})
    late = created("tool", "r", "t") | {"start_time": "soon"}
    good = [created("llm", "r", "n", inputs=PROMPT), updated("n", 2, generation(ai("Shut.")))]
    trace = one(tmp_path, created("chain", "r"), bad, late, *good)
    assert [reply.source for reply in trace.of(CompletionEvent)] == [uuid("n")]
    assert trace.defect.startswith(f"2 runs could not be read: run {uuid('t')}: a time was expected")


def test_parents_in_a_circle(tmp_path: Path) -> None:
    runs = [created("llm", name, inputs=PROMPT, parent_run_id=uuid(other)) for name, other in ("ab", "ba")]
    for run in runs:
        del run["trace_id"], run["dotted_order"]
    assert all(isinstance(each, Trace) for each in load(tmp_path, *runs))


def test_a_bad_record_costs_no_other_of_its_batch_or_run(tmp_path: Path) -> None:
    good = created("llm", "m", inputs={"messages": [ASK]})
    answer = {"choices": [{"message": {"role": "assistant", "content": "Shut."}}]}
    found = load(tmp_path, {"post": [5, {"run_type": "llm"}, good], "patch": [updated("m", 2, answer)]})
    assert [str(each).rpartition(": ")[2] for each in found[:2]] == [
        "a run was expected and a number found",
        "a run was expected with id or dotted_order, and neither is there",
    ]
    assert isinstance(found[2], Trace)
    assert found[2].of(CompletionEvent)[0].text == "Shut."
    inner = {"id": "m", "run_type": "llm", "inputs": {"messages": [ASK]}, "outputs": answer}
    _, trace = load(tmp_path, {"id": "r", "run_type": "chain", "trace_id": "r", "child_runs": ["x", inner]})
    assert isinstance(trace, Trace)
    assert len(trace.of(CompletionEvent)) == 1


def test_an_odd_last_word_of_the_outermost_run_is_a_defect(tmp_path: Path) -> None:
    model = [created("llm", "r", "m", inputs=PROMPT), updated("m", 2, generation(ai("Shut.")))]
    odd = updated("r", 3, {"messages": [{"role": "assistant", "content": 4}]})
    trace = one(tmp_path, created("chain", "r"), *model, odd)
    assert [reply.text for reply in trace.of(CompletionEvent)] == ["Shut."]
    assert trace.defect.startswith(f"one of the runs could not be read: run {uuid('r')}: content")


def test_a_model_run_that_failed_and_the_fields_of_other_runs_are_kept(tmp_path: Path) -> None:
    trace = one(
        tmp_path,
        created("chain", "r"),
        created("chain", "r", "c", extra={"metadata": {"yard": "north"}}),
        created("llm", "r", "m", start=1, inputs=PROMPT),
        updated("m", 2, None, error="RateLimitError()"),
        created("llm", "r", "n", start=3, inputs=PROMPT),
        updated("n", 4, generation(ai("Shut."))),
    )
    runs = {run["name"]: run for run in trace.started.extra["runs"]}  # type: ignore[union-attr,index,call-overload]
    assert runs["m"]["error"] == "RateLimitError()"
    assert runs["c"]["extra"] == {"metadata": {"yard": "north"}}


def test_a_wrapper_may_stand_some_runs_above_the_call(tmp_path: Path) -> None:
    outer, chain = created("llm", "m", start=1, inputs=PROMPT), created("chain", "m", "c", start=1)
    inner = [created("llm", "m", "c", "o", start=2, inputs=PROMPT), updated("o", 3, generation(ai("Yes.")))]
    trace = one(tmp_path, outer, chain, *inner, updated("m", 4, generation(ai("Yes."))))
    assert [reply.source for reply in trace.of(CompletionEvent)] == [uuid("o")]


def test_a_refusal_of_a_call_that_is_not_on_record_is_no_execution(tmp_path: Path) -> None:
    words = "Error: kick is not a valid tool, try one of [look]."
    refused = lc("ToolMessage", content=words, tool_call_id={"odd": 1}, status="error")
    trace = one(
        tmp_path,
        created("chain", "r"),
        created("llm", "r", "m", start=1, inputs=PROMPT),
        updated("m", 2, generation(ai("", ("c1", "look")))),
        created("tool", "r", "t", start=3, called="kick", inputs={"input": "{}"}),
        updated("t", 4, {"output": refused}),
    )
    assert [(call.id, call.state) for call in trace.calls] == [("c1", "unanswered")]
    assert not trace.of(ExecutionStarted)
    runs = trace.started.extra["runs"]
    assert [run["name"] for run in runs if isinstance(run, dict)] == ["r", "kick"]


def test_sub_agents_of_one_tool_are_numbered(tmp_path: Path) -> None:
    records = []
    for start, name in enumerate(("ask", "see", "ask")):
        inside = f"m{start}"
        records += [created("tool", "r", f"t{start}", start=start, called=name, inputs={"x": start})]
        records += [created("llm", "r", f"t{start}", inside, start=start, inputs=PROMPT)]
        records += [updated(inside, start, generation(ai("Yes.")))]
    trace = one(tmp_path, created("chain", "r"), *records)
    assert [reply.agent_name for reply in trace.of(CompletionEvent)] == ["ask", "see", "ask 2"]


# --- real files


def test_real_run_operations(shared: Path) -> None:
    """81 runs, 8 of them of models, 6 of whose replies are forms that a parser takes; no run is a tool's."""
    path = shared / "traces" / "09_langsmith_langgraph" / "langsmith_run_ops_RetrievalGraph.jsonl"
    (found,) = survey([str(path)]).found
    assert found.format is LANGSMITH
    (trace,) = read_traces(path)
    assert (len(trace.of(Request)), len(trace.of(CompletionEvent)), len(trace.of(ExecutionStarted))) == (8, 8, 0)
    assert Counter((call.tool, call.by) for call in trace.calls) == {
        ("Plan", "structured_output"): 1,
        ("Response", "structured_output"): 3,
        ("GradeHallucinations", "structured_output"): 2,
    }
    assert not [call for call in trace.calls if call.delivered or call.state in ("failed", "refused", "succeeded")]
    assert trace.evidence.executions == "not_recorded"
    runs = trace.started.extra["runs"]
    assert isinstance(runs, list)
    assert len(runs) == 81 - 8
    assert trace.answer is not None
    assert trace.answer.source == "83dcd4ef-2ca1-41f8-9e85-847e0f6bed23"


@pytest.mark.parametrize(("language", "tokens"), [("js", 1901), ("py", 2497)])
def test_real_batches_of_both_sdks(language: str, tokens: int, shared: Path) -> None:
    path = shared / "traces" / "09_langsmith_langgraph" / f"langsmith_{language}_wrap_openai_reasoning.json"
    (trace,) = read_traces(path)
    assert trace.started.format == "langsmith"
    (reply,) = trace.of(CompletionEvent)
    assert reply.usage == Usage(input_tokens=43, output_tokens=tokens)
    assert (reply.model, reply.finish_reason, trace.calls) == ("o1-mini-2024-09-12", "stop", ())
    assert reply.latency is not None
    assert 10 < reply.latency < 16
