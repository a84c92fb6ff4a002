from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.openai_chat import OPENAI_CHAT, is_chat
from agentlab.formats.reading import read_traces
from agentlab.trace.events import CompletionEvent, Observation, Request
from agentlab.trace.model import Trace

ASK = {"role": "user", "content": "Is the gate open?"}
TOOLS = [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}]


def call(name: str, arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


def says(content: Any = None, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **({"tool_calls": list(calls)} if calls else {}), **more}


def answer(content: Any, call_id: str = "", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": content, **({"tool_call_id": call_id} if call_id else {}), **more}


def load(value: Any, folder: Path) -> list[Trace | LoadError]:
    path = folder / "chat.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return list(survey([str(path)], format=OPENAI_CHAT).load())


def read(value: Any, folder: Path) -> Trace:
    (trace,) = load(value, folder)
    assert isinstance(trace, Trace), trace
    return trace


@pytest.mark.parametrize("within", [None, "messages", "traj", "input"])
def test_a_list_of_messages_bare_or_in_a_field(within: str | None, tmp_path: Path) -> None:
    chat = [ASK, says("", call("look", id="c1")), answer("open", "c1"), says("It is.")]
    trace = read({within: chat} if within else chat, tmp_path)
    assert [(one.id, one.state, one.delivered) for one in trace.calls] == [("c1", "answered", True)]
    assert trace.answer is not None
    assert trace.answer.text == "It is."
    assert trace.started.task == ASK["content"]


def test_an_answer_proves_no_execution(tmp_path: Path) -> None:
    trace = read([ASK, says("", call("look", id="c1")), answer("open", "c1")], tmp_path)
    evidence = trace.evidence
    assert (evidence.proposals, evidence.results) == ("present", "present")
    assert (evidence.executions, evidence.errors, evidence.times) == ("not_recorded",) * 3
    assert not trace.calls[0].delivered


def test_without_ids_answers_go_by_order(tmp_path: Path) -> None:
    chat = [
        ASK,
        says("", call("look"), call("touch")),
        answer("open"),
        answer("warm"),
        says("", call("look")),
        answer("shut"),
    ]
    trace = read(chat, tmp_path)
    assert [(one.tool, one.state) for one in trace.calls] == [
        ("look", "answered"),
        ("touch", "answered"),
        ("look", "answered"),
    ]
    assert [event.call for event in trace.of(Observation)] == ["call-1", "call-2", "call-3"]


def test_an_id_that_stands_twice_is_two_calls(tmp_path: Path) -> None:
    chat = [
        ASK,
        says("", call("look", id="x")),
        answer("a", "x"),
        says("", call("look", id="x")),
        answer("b", "x"),
        says("c"),
    ]
    trace = read(chat, tmp_path)
    assert [one.state for one in trace.calls] == ["answered", "answered"]


def test_a_call_that_nothing_answers(tmp_path: Path) -> None:
    first = says("", call("look", id="c1"), call("touch", id="c2"))
    trace = read([ASK, first, answer("open", "c1"), ASK, says("", call("look", id="c3"))], tmp_path)
    assert [one.state for one in trace.calls] == ["answered", "dropped", "unanswered"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [('{"at": 1}', {"at": 1}), ({"at": 1}, {"at": 1}), ('{"at": ', '{"at": '), ("", {}), (None, {}), ("[1]", "[1]")],
)
def test_arguments_as_text_as_an_object_and_invalid(arguments: Any, found: Any, tmp_path: Path) -> None:
    assert read([ASK, says("", call("look", arguments))], tmp_path).calls[0].arguments == found


def test_the_older_form_of_a_call_and_its_answer(tmp_path: Path) -> None:
    older = says(None, function_call={"name": "look", "arguments": "{}"})
    trace = read([ASK, older, {"role": "function", "name": "look", "content": "open"}, says("Yes.")], tmp_path)
    assert [(one.tool, one.state) for one in trace.calls] == [("look", "answered")]


def test_what_compatible_servers_add_is_kept(tmp_path: Path) -> None:
    value = {
        "messages": [
            {"role": "developer", "content": "Be brief."},
            ASK,
            says("Yes.", call("look", id="c1", index=0), reasoning_content="hm", mood="calm"),
            answer("open", "c1", name="look"),
        ],
        "model": "m-1",
        "tools": TOOLS,
        "reward": 1.0,
    }
    trace = read(value, tmp_path)
    reply = trace.of(CompletionEvent)[0]
    assert (reply.reasoning, reply.extra) == ("hm", {"mood": "calm", "tool_calls": [{"index": 0}]})
    assert trace.started.extra == {"reward": 1.0}
    assert (trace.started.model, trace.started.tools[0].name) == ("m-1", "look")
    assert trace.of(Observation)[0].extra == {"name": "look"}
    assert [item.role for item in trace.of(Request)[0].items] == ["system", "user"]


def test_each_event_names_the_index_of_its_message(tmp_path: Path) -> None:
    trace = read([ASK, says("", call("look")), answer("open"), says("Yes.")], tmp_path)
    assert [reply.source for reply in trace.of(CompletionEvent)] == ["1", "3"]
    assert [seen.source for seen in trace.of(Observation)] == ["2"]
    assert trace.of(Request)[0].items[0].source == "0"


def test_a_refusal_is_what_was_said(tmp_path: Path) -> None:
    trace = read([ASK, says(None, refusal="I may not.")], tmp_path)
    assert trace.of(CompletionEvent)[0].text == "I may not."


def test_the_context_of_a_decision_ends_with_a_request(tmp_path: Path) -> None:
    trace = read({"input": [ASK, says("", call("look")), answer("open")]}, tmp_path)
    assert len(trace.of(Request)) == 2
    assert trace.calls[0].delivered


def test_without_native_calls_proposals_are_not_recorded(tmp_path: Path) -> None:
    text = [ASK, says("Action: look"), {"role": "user", "content": "Observation: open"}]
    assert read(text, tmp_path).evidence.proposals == "not_recorded"
    assert read({"messages": text, "tools": TOOLS}, tmp_path).evidence.proposals == "absent"


def test_rows_of_a_list_are_attempts_of_their_own_and_a_bad_one_costs_no_other(tmp_path: Path) -> None:
    first, error, none, last = load([{"messages": [ASK]}, {"messages": "none"}, 7, {"traj": [ASK]}], tmp_path)
    assert isinstance(first, Trace)
    assert isinstance(last, Trace)
    assert isinstance(error, LoadError)
    assert error.problem.startswith("row 1: a list of chat messages was expected in messages, traj, input; there is ")
    assert error.problem.endswith("messages is a text")
    assert isinstance(none, LoadError)
    assert none.problem == "row 2: an object was expected and a number found"
    assert first.id != last.id


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": "narrator", "content": "x"}, "a list of chat messages was expected"),
        ({"role": "user", "content": 7}, "message 1: content: a text or a list of parts"),
        (says("", {"function": 7}), "message 1: function: an object was expected"),
        ({**says(""), "tool_calls": [7]}, "message 1: tool_calls[0]: an object was expected"),
        (says("", call("look", 7)), "message 1: arguments: an object or a text was expected"),
        (answer("x") | {"tool_call_id": []}, "message 1: tool_call_id: a text was expected"),
    ],
)
def test_a_bad_message_is_named(message: dict[str, Any], problem: str, tmp_path: Path) -> None:
    (error,) = load({"messages": [ASK, message, ASK]}, tmp_path)
    assert isinstance(error, LoadError)
    assert problem in error.problem


@pytest.mark.parametrize(
    ("value", "chat"),
    [
        ([ASK], True),
        ([ASK, {"role": "us"}], True),
        ([{"role": "user"}], False),
        ([{"role": "narrator", "content": "x"}], False),
        ([], False),
        ({}, False),
        ("x", False),
        ([ASK, 7, ASK], False),
    ],
)
def test_what_a_chat_is(value: Any, chat: bool) -> None:
    """The last message of a head may be cut off, so it does not count where there are others."""
    assert is_chat(value) is chat
    assert OPENAI_CHAT.sniff(Head(json.dumps({"messages": value}).encode())) is chat


REAL = {
    # counted by a loop over the messages: rows, calls, answers
    "chat_messages_taubench_agentrx_hallucination_doubt.json": (1, 5, 5),
    "chat_messages_taubench_agentrx_misinterpretation_tool_output.json": (1, 16, 16),
    "chat_messages_taubench_mirage_dev13_3.json": (1, 0, 0),
}


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    traces = list(read_traces(shared / "traces" / "04_openai" / name, format="openai-chat"))
    rows, proposed, answered = REAL[name]
    states = Counter(one.state for trace in traces for one in trace.calls)
    assert (len(traces), sum(states.values()), states["answered"]) == (rows, proposed, answered)


@pytest.mark.parametrize("kind", ["tool_use", "tool_result"])
def test_a_call_in_anthropics_shape_is_refused_and_not_passed_over(kind: str, tmp_path: Path) -> None:
    (error,) = load([ASK, says([{"type": kind, "id": "t1", "name": "look", "input": {}}])], tmp_path)
    assert isinstance(error, LoadError)
    assert error.problem.startswith("message 1: content: ")
    assert "Anthropic" in error.problem


def test_what_stands_beside_the_messages_and_their_calls_is_kept(tmp_path: Path) -> None:
    noted = call("look", id="c1")
    noted["function"]["strict"] = True
    search = {"type": "web_search"}
    row = {"messages": [ASK, says("", noted, name="Keeper")], "input": "the west gate", "tools": [*TOOLS, search]}
    trace = read(row, tmp_path)
    assert trace.started.extra == {"input": "the west gate", "tools": [search]}
    assert trace.of(CompletionEvent)[0].extra == {"name": "Keeper", "tool_calls": [{"strict": True}]}


def test_a_role_that_is_none_is_named(tmp_path: Path) -> None:
    (error,) = load({"messages": [ASK, says("It is."), {"role": "gull", "content": "Kri!"}]}, tmp_path)
    assert isinstance(error, LoadError)
    assert "message 2: role: one of system, developer, user," in error.problem
    assert error.problem.endswith("was expected and 'gull' found")
