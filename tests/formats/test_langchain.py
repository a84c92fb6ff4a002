from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.files.source import Source
from agentlab.formats.finding import survey
from agentlab.formats.langchain import LANGCHAIN
from agentlab.formats.reading import read_traces
from agentlab.messages import Usage
from agentlab.trace.events import CompletionEvent, Observation, Request
from agentlab.trace.model import Trace

HUMAN = {"type": "human", "content": "Is the well dry?", "id": "h1"}
CALL = {"name": "lower", "args": {"m": 9}, "id": "w1", "type": "tool_call"}
ASKED = {"type": "ai", "content": "I look.", "id": "a1", "tool_calls": [CALL], "invalid_tool_calls": []}
TOLD = {"type": "tool", "content": "wet", "tool_call_id": "w1", "name": "lower", "status": "success"}
DONE = {"type": "ai", "content": "It is not.", "id": "a2", "tool_calls": []}
TALK = [HUMAN, ASKED, TOLD, DONE]
CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def constructor(message: dict[str, Any]) -> dict[str, Any]:
    name = CLASSES[message["type"]]
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": message}


def load(folder: Path, *values: Any) -> list[Trace | LoadError]:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return list(LANGCHAIN.load(Source.at(path)))


def one(folder: Path, value: Any) -> Trace:
    (trace,) = load(folder, value)
    assert isinstance(trace, Trace), trace
    return trace


def shape(trace: Trace) -> list[tuple[str, str, str]]:
    return [(event.type, event.source, getattr(event, "text", "")) for event in trace.events[1:]]


def test_every_serialisation_and_every_place_give_the_same_events(tmp_path: Path) -> None:
    plain = shape(one(tmp_path, TALK))
    assert [kind for kind, *_ in plain] == ["request", "completion", "observation", "request", "completion", "answer"]
    assert [place for _, place, _ in plain] == ["1", "1", "2", "3", "3", "3"]
    dumped = [constructor(message) for message in TALK]
    data = [{"type": m["type"], "data": {name: part for name, part in m.items() if name != "type"}} for m in TALK]
    rows: list[Any] = [
        *(dumped, data, {"messages": TALK}, {"messages": dumped}, {"messages": [TALK]}, {"input": {"messages": TALK}}),
        *({"values": {"messages": TALK, "steps": []}}, {"input": {"messages": TALK[:1]}, "output": {"messages": TALK}}),
        {"inputs": {"messages": TALK[:2]}, "outputs": {"messages": TALK[2:]}},
    ]
    for row in rows:
        assert shape(one(tmp_path, row)) == plain, row


def test_states_of_calls(tmp_path: Path) -> None:
    unknown = {**TOLD, "content": "Error: lift is not a valid tool, try one of [lower].", "tool_call_id": "w2"}
    calls = [CALL, {**CALL, "id": "w2", "name": "lift"}, {**CALL, "id": "w3"}]
    invalid = [{"name": "lower", "args": '{"m"', "id": "w4", "error": None}]
    talk = [HUMAN, {**ASKED, "tool_calls": calls, "invalid_tool_calls": invalid}, TOLD, {**unknown, "status": "error"}]
    trace = one(tmp_path, [*talk, {**DONE, "tool_calls": [{**CALL, "id": "w5"}]}])
    assert [(call.id, call.state, call.delivered) for call in trace.calls] == [
        ("w1", "answered", True),
        ("w2", "refused", True),
        ("w3", "dropped", False),
        ("w4", "refused", False),
        ("w5", "unanswered", False),
    ]
    assert (trace.evidence.executions, trace.evidence.errors) == ("not_recorded", "present")


def test_an_answer_marked_as_an_error_proves_no_execution(tmp_path: Path) -> None:
    trace = one(tmp_path, [HUMAN, ASKED, {**TOLD, "status": "error"}])
    assert [call.state for call in trace.calls] == ["answered"]
    assert trace.of(Observation)[0].extra["status"] == "error"
    assert trace.evidence.errors == "not_recorded"


def test_a_tool_that_prints_the_words_of_a_refusal_is_not_one(tmp_path: Path) -> None:
    trace = one(tmp_path, [HUMAN, ASKED, {**TOLD, "content": "Error: x is not a valid tool, try one of [y]."}])
    assert [call.state for call in trace.calls] == ["answered"]


def test_each_prompt_of_a_batch_is_a_request_of_its_own(tmp_path: Path) -> None:
    (first, second) = load(tmp_path, {"messages": [[constructor(HUMAN)], [constructor(HUMAN), constructor(HUMAN)]]})
    assert isinstance(first, Trace)
    assert isinstance(second, Trace)
    assert first.id != second.id
    assert [len(trace.contexts[trace.of(Request)[0].id]) for trace in (first, second)] == [1, 2]
    assert first.evidence.proposals == "not_recorded"


def test_a_row_with_single_messages(tmp_path: Path) -> None:
    trace = one(tmp_path, {"question": HUMAN, "reply": {"generations": [[{"message": constructor(DONE)}]]}})
    assert [kind for kind, *_ in shape(trace)] == ["request", "completion", "answer"]


def test_the_rest_of_a_state_is_kept(tmp_path: Path) -> None:
    trace = one(tmp_path, {"input": {"messages": TALK, "router": {"type": "x"}, "steps": []}, "id": 7})
    assert trace.started.extra == {"input": {"router": {"type": "x"}}, "id": 7}


def test_tokens_model_and_reasoning(tmp_path: Path) -> None:
    about = {
        "usage_metadata": {"input_tokens": 30, "output_tokens": 12, "input_token_details": {"cache_read": 20}},
        "response_metadata": {"model_name": "spring-1", "finish_reason": "tool_calls"},
        "additional_kwargs": {"reasoning_content": "Deep.", "tool_calls": [{"id": "w1"}]},
        "content": [{"type": "text", "text": "I "}, {"type": "tool_use", "id": "w1", "name": "lower", "input": {}}],
    }
    trace = one(tmp_path, [HUMAN, {**ASKED, **about}])
    (reply,) = trace.of(CompletionEvent)
    assert reply.usage == Usage(input_tokens=30, output_tokens=12)
    assert (reply.model, reply.finish_reason, reply.reasoning, reply.text) == ("spring-1", "tool_calls", "Deep.", "I ")
    assert len(trace.calls) == 1


def test_only_rows_in_which_nothing_is_a_message_are_refused(tmp_path: Path) -> None:
    found = load(tmp_path, {"messages": TALK}, {"query": "well"}, [], {"x": {"y": [{"z": DONE}]}}, {"messages": TALK})
    assert [isinstance(each, Trace) for each in found] == [True, False, False, True, True]
    assert str(found[1]).endswith("line 2: a LangChain message was expected, and nothing here is one (fields: query)")
    assert len({trace.id for trace in found if isinstance(trace, Trace)}) == 3


def test_an_error_names_the_message(tmp_path: Path) -> None:
    (error,) = load(tmp_path, [HUMAN, {**ASKED, "tool_calls": 5}])
    assert isinstance(error, LoadError)
    assert "message 1: tool_calls: a list was expected and a number found" in str(error)


@pytest.mark.parametrize(
    ("rows", "claimed"),
    [
        ([{"messages": [{"role": "user", "content": "x"}]}], False),
        ([{"messages": [{"role": "user", "content": "x"}]}, {"messages": TALK}], True),
        ([{"type": "system", "content": "compacted", "uuid": "1"}], False),
        ([{"type": "user", "message": {"role": "user", "content": "x"}}], False),
        ([{"run_type": "llm", "inputs": {"messages": [[constructor(HUMAN)]]}}], False),
        ([[constructor(HUMAN)]], True),
        ([HUMAN], True),
    ],
)
def test_what_is_recognised(rows: list[Any], claimed: bool) -> None:
    head = Head("\n".join(json.dumps(row) for row in rows).encode())
    assert LANGCHAIN.sniff(head) is claimed


def test_a_row_that_is_cut_off_is_recognised() -> None:
    rows = [
        {"messages": [{"role": "user", "content": "x"}]},
        {"input": {"messages": [HUMAN, {**DONE, "content": "y" * 999}]}},
    ]
    data = "\n".join(json.dumps(row) for row in rows).encode()
    assert LANGCHAIN.sniff(Head(data[:-500], whole=False))


def test_a_bad_row_of_a_table_loses_no_other_and_is_named(tmp_path: Path) -> None:
    table = [{"messages": TALK}, {"query": "well"}, {"messages": [{**DONE, "tool_calls": 5}]}, {"messages": TALK[:2]}]
    for value in (table, {"data": table}):
        found = load(tmp_path, value)
        assert [isinstance(each, Trace) for each in found] == [True, False, False, True]
        assert "row 1: a LangChain message was expected" in str(found[1])
        assert "row 2: message 0: tool_calls: a list was expected" in str(found[2])


@pytest.mark.timeout(30)
def test_a_long_table_is_read_in_linear_time(tmp_path: Path) -> None:
    rows = [{"messages": [{**HUMAN, "content": "w" * 2000}]} for _ in range(6000)]
    assert len(load(tmp_path, rows)) == 6000


def test_real_states(shared: Path) -> None:
    """Twelve rows of one bench: two of a user's message, five states, five prompts of model runs; no calls."""
    path = shared / "traces" / "09_langsmith_langgraph" / "langgraph_state_inputs.jsonl"
    (found,) = survey([str(path)]).found
    assert found.format is LANGCHAIN
    traces = list(read_traces(path))
    assert [len(trace.of(CompletionEvent)) for trace in traces] == [0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1]
    assert [len(trace.of(Request)) for trace in traces] == [1, 1, 2, 2, 2, 1, 2, 1, 2, 1, 2, 2]
    assert not [trace for trace in traces if trace.calls]
    assert len({trace.id for trace in traces}) == 12
