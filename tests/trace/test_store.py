from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentlab.clock import TickClock
from agentlab.errors import LoadError, UsageError
from agentlab.strictjson import digest
from agentlab.trace.codec import encode
from agentlab.trace.events import CompletionEvent
from agentlab.trace.store import AttemptEntry, Manifest, RunStore, read_journal
from tests.trace.samples import ATTEMPT, FORGED, play, played, started

ROOT = Path(__file__).parents[2]
OTHER = "attempt_" + "0c" * 16
MANIFEST = Manifest(
    run="run_" + "0b" * 16,
    case="herons",
    case_digest="f" * 64,
    conditions=({"name": "baseline", "policy": "react-v2"},),
    attempts_per_condition=2,
    provider="scripted:ponds.json",
    seed=5,
    package_version="0.1.0",
    attempts=tuple(
        AttemptEntry(id=name, condition="baseline", index=index) for index, name in enumerate([ATTEMPT, OTHER])
    ),
)


def written(folder: Path, *lines: bytes) -> Path:
    path = folder / "attempts" / f"{ATTEMPT}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(lines))
    return path


def lines() -> list[bytes]:
    return [encode(event) for event in played()]


def test_a_run_comes_back_as_it_was_recorded(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path / "run", MANIFEST)
    recorder, journal = store.recorder(ATTEMPT, clock=TickClock())
    play(recorder)
    journal.close()
    store.write_environment({"python": "3.11", "herons": "鹭"})

    again = RunStore.open(tmp_path / "run")
    assert again.manifest == MANIFEST
    (trace,) = again.traces()  # the other attempt was not begun
    assert trace == again.trace(ATTEMPT)
    assert trace.events == played().events
    assert trace.defect == ""
    assert trace.path == str(again.journal_path(ATTEMPT))
    assert trace.completion_text(trace.of(CompletionEvent)[0]) == FORGED
    assert {str(path.relative_to(again.folder)) for path in again.folder.rglob("*") if path.is_file()} == {
        "manifest.json",
        "environment.json",
        f"attempts/{ATTEMPT}.jsonl",
        f"quarantine/{digest(FORGED)}",
    }


def test_an_attempt_is_recorded_once(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path, MANIFEST)
    store.recorder(ATTEMPT, clock=TickClock())[1].close()
    with pytest.raises(FileExistsError):
        store.recorder(ATTEMPT, clock=TickClock())


def test_equal_runs_are_equal_byte_for_byte(tmp_path: Path) -> None:
    for name in ("one", "two"):
        recorder, journal = RunStore.create(tmp_path / name, MANIFEST).recorder(ATTEMPT, clock=TickClock())
        play(recorder)
        journal.close()
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / n).rglob("*") if p.is_file()} for n in ("one", "two"))
    assert first == second
    assert len(first) == 3


def test_create_takes_an_empty_folder_and_refuses_any_other(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    RunStore.create(tmp_path / "empty", MANIFEST)
    with pytest.raises(
        UsageError, match=r"empty' is not empty or not a folder, and a run is never written over another.*--out"
    ):
        RunStore.create(tmp_path / "empty", MANIFEST)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="never written over"):
        RunStore.create(tmp_path / "file", MANIFEST)
    assert (tmp_path / "file").read_text() == "mine"


def test_repr_is_one_line() -> None:
    store = RunStore(Path("x"), MANIFEST.model_copy(update={"case": "a\nb\x1b[31m" + "c" * 99}))
    assert repr(store) == (f"<RunStore {MANIFEST.run} case='a b\\\\u{{1b}}[31m" + "c" * 26 + "…' attempts=2>")


def _changed(**changes: object) -> str:
    return json.dumps(MANIFEST.model_dump(mode="json") | changes)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a manifest is one JSON object; this one is not: expecting value"),
        ("[]", "not a run's manifest: the document: Input should be an object"),
        ('{"run":"a","run":"b"}', "the same key twice"),
        ("{}", "not a run's manifest: run: Field required"),
        (_changed(seed="5"), "seed: Input should be a valid integer"),
        (_changed(secret="hunter2"), "secret: Extra inputs are not permitted"),
        (_changed(schema_name="hunter2"), "schema_name: Input should be 'agentlab.run/1'"),
        (_changed(attempts=[{"id": "../hunter2", "condition": "a", "index": 0}]), r"attempts.0.id: String should"),
        (_changed(attempts=[{"id": "a/b", "condition": "a", "index": 0}]), r"attempts.0.id: String should"),
        (_changed(attempts=[{"id": "a\n", "condition": "a", "index": 0}]), r"attempts.0.id: String should"),
    ],
)  # fmt: skip
def test_bad_manifests_are_refused_by_field_and_unquoted(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(LoadError, match=problem) as refusal:
        RunStore.open(tmp_path)
    assert "hunter2" not in str(refusal.value)
    assert refusal.value.path.endswith("manifest.json")


def test_a_folder_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(LoadError, match=r"a run folder holds manifest.json; it cannot be read \(No such file"):
            RunStore.open(folder)
    (tmp_path / "manifest.json").write_bytes(b"\xff")
    with pytest.raises(LoadError, match="this one is not"):
        RunStore.open(tmp_path)


def test_a_line_cut_short_is_left_out_and_said(tmp_path: Path) -> None:
    whole = lines()
    for length in (1, len(whole[6]) // 2, len(whole[6]) - 1):
        path = written(tmp_path / str(length), *whole[:6], whole[6][:length])
        trace = read_journal(path)
        assert trace.events == played().events[:6]
        assert trace.defect == f"the last line was cut short after {length} bytes"


def test_an_attempt_killed_before_its_first_line_is_not_among_the_traces(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path, MANIFEST)
    store.journal_path(ATTEMPT).write_bytes(b'{"type":"attempt_st')
    store.journal_path(OTHER).write_bytes(encode(started()))
    assert [trace.path for trace in store.traces()] == [str(store.journal_path(OTHER))]
    with pytest.raises(LoadError, match="a trace begins with attempt_started"):
        store.trace(ATTEMPT)


@pytest.mark.parametrize(
    ("number", "line", "problem"),
    [
        (3, b'{"type":"answer","text":"hunter2"}\n', "line 3 is not an event: answer.completion: Field required"),
        (3, b"\n", "line 3 is not strict JSON"),
        (2, b'{"type":"answer","type":"answer"}\n', "line 2 is not strict JSON: an object has the same key twice"),
        (1, b"\xff\n", r"line 1 is not UTF-8 \(byte 0\)"),
        (7, encode(played().events[3]), r"not a journal of an attempt: event 7 \(protocol_error\) has the id of an"),
        (1, encode(started(schema="agentlab.journal/9", id="e1")), "line 1 schema: only .*journal/1"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_not_quoted(tmp_path: Path, number: int, line: bytes, problem: str) -> None:
    journal = lines()
    journal[number - 1] = line
    with pytest.raises(LoadError, match=problem) as refusal:
        read_journal(written(tmp_path, *journal))
    assert "hunter2" not in str(refusal.value)


def test_a_changed_text_is_noticed(tmp_path: Path) -> None:
    journal = [line.replace(b"How many herons does", b"How many swans  does") for line in lines()]
    with pytest.raises(LoadError, match=r"event 2 \(request\) has in items\[1\] a text with another digest"):
        read_journal(written(tmp_path, *journal))


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.jsonl"):
        with pytest.raises(LoadError, match="a journal was expected; it cannot be read"):
            read_journal(path)


CHILD = """
import sys
from pathlib import Path
from agentlab.clock import RealClock
from agentlab.trace.events import Notice
from agentlab.trace.quarantine import FolderQuarantine
from agentlab.trace.recorder import JournalFile, Recorder
from tests.trace.samples import said, started

folder = Path(sys.argv[1])
(folder / "attempts").mkdir()
journal = JournalFile(folder / "attempts" / "a.jsonl")
book = Recorder(journal, quarantine=FolderQuarantine(folder / "quarantine"), clock=RealClock())
book.record(started())
history = []
while True:
    history.append(said(f"message {len(history)} " * 50))
    print(book.request(history).id, flush=True)
    print(book.quarantine(f"reply {len(history)} " * 5000), flush=True)
"""


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout as pipe:
        said_so = [pipe.readline() for _ in range(101)]
        child.send_signal(signal.SIGKILL)
        said_so += pipe.read().splitlines(keepends=True)
    assert child.wait() == -signal.SIGKILL
    acknowledged = [line.decode().strip() for line in said_so if line.endswith(b"\n")]
    trace = read_journal(tmp_path / "attempts" / "a.jsonl")
    assert len(acknowledged) >= 101
    for request in acknowledged[::2]:
        assert len(trace.contexts[request]) == int(request[1:]) - 1
    for text in acknowledged[1::2]:
        assert trace.quarantine.get(text) is not None
