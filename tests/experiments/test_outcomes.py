from __future__ import annotations

import shutil
import time
from pathlib import Path
from threading import Event

import pytest

from agentlab.audit.report import audit_trace
from agentlab.errors import ProviderError
from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import Condition
from agentlab.experiments.outcomes import OUTCOMES, outcome_of
from agentlab.experiments.results import judge
from agentlab.experiments.runner import PlannedAttempt, run_attempt
from agentlab.messages import Completion
from agentlab.providers.base import ProviderRequest
from agentlab.trace.store import Manifest, RunStore
from tests.experiments.lighthouse import CALL, FORGED, OTHER_CALL, RIGHT, WRONG, lighthouse, scripted
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


class _Staller:
    """A server that gives some replies and then holds the line until the attempt is over."""

    name = "staller"
    model = "staller"

    def __init__(self, replies: list[str]) -> None:
        self.replies = list(replies)

    def for_attempt(self, seed: int) -> _Staller:
        return self

    def complete(self, request: ProviderRequest) -> Completion:
        if self.replies:
            return Completion(text=self.replies.pop(0))
        time.sleep((request.time_left or 0) + 0.01)
        raise ProviderError("timeout", "The server took too long.")


@pytest.mark.parametrize(("replies", "wanted"), [([], "infrastructure"), ([CALL], "not_finished")])
def test_a_server_that_stalls_until_the_deadline(replies: list[str], wanted: str, tmp_path: Path) -> None:
    case, condition = (
        lighthouse(tmp_path / "lighthouse"),
        Condition(name="hasty", prompt_version="chat-v3", seconds=0.2),
    )
    manifest = Manifest(
        run="r", case=case.name, case_digest=case.digest, conditions=(), attempts_per_condition=1,
        provider="staller", seed=0, package_version="0", attempts=(),
    )  # fmt: skip
    store = RunStore.create(tmp_path / "run", manifest)
    planned = PlannedAttempt(id="a", condition=condition, index=0, seed=0, provider=_Staller(replies), simulated=False)
    assert run_attempt(planned, case, store, Event()).reason == "deadline"
    assert outcome_of(audit_trace(store.trace("a")), case.file.checks) == wanted
