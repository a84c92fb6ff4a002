"""What every format promises, on the smallest honest file of each, in `data/samples`."""

from __future__ import annotations

import gc
import gzip
import json
import lzma
import math
import random
import shutil
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded
from agentlab.formats.catalogue import all_formats
from agentlab.formats.finding import survey
from agentlab.trace.codec import decode, encode
from agentlab.trace.events import EVENT_TYPES, AttemptFinished, AttemptStarted, ExecutionStarted
from agentlab.trace.model import Trace

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
FORMATS = {form.name: form for form in all_formats()}
SHAPE = ("proposals", "executions", "results", "errors", "times", "usage")


def samples(name: str) -> list[Path]:
    """The samples of a format: `name.ext`, or `name.what.ext` where it has several containers or generations."""
    return sorted(path for path in SAMPLES.iterdir() if path.name.split(".")[0] == name)


CASES = [pytest.param(FORMATS[name], path, id=path.name) for name in FORMATS for path in samples(name)]
every_sample = pytest.mark.parametrize(("form", "sample"), CASES)


def loaded(path: Path) -> list[Loaded]:
    return list(survey([str(path)]).load())


def traces(path: Path) -> list[Trace]:
    found = loaded(path)
    assert found
    assert not [each for each in found if isinstance(each, LoadError)]
    return [each for each in found if isinstance(each, Trace)]


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "completion"])
def test_a_format_has_a_sample(name: str) -> None:
    assert samples(name)


def test_a_sample_is_of_a_format() -> None:
    assert {path.name.split(".")[0] for path in SAMPLES.iterdir()} - {"README"} <= set(FORMATS)


@every_sample
def test_exactly_one_format_claims_a_sample(form: Format, sample: Path) -> None:
    (found,) = survey([str(sample)]).found
    assert found.format is form


@every_sample
def test_ids_are_stable_wherever_the_file_lies(form: Format, sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / f"elsewhere{sample.suffix}"
    (shutil.copytree if sample.is_dir() else shutil.copy)(sample, copy)  # type: ignore[operator]
    first, second = traces(sample), traces(copy)
    assert [trace.id for trace in first] == [trace.id for trace in second]
    assert len({trace.id for trace in first}) == len(first)
    assert [trace.events for trace in first] == [trace.events for trace in second]


@pytest.mark.parametrize("name", ["claude-code", "codex", "managed-agents", "opencode"])
def test_a_session_that_went_on_in_another_file_is_another_record(name: str, tmp_path: Path) -> None:
    """Sessions are resumed and forked in copies of their file, under the same session id."""
    sample = SAMPLES / f"{name}.jsonl"
    shorter = tmp_path / "shorter.jsonl"
    shorter.write_bytes(b"".join(sample.read_bytes().splitlines(keepends=True)[:-1]))
    whole, part = traces(sample), traces(shorter)
    assert whole[-1].started.source == part[-1].started.source
    assert whole[-1].id != part[-1].id


@every_sample
def test_a_trace_written_as_a_journal_is_the_same_trace(form: Format, sample: Path, tmp_path: Path) -> None:
    first = traces(sample)
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(b"".join(encode(event) for trace in first for event in trace))
    assert [trace.events for trace in traces(journal)] == [trace.events for trace in first]
    assert all(decode(encode(event)) == event for trace in first for event in trace)


@every_sample
def test_compression_makes_no_difference(form: Format, sample: Path, tmp_path: Path) -> None:
    if sample.is_dir() or form.name == "inspect":
        return  # a folder has no one file, and an archive is compressed already
    for compress in (gzip.compress, lzma.compress):
        packed = tmp_path / "packed"
        packed.write_bytes(compress(sample.read_bytes()))
        assert [trace.events for trace in traces(packed)] == [trace.events for trace in traces(sample)]


@every_sample
def test_a_trace_delivers_what_it_declares(form: Format, sample: Path) -> None:
    for trace in traces(sample):
        evidence, declared = trace.evidence, trace.started.evidence
        own = [event for event in trace.of(ExecutionStarted) if event.by in ("agent", "not_recorded")]
        provided = {call.executed_in for call in trace.calls if call.by == "provider"}
        if declared.executions == "not_recorded":
            assert not [event for event in own if event.id not in provided]
        if declared.proposals == "not_recorded":
            assert not [call for call in trace.calls if call.proposed_in and call.by == "agent"]
        if declared.results == "not_recorded":
            assert not [call for call in trace.calls if call.result is not None]
        if declared.errors == "not_recorded":
            assert not [call for call in trace.calls if call.state in ("failed", "refused")]
        assert (evidence.times == "present") == any(event.time is not None for event in trace)


@every_sample
def test_the_table_of_proofs_is_true_of_a_sample(form: Format, sample: Path) -> None:
    for trace in traces(sample):
        for name in SHAPE:
            said, found = getattr(form.proofs, name), getattr(trace.evidence, name)
            assert (said, found) != ("absent", "present"), name
            assert (said, found) != ("present", "not_recorded"), name


@every_sample
def test_what_nobody_holds_any_longer_is_freed_without_a_search(form: Format, sample: Path) -> None:
    def events() -> int:
        return sum(type(each) in EVENT_TYPES for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = events()
        assert traces(sample)
        assert events() == before
    finally:
        gc.enable()


@every_sample
def test_every_event_can_be_found_in_the_original_file(form: Format, sample: Path) -> None:
    if form.name == "agentlab":
        return
    for trace in traces(sample):
        assert trace.started.format == form.name
        ends = (AttemptStarted, AttemptFinished)
        assert not [event for event in trace if not event.source and not isinstance(event, ends)]


@every_sample
def test_a_sample_shows_a_call_or_says_that_it_cannot(form: Format, sample: Path) -> None:
    assert any(trace.calls or trace.evidence.proposals == "not_recorded" for trace in traces(sample))


# --- bad input: only LoadError, never another exception ---


def only_load_errors(path: Path) -> None:
    for name in FORMATS:
        if FORMATS[name].folder is None or path.is_file():
            for each in survey([str(path)], format=FORMATS[name]).load():
                assert isinstance(each, (Trace, LoadError))
    for each in loaded(path):
        assert isinstance(each, (Trace, LoadError))
        if isinstance(each, LoadError):
            assert "\n" not in str(each)


FILES = [path for name in FORMATS for path in samples(name) if path.is_file()]


@pytest.mark.parametrize("sample", FILES, ids=lambda path: path.name)
@settings(max_examples=25)
@given(data=st.data())
def test_bytes_changed_anywhere(sample: Path, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    content = bytearray(sample.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 40))
        content[place : place + length] = data.draw(st.binary(max_size=6))
    path = tmp_path_factory.mktemp("bytes") / "mutated"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)) | st.just(len(content)))])
    own = FORMATS[sample.name.split(".")[0]]
    for each in survey([str(path)], format=own).load():
        assert isinstance(each, (Trace, LoadError))
    loaded(path)


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1e308,
    math.inf,
    10**30,
    10**400,
    "",
    "x",
    "2",
    [],
    [[]],
    [None],
    [1],
    {},
    {"a": None},
    [{}],
    "\u0000",
]


def mutated(value: Any, pick: random.Random, chance: float) -> Any:
    """The value with some of its parts replaced, dropped, doubled or renamed."""
    if pick.random() < chance:
        return pick.choice(ODD)
    if isinstance(value, dict):
        names = list(value)
        kept = {name: mutated(value[name], pick, chance) for name in names if pick.random() > chance / 2}
        if kept and pick.random() < chance:
            kept["x" + pick.choice(list(kept))] = 1
        return kept
    if isinstance(value, list):
        parts = [mutated(part, pick, chance) for part in value if pick.random() > chance / 2]
        return parts + parts[-1:] if parts and pick.random() < chance else parts
    return value


def parsed(content: bytes) -> Iterator[Any]:
    try:
        yield json.loads(content)
    except ValueError:
        for line in content.splitlines():
            if line.strip():
                yield json.loads(line)


TEXTS = [path for path in FILES if path.suffix in (".json", ".jsonl", ".traj", ".ipynb")]


@pytest.mark.parametrize("sample", TEXTS, ids=lambda path: path.name)
def test_values_of_other_types_anywhere(sample: Path, tmp_path: Path) -> None:
    """A seeded walk over the tree: hypothesis would spend its time on drawing the tree."""
    try:
        values = list(parsed(sample.read_bytes()))
    except ValueError:
        pytest.fail(f"{sample.name} is neither one JSON document nor JSON lines; name it .txt")
    form = FORMATS[sample.name.split(".")[0]]
    for seed in range(150):
        pick = random.Random(seed)
        chance = pick.choice((0.01, 0.03, 0.1))
        path = tmp_path / f"{seed}.json"
        text = "\n".join(json.dumps(mutated(value, pick, chance)) for value in values)
        path.write_text(text.replace("Infinity", "1e999"), encoding="utf-8")
        for each in survey([str(path)], format=form).load():
            assert isinstance(each, (Trace, LoadError)), seed
            if isinstance(each, Trace):
                assert [decode(encode(event)) for event in each] == list(each), seed
        loaded(path)


def test_asking_every_format_to_read_every_sample(tmp_path: Path) -> None:
    for sample in FILES:
        only_load_errors(sample)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_another_format_is_no_clean_trace(name: str) -> None:
    """Who names the wrong format learns it: there is an error, or a trace in which something is said."""
    for sample in FILES:
        if sample.name.split(".")[0] == name:
            continue
        found = list(survey([str(sample)], format=FORMATS[name]).load())
        assert found, sample.name
        for each in found:
            if isinstance(each, Trace):
                assert len(each) > 1 or each.started.extra.get("unsent"), sample.name


def test_the_table_has_no_blank() -> None:
    for form in FORMATS.values():
        assert form.sentence.endswith(".")
        assert form.url.startswith("https://")
        assert set(asdict(form.proofs).values()) <= {"present", "absent", "depends"}
        assert replace(form.proofs) == form.proofs
