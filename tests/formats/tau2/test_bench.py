from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.tau2.bench import TAU2_BENCH
from agentlab.trace.model import Trace

MESSAGES = [{"role": "user", "content": "Open?"}, {"role": "assistant", "content": "Until nine."}]


def simulation(number: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "id": f"s{number}",
        "task_id": "t1",
        "start_time": "2031-05-01T10:00:00.5",
        "end_time": "2031-05-01T10:00:02.5",
        "duration": 2.0,
        "termination_reason": "user_stop",
        "trial": 2,
        "seed": 9,
        "messages": MESSAGES,
        "ticks": None,
        **more,
    }


def results(*simulations: Any, **more: Any) -> dict[str, Any]:
    tools = {"open": {"name": "open", "doc": "Hours.", "params": {"type": "object"}}}
    info = {
        "agent_info": {"implementation": "llm_agent", "llm": "clerk-1"},
        "user_info": {"llm": "guest-1"},
        "environment_info": {"domain_name": "pool", "policy": "Be kind.", "tool_defs": tools},
    }
    tasks = [{"id": "t0"}, {"id": "t1", "purpose": "hours"}]
    return {"timestamp": "x", "info": info, "tasks": tasks, "simulations": list(simulations), **more}


def load(value: Any, folder: Path) -> list[Any]:
    path = folder / "results.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    (found,) = survey([str(path)]).found
    assert found.format is TAU2_BENCH
    return list(found.load())


def test_a_file_of_results(tmp_path: Path) -> None:
    value = results(simulation(0), simulation(1), simulation(2, messages="none"), 7, simulation(3))
    first, second, bad, worse, last = load(value, tmp_path)
    started = first.started
    assert (started.case, started.index, started.seed, started.agent, started.model) == (
        "t1",
        2,
        9,
        "llm_agent",
        "clerk-1",
    )
    assert [(tool.name, tool.description) for tool in started.tools] == [("open", "Hours.")]
    assert started.extra == {"info": value["info"], "task": {"id": "t1", "purpose": "hours"}}
    assert (started.source, started.time, started.task) == ("s0", 1935396000.5, "Open?")
    assert (first.finished.reason, first.finished.detail, first.finished.duration) == ("answered", "user_stop", 2.0)
    assert first.finished.time == 1935396002.5
    assert second.id != first.id
    assert "simulation 2: messages: a list was expected" in str(bad)
    assert "simulation 3: an object was expected" in str(worse)
    assert isinstance(last, Trace)


def test_a_simulation_by_itself_is_the_same_attempt(tmp_path: Path) -> None:
    (within,) = load(results(simulation()), tmp_path)
    (alone,) = load(simulation(), tmp_path)
    assert within.id == alone.id


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("user_stop", "answered"),
        ("agent_stop", "answered"),
        ("max_steps", "step_limit"),
        ("timeout", "deadline"),
        ("context_window_exceeded", "token_budget"),
        ("infrastructure_error", "provider_error"),
        ("too_many_errors", "other"),
        ("agent_error", "other"),
        ("a new one", "other"),
    ],
)
def test_how_it_ended(told: str, reason: str, tmp_path: Path) -> None:
    (trace,) = load(simulation(termination_reason=told), tmp_path)
    assert (trace.finished.reason, trace.finished.detail) == (reason, told)


def test_a_stop_behind_a_call_is_no_answer(tmp_path: Path) -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "name": "open", "arguments": {}}]}
    (trace,) = load(simulation(messages=[MESSAGES[0], asked]), tmp_path)
    assert trace.finished.reason == "other"
    assert [call.state for call in trace.calls] == ["unanswered"]


def test_an_attempt_that_ended_before_it_began(tmp_path: Path) -> None:
    (trace,) = load(results(simulation(messages=[], termination_reason="infrastructure_error")), tmp_path)
    assert len(trace) == 2
    assert trace.evidence.proposals == "not_recorded"


def test_nothing_at_all_is_refused(tmp_path: Path) -> None:
    (error,) = load(results(simulation(messages=None, termination_reason=None)), tmp_path)
    assert "simulation 0: messages or ticks: a list was expected" in str(error)


def test_results_whose_simulations_lie_beside_it(tmp_path: Path) -> None:
    (error,) = load(results(simulation_index=[{"id": "a"}, {"id": "b"}]), tmp_path)
    assert "its 2 simulations lie in files of their own" in str(error)
    (empty,) = load(results(), tmp_path)
    assert "there are none" in str(empty)


def test_where_one_answer_lacks_its_flag_none_proves_what_ran(tmp_path: Path) -> None:
    asked = [{"role": "assistant", "tool_calls": [{"id": each, "name": "open", "arguments": {}}]} for each in "ab"]
    answers: list[Any] = [{"role": "tool", "id": "a", "content": "x", "error": True}, {"role": "tool", "id": "b"}]
    (trace,) = load(simulation(messages=[*MESSAGES, asked[0], answers[0], asked[1], answers[1]]), tmp_path)
    assert [call.state for call in trace.calls] == ["answered", "answered"]
    assert (trace.evidence.executions, trace.evidence.errors) == ("not_recorded", "not_recorded")


def test_voice_without_fields_for_calls_records_none(tmp_path: Path) -> None:
    said = {"agent_chunk": {"content": "Hello", "contains_speech": True}, "user_chunk": None, "tick_id": 4}
    (trace,) = load(simulation(messages=None, ticks=[said]), tmp_path)
    assert (trace.evidence.proposals, trace.evidence.executions) == ("not_recorded", "not_recorded")
    (heard,) = load(simulation(messages=None, ticks=[{**said, "agent_tool_calls": []}]), tmp_path)
    assert (heard.evidence.proposals, heard.evidence.executions) == ("absent", "absent")
    assert heard.answer.source == "4"


def test_how_it_is_known() -> None:
    tasks = [{"id": str(number), "text": "x" * 500} for number in range(400)]
    long = json.dumps({**results(), "tasks": tasks, "simulations": [simulation()]}).encode()
    assert TAU2_BENCH.sniff(Head(long[: 1 << 16], whole=False))
    for value in (results(simulation()), simulation(), simulation(messages=None, ticks=[]), [simulation()]):
        assert TAU2_BENCH.sniff(Head(json.dumps(value).encode()))
    others: list[Any] = [{"simulations": []}, {"simulations": [{"x": 1}], "info": {}}, {"messages": MESSAGES}, [], 3]
    for other in others:
        assert not TAU2_BENCH.sniff(Head(json.dumps(other).encode()))


def test_a_real_file_of_speech_is_refused_because_its_words_are_not_in_it(shared: Path) -> None:
    name = "traces/07_tau_bench/tau2_voice_49b22f0c-4a56-41c5-922f-bc2a56e53a23.json"
    (error,) = survey([str(shared / name)]).load()
    assert isinstance(error, LoadError)
    assert "973 ticks hold neither" in str(error)


def test_a_start_counts_where_no_end_is_recorded(tmp_path: Path) -> None:
    (trace,) = load({**simulation(), "end_time": None}, tmp_path)
    assert trace.started.time == 1935396000.5
