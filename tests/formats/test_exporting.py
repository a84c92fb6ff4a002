from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from agentlab.errors import UsageError
from agentlab.formats.exporting import EXPORTERS
from agentlab.formats.reading import read_traces
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace
from tests.trace.samples import FORGED, played


@pytest.mark.parametrize("name", ["jsonl", "otlp"])
def test_what_is_written_is_read_back_the_same_with_the_rejected_texts(name: str, tmp_path: Path) -> None:
    out = tmp_path / "new" / "traces.jsonl"
    EXPORTERS[name].export([played()], out)
    (again,) = read_traces(out)
    assert again.events == played().events
    (rejected,) = (reply for reply in again.of(CompletionEvent) if not reply.accepted)
    assert again.completion_text(rejected) == FORGED


@pytest.mark.parametrize("name", ["jsonl", "otlp"])
def test_what_is_wrong_with_a_record_is_not_lost(name: str, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    EXPORTERS["jsonl"].export([played()], cut)
    cut.write_bytes(cut.read_bytes()[:-20])
    odd = tmp_path / "odd.json"
    root = {"span_id": "r", "parent_id": None, "kind": "AGENT", "name": "run", "start": 0, "end": 9}
    spans = [root, {"span_id": "a", "parent_id": "gone", "kind": "TOOL", "name": "lamp", "start": 1, "end": 2}]
    odd.write_text(json.dumps({"spans": [{"trace_id": "t", "attributes": {}, **span} for span in spans]}))
    first = list(read_traces(cut, odd))
    assert all(trace.defect for trace in first)
    EXPORTERS[name].export(first, tmp_path / "again")
    again = list(read_traces(tmp_path / "again"))
    assert [trace.defect for trace in again] == [trace.defect for trace in first]
    assert again[1].events == first[1].events


def test_tables(tmp_path: Path) -> None:
    EXPORTERS["parquet"].export([played()], tmp_path / "tables")
    calls = pd.read_parquet(tmp_path / "tables" / "calls.parquet")
    assert list(calls["attempt"].unique()) == [played().id]


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_nothing_is_written_over(name: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"mine")
    with pytest.raises(UsageError, match="nothing is written over"):
        EXPORTERS[name].export([played()], tmp_path / "there")
    assert (tmp_path / "there").read_bytes() == b"mine"


def test_traces_are_written_as_they_come_and_a_stop_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    def stopping() -> Iterator[Trace]:
        yield played()
        raise KeyboardInterrupt

    for name, exporter in EXPORTERS.items():
        with pytest.raises(KeyboardInterrupt):
            exporter.export(stopping(), tmp_path / "new" / "deep" / name)
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_of_two_that_write_to_one_place_the_second_is_told_and_spoils_nothing(name: str, tmp_path: Path) -> None:
    out = tmp_path / "same"

    def late() -> Iterator[Trace]:
        yield played()
        EXPORTERS[name].export([played()], out)

    with pytest.raises(UsageError) as refusal:
        EXPORTERS[name].export(late(), out)
    assert str(refusal.value) == f"{str(out)!r} exists, and nothing is written over. Name a new file or folder."
    left = {path.name for path in tmp_path.iterdir()}
    assert left == ({"same", "same.quarantine"} if name == "jsonl" else {"same"})
    if name != "parquet":
        (again,) = read_traces(out)
        (rejected,) = (reply for reply in again.of(CompletionEvent) if not reply.accepted)
        assert again.completion_text(rejected) == FORGED


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_a_place_that_cannot_be_written_to_is_named_with_the_reason(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for out, reason in ((tmp_path / "file" / "x", "Not a directory"), (tmp_path / ("x" * 300), "File name too long")):
        with pytest.raises(UsageError) as refusal:
            EXPORTERS[name].export([played()], out)
        assert str(refusal.value) == f"{str(out)!r} cannot be written: {reason}."
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
