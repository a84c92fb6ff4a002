from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import Condition
from agentlab.experiments.results import StudyResult
from agentlab.experiments.saving import save_results
from agentlab.experiments.study import Study, run_study
from agentlab.trace.store import RunStore
from tests.experiments.lighthouse import RIGHT, lighthouse, write_case, write_script

SHIPPED = load_case("mcp-mentions")
V1 = Condition(name="react-v1", loop="react-v1")
V2 = Condition(name="react-v2", loop="react-v2")

Run = Callable[..., StudyResult]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a study of the case that comes with agentlab into a new folder."""

    def run_it(
        conditions: Sequence[Condition] = (V1, V2), *, workers: int = 1, out: str = "run", **fields: object
    ) -> StudyResult:
        study = Study(**{"case": SHIPPED, "conditions": conditions} | fields)  # type: ignore[arg-type]
        return run_study(study, out=tmp_path / out, workers=workers)

    return run_it


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder that two equal runs share."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "environment.json" in found
    return {name: content for name, content in found.items() if Path(name).name != "environment.json"}


# --- What the default study shows. ---


def test_the_fault_and_its_mend(run: Run) -> None:
    result = run()
    v1, v2 = result.conditions
    assert (v1.n, v2.n) == (10, 10)
    assert v1.forged.count > 0
    assert v2.forged.count == 0
    for attempt in result.select(outcome="wrong_forged"):
        assert attempt.condition == "react-v1"
        assert attempt.rests_on_forged
        assert attempt.answer is not None
        assert " 0 times" in attempt.answer


def test_without_forgeries_every_answer_is_right_and_proven(run: Run) -> None:
    honest = [condition.model_copy(update={"knobs": {"p_forge": 0.0}}) for condition in (V1, V2)]
    for condition in run(honest).conditions:
        assert condition.outcomes["correct_with_evidence"] == condition.n == 10
        assert condition.forged_attempts == 0


def test_other_seeds_give_other_counts(run: Run) -> None:
    counts = [run([V1], seed=seed, out=f"seed-{seed}").conditions[0].forged.count for seed in range(5)]
    assert len(set(counts)) > 1, counts


def test_a_study_in_chinese(run: Run) -> None:
    result = run([V2.model_copy(update={"language": "zh", "knobs": {"p_forge": 0.0}})], attempts=2)
    assert result.conditions[0].success.count == 2
    assert "次" in str(result.attempts[0].answer)


# --- The same seed gives the same bytes. ---


def test_two_runs_are_the_same_whatever_the_folder_and_the_number_of_workers(run: Run, tmp_path: Path) -> None:
    first = run(out="first")
    second = run(out="some/where/else", workers=4)
    for result in (first, second):
        save_results(result.store.folder, {"both": result})
    shared = files(first.store.folder)
    assert shared == files(second.store.folder)
    assert {Path(name).parts[0] for name in shared} == {
        "attempts",
        "manifest.json",
        "quarantine",
        "results.json",
        "tables",
    }
    assert str(tmp_path).encode() not in b"".join(shared.values())


def test_the_environment_stands_apart(run: Run) -> None:
    environment = json.loads((run(attempts=1).store.folder / "environment.json").read_text())
    assert {"package_version", "python", "platform", "provider", "model", "seconds"} <= environment.keys()


def test_the_order_and_the_names_of_conditions_change_nothing_but_the_names(run: Run) -> None:
    plain = run(out="plain")
    renamed = run([V2.model_copy(update={"name": "mended"}), V1.model_copy(update={"name": "old"})], out="renamed")
    names = {"react-v1": "old", "react-v2": "mended"}
    assert plain.store.manifest.run == renamed.store.manifest.run

    def told(result: StudyResult, name: Callable[[str], str]) -> dict[str, tuple[object, ...]]:
        return {a.attempt: (name(a.condition), a.index, a.outcome, a.answer, a.steps) for a in result.attempts}

    assert told(plain, lambda name: names[name]) == told(renamed, lambda name: name)
    for attempt in plain.attempts:
        before, after = (
            result.store.journal_path(attempt.attempt).read_bytes().split(b"\n", 1) for result in (plain, renamed)
        )
        assert before[1] == after[1]
        first, second = json.loads(before[0]), json.loads(after[0])
        assert second.pop("condition") == names[first.pop("condition")]
        assert first == second


def test_what_differs_gives_other_attempts(run: Run, tmp_path: Path) -> None:
    kinds = {
        "plain": run([V1], attempts=2, out="plain"),
        "seed": run([V1], attempts=2, seed=1, out="seed"),
        "knob": run([V1.model_copy(update={"knobs": {"p_heed": 0.9}})], attempts=2, out="knob"),
        "case": run([V1], attempts=2, case=lighthouse(tmp_path / "lighthouse"), out="case"),
    }
    ids = [attempt.attempt for result in kinds.values() for attempt in result.attempts]
    assert len(ids) == len(set(ids)) == 8


def test_more_attempts_keep_the_first_ones(run: Run) -> None:
    few, many = run([V1], attempts=2, out="few"), run([V1], attempts=4, out="many")
    assert [a.attempt for a in few.attempts] == [a.attempt for a in many.attempts][:2]


# --- Refused before anything runs. ---


def test_nothing_is_written_when_something_is_missing(tmp_path: Path) -> None:
    def refused(kind: type[Exception], match: str, **fields: object) -> None:
        with pytest.raises(kind, match=match):
            run_study(Study(**{"case": SHIPPED, "conditions": [V1]} | fields), out=tmp_path / "run")  # type: ignore[arg-type]
        assert not (tmp_path / "run").exists()

    refused(UsageError, "no provider 'magic'", provider="magic")
    refused(UsageError, "knobs", provider="openai:m", conditions=[V1.model_copy(update={"knobs": {"p_forge": 0.0}})])
    refused(UsageError, "at least one condition", conditions=[])
    refused(UsageError, "same name", conditions=[V1, V1.model_copy(update={"loop": "drop"})])
    refused(UsageError, "same content", conditions=[V1, V1.model_copy(update={"name": "twin"})])
    refused(UsageError, "from 1 to 100000", attempts=0)
    refused(UsageError, r"from 0 to 2\*\*63", seed=-1)
    refused(UsageError, r"from 0 to 2\*\*63", seed=2**63)
    tools = load_case(write_case(tmp_path / "tools", ('"list_documents", "scan_term"', '"scan_term", "rm"')))
    refused(UsageError, "no document tool 'rm'", case=tools)
    english = load_case(write_case(tmp_path / "english", ('zh = "log.md 中 fog 出现了几次？"\n', "")))
    refused(UsageError, "no task in 'zh'", case=english, conditions=[V1.model_copy(update={"language": "zh"})])
    empty = load_case(write_case(tmp_path / "empty"))
    shutil.rmtree(tmp_path / "empty" / "papers")
    refused(LoadError, "folder of documents", case=empty)


def test_a_run_is_never_written_over_another(run: Run, tmp_path: Path) -> None:
    run(attempts=1)
    before = files(tmp_path / "run")
    with pytest.raises(UsageError, match="is not empty"):
        run(attempts=1)
    assert files(tmp_path / "run") == before


def test_the_default_folder_is_named_after_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_study(Study(case=SHIPPED, conditions=[V1], attempts=1))
    assert result.store.folder == Path("runs") / result.store.manifest.run


# --- Progress and interruption. ---


def test_progress_is_told_after_each_attempt(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    study = Study(case=SHIPPED, conditions=[V1], attempts=3)
    run_study(study, out=tmp_path / "run", progress=lambda done, planned: told.append((done, planned)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_stopped_study_can_be_read(tmp_path: Path) -> None:
    def stop_after_three(done: int, planned: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    before = threading.active_count()
    study = Study(case=SHIPPED, conditions=[V1], attempts=2000)
    with pytest.raises(KeyboardInterrupt) as stopped:
        run_study(study, out=tmp_path / "run", progress=stop_after_three)
    assert stopped.value.__notes__ == [f"The run is in {tmp_path / 'run'}."]
    assert threading.active_count() == before
    traces = list(RunStore.open(tmp_path / "run").traces())
    assert 3 <= len(traces) < 2000
    reasons = [trace.finished.reason if trace.finished else None for trace in traces]
    assert set(reasons[:-1]) == {"answered"}
    assert reasons[-1] in ("answered", "interrupted")
    assert (tmp_path / "run" / "environment.json").is_file()


def test_scripted_attempts_each_begin_at_the_first_reply(tmp_path: Path) -> None:
    spec = write_script(tmp_path / "script.jsonl", [RIGHT])
    study = Study(case=lighthouse(tmp_path / "case"), conditions=[V1, V2], attempts=2, provider=spec)
    result = run_study(study, out=tmp_path / "run", workers=4)
    assert [attempt.outcome for attempt in result.attempts] == ["correct_without_evidence"] * 4


def test_saying_what_the_case_says_anyway_makes_no_other_condition() -> None:
    case = load_case("mcp-mentions")
    own = {"prompt_version": case.file.prompt_version, "knobs": {"p_forge": case.file.simulated.p_forge}}
    silent, loud = Condition(name="silent"), Condition.model_validate({"name": "loud", **own})
    other = Condition(name="other", prompt_version="chat-v2", knobs={"p_forge": 0.01})
    study = Study(case=case, conditions=[silent, other])
    assert [each.prompt_version for each in study.conditions] == [case.file.prompt_version, "chat-v2"]
    assert [dict(each.knobs) for each in study.conditions] == [{}, {"p_forge": 0.01}]
    with pytest.raises(UsageError, match="the same content"):
        Study(case=case, conditions=[silent, loud])


def test_a_case_by_its_name_is_refused_with_what_to_write() -> None:
    with pytest.raises(UsageError, match=r"load_case\('mcp-mentions'\)"):
        Study(case="mcp-mentions", conditions=[Condition(name="only")])  # type: ignore[arg-type]
