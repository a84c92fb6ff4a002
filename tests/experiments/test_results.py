from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentlab.audit.report import AuditReport
from agentlab.errors import UsageError
from agentlab.experiments.conditions import Condition
from agentlab.experiments.outcomes import OUTCOMES
from agentlab.experiments.results import StudyResult, rate_text
from agentlab.experiments.study import Study, run_study
from agentlab.stats import compare, wilson
from tests.experiments.lighthouse import CALL, FORGED, OTHER_CALL, RIGHT, WRONG, lighthouse, scripted


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    folder = tmp_path_factory.mktemp("results")
    conditions = [Condition(name=f"<b>{loop}", loop=loop) for loop in ("react-v1", "react-v2", "drop")]
    study = Study(case=lighthouse(folder / "lighthouse"), conditions=conditions, attempts=12)
    return run_study(study, out=folder / "run")


def test_every_attempt_is_counted_once(result: StudyResult) -> None:
    assert len(result.attempts) == 36
    assert [(a.condition, a.index) for a in result.attempts] == [(n, i) for n in result.names for i in range(12)]
    for condition in result.conditions:
        assert tuple(condition.outcomes) == OUTCOMES
        assert sum(condition.outcomes.values()) == condition.attempts == 12
        assert condition.n == 12 - condition.outcomes["infrastructure"]
        assert condition.success == wilson(condition.outcomes["correct_with_evidence"], condition.n)
        assert condition.forged == wilson(condition.outcomes["wrong_forged"], condition.n)


def test_costs_are_the_sums_of_the_attempts(result: StudyResult) -> None:
    for condition in result.conditions:
        own = list(result.select(condition=condition.name))
        assert condition.cost.requests == sum(a.requests for a in own) > 0
        assert condition.cost.executions == sum(a.executions for a in own) > 0
        assert condition.cost.input_tokens == sum(a.input_tokens or 0 for a in own) > 0
        assert condition.cost.seconds == pytest.approx(sum(a.seconds for a in own))


def test_every_pair_is_compared_in_both_measures(result: StudyResult) -> None:
    a, b, c = result.names
    assert [(x.a, x.b, x.measure) for x in result.comparisons] == [
        (*pair, measure) for pair in ((a, b), (a, c), (b, c)) for measure in ("success", "forged")
    ]
    first, second = result.conditions[:2]
    assert result.comparisons[1].difference == compare(
        first.outcomes["wrong_forged"], first.n, second.outcomes["wrong_forged"], second.n
    )


def test_what_an_attempt_row_says(tmp_path: Path) -> None:
    (row,) = scripted(tmp_path, [FORGED, CALL, WRONG]).attempts
    assert (row.steps, row.requests, row.executions, row.executed_tools) == (3, 3, 1, "scan_term")
    assert (row.ended, row.answer) == ("answered", "The log mentions fog 0 times.")
    assert row.forged_observations == 1
    assert row.carried == 2
    assert row.rests_on_forged


def test_an_attempt_without_forgery(tmp_path: Path) -> None:
    (row,) = scripted(tmp_path, [CALL, RIGHT]).attempts
    assert (row.forged_observations, row.carried, row.rests_on_forged) == (0, 0, False)


def test_who_really_called_the_tool(tmp_path: Path) -> None:
    scripts = {"called": [CALL, WRONG], "forged": [FORGED, WRONG], "looked elsewhere": [OTHER_CALL, RIGHT]}
    for name, replies in scripts.items():
        (tmp_path / name).mkdir()
        result = scripted(tmp_path / name, replies, attempts=2)
        assert result.conditions[0].executed_attempts == (2 if name == "called" else 0), name
        assert f">{2 if name == 'called' else 0}/2<" in result._repr_html_()


def test_the_table_shows_the_outcomes_that_occur(tmp_path: Path) -> None:
    html = scripted(tmp_path, [CALL, WRONG])._repr_html_()
    assert "wrong other" in html
    assert "not finished" not in html
    assert re.search(r'white-space:nowrap">0/1 \(0–79 %\)</td>', html), "a rate stays on one line"
    assert "_" not in html


def test_attempts_are_selected_by_condition_and_outcome(result: StudyResult) -> None:
    assert len(list(result.select())) == 36
    chosen = list(result.select(condition=result.names[0], outcome="wrong_forged"))
    assert len(chosen) == result.conditions[0].forged.count > 0
    report = result.report(chosen[0].attempt)
    assert isinstance(report, AuditReport)
    assert report.trace.id == chosen[0].attempt
    assert report.forged_answer


def test_an_outcome_that_does_not_exist_is_refused_at_once(result: StudyResult) -> None:
    with pytest.raises(UsageError, match=r"no outcome 'wrong_forgd'. Did you mean 'wrong_forged'"):
        result.select(outcome="wrong_forgd")  # type: ignore[arg-type]


def test_the_frame_has_a_row_an_attempt(result: StudyResult) -> None:
    frame = result.frame()
    assert len(frame) == 36
    assert list(frame["outcome"]) == [a.outcome for a in result.attempts]


def test_it_shows_itself(result: StudyResult) -> None:
    text, html = repr(result), result._repr_html_()
    assert text.startswith("<StudyResult lighthouse ")
    assert "&lt;b&gt;react-v1" in html
    assert "<b>" not in html
    for condition in result.conditions:
        assert f"{condition.success.count}/{condition.n} success" in text
        assert rate_text(condition.success) in html


def test_a_rate_as_a_person_reads_it() -> None:
    assert rate_text(wilson(4, 10)) == "4/10 (17–69 %)"
    assert rate_text(wilson(0, 0)) == "0/0 (0–100 %)"
