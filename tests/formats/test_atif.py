from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.formats.atif import ATIF
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.messages import Usage
from agentlab.trace.events import CompletionEvent, Observation, ProtocolErrorEvent, Request, Summary
from agentlab.trace.model import Trace

ASKED = {"source": "user", "message": "Feed the cat."}
SAID = {"source": "agent", "message": "The cat is fed."}


def call(identity: str, name: str = "feed", **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": identity, "function_name": name, "arguments": arguments}


def acts(*calls: Any, results: Any = None, **more: Any) -> dict[str, Any]:
    observation = {} if results is None else {"observation": {"results": results}}
    return {"source": "agent", "message": "", "tool_calls": list(calls), **observation, **more}


def trajectory(*steps: Any, **more: Any) -> dict[str, Any]:
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, 1)]
    return {"schema_version": "ATIF-v1.5", "session_id": "s", "agent": {"name": "cat"}, "steps": numbered, **more}


def load(value: Any, folder: Path) -> list[Any]:
    path = folder / "trajectory.json"
    path.write_text(json.dumps(value), encoding="utf-8", newline="")
    (found,) = survey([str(path)]).found
    assert found.format is ATIF
    return list(found.load())


def read(*steps: Any, folder: Path, **more: Any) -> Trace:
    (trace,) = load(trajectory(*steps, **more), folder)
    assert isinstance(trace, Trace)
    return trace


def test_an_answer_proves_no_execution(tmp_path: Path) -> None:
    results = [{"source_call_id": "c1", "content": "fed"}, {"source_call_id": "c2"}]
    trace = read(ASKED, acts(call("c1", bowl=2), call("c2"), results=results), SAID, folder=tmp_path)
    assert [(each.id, each.state, each.delivered) for each in trace.calls] == [
        ("c1", "answered", True),
        ("c2", "answered", True),
    ]
    assert trace.calls[0].arguments == {"bowl": 2}
    assert [(event.text, event.source) for event in trace.of(Observation)] == [("fed", "2.0"), ("", "2.1")]
    assert (trace.evidence.executions, trace.evidence.errors) == ("not_recorded", "not_recorded")
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.source) == ("The cat is fed.", "3")


def test_results_without_ids_answer_the_calls_in_their_order(tmp_path: Path) -> None:
    trace = read(acts(call("c1"), call("c2"), results=[{"content": "a"}, {"content": "b"}]), SAID, folder=tmp_path)
    assert [event.call for event in trace.of(Observation)] == ["c1", "c2"]


def test_a_result_without_an_id_leaves_calls_to_those_that_name_them(tmp_path: Path) -> None:
    results = [{"content": "a"}, {"source_call_id": "c1", "content": "b"}, {"content": "c"}]
    trace = read(acts(call("c1"), call("c2"), results=results), SAID, folder=tmp_path)
    assert [(event.call, event.text) for event in trace.of(Observation)] == [("c2", "a"), ("c1", "b"), ("", "c")]
    assert [each.state for each in trace.calls] == ["answered", "answered"]


def test_fewer_results_than_calls(tmp_path: Path) -> None:
    steps = acts(call("c1"), call("c2"), results=[{"content": "a"}]), acts(call("c3"))
    trace = read(*steps, folder=tmp_path)
    assert [(each.id, each.state) for each in trace.calls] == [
        ("c1", "answered"),
        ("c2", "dropped"),
        ("c3", "unanswered"),
    ]
    assert trace.answer is None


def test_more_results_than_calls_answer_nothing(tmp_path: Path) -> None:
    trace = read(acts(call("c1"), results=[{"content": "a"}, {"content": "b"}]), SAID, folder=tmp_path)
    assert [(event.call, event.text) for event in trace.of(Observation)] == [("c1", "a"), ("", "b")]
    assert [each.id for each in trace.calls] == ["c1"]


def test_a_reply_that_could_not_be_parsed_is_rejected(tmp_path: Path) -> None:
    told = "Previous response had parsing errors:\nERROR: no JSON"
    wrong = {"source": "agent", "message": '{"commands": [', "observation": {"results": [{"content": told}]}}
    trace = read(ASKED, wrong, SAID, folder=tmp_path)
    first, second = trace.of(CompletionEvent)
    assert (first.accepted, first.text, second.accepted) == (False, '{"commands": [', True)
    assert [(event.completion, event.reason) for event in trace.of(ProtocolErrorEvent)] == [(first.id, told)]
    assert not trace.of(Observation)
    (shown,) = [item for item in trace.of(Request)[-1].items if item.author == "harness"]
    assert (shown.text, shown.source) == (told, "2.0")


def test_an_action_in_the_text_has_its_result_without_a_call(tmp_path: Path) -> None:
    acted = {"source": "agent", "message": "ACTION: feed", "observation": {"results": [{"content": "fed"}]}}
    trace = read(ASKED, acted, folder=tmp_path)
    assert [(event.call, event.text) for event in trace.of(Observation)] == [("", "fed")]
    assert not trace.of(ProtocolErrorEvent)
    assert trace.answer is None


def test_what_a_step_says_of_the_model(tmp_path: Path) -> None:
    metrics = {"prompt_tokens": 30, "completion_tokens": 4, "cached_tokens": 12, "extra": {"x": 1}}
    step = acts(
        {**call("c1"), "extra": {"runtime": "graph"}},
        reasoning_content="hm",
        model_name="m-2",
        metrics=metrics,
        timestamp="2031-05-01T10:00:00Z",
        reasoning_effort="low",
        llm_call_count=1,
    )
    (reply,) = read(step, folder=tmp_path).of(CompletionEvent)
    assert (reply.reasoning, reply.model, reply.time) == ("hm", "m-2", 1935396000.0)
    assert reply.usage == Usage(input_tokens=30, output_tokens=4)
    assert reply.extra == {
        "reasoning_effort": "low",
        "llm_call_count": 1,
        "metrics": {"cached_tokens": 12, "extra": {"x": 1}},
        "tool_calls": [{"extra": {"runtime": "graph"}}],
    }


def test_what_code_did_is_no_reply_and_no_proposal(tmp_path: Path) -> None:
    results = [{"source_call_id": "c1", "content": "rain"}]
    step = acts(call("c1", "forecast", day=2), results=results, llm_call_count=0, message="Asking.")
    trace = read(ASKED, step, {**SAID, "llm_call_count": 1}, folder=tmp_path)
    assert [(each.tool, each.state, each.by, each.proposed_in) for each in trace.calls] == [
        ("forecast", "answered", "not_recorded", None)
    ]
    (reply,) = trace.of(CompletionEvent)
    assert reply.text == "The cat is fed."
    (request,) = trace.of(Request)
    assert [(item.role, item.author, item.source) for item in request.items] == [
        ("user", "user", "1"),
        ("assistant", "harness", "2"),
        ("tool", "tool", "2.0"),
    ]
    assert request.items[1].extra == {"llm_call_count": 0, "tool_calls": [call("c1", "forecast", day=2)]}
    assert trace.evidence.proposals == "not_recorded"


def test_results_of_code_without_ids_name_their_tools_in_order(tmp_path: Path) -> None:
    results = [{"content": "a"}, {"source_call_id": "c1", "content": "b"}, {"content": "c"}]
    step = acts(call("c1", "one"), call("c2", "two"), results=results, llm_call_count=0)
    assert [(each.tool, each.id) for each in read(step, folder=tmp_path).calls] == [("two", "c2"), ("one", "c1")]


def test_usage_under_its_other_name(tmp_path: Path) -> None:
    (reply,) = read({**SAID, "usage": {"prompt_tokens": 9, "completion_tokens": 1}}, folder=tmp_path).of(
        CompletionEvent
    )
    assert reply.usage == Usage(input_tokens=9, output_tokens=1)


def test_pictures_are_marked_and_kept_by_their_path(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"media_type": "image/png", "path": "cat.png"}}
    seen = {"source": "user", "message": [{"type": "text", "text": "Who is it?"}, picture]}
    results = [{"source_call_id": "c1", "content": [{"type": "text", "text": "a cat"}, picture]}]
    trace = read(seen, acts(call("c1"), results=results), SAID, folder=tmp_path)
    (item,) = trace.of(Request)[0].items
    (event,) = trace.of(Observation)
    assert item.text is not None
    assert item.text.startswith("Who is it?\n[image, ")
    assert event.text.startswith("a cat\n[image, ")
    assert item.extra == event.extra == {"media": [picture]}


def test_a_compaction_takes_the_place_of_the_context(tmp_path: Path) -> None:
    managed = {"context_management": {"type": "compaction", "boundary": "replace"}}
    shortened = {"source": "system", "message": "Shortened.", "extra": managed}
    shortened["observation"] = {"results": [{"content": "The cat wants food."}]}
    trace = read(ASKED, acts(call("c1"), results=[{"content": "fed"}]), shortened, SAID, folder=tmp_path)
    last = trace.of(Request)[-1]
    assert [(m.role, m.text) for m in trace.contexts[last.id]] == [
        ("system", "Shortened."),
        ("user", "The cat wants food."),
    ]
    assert [(event.text, event.source) for event in trace.of(Summary)] == [("The cat wants food.", "3.0")]
    assert [(each.state, each.delivered) for each in trace.calls] == [("answered", False)]


def test_a_note_of_the_system_is_heard(tmp_path: Path) -> None:
    noted = {"source": "system", "message": "Mind the dog.", "observation": {"results": [{"content": "dog awake"}]}}
    trace = read(ASKED, noted, SAID, folder=tmp_path)
    (request,) = trace.of(Request)
    assert [(item.role, item.author, item.text) for item in request.items] == [
        ("user", "user", "Feed the cat."),
        ("system", "system", "Mind the dog."),
        ("user", "harness", "dog awake"),
    ]
    assert not trace.of(Summary)


def test_copied_steps_are_context_and_no_acts(tmp_path: Path) -> None:
    copied = acts(call("c0"), results=[{"content": "no food"}], is_copied_context=True)
    trace = read({**ASKED, "is_copied_context": True}, copied, SAID, folder=tmp_path)
    (request,) = trace.of(Request)
    assert [(item.role, item.author) for item in request.items] == [
        ("user", "user"),
        ("assistant", "model"),
        ("user", "tool"),
    ]
    assert request.items[1].extra == {"is_copied_context": True, "tool_calls": [call("c0")]}
    assert not trace.calls
    assert trace.evidence.proposals == "absent"


def test_embedded_trajectories_are_traces_of_their_own(tmp_path: Path) -> None:
    leaf = trajectory(SAID, trajectory_id="leaf", session_id=None)
    child = trajectory(SAID, trajectory_id="child", subagent_trajectories=[leaf, 5])
    results = [{"source_call_id": "c1", "subagent_trajectory_ref": [{"trajectory_id": "child"}]}]
    whole = trajectory(acts(call("c1"), results=results), SAID, trajectory_id="whole", subagent_trajectories=[child])
    parent, first, second, bad = load(whole, tmp_path)
    assert [trace.started.source for trace in (parent, first, second)] == ["whole", "child", "leaf"]
    assert [trace.started.extra.get("within") for trace in (parent, first, second)] == [None, "whole", "child"]
    assert parent.of(Observation)[0].extra == {"subagent_trajectory_ref": [{"trajectory_id": "child"}]}
    assert "subagent_trajectories[0]: subagent_trajectories[1]: an object was expected" in str(bad)


def test_a_trajectory_that_goes_on_elsewhere_has_no_answer(tmp_path: Path) -> None:
    trace = read(ASKED, SAID, folder=tmp_path, continued_trajectory_ref="trajectory.cont-1.json")
    assert trace.answer is None
    assert trace.started.extra["continued_trajectory_ref"] == "trajectory.cont-1.json"


def test_what_is_known_of_the_agent(tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "feed", "description": "Feeds.", "parameters": {}}}]
    agent = {"name": "cat", "version": "2", "model_name": "m-1", "tool_definitions": tools, "extra": {"x": 1}}
    started = read(SAID, folder=tmp_path, agent=agent, final_metrics={"total_steps": 1}, notes="n").started
    assert (started.agent, started.loop_version, started.model) == ("cat", "2", "m-1")
    assert [tool.name for tool in started.tools] == ["feed"]
    assert started.extra["agent"] == {"extra": {"x": 1}}
    assert started.extra["final_metrics"] == {"total_steps": 1}
    assert (started.extra["notes"], started.extra["session_id"]) == ("n", "s")


def test_files_of_one_session_are_different_attempts(tmp_path: Path) -> None:
    one, two = read(SAID, folder=tmp_path), read(ASKED, SAID, folder=tmp_path)
    assert one.started.source == two.started.source == "s"
    assert one.id != two.id


@pytest.mark.parametrize(
    "step",
    [
        {"source": "cat"},
        {"message": "x"},
        {"source": "agent", "message": 5},
        {"source": "agent", "message": "x", "timestamp": "noon"},
        {"source": "agent", "message": "x", "tool_calls": [5]},
        {"source": "agent", "message": "x", "observation": []},
        {"source": "agent", "message": "x", "metrics": {"prompt_tokens": "many"}},
    ],
)
def test_a_step_of_another_shape_costs_its_trajectory_only(step: Any, tmp_path: Path) -> None:
    bad, good = load([trajectory(ASKED, step), trajectory(ASKED, SAID)], tmp_path)
    assert "row 0: step 2: " in str(bad)
    assert isinstance(good, Trace)


def test_several_in_one_file(tmp_path: Path) -> None:
    named = {"first": trajectory(SAID), "second": trajectory(SAID, agent=7), "third": trajectory(SAID), "note": "x"}
    first, second, third = load(named, tmp_path)
    assert "second: agent: an object was expected" in str(second)
    assert first.id != third.id
    path = tmp_path / "lines.jsonl"
    path.write_text(f"{json.dumps(trajectory(SAID))}\r\n{json.dumps({'schema_version': 'B-1'})}\r\n", encoding="utf-8")
    one, other = survey([str(path)]).load()
    assert isinstance(one, Trace)
    assert "line 2: schema_version: a version of ATIF was expected and another one found" in str(other)


def test_how_it_is_known() -> None:
    long = json.dumps(trajectory(ASKED, SAID, {**SAID, "message": "x" * 100_000})).encode()
    assert ATIF.sniff(Head(long[: 1 << 16], whole=False))
    others: list[Any] = [{"schema_version": "1.0", "steps": []}, {"steps": []}, {"schema_version": 3}, [], 3]
    for value in others:
        assert not ATIF.sniff(Head(json.dumps(value).encode()))


REAL = {
    "phoenix_huggingface_accountant.json": [(7, 4, 4, "")],
    "phoenix_multi_tool_trajectory.json": [(3, 4, 4, "")],
    "phoenix_multimodal_trajectory.json": [(2, 1, 1, "")],
    "phoenix_parallel_tools_mixed_results.json": [(2, 3, 3, "")],
    "phoenix_subagent_trajectories.json": [(2, 1, 1, ""), (1, 0, 0, "")],
    "phoenix_v17_embedded_subagents.json": [(1, 1, 0, ""), (1, 0, 0, "parent-doc")],
}
"""Of each trajectory: replies, calls (every one is answered), answers that were delivered, and what it is within.

In the last file the context is replaced before a request carries the result of the delegation.
"""
DISPATCHED = {"phoenix_v17_embedded_subagents.json"}
"""Where code and no model made the calls."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    traces = list(survey([str(shared / "traces/12_agentdojo_webarena_atif/atif" / name)]).load())
    found = []
    for trace in traces:
        assert isinstance(trace, Trace)
        by = "not_recorded" if name in DISPATCHED else "agent"
        assert Counter((call.state, call.by) for call in trace.calls) == +Counter({("answered", by): len(trace.calls)})
        assert trace.answer is not None
        within = trace.started.extra.get("within", "")
        delivered = sum(call.delivered for call in trace.calls)
        found.append((len(trace.of(CompletionEvent)), len(trace.calls), delivered, within))
    assert found == REAL[name]


def test_real_contexts_of_one_decision_are_plain_chat(shared: Path) -> None:
    folder = shared / "traces/12_agentdojo_webarena_atif/mirage"
    found = survey([str(folder)])
    assert {each.format.name for each in found.found} == {"openai-chat"}
    assert [Path(path).name for path in found.skipped] == ["webarena_808_tiny.json"]


def test_what_stands_beside_the_results_is_kept(tmp_path: Path) -> None:
    step = acts(call("c1"))
    step["observation"] = {"results": [{"source_call_id": "c1", "content": "fed"}], "cut": True}
    trace = read(ASKED, step, SAID, folder=tmp_path)
    assert trace.of(CompletionEvent)[0].extra == {"observation": {"cut": True}}


def test_a_speaker_that_is_none_is_named(tmp_path: Path) -> None:
    (error,) = load(trajectory(ASKED, {"source": "cat", "message": "Meow."}), tmp_path)
    assert str(error).endswith("step 2: source: one of user, agent, system was expected and 'cat' found")
