from __future__ import annotations

import gc
import inspect
import json
import os
import re
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.parquet import ParquetFile

from agentlab.trace.codec import decode, encode
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Notice,
    Observation,
    Summary,
)
from agentlab.trace.frames import attempts_frame, calls_frame, events_frame, write_tables
from agentlab.trace.model import Trace
from agentlab.trace.values import ProposedCall
from tests.trace.samples import ATTEMPT, played, trace_of
from tests.trace.values import EVENTS

FRAMES: list[Callable[[Iterable[Trace]], pd.DataFrame]] = [attempts_frame, events_frame, calls_frame]


def row(frame: pd.DataFrame, place: int = 0) -> dict[str, object]:
    return {name: value for name, value in frame.iloc[place].items() if not pd.isna(value)}


def test_attempts_one_row_each() -> None:
    frame = attempts_frame([played(), played(index=1)])
    assert list(frame["index"]) == [0, 1]
    assert row(frame) == {
        "attempt": ATTEMPT,
        "run": "run_" + "0b" * 16,
        "case": "herons",
        "condition": "baseline",
        "condition_digest": "c" * 64,
        "index": 0,
        "agent": "react",
        "loop_version": "react-v2",
        "prompt_version": "chat-v3",
        "language": "en",
        "provider": "scripted",
        "model": "script",
        "package_version": "0.1.0",
        "format": "",
        "source": "",
        "seed": 5,
        "started": 1_700_000_000.001,
        "duration": 0.9,
        "ended": "answered",
        "detail": "",
        "steps": 3,
        "requests": 3,
        "executions": 1,
        "input_tokens": 20,
        "answer": "3 herons (三只鹭).",
        "proposed": 2,
        "proposed_otherwise": 0,
        "unanswered": 0,
        "dropped": 0,
        "refused": 1,
        "answered": 0,
        "failed": 0,
        "succeeded": 1,
        "delivered": 1,
        "protocol_errors": 1,
        "calls_refused": 0,
        "evidence_proposals": "present",
        "evidence_executions": "present",
        "evidence_results": "present",
        "evidence_errors": "not_recorded",
        "evidence_times": "not_recorded",
        "evidence_usage": "not_recorded",
        "evidence_authorship": "present",
        "defect": "",
        "path": "",
    }


def test_an_attempt_without_an_end_has_none() -> None:
    values = row(attempts_frame([trace_of()]))
    assert not {"ended", "duration", "steps", "requests", "executions", "input_tokens", "answer"} & set(values)
    assert values["proposed"] == 0


def test_events_one_row_each_and_the_whole_event_as_json() -> None:
    trace = played()
    frame = events_frame([trace, played()])
    assert len(frame) == 28
    assert list(frame["position"]) == [*range(14), *range(14)]
    assert tuple(decode(line.encode()) for line in frame["json"][:14]) == trace.events
    assert row(frame, 9) == {
        "attempt": ATTEMPT,
        "event": "e10",
        "position": 9,
        "type": "observation",
        "step": 2,
        "time": 1_700_000_000.01,
        "agent_name": "",
        "source": "",
        "tool": "",
        "call": "c2",
        "execution": "x1",
        "text": 'Observation: {"herons":3}',
        "json": encode(trace.events[9]).decode().strip(),
    }


def test_calls_one_row_each() -> None:
    frame = calls_frame([played()])
    assert len(frame) == 2
    assert row(frame, 0) == {
        "attempt": ATTEMPT,
        "call": "c1",
        "position": 0,
        "step": 1,
        "agent_name": "",
        "source": "",
        "by": "agent",
        "tool": "count_birds",
        "state": "refused",
        "delivered": False,
        "proposed_in": "e3",
    }
    assert row(frame, 1) == {
        "attempt": ATTEMPT,
        "call": "c2",
        "position": 1,
        "step": 2,
        "agent_name": "",
        "source": "",
        "by": "agent",
        "tool": "count_birds",
        "arguments": '{"pond":7}',
        "state": "succeeded",
        "delivered": True,
        "proposed_in": "e7",
        "executed_in": "e8",
        "observed_in": "e10",
        "result": '{"herons":3}',
        "started": 1_700_000_000.008,
        "duration": 0.25,
    }


def test_rows_say_who_asked_and_where_it_stands_in_the_foreign_file() -> None:
    asked = [ProposedCall(call=by, tool="t", by=by) for by in ("agent", "subagent", "provider", "user_simulator")]
    form = ProposedCall(call="form", tool="t", by="structured_output")
    reply = CompletionEvent(
        request="e1", digest="d", characters=0, accepted=True, calls=(*asked, form), agent_name="diver", source="7"
    )
    ran = ExecutionStarted(execution="x", call="x", tool="u", arguments={}, source="line 9")
    heard = Observation(execution="", call="y", text="wet", tool="v", source="12")
    trace = trace_of(reply, ran, heard)
    start = replace(trace.started, format="spans", source="dive 3")
    trace = replace(trace, events=(start, *trace.events[1:]))
    attempt = row(attempts_frame([trace]))
    assert (attempt["format"], attempt["source"]) == ("spans", "dive 3")
    assert (attempt["proposed"], attempt["proposed_otherwise"]) == (2, 3)
    assert (attempt["unanswered"], attempt["answered"], attempt["dropped"]) == (6, 1, 0)
    calls = calls_frame([trace])
    assert list(calls["by"]) == [*(each.by for each in (*asked, form)), "not_recorded", "not_recorded"]
    assert list(calls["agent_name"]) == ["diver"] * 5 + ["", ""]
    assert list(calls["source"]) == ["7"] * 5 + ["line 9", "12"]
    events = events_frame([trace])
    assert list(events["source"]) == [event.source for event in trace]
    assert list(events["agent_name"]) == [event.agent_name for event in trace]


def test_arguments_are_json_even_where_the_model_wrote_none() -> None:
    calls = (
        ProposedCall(call="c1", tool="t", arguments='pond: "7'),
        ProposedCall(call="c2", tool="t", arguments={"鹭": [1, None]}),
    )
    reply = CompletionEvent(request="e1", digest="d", characters=0, accepted=True, calls=calls)
    frame = calls_frame([trace_of(reply)])
    assert [json.loads(text) for text in frame["arguments"]] == ['pond: "7', {"鹭": [1, None]}]


@pytest.mark.parametrize("make", FRAMES)
def test_columns_and_types_do_not_depend_on_the_rows(make: Callable[[Iterable[Trace]], pd.DataFrame]) -> None:
    empty, full = make([]), make(iter([played()]))
    assert len(empty) == 0
    assert dict(empty.dtypes) == dict(full.dtypes)
    assert list(empty) == list(full)
    assert dict(pd.concat([empty, full]).dtypes) == dict(full.dtypes)


@pytest.mark.parametrize("make", FRAMES)
def test_docstring_lists_every_column_with_its_type(make: Callable[[Iterable[Trace]], pd.DataFrame]) -> None:
    listed: dict[str, str] = {}
    for names, dtype in re.findall(
        r"([a-z_][a-z_, \n]*) \((string|Int64|float64|boolean)\)", inspect.getdoc(make) or ""
    ):
        listed.update(dict.fromkeys(re.split(r",\s*", names.strip()), dtype))
    assert listed == {name: str(dtype) for name, dtype in make([]).dtypes.items()}


def test_numbers_no_column_can_hold_are_left_out() -> None:
    end = AttemptFinished(reason="answered", steps=2**70, requests=-(2**63), executions=0, duration=2**63)
    values = row(attempts_frame([trace_of(end)]))
    assert "steps" not in values
    assert values["requests"] == -(2**63)


BOUND = {"attempt_started", "request", "completion", "protocol_error"}
"""Events that must fit those before them."""


def about_the_start(event: Event) -> Event:
    """The event, referring to what is there."""
    if isinstance(event, Notice):
        return replace(event, about="e1")
    return replace(event, completion="e1") if isinstance(event, (CallRefused, Answer)) else event


@given(st.lists(EVENTS.filter(lambda e: e.type not in BOUND).map(about_the_start), max_size=5))
def test_any_recorded_events_make_tables(events: list[object]) -> None:
    trace = trace_of(*events)  # type: ignore[arg-type]
    assert len(events_frame([trace])) == len(trace)
    assert len(attempts_frame([trace])) == 1
    assert len(calls_frame([trace])) == len(trace.calls)


def test_duration_is_that_of_the_calls_own_execution() -> None:
    events = [ExecutionStarted(execution=name, call=name, tool="t", arguments={}) for name in "ab"]
    ends = [ExecutionFinished(execution=n, status="failed", error="x", duration=d) for n, d in (("b", 2.0), ("a", 1.0))]
    assert list(calls_frame([trace_of(*events, *ends)])["duration"]) == [1.0, 2.0]


def test_tables_on_disk_are_the_frames_and_always_the_same_bytes(tmp_path: Path) -> None:
    traces = [played(), trace_of()]
    for name in ("one", "two/deep"):
        write_tables(tmp_path / name, iter(traces))
    for make, name in zip(FRAMES, ("attempts", "events", "calls"), strict=True):
        path = tmp_path / "one" / f"{name}.parquet"
        pd.testing.assert_frame_equal(pd.read_parquet(path), make(traces))
        assert path.read_bytes() == (tmp_path / "two/deep" / f"{name}.parquet").read_bytes()
    assert len(list((tmp_path / "one").iterdir())) == 3


def test_tables_of_no_trace_keep_their_types(tmp_path: Path) -> None:
    write_tables(tmp_path, [])
    assert dict(pd.read_parquet(tmp_path / "calls.parquet").dtypes) == dict(calls_frame([]).dtypes)


def test_tables_are_written_in_groups_as_the_traces_come(tmp_path: Path) -> None:
    held: list[weakref.ref[Trace]] = []

    def long() -> Iterator[Trace]:
        for number in range(12):
            trace = trace_of(*(Summary(replaces=(), text="reeds " * 20_000, author="model") for _ in range(20)))
            start = replace(trace.started, index=number)
            trace = replace(trace, events=(start, *trace.events[1:]))
            held.append(weakref.ref(trace))
            yield trace
            del trace, start
            gc.collect()
            assert sum(ref() is not None for ref in held) <= 1

    write_tables(tmp_path, long())
    events = ParquetFile(tmp_path / "events.parquet")
    assert events.num_row_groups > 4  # 12 traces of 2.4 million characters and as many in JSON
    assert ParquetFile(tmp_path / "attempts.parquet").num_row_groups == 1
    assert list(pd.read_parquet(tmp_path / "attempts.parquet")["index"]) == [*range(12)]
    assert len(pd.read_parquet(tmp_path / "events.parquet")) == 12 * len(trace_of()) + 240


def test_a_stop_leaves_the_tables_before_and_no_half_of_new_ones(tmp_path: Path) -> None:
    def stopping() -> Iterator[Trace]:
        yield trace_of()
        raise KeyboardInterrupt

    write_tables(tmp_path, [played()])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        write_tables(tmp_path, stopping())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_name_that_is_not_utf8_is_written_with_its_bytes_escaped(tmp_path: Path) -> None:
    write_tables(tmp_path, [replace(played(), path=os.fsdecode(b"pond \xe9\xb8\xad \xff.json"))])
    assert list(pd.read_parquet(tmp_path / "attempts.parquet")["path"]) == ["pond \u9e2d \\udcff.json"]
