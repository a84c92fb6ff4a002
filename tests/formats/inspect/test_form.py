"""Inspect logs: containers, and every real file against what was counted in it by hand."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.catalogue import claimants
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.inspect.form import INSPECT
from agentlab.trace.events import CompletionEvent, Observation, Request
from agentlab.trace.model import Trace

SAMPLES = Path(__file__).parents[3] / "data" / "samples"
ASKED = {"role": "user", "content": "Is the kiln cold?", "source": "input"}
SAID = {"role": "assistant", "content": "It is."}


def log(*samples: Any, **more: Any) -> dict[str, Any]:
    about = {"run_id": "K", "task": "kiln", "task_id": "T", "model": "clay/one"}
    return {"version": 2, "status": "success", "eval": about, "samples": list(samples), **more}


def sample(number: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": number, "epoch": 1, "input": "Is the kiln cold?", "target": "", "messages": [ASKED, SAID], **more}


def loaded(path: Path) -> tuple[list[Trace], list[LoadError]]:
    found = list(survey([str(path)]).load())
    return [each for each in found if isinstance(each, Trace)], [each for each in found if isinstance(each, LoadError)]


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def archive(path: Path, members: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, value in members.items():
            file.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return path


HEAD = {name: value for name, value in log().items() if name != "samples"}


# --- real files: traces, requests, replies, proposed, executed, refused, failed, succeeded, undelivered ---

COUNTS = {
    "input_task_v2_2024.json": (1, 2, 2, 0, 0, 0, 0, 0, 0),
    "log_formats.eval": (1, 1, 1, 0, 0, 0, 0, 0, 0),
    "log_message_deduplication.eval": (1, 6, 6, 5, 5, 0, 0, 5, 0),
    "log_read_sample.eval": (1, 1, 1, 0, 0, 0, 0, 0, 0),
    "log_tool_call_error.json": (1, 0, 0, 0, 0, 0, 0, 0, 11),
    "popularity_2025-02.eval": (10, 10, 10, 0, 0, 0, 0, 0, 0),
    "retry_2_then_success_legacy.eval": (1, 3, 1, 0, 0, 0, 0, 0, 0),
    "scout_popularity_100samples.eval": (100, 100, 100, 0, 0, 0, 0, 0, 0),
    "scout_security_guide.eval": (16, 32, 32, 0, 0, 0, 0, 0, 0),
    "security_guide_v2.json": (3, 6, 6, 0, 0, 0, 0, 0, 0),
    "skeleton_legacy_steps.json": (1, 3, 0, 0, 0, 0, 0, 0, 0),
}
REFUSED = {
    "long_log_131bytes.eval": "a Git LFS pointer stands in place of the content",
    "no_samples.json": "the log has no samples (its status is 'cancelled')",
    "skeleton_empty.json": "no format claims this file",
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_log_holds_what_was_counted(shared: Path, name: str) -> None:
    traces, errors = loaded(shared / "traces" / "01_inspect_ai" / name)
    assert not errors
    assert {trace.started.format for trace in traces} == {"inspect"}
    calls = [call for trace in traces for call in trace.calls]
    assert not [call for call in calls if call.by != "agent" and call.proposed_in]
    states = [call.state for call in calls]
    assert (
        len(traces),
        sum(len(trace.of(Request)) for trace in traces),
        sum(len(trace.of(CompletionEvent)) for trace in traces),
        sum(call.proposed_in is not None for call in calls),
        sum(call.executed_in is not None for call in calls),
        *(states.count(state) for state in ("refused", "failed", "succeeded")),
        sum(not call.delivered for call in calls),
    ) == COUNTS[name]


def test_answers_whose_calls_nobody_is_seen_to_propose_are_calls_with_their_errors(shared: Path) -> None:
    (trace,), _ = loaded(shared / "traces" / "01_inspect_ai" / "log_tool_call_error.json")
    assert [(call.tool, call.state, call.by) for call in trace.calls] == [("bash", "answered", "not_recorded")] * 11
    kinds = [event.extra["error"]["type"] for event in trace.of(Observation)]  # type: ignore[index,call-overload]
    assert (len(kinds), kinds.count("parsing"), kinds.count("approval")) == (11, 2, 1)
    assert trace.evidence.proposals == "not_recorded"


def test_a_sample_names_itself_by_id_and_epoch(tmp_path: Path) -> None:
    whole = log(sample(7, epoch=3), {**sample(8), "id": "late"})
    traces, _ = loaded(written(tmp_path / "log.json", whole))
    names = [(trace.started.source, trace.finished and trace.finished.source) for trace in traces]
    assert names == [("sample 7 epoch 3",) * 2, ("sample late epoch 1",) * 2]


@pytest.mark.parametrize("name", REFUSED)
def test_a_real_log_without_a_trace_says_why(shared: Path, name: str) -> None:
    traces, errors = loaded(shared / "traces" / "01_inspect_ai" / name)
    assert not traces
    assert [REFUSED[name] in str(error) for error in errors] == [True]


def test_every_real_log_is_in_a_table(shared: Path) -> None:
    names = {path.name for path in (shared / "traces" / "01_inspect_ai").iterdir()}
    assert names == {*COUNTS, *REFUSED}


# --- containers ---


def test_a_document_of_several_samples_gives_a_trace_for_each_epoch(tmp_path: Path) -> None:
    traces, errors = loaded(written(tmp_path / "a", log(sample(1), sample(1, epoch=2), sample(2))))
    assert not errors
    assert [(trace.started.case, trace.started.index) for trace in traces] == [
        ("kiln/1", 0),
        ("kiln/1", 1),
        ("kiln/2", 0),
    ]
    assert len({trace.id for trace in traces}) == 3


def test_a_sample_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    traces, errors = loaded(written(tmp_path / "a", log(sample(1), 7, sample(3, messages=["x"]), sample(4))))
    assert [trace.started.case for trace in traces] == ["kiln/1", "kiln/4"]
    assert [str(error).split(": ", 1)[1] for error in errors] == [
        "sample 1: a sample was expected and a number found",
        "sample 2: message 0: a message was expected and a text found",
    ]


def test_a_member_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    members = {
        "header.json": HEAD,
        "samples/1_epoch_1.json": sample(1),
        "samples/2_epoch_1.json": "{",
        "samples/3.json": [],
    }
    traces, errors = loaded(archive(tmp_path / "a", members))
    assert [trace.started.case for trace in traces] == ["kiln/1"]
    assert "samples/2_epoch_1.json: the member is not JSON" in str(errors[0])
    assert "samples/3.json: a sample was expected and a list found" in str(errors[1])


def test_a_log_that_never_ended_is_headed_by_its_start(tmp_path: Path) -> None:
    start = {"version": 2, "eval": HEAD["eval"], "plan": {"steps": [{"solver": "potter"}]}}
    (trace,), errors = loaded(
        archive(tmp_path / "a", {"_journal/start.json": start, "samples/1_epoch_1.json": sample()})
    )
    assert not errors
    assert (trace.started.run, trace.started.agent, trace.started.provider) == ("K", "potter", "clay")


def test_a_lost_head_loses_no_sample(tmp_path: Path) -> None:
    members = {"header.json": "{", "_journal/start.json": HEAD, "samples/1_epoch_1.json": sample()}
    (trace,), (error,) = loaded(archive(tmp_path / "a", members))
    assert trace.started.run == ""
    assert "header.json" in str(error)


def test_the_same_sample_without_any_id_has_the_id_of_its_bytes(tmp_path: Path) -> None:
    nameless = {name: value for name, value in sample().items() if name != "id"}
    first = loaded(archive(tmp_path / "a", {"header.json": {}, "samples/x.json": nameless}))[0]
    other = loaded(archive(tmp_path / "b", {"header.json": {}, "samples/y.json": {**nameless, "target": "z"}}))[0]
    again = loaded(archive(tmp_path / "c", {"header.json": {}, "samples/x.json": nameless}))[0]
    assert first[0].id == again[0].id != other[0].id


def test_pieces_of_a_sample_are_put_together(tmp_path: Path) -> None:
    (trace,), errors = loaded(SAMPLES / "inspect.pieces.eval")
    assert not errors
    assert [call.state for call in trace.calls] == ["succeeded", "failed"]
    assert [len(context) for context in trace.contexts.values()] == [1, 1, 3, 5]
    assert trace.contexts[trace.of(Request)[2].id][2].text == "31"  # an attachment, named by its index
    assert trace.started.extra["metadata"] == {"bed": "east"}
    assert trace.answer is not None


def test_nan_is_legal_and_kept_as_text(tmp_path: Path) -> None:
    (trace,), errors = loaded(written(tmp_path / "a", log(sample(scores={"heat": {"value": float("nan")}}))))
    assert not errors
    assert trace.started.extra["scores"] == {"heat": {"value": "nan"}}


def test_a_list_of_all_sample_ids_is_not_repeated_in_each(tmp_path: Path) -> None:
    value = log(sample())
    value["eval"]["dataset"] = {"name": "kilns", "sample_ids": [*range(1000)]}
    (trace,), _ = loaded(written(tmp_path / "a", value))
    assert trace.started.extra["eval"]["dataset"] == {"name": "kilns"}  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("value", "claimed"),
    [
        (log(sample()), True),
        (sample(), True),
        ({"note": "x", "events": [{"event": "step", "timestamp": "2026-01-01", "working_start": 0}]}, True),
        ({"events": []}, False),
        ({"eval": {"task": "x"}}, False),
        ({"messages": [ASKED, SAID]}, False),
        ([sample()], False),
    ],
)
def test_what_is_claimed(value: Any, claimed: bool) -> None:
    found = claimants(Head(json.dumps(value).encode()))
    assert (INSPECT in found) is claimed


def test_a_long_log_is_claimed_by_its_beginning() -> None:
    data = json.dumps(log(sample(input="x" * 200_000))).encode()
    assert claimants(Head(data[: 1 << 16], whole=False)) == (INSPECT,)


def test_a_sample_with_a_long_head_in_its_archive_is_claimed_by_its_members() -> None:
    assert INSPECT.sniff(Head(b"PK", members=("_journal/start.json",)))
    assert INSPECT.sniff(Head(b"PK", members=("header.json", "samples/1_epoch_1.json")))
    assert not INSPECT.sniff(Head(b"PK", members=("header.json", "readme.txt")))
