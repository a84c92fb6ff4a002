from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.reading import read_traces
from agentlab.formats.tau_bench import TAU_BENCH
from agentlab.trace.model import Trace

SYSTEM = {"role": "system", "content": "You help with parcels."}
USER = {"role": "user", "content": "Where is my parcel?"}
DONE = {"role": "assistant", "content": "It is at the depot."}


def called(name: str, answer: str, number: int = 1) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": '{"parcel": 4}'}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]},
        {"role": "tool", "tool_call_id": f"c{number}", "name": name, "content": answer},
    ]


def row(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"task_id": 3, "reward": 0.0, "info": {"task": {"actions": []}}, "traj": list(messages), "trial": 1, **more}


def read(value: Any, folder: Path) -> list[Trace]:
    path = folder / "runs.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    traces = list(read_traces(path))
    assert {trace.started.format for trace in traces} == {"tau-bench"}
    return traces


def test_a_row_is_an_attempt_of_its_case(tmp_path: Path) -> None:
    (trace,) = read(row(SYSTEM, USER, *called("locate", "depot 4"), DONE, records={"x": 1}), tmp_path)
    started = trace.started
    assert (started.case, started.index, started.task) == ("3", 1, "Where is my parcel?")
    assert started.extra == {"reward": 0.0, "info": {"task": {"actions": []}}, "records": {"x": 1}}
    (call,) = trace.calls
    assert (call.id, call.tool, call.arguments, call.state, call.delivered) == (
        "c1",
        "locate",
        {"parcel": 4},
        "answered",
        True,
    )
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.source) == ("It is at the depot.", "4")
    assert trace.finished is None


def test_neither_an_error_nor_an_unknown_action_proves_what_ran(tmp_path: Path) -> None:
    messages = [*called("locate", "Error: no parcel 4"), *called("find", "Unknown action find", 2)]
    (trace,) = read([row(SYSTEM, USER, *messages)], tmp_path)
    assert [call.state for call in trace.calls] == ["answered", "answered"]
    assert [call.delivered for call in trace.calls] == [True, False]
    assert (trace.evidence.executions, trace.evidence.errors) == ("not_recorded", "not_recorded")
    assert trace.answer is None


def test_a_dialogue_without_calls_proposed_none(tmp_path: Path) -> None:
    (trace,) = read(row(SYSTEM, USER, DONE), tmp_path)
    assert (trace.evidence.proposals, trace.evidence.results) == ("absent", "absent")


def test_actions_in_the_text_cannot_be_seen(tmp_path: Path) -> None:
    action = {"role": "assistant", "content": 'Action:\n{"name": "locate", "arguments": {}}'}
    (trace,) = read(row(SYSTEM, USER, action, {"role": "user", "content": "API output: depot"}), tmp_path)
    assert (trace.evidence.proposals, trace.evidence.results) == ("not_recorded", "not_recorded")


def test_a_run_that_raised_has_an_end_and_nothing_else(tmp_path: Path) -> None:
    (trace,) = read([row(info={"error": "RateLimitError: slow down", "traceback": "..."})], tmp_path)
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("other", "RateLimitError: slow down")
    assert trace.evidence.proposals == "not_recorded"


def test_fields_that_are_null_in_every_message_say_nothing(tmp_path: Path) -> None:
    messages = [{"tool_calls": None, "tool_call_id": None, **each} for each in (SYSTEM, USER, *called("a", "b"), DONE)]
    (trace,) = read(row(*messages), tmp_path)
    assert [(call.id, call.state) for call in trace.calls] == [("c1", "answered")]
    assert [event.extra for event in trace.events[1:] if event.extra] == [{"name": "a"}]


def test_a_bad_row_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [row(SYSTEM, USER), row(SYSTEM, {"role": "clerk", "content": "x"}), {"task_id": 1}, row(SYSTEM, USER, DONE)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    first, second, third, fourth = survey([str(path)]).load()
    assert isinstance(first, Trace)
    assert isinstance(fourth, Trace)
    assert "line 2: message 1: role: one of system, " in str(second)
    assert "line 3: traj: a list of chat messages was expected" in str(third)
    assert first.started.source == "line 1"


def test_it_is_known_by_a_task_a_reward_and_a_list_of_messages() -> None:
    for value in (row(SYSTEM, USER), [row(SYSTEM, USER)], row(info={"error": "x"})):
        assert TAU_BENCH.sniff(Head(json.dumps(value).encode()))
    begun = json.dumps(row(SYSTEM, *[{"role": "user", "content": "x" * 300}] * 300)).encode()[: 1 << 16]
    assert TAU_BENCH.sniff(Head(begun, whole=False))
    for value in ([SYSTEM, USER], {"traj": [SYSTEM, USER]}, {"task_id": 1, "reward": 0.0, "traj": []}):
        assert not TAU_BENCH.sniff(Head(json.dumps(value).encode()))


def counts(path: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for trace in survey([str(path)]).load():
        assert not isinstance(trace, LoadError)
        assert trace.started.format == "tau-bench"
        found["traces"] += 1
        found["proposals not recorded"] += trace.evidence.proposals == "not_recorded"
        found["answers"] += trace.answer is not None
        for call in trace.calls:
            found.update([call.state, f"by {call.by}"])
            found["undelivered"] += call.observed_in is not None and not call.delivered
    return +found


REAL = {
    "traces/07_tau_bench/tau1_gpt-4o-airline_4trials.json": (200, 1164, 51, 149),
    "traces/07_tau_bench/tau_docent_tb_airline.json": (1, 12, 0, 1),
    "traces/04_openai/chat_messages_taubench_agentrx_hallucination_doubt.json": (1, 5, 0, 1),
    "traces/04_openai/chat_messages_taubench_agentrx_misinterpretation_tool_output.json": (1, 16, 0, 1),
    "labelled/agentrx/tau_retail_failed.json": (19, 187, 4, 15),
    "labelled/agentrx/tau_retail_succeeded.json": (41, 296, 1, 40),
}
"""Traces, calls (every one is answered), answers to calls that no request carried, and attempts with a last word."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    traces, calls, undelivered, answers = REAL[name]
    expected = {"traces": traces, "answered": calls, "by agent": calls, "undelivered": undelivered, "answers": answers}
    assert counts(shared / name) == +Counter(expected)


def test_messages_are_found_at_their_place(shared: Path) -> None:
    """The labelled runs number their messages too, from 1."""
    found = 0
    for trace in read_traces(shared / "labelled/agentrx/tau_retail_failed.json"):
        for event in trace:
            if "index" in event.extra:
                found += 1
                assert int(event.source) + 1 == event.extra["index"]
    assert found == 187 + 330  # tool messages and replies; what users say stands in requests


def test_a_conversation_whose_calls_stand_in_the_text_is_plain_chat(shared: Path) -> None:
    (trace,) = read_traces(shared / "traces/04_openai/chat_messages_taubench_mirage_dev13_3.json")
    assert trace.started.format == "openai-chat"
    assert trace.evidence.proposals == "not_recorded"
