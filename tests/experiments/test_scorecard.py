"""The scorecard agrees with the referees of the shared folder, and says plainly what it found."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from agentlab.errors import UsageError
from agentlab.experiments.scorecard import SETS, Scorecard, save_scorecard, score_audit, shared_folder
from agentlab.experiments.scoring.trail import FAILED_CALLS, REPETITION, UNGROUNDED
from tests.conftest import skip_or_fail

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def card(shared: Path) -> Scorecard:
    return score_audit(shared)


def referee(folder: Path, tmp_path: Path, *words: str) -> str:
    """What a referee prints when it is run on its own folder with this package."""
    script = folder / "score.py"
    if not script.is_file():
        skip_or_fail(f"there is no referee {str(script)!r}")
    command = tmp_path / "agentlab.py"
    command.write_text("import sys\nfrom agentlab.cli.main import main\nsys.exit(main())\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    asked = [sys.executable, str(script), *words, "--agentlab", f"{sys.executable} {command}"]
    done = subprocess.run(asked, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=280)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def two_digits(*values: float) -> list[str]:
    """As a referee prints them; it says 0 where there is nothing to divide by."""
    return [f"{0 if value != value else value:.2f}" for value in values]


def measured(frame: pd.DataFrame, name: str, group: str, grain: str) -> list[str]:
    row = frame.set_index(["set", "group", "grain"]).loc[(name, group, grain)]
    return two_digits(*row[["precision", "recall", "f1"]])


def numbers(line: str) -> list[str]:
    return re.findall(r"\b\d\.\d\d\b", line)


def lines_of(text: str) -> dict[str, str]:
    """The lines by their first word."""
    return {line.split()[0].rstrip(":"): line for line in text.splitlines() if line.strip()}


@pytest.mark.timeout(290)
def test_trail_agrees_with_the_referee(card: Scorecard, shared: Path, tmp_path: Path) -> None:
    said = lines_of(referee(shared / "labelled", tmp_path, "trail"))
    assert numbers(said["micro"]) == measured(card.groups, "trail", "place and category", "exact")
    for letter, group in (("U", UNGROUNDED), ("M", FAILED_CALLS), ("R", REPETITION)):
        mine = [x for grain in ("exact", "step", "trace") for x in measured(card.groups, "trail", group, grain)]
        assert numbers(said[letter]) == mine
        row = card.groups.query("group == @group and grain == 'exact'").iloc[0]
        assert f"({row['found']} found, {row['labelled']} labelled)" in said[letter]
    pairs = card.groups.set_index(["group", "grain"]).loc[("place and category", "exact")]
    assert f"{pairs['per_trace']:.1f} findings a trace" in said["trail"]


@pytest.mark.timeout(290)
def test_agentrx_agrees_with_the_referee(card: Scorecard, shared: Path, tmp_path: Path) -> None:
    said = referee(shared / "labelled", tmp_path, "agentrx")
    control = card.clean.set_index("set").loc["agentrx"]
    assert f"agentrx: {control['failures']} of {control['runs']} successful runs accused" in said
    found = {name: (met, of) for name, met, of in re.findall(r"^  (.+): (\d+) of (\d+) labelled", said, re.MULTILINE)}
    rows = card.categories.query("set == 'agentrx' and grain == 'step'")
    assert found == {row.category: (str(row.met), str(row.labelled)) for row in rows.itertuples()}


@pytest.mark.timeout(290)
def test_agentdojo_agrees_with_the_referee(card: Scorecard, shared: Path, tmp_path: Path) -> None:
    said = lines_of(referee(shared / "labelled", tmp_path, "agentdojo"))
    assert numbers(said["attacked"]) == measured(card.groups, "agentdojo-workspace", "injection", "trace")
    assert numbers(said["agentdojo"]) == measured(card.groups, "agentdojo", "injection", "trace")
    benign = card.clean.set_index("set").loc["agentdojo"]
    assert said["agentdojo"].endswith(f"benign false alarms {benign['loud']} of {benign['runs']}")


@pytest.mark.timeout(290)
def test_cases_agree_with_the_referee(card: Scorecard, shared: Path, tmp_path: Path) -> None:
    said = referee(shared / "cases", tmp_path, "--verbose")
    cases = card.cases
    judged = dict(re.findall(r"^([A-Z]+-\d+): (.*)$", said, re.MULTILINE))
    assert {name for name, words in judged.items() if words == "right"} == set(cases["id"][cases["right"]])
    kinds = {kind: f"{part['right'].sum()} of {len(part)}" for kind, part in cases.groupby("kind")}
    assert f"completions {kinds['completion']}, traces {kinds['trace']}" in said
    assert card.case_set
    total = f"{cases['right'].sum()} of {len(cases)} right, {cases['accused'].sum()} false accusations"
    assert f"{total}, {len(card.case_set.skipped)} skipped" in said


def test_every_disagreement_with_a_label_can_be_looked_up(card: Scorecard) -> None:
    listed = card.disagreements
    assert not set(listed["kind"]) - {"miss", "false alarm"}
    placed = listed[~listed["set"].str.startswith("agentdojo")]
    assert (placed["place"][placed["kind"] == "miss"] != "").all()
    assert (listed["trace"] != "").all()


def test_what_is_absent_is_said(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    card = score_audit(tmp_path)
    assert set(card.absent) == set(SETS) - {"cases"}
    found = card.found().set_index("set")
    assert found["found"].to_dict() == {"cases": True, "trail": False, "agentrx": False, "agentdojo": False}
    assert "not in the shared folder" in found["what"]["trail"]
    assert "absent: trail" in repr(card)
    assert "not in the shared folder" in card._repr_html_()
    assert "no shared folder" in score_audit(None).found()["what"][0]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no folder '.*none' of labelled sets"):
        score_audit(tmp_path / "none")


def test_empty_tables_can_be_saved_and_read(tmp_path: Path) -> None:
    place = save_scorecard(tmp_path, score_audit(None))
    tables = {path.stem: pd.read_parquet(path) for path in place.glob("*.parquet")}
    assert set(tables) == {"groups", "rules", "categories", "clean", "disagreements", "cases", "verdicts"}
    assert not any(len(table) for name, table in tables.items() if name != "verdicts")


def test_the_shared_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLAB_SHARED", str(tmp_path))
    assert shared_folder() == tmp_path
    monkeypatch.setenv("AGENTLAB_SHARED", str(tmp_path / "none"))
    with pytest.raises(UsageError, match="no such folder"):
        shared_folder()
    monkeypatch.setenv("AGENTLAB_SHARED", "")
    beside = ROOT.parent / "shared"
    assert shared_folder() == (beside if beside.is_dir() else None)
