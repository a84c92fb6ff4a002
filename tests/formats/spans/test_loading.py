"""Span lists written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agentlab.errors import LoadError
from agentlab.formats.finding import survey
from agentlab.formats.spans.schema import SPANS_SCHEMA
from agentlab.trace.events import CompletionEvent, ExecutionFinished, ExecutionStarted, Request
from agentlab.trace.model import Trace

SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "spans.json"


def span(name: str, kind: str, begin: float, end: float | None, parent: str | None = None, **held: Any) -> Any:
    trace = held.pop("trace", "m")
    return {
        "trace_id": trace,
        "span_id": name,
        "parent_id": parent,
        "kind": kind,
        "name": name,
        "start": begin,
        "end": end,
        "attributes": held,
    }


def load(tmp_path: Path, *spans: Any, **more: Any) -> list[Trace]:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({**more, "spans": spans}))
    found = list(survey([str(path)]).load())
    assert not [each for each in found if isinstance(each, LoadError)], found
    return [each for each in found if isinstance(each, Trace)]


def test_the_sample_is_as_the_schema_says_and_shows_every_state() -> None:
    jsonschema.validate(json.loads(SAMPLE.read_text()), dict(SPANS_SCHEMA))
    (trace,) = survey([str(SAMPLE)]).load()
    assert isinstance(trace, Trace)
    assert {call.tool: (call.state, call.delivered) for call in trace.calls} == {
        "bake": ("succeeded", True),
        "phone": ("failed", False),
        "decorate": ("dropped", False),
        "taster": ("succeeded", False),
        "clean": ("unanswered", False),
    }
    assert trace.started.agent == "desk"


def test_an_end_before_the_start_turns_no_order_and_gives_no_duration(tmp_path: Path) -> None:
    boss = span("boss", "AGENT", 40, 10, output="Done.")
    first = span("ask", "LLM", 41, 11, "boss", messages=[], tool_calls=[{"id": "k", "name": "oven"}])
    run = span("oven", "TOOL", 42, 12, "boss", tool_call_id="k", output="hot")
    (trace,) = load(tmp_path, boss, first, run, span("tell", "LLM", 43, 44, "boss", messages=[], output="Done."))
    assert trace.defect == "span boss ends at 10.0, before it starts at 40.0 (and 2 more)"
    assert [reply.source for reply in trace.of(CompletionEvent)] == ["ask", "tell"]
    assert [(call.state, call.result) for call in trace.calls] == [("succeeded", "hot")]
    assert trace.finished is not None
    assert trace.finished.duration is None
    assert [each.duration for each in trace.of(ExecutionFinished)] == [None]
    assert [each.latency for each in trace.of(CompletionEvent)] == [None, 1.0]
    times = [event.time for event in trace if event.time is not None]
    assert min(times) == 40.0


def test_a_run_that_is_over_before_it_was_asked_for_is_told(tmp_path: Path) -> None:
    asks = span("ask", "LLM", 20, 30, "boss", tool_calls=[{"id": "k", "name": "oven"}])
    early = span("oven", "TOOL", 11, 12, "boss", tool_call_id="k", output="hot")
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, 60), asks, early)
    assert trace.defect == "span oven is over before span ask begins, which asked for it"
    assert [(call.state, call.result) for call in trace.calls] == [("succeeded", "hot")]
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, 60), asks, {**early, "start": 22, "end": 24})
    assert trace.defect == ""


def test_a_span_that_stands_below_itself_is_told(tmp_path: Path) -> None:
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, 60, "boss"), span("oven", "TOOL", 1, 2, "boss", output="hot"))
    assert trace.defect == "span boss stands below itself"
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, 60, "oven"), span("oven", "TOOL", 1, 2, "boss", output="hot"))
    assert trace.defect.endswith("stands below itself")
    assert [call.state for call in trace.calls] == ["succeeded"]


def test_a_span_that_never_ended_is_told_where_what_holds_it_did(tmp_path: Path) -> None:
    oven = span("oven", "TOOL", 1, None, "boss")
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, 60), oven)
    assert trace.defect == "span oven never ended, and span boss around it did"
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, None), oven)
    assert trace.defect == ""


@pytest.mark.parametrize("name", ["session", "session_id", "gen_ai.conversation.id", "thread_id"])
def test_a_session_has_several_names(name: str, tmp_path: Path) -> None:
    east = span("east", "AGENT", 0, 9, trace="m", output="2", **{name: "e"})
    west = span("west", "AGENT", 0, 9, trace="n", output="5", **{name: "w"})
    stray = span("count", "TOOL", 2, 3, "east", trace="m", output="5", **{name: "w"})
    own = span("count", "TOOL", 2, 3, "east", trace="m", output="2", **{name: "e"})
    mixed = load(tmp_path, east, west, {**stray, "span_id": "count2"}, own)
    assert all("is of session w and hangs below span east of session e" in trace.defect for trace in mixed)
    assert not any(trace.defect for trace in load(tmp_path, east, west, own))


def test_cached_tokens_have_several_names(tmp_path: Path) -> None:
    counts = {"prompt_tokens": 500, "cached_tokens": 480}
    (trace,) = load(tmp_path, span("ask", "LLM", 0, 1, output="5", **counts))
    assert "counts them twice" in trace.defect


def test_an_attempt_that_began_with_another_agent_lasts_no_less_than_nothing(tmp_path: Path) -> None:
    first = span("cook", "AGENT", 30, 35, output="Baked.")
    (trace,) = load(tmp_path, first, span("boss", "AGENT", 40, 0, output="Done."))
    assert trace.finished is not None
    assert trace.finished.duration is None


@pytest.mark.parametrize(
    ("kind", "name", "defect"),
    [
        ("TOOL", "oven", ""),
        ("TOOL", "", ""),
        ("TOOL", "fridge", "as TOOL 'oven' and as TOOL 'fridge'"),
        ("LLM", "oven", "as TOOL 'oven' and as LLM 'oven'"),
    ],
)
def test_one_id_of_two_spans_that_cannot_be_one(kind: str, name: str, defect: str, tmp_path: Path) -> None:
    one, other = ({**span("s", "TOOL", 1, 2, output="hot"), "name": "oven"}, {**span("s", kind, 1, 2), "name": name})
    (trace,) = load(tmp_path, one, other)
    said = f"span s is there twice, {defect}, and what the later one says counts"
    assert trace.defect == (said if defect else "")


def test_what_an_agent_handed_back_is_what_it_said(tmp_path: Path) -> None:
    parts = [
        span("boss", "AGENT", 0, 9, output="All is baked."),
        span("cook", "AGENT", 1, 8, "boss", output="Baked.", tools=["oven"], tool_uses=0),
    ]
    (trace,) = load(tmp_path, *parts)
    assert [(reply.agent_name, reply.text) for reply in trace.of(CompletionEvent)] == [
        ("cook", "Baked."),
        ("", "All is baked."),
    ]
    (run,) = trace.of(ExecutionStarted)
    assert (run.tool, run.extra) == ("cook", {"tool_uses": 0, "tools": ["oven"]})
    assert trace.evidence.proposals == "not_recorded"


def test_what_a_model_was_sent_is_not_recorded(tmp_path: Path) -> None:
    """Neither the request before, nor the agent's task, stands for one that nobody wrote down."""
    asked = [{"role": "user", "content": "Bake."}]
    first = span("ask", "LLM", 1, 2, "boss", messages=asked, tool_calls=[{"id": "k", "name": "oven"}])
    run = span("oven", "TOOL", 3, 4, "boss", tool_call_id="k", output="hot")
    second = span("tell", "LLM", 5, 6, "boss", output="It is hot.")
    third = span("more", "LLM", 7, 8, "boss", messages=[*asked, {"role": "user", "content": "Now?"}], output="Yes.")
    boss = span("boss", "AGENT", 0, 9, input="Bake a loaf.", output="Yes.")
    (trace,) = load(tmp_path, boss, first, run, second, third)
    told, unknown, last = trace.of(Request)
    assert [request.recorded for request in (told, unknown, last)] == [True, False, True]
    texts = [[message.text for message in trace.contexts[request.id]] for request in (told, unknown, last)]
    assert texts == [["Bake."], [], ["Bake.", "Now?"]]
    assert [call.delivered for call in trace.calls] == [None]
    (trace,) = load(tmp_path, boss, {**first, "attributes": {"tool_calls": [{"id": "k", "name": "oven"}]}}, run)
    assert [(request.recorded, request.items) for request in trace.of(Request)] == [(False, ())]
    assert trace.started.task == "Bake a loaf."
    assert [call.delivered for call in trace.calls] == [False]  # nothing was sent after it


def test_the_task_of_an_agent_that_a_tool_started_is_kept(tmp_path: Path) -> None:
    boss = span("boss", "AGENT", 0, 9, input="Bake.")
    cook = span("cook", "AGENT", 2, 6, "oven", input="Heat it.")
    (trace,) = load(tmp_path, boss, span("oven", "TOOL", 1, 7, "boss"), cook, span("ask", "LLM", 3, 4, "cook"))
    assert trace.started.extra["agent cook"] == {"task": "Heat it."}


def test_an_agent_ends_where_its_span_does(tmp_path: Path) -> None:
    ask = span("ask", "LLM", 1, 2, "boss", tool_calls=[{"id": "k", "name": "oven"}])
    for more, reason in (({"output": "Hot."}, "answered"), ({}, "other")):
        (trace,) = load(tmp_path, span("boss", "AGENT", 0, 9, **more), ask)
        assert trace.finished is not None
        assert (trace.finished.reason, trace.finished.time, trace.finished.duration) == (reason, 9.0, 9.0)
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, None), ask)
    assert trace.finished is None


def test_siblings_are_paired_by_id(tmp_path: Path) -> None:
    model = span("ask", "LLM", 1, 2, "boss", tool_calls=[{"id": "k", "name": "oven", "arguments": {"t": 9}}])
    (trace,) = load(tmp_path, span("boss", "AGENT", 0, 9), model, span("oven", "TOOL", 3, 4, "boss", tool_call_id="k"))
    assert [(call.id, call.state) for call in trace.calls] == [("k", "succeeded")]
    assert not trace.defect


def test_the_same_instant_is_told(tmp_path: Path) -> None:
    model = span("ask", "LLM", 5, 5, "boss", tool_calls=[{"id": "k", "name": "oven"}], seq=2)
    run = span("oven", "TOOL", 5, 5, "boss", tool_call_id="k", seq=3)
    (trace,) = load(tmp_path, run, model, span("boss", "AGENT", 5, 6, seq=1))
    assert [event.source for event in trace.events[1:]] == ["ask", "ask", "oven", "oven", "boss"]
    assert "same instant" in trace.defect
    (trace,) = load(tmp_path, span("boss", "AGENT", 5, 6), model, run)
    assert not trace.defect


def test_parents_that_are_elsewhere(tmp_path: Path) -> None:
    one = span("a", "AGENT", 0, 9, trace="t1", session="A", output="It is 1.")
    two = span("b", "AGENT", 0, 9, trace="t2", session="B", output="It is 2.")
    stray = span("x", "TOOL", 3, 4, "a", trace="t1", session="B", output="2")
    first, second = load(tmp_path, one, two, stray)
    assert not first.calls
    assert [call.result for call in second.calls] == ["2"]
    assert "session B" in first.defect
    assert "session B" in second.defect
    lost = span("x", "TOOL", 3, 4, "a", trace="t2", output="2")
    first, second = load(tmp_path, one, two, lost)
    assert "names a parent a" in second.defect
    assert [(call.result, call.by) for call in second.calls] == [("2", "agent")]


def test_a_page_of_more_proves_no_absence(tmp_path: Path) -> None:
    (trace,) = load(tmp_path, span("a", "AGENT", 0, 9, output="Read."), page={"returned": 1, "total": 4})
    assert trace.evidence.executions == "not_recorded"
    assert "1 of 4" in trace.defect
    (trace,) = load(tmp_path, span("a", "AGENT", 0, 9, output="Read."), page={"returned": 1, "total": 1})
    assert trace.evidence.executions == "absent"
    assert not trace.defect


@pytest.mark.parametrize(
    ("held", "whole", "told"),
    [
        ({"input_tokens": 100, "cache_read_tokens": 90}, 100, True),
        ({"input_tokens": 10, "cache_read_tokens": 90}, 100, False),
        ({"input_tokens": 10}, 10, False),
    ],
)
def test_cached_tokens(held: dict[str, int], whole: int, told: bool, tmp_path: Path) -> None:
    (trace,) = load(tmp_path, span("ask", "LLM", 0, 1, **held))
    assert trace.of(CompletionEvent)[0].usage.input_tokens == whole
    assert bool(trace.defect) == told


def test_a_request_that_was_refused(tmp_path: Path) -> None:
    error = {"status": 400, "code": "unsupported", "message": "no stop here"}
    (trace,) = load(tmp_path, span("ask", "LLM", 0, 1, request={"model": "m", "stop": ["x"]}, error=error))
    assert trace.finished
    assert (trace.finished.reason, trace.finished.detail) == ("provider_error", "unsupported: no stop here")
    assert not trace.of(CompletionEvent)


def test_a_span_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({"spans": [span("a", "AGENT", 0, 1), span("b", "CAT", 0, 1)]}))
    (error,) = survey([str(path)]).load()
    assert isinstance(error, LoadError)
    assert "span b: kind: one of AGENT, LLM, TOOL was expected and 'CAT' found" in str(error)


def test_what_a_person_wrote_is_kept_whatever_its_name(tmp_path: Path) -> None:
    boss, error = span("boss", "AGENT", 0, 9), {"message": "no heat", "code": "E7"}
    for more in ({"retry": False}, {}):
        run = span("oven", "TOOL", 3, 4, "boss", error=error | more)
        run["attributes"]["kind"] = "gas"
        (trace,) = load(tmp_path, boss, {**run, "colour": "red"})
        (begun,) = trace.of(ExecutionStarted)
        assert begun.extra == {"colour": "red", "kind": "gas", **({"error": error | more} if more else {})}
        assert (trace.calls[0].state, trace.calls[0].error) == ("failed", "no heat")


def test_the_cases_written_so(shared: Path) -> None:
    for path in sorted((shared / "cases").glob("*/trace.json")):
        if "spans" in json.loads(path.read_text()):
            (found,) = survey([str(path)]).found
            assert found.format.name == "spans"
            assert all(isinstance(each, Trace) for each in found.load())
