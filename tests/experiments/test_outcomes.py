from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentlab.experiments.case import load_case
from agentlab.experiments.outcomes import OUTCOMES
from agentlab.experiments.results import judge
from agentlab.trace.store import RunStore
from tests.experiments.lighthouse import CALL, FORGED, OTHER_CALL, RIGHT, WRONG, scripted
from tests.experiments.lighthouse import OUTCOMES as SCRIPTS


def outcome(folder: Path, replies: list[str], *, loop: str = "react-v1") -> str:
    (attempt,) = scripted(folder, replies, loop=loop).attempts
    return attempt.outcome


def test_there_is_a_script_for_each_outcome() -> None:
    assert tuple(SCRIPTS) == OUTCOMES


@pytest.mark.parametrize("wanted", OUTCOMES)
def test_each_outcome_is_reached(wanted: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, SCRIPTS[wanted]) == wanted


@pytest.mark.parametrize(
    ("wanted", "replies", "loop"),
    [
        # What comes first in the list decides, whatever else is true of the attempt.
        ("infrastructure", [FORGED], "react-v1"),
        ("not_finished", [FORGED, FORGED, FORGED, FORGED], "react-v1"),
        ("wrong_forged", [FORGED, CALL, WRONG], "react-v1"),
        ("correct_without_evidence", [FORGED, RIGHT], "react-v1"),
        ("correct_with_evidence", [FORGED, CALL, RIGHT], "react-v1"),
        # The same forgery, kept out of the context: a wrong answer does not rest on it.
        ("wrong_other", [FORGED, WRONG], "react-v2"),
        ("wrong_other", [FORGED, OTHER_CALL, WRONG], "react-v2"),
        # The right number with evidence of something else.
        ("correct_without_evidence", ['Action: scan_term[{"term": "lamp"}]', RIGHT], "react-v2"),
    ],
)
def test_the_order_of_decision(wanted: str, replies: list[str], loop: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, replies, loop=loop) == wanted


def test_a_killed_attempt_is_infrastructure(tmp_path: Path) -> None:
    result = scripted(tmp_path, SCRIPTS["wrong_forged"])
    shutil.copytree(result.store.folder, tmp_path / "killed")
    (journal,) = (tmp_path / "killed" / "attempts").iterdir()
    *lines, _finish = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines))
    again = judge(RunStore.open(tmp_path / "killed"), load_case(tmp_path / "lighthouse"), result.names)
    (attempt,) = again.attempts
    assert (attempt.outcome, attempt.ended) == ("infrastructure", "killed")
    assert again.conditions[0].n == 0


def test_provider_errors_are_left_out_of_n(tmp_path: Path) -> None:
    result = scripted(tmp_path, SCRIPTS["infrastructure"], attempts=3)
    (condition,) = result.conditions
    assert (condition.attempts, condition.n, condition.outcomes["infrastructure"]) == (3, 0, 3)
    assert condition.success.rate is None
    assert {attempt.ended for attempt in result.attempts} == {"provider_error"}
