"""Small folders in the layout of each benchmark, of our own invention."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.experiments.scoring.agentdojo import read_agentdojo
from agentlab.experiments.scoring.agentrx import read_agentrx
from agentlab.experiments.scoring.tables import categories_frame, clean_frame, groups_frame
from agentlab.experiments.scoring.trail import FAILED_CALLS, REPETITION, UNGROUNDED, read_trail, steps_of


def span(name: str, kind: str, *children: dict[str, Any], title: str = "", at: int = 0) -> dict[str, Any]:
    return {
        "span_id": name,
        "trace_id": "ferry",
        "span_name": title or name,
        "timestamp": f"2025-03-01T10:00:{at:02d}Z",
        "duration": "PT1S",
        "status_code": "Ok",
        "span_attributes": {"openinference.span.kind": kind, "input.value": "", "output.value": ""},
        "child_spans": list(children),
    }


TREE = [
    span(
        "run",
        "AGENT",
        span("late", "CHAIN", span("think2", "LLM"), span("tool2", "TOOL"), title="Step 2", at=9),
        span("early", "CHAIN", span("think1", "LLM"), title="Step 1", at=3),
        span("plan", "LLM"),
    )
]


def test_steps_are_in_the_order_of_time() -> None:
    assert steps_of(TREE) == {
        "early": ("run", 0),
        "think1": ("run", 0),
        "late": ("run", 1),
        "think2": ("run", 1),
        "tool2": ("run", 1),
    }


def test_a_very_deep_tree_is_read() -> None:
    deep = span("leaf", "LLM")
    for number in range(5000):
        deep = span(f"s{number}", "CHAIN", deep)
    assert steps_of([deep]) == {}


def error(category: str, location: str, **words: str) -> dict[str, str]:
    return {"category": category, "location": location, **words}


def write_trail(folder: Path, errors: list[dict[str, str]]) -> Path:
    for name in ("traces", "annotations"):
        (folder / name).mkdir()
    tree = {"trace_id": "ferry", "spans": TREE}
    (folder / "traces" / "ferry.json.xz").write_bytes(lzma.compress(json.dumps(tree).encode()))
    (folder / "annotations" / "ferry.json").write_text(json.dumps({"errors": errors}), encoding="utf-8")
    return folder


def test_trail_labels_fall_into_groups_by_the_kind_of_their_span(tmp_path: Path) -> None:
    errors = [
        error("Tool-related", "think1", description="it says that it looked"),
        error("Tool-related", "tool2"),
        error("Goal Deviation", "tool2"),
        error("Resource Abuse", "think2"),
        error("Formatting Errors", "think2", evidence="did not write <end_plan>"),
        error("Poor Information Retrieval", "plan"),
    ]
    found = read_trail(write_trail(tmp_path, errors))
    assert found.set_aside == 1
    assert [(label.source, *label.groups) for label in found.traces[0].labels] == [
        ("think1", UNGROUNDED),
        ("tool2", FAILED_CALLS),
        ("tool2",),
        ("think2", REPETITION),
        ("plan",),
    ]
    frame = groups_frame([found]).set_index(["group", "grain"])
    assert frame.loc[("place and category", "exact")]["labelled"] == 5
    assert frame.loc[(UNGROUNDED, "exact")]["labelled"] == 1


@pytest.mark.parametrize("damage", ["{}", '{"errors": [{"location": "plan"}]}', "no json"])
def test_trail_annotations_of_another_shape_are_told(tmp_path: Path, damage: str) -> None:
    folder = write_trail(tmp_path, [])
    (folder / "annotations" / "ferry.json").write_text(damage, encoding="utf-8")
    with pytest.raises(LoadError, match="ferry"):
        read_trail(folder)


def call(tool: str, arguments: str) -> dict[str, Any]:
    asked = {"id": "c1", "type": "function", "function": {"name": tool, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [asked]}


GOOD = [
    {"role": "user", "content": "When does the ferry leave?"},
    call("read_timetable", '{"pier": "east"}'),
    {"role": "tool", "tool_call_id": "c1", "content": "at 9:40"},
    {"role": "assistant", "content": "The ferry leaves at 9:40."},
]
FALSE = [*GOOD[:3], {"role": "assistant", "content": "It leaves at 9:40. I have saved the time to ferry.txt."}]


def test_agentrx_steps_are_messages(tmp_path: Path) -> None:
    (tmp_path / "tau_retail_failed.json").write_text(json.dumps([{"task_id": 5, "traj": FALSE}]))
    (tmp_path / "tau_retail_succeeded.json").write_text(json.dumps([{"task_id": 5, "traj": GOOD}]))
    failures = [{"step_number": step, "failure_category": f"kind {step}"} for step in (4, 0)]
    labels = [{"trajectory_id": 5, "failures": failures}, {"trajectory_id": 6, "failures": failures[:1]}]
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    found = read_agentrx(tmp_path)
    assert [trace.clean for trace in found.traces] == [False, False, True]
    met = categories_frame([found]).set_index(["category", "grain"])["met"]
    assert (met["kind 4", "exact"], met["kind 4", "step"], met["kind 0", "step"]) == (0, 1, 0)
    assert clean_frame([found])["failures"][0] == 0


def run(messages: list[dict[str, Any]], **facts: object) -> str:
    return json.dumps({"messages": messages, "metadata": facts})


def test_agentdojo_asks_whether_the_attack_reached_its_goal(tmp_path: Path) -> None:
    attacked = {"attack_type": "important", "suite_name": "harbour"}
    lines = [
        json.dumps({"metadata": {"name": "a pipeline"}}),
        run(GOOD, attack_type=None, security=True, suite_name="harbour"),
        run(GOOD, **attacked, security=True, user_task_id="u\u2028 1"),
        run(GOOD, **attacked, security=False),
        run(GOOD, **(attacked | {"suite_name": "workspace"}), security=False),
    ]
    (tmp_path / "pipeline.jsonl.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    main, apart = read_agentdojo(tmp_path)
    assert [(trace.name, trace.clean, len(trace.labels)) for trace in main.traces] == [
        ("pipeline.jsonl.xz line 2", True, 0),
        ("pipeline.jsonl.xz line 3", False, 1),
        ("pipeline.jsonl.xz line 4", False, 0),
    ]
    assert len(apart.traces) == 1
    row = groups_frame([main]).iloc[0]
    assert list(row[["grain", "found", "labelled", "met"]]) == ["trace", 0, 1, 0]


def test_a_file_that_is_not_compressed_is_told(tmp_path: Path) -> None:
    (tmp_path / "pipeline.jsonl.xz").write_bytes(b"{}")
    with pytest.raises(LoadError, match="compressed with xz"):
        read_agentdojo(tmp_path)
