"""A run that was stopped goes on: only what does not count yet runs again, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import conditions_for
from agentlab.experiments.study import Study, run_study
from agentlab.trace.lost import lost_attempts
from agentlab.trace.store import RunStore
from tests.toymodel import ToyModel

CASE = load_case("mcp-mentions")
V2 = conditions_for("react-v2")


def study(**fields: object) -> Study:
    return Study(**{"case": CASE, "conditions": V2, "attempts": 6} | fields)  # type: ignore[arg-type]


def answering(asked: dict[str, Any]) -> str:
    return "Thought: easy\nAction: Finish[It mentions MCP 3 times.]"


def journals(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "attempts").iterdir()}


def test_only_missing_stopped_and_lost_attempts_run(serve: Callable[..., Any], tmp_path: Path) -> None:
    toy = ToyModel(write=answering)
    spec = f"{serve(toy).url}#toy"
    folder = tmp_path / "run"
    run_study(study(provider=spec), out=folder)
    assert len(toy.asked) == 6
    before = journals(folder)
    missing, cut, lost, *kept = sorted(before)
    (folder / "attempts" / missing).unlink()
    lines = before[cut].splitlines(keepends=True)
    (folder / "attempts" / cut).write_bytes(b"".join(lines[:-1]))
    end = json.loads(before[lost].splitlines()[-1])
    ended = json.dumps({**end, "reason": "provider_error"}).encode()
    (folder / "attempts" / lost).write_bytes(b"".join(before[lost].splitlines(keepends=True)[:-1]) + ended + b"\n")
    told: list[tuple[int, int]] = []
    result = run_study(study(provider=spec), out=folder, resume=True, progress=lambda *done: told.append(done))
    assert len(toy.asked) == 9
    assert told[-1] == (3, 3)
    after = journals(folder)
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert sorted(after) == sorted(before)
    assert [attempt.outcome for attempt in result.attempts] == ["correct_without_evidence"] * 6
    aside = sorted(path.name for path in (folder / ".abandoned").iterdir())
    assert aside == sorted(f"{Path(name).stem}.1.jsonl" for name in (cut, lost))


def test_a_whole_run_has_nothing_left(tmp_path: Path) -> None:
    first = run_study(study(), out=tmp_path / "run")
    before = journals(tmp_path / "run")
    again = run_study(study(), out=tmp_path / "run", resume=True)
    assert journals(tmp_path / "run") == before
    assert again.attempts == first.attempts


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"attempts": 7}, "attempts per condition"),
        ({"seed": 1}, "seed"),
        ({"conditions": conditions_for("drop")}, "cond"),
    ],
)
def test_another_study_does_not_go_on_there(tmp_path: Path, change: dict[str, object], named: str) -> None:
    run_study(study(), out=tmp_path / "run")
    before = journals(tmp_path / "run")
    with pytest.raises(UsageError, match=f"of another study: its {named}"):
        run_study(study(**change), out=tmp_path / "run", resume=True)
    assert journals(tmp_path / "run") == before


def test_what_is_to_go_on_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name its folder"):
        run_study(study(), resume=True)
    with pytest.raises(LoadError):
        run_study(study(), out=tmp_path / "nowhere", resume=True)


def test_a_recorded_study_comes_again_from_its_cassette(serve: Callable[..., Any], tmp_path: Path) -> None:
    toy = ToyModel(write=lambda asked: answering(asked) if asked["seed"] % 2 else "Observation: 0")
    spec = f"{serve(toy).url}#toy"
    tape = tmp_path / "tape.jsonl"
    first = run_study(study(provider=spec), out=tmp_path / "first", record=tape)
    asked = len(toy.asked)
    again = run_study(study(provider=f"cassette:{tape}"), out=tmp_path / "again")
    assert len(toy.asked) == asked
    kept = ("index", "outcome", "answer", "ended", "steps", "requests", "forged_observations", "input_tokens")
    assert [[getattr(a, name) for name in kept] for a in again.attempts] == [
        [getattr(a, name) for name in kept] for a in first.attempts
    ]
    assert RunStore.open(tmp_path / "again").manifest.provider == f"cassette:{tape}"


def test_attempts_that_had_not_begun_are_not_lost(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def stop(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(study(), out=folder, progress=stop)
    waiting = set(RunStore.open(folder).not_begun)
    begun = journals(folder)
    assert len(waiting) + len(begun) == 6
    assert waiting
    assert list(lost_attempts(folder)) == []
    next(path for path in (folder / "attempts").iterdir()).unlink()
    assert len(list(lost_attempts(folder))) == 1, "what had begun and is gone is lost"
    run_study(study(), out=folder, resume=True)
    assert not RunStore.open(folder).not_begun
    assert len(journals(folder)) == 6


@pytest.mark.parametrize("content", ["", "{", "[]", '{"attempts": 7}', '{"attempts": [7]}'])
def test_a_note_that_says_nothing_excuses_nothing(tmp_path: Path, content: str) -> None:
    run_study(study(), out=tmp_path / "run")
    (tmp_path / "run" / "not-begun.json").write_text(content)
    next(path for path in (tmp_path / "run" / "attempts").iterdir()).unlink()
    assert len(list(lost_attempts(tmp_path / "run"))) == 1
