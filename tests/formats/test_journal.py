from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.clock import TickClock
from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.files.source import Source
from agentlab.formats.journal import JOURNAL, quarantine_of
from agentlab.strictjson import digest
from agentlab.trace.codec import encode
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace
from agentlab.trace.store import RunStore
from tests.trace.samples import ATTEMPT, FORGED, play, played, started
from tests.trace.test_store import MANIFEST

LINES = [encode(event) for event in played()]
SECOND = [encode(started(attempt="attempt_" + "f" * 32)), *LINES[1:]]


def load(folder: Path, lines: Sequence[bytes]) -> list[Trace | LoadError]:
    path = folder / "journal.jsonl"
    path.write_bytes(b"".join(lines))
    return list(JOURNAL.load(Source.at(path)))


def test_a_journal_is_the_trace_that_was_recorded(tmp_path: Path) -> None:
    (trace,) = load(tmp_path, LINES)
    assert isinstance(trace, Trace)
    assert trace.events == played().events
    assert (trace.defect, trace.path) == ("", str(tmp_path / "journal.jsonl"))


def test_several_attempts_stand_one_behind_the_other(tmp_path: Path) -> None:
    first, second = load(tmp_path, LINES + SECOND)
    assert isinstance(first, Trace)
    assert isinstance(second, Trace)
    assert (first.id, second.id) == (ATTEMPT, "attempt_" + "f" * 32)


def test_a_last_line_that_was_cut_short_costs_nothing_else(tmp_path: Path) -> None:
    first, second = load(tmp_path, [*LINES, *SECOND[:3], SECOND[3][:20]])
    assert isinstance(first, Trace)
    assert isinstance(second, Trace)
    assert first.defect == ""
    assert second.defect == "the last line was cut short after 20 bytes"
    assert len(second) == 3


@pytest.mark.parametrize("line", [b"{}\n", b"hello\n", b'{"type":"answer"}\n', b"\xff\n", b"\n"])
def test_a_line_that_is_no_event_costs_its_attempt_and_no_other(line: bytes, tmp_path: Path) -> None:
    error, second = load(tmp_path, [*LINES[:2], line, *LINES[2:], *SECOND])
    assert isinstance(error, LoadError)
    assert error.problem.startswith("line 3 ")
    assert isinstance(second, Trace)


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n", b"\xef\xbb\xbf \r\n\n"])
def test_what_editors_put_before_a_journal_is_no_part_of_it(before: bytes, tmp_path: Path) -> None:
    (trace,) = load(tmp_path, [before, *LINES])
    assert isinstance(trace, Trace)
    assert trace.events == played().events
    assert JOURNAL.sniff(Head(before + LINES[0]))
    assert JOURNAL.sniff(Head(before + LINES[0][:40]))


def test_another_schema_is_refused(tmp_path: Path) -> None:
    (error,) = load(tmp_path, [encode(started(schema="agentlab-journal/99"))])
    assert isinstance(error, LoadError)
    assert "line 1 schema: only" in error.problem


def test_events_that_cannot_be_one_record_are_told_with_the_line(tmp_path: Path) -> None:
    first, error = load(tmp_path, [*LINES, SECOND[0], *SECOND[2:]])
    assert isinstance(first, Trace)
    assert isinstance(error, LoadError)
    assert error.problem.startswith(f"the attempt that begins on line {len(LINES) + 1} cannot be one record: event 2")


def test_lines_before_the_first_attempt_are_one(tmp_path: Path) -> None:
    error, second = load(tmp_path, [LINES[1], *SECOND])
    assert isinstance(error, LoadError)
    assert "a trace begins with attempt_started" in error.problem
    assert isinstance(second, Trace)


def test_nothing_is_no_trace(tmp_path: Path) -> None:
    assert load(tmp_path, []) == []


def test_rejected_replies_are_found_in_the_quarantine_of_the_run(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path / "run", MANIFEST)
    recorder, journal = store.recorder(ATTEMPT, clock=TickClock())
    play(recorder)
    journal.close()
    (trace,) = JOURNAL.load(Source.at(store.journal_path(ATTEMPT)))
    assert isinstance(trace, Trace)
    assert FORGED in [trace.completion_text(reply) for reply in trace.of(CompletionEvent)]


def test_a_converted_file_has_a_quarantine_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    folder = tmp_path / "all.jsonl.quarantine"
    folder.mkdir()
    (folder / digest("lost")).write_text("lost")
    assert quarantine_of(Source.at(path)).get(digest("lost")) == "lost"
    assert quarantine_of(Source.at(tmp_path / "other.jsonl")).get(digest("lost")) is None
    for elsewhere in ("memory://all.jsonl", f"{path}!a"):
        assert quarantine_of(Source.at(elsewhere)).get(digest("lost")) is None


@pytest.mark.parametrize(
    ("data", "claimed"),
    [
        (LINES[0], True),
        (LINES[0][:40], True),
        (b" \n" + LINES[0], True),
        (json.dumps(json.loads(LINES[0]), indent=2).encode(), True),
        (LINES[1], False),
        (b'{"type": "attempt"}', False),
        (b"attempt_started", False),
        (b"", False),
    ],
)
def test_what_is_claimed(data: bytes, claimed: bool) -> None:
    assert JOURNAL.sniff(Head(data, whole=data.endswith(b"\n"))) is claimed


@given(cut=st.integers(0, sum(map(len, LINES))))
def test_a_journal_cut_anywhere_is_a_shorter_trace(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    content = b"".join(LINES)[:cut]
    found = load(tmp_path_factory.mktemp("cut"), [content])
    whole = content.count(b"\n")
    assert [len(trace) for trace in found if isinstance(trace, Trace)] == ([whole] if whole else [])
    errors = [error.problem for error in found if isinstance(error, LoadError)]
    said = f"the journal ends inside its first event: the last line was cut short after {cut} bytes"
    assert errors == ([said] if cut and not whole else [])
    assert all(bool(trace.defect) != content.endswith(b"\n") for trace in found if isinstance(trace, Trace))
