from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from agentlab.experiments.document import ResultsDocument, StudyDocument, document
from agentlab.experiments.outcomes import OUTCOMES
from agentlab.experiments.saving import save_results
from tests.experiments.lighthouse import OUTCOMES as SCRIPTS
from tests.experiments.lighthouse import scripted


def test_the_document_has_the_published_keys_and_no_other(tmp_path: Path) -> None:
    found = json.loads(document(scripted(tmp_path, SCRIPTS["wrong_forged"], attempts=2)).model_dump_json())
    assert found["schema"] == "agentlab.study/1"
    assert found.keys() == {"schema", "run", "case", "conditions", "comparisons"}
    (condition,) = found["conditions"]
    counts = {"attempts", "outcomes", "success", "forged", "forged_attempts", "executed_attempts"}
    assert condition.keys() == {"name", "cost"} | counts
    assert tuple(condition["outcomes"]) == OUTCOMES
    for measure in ("success", "forged"):
        assert condition[measure].keys() == {"count", "n", "rate", "low", "high"}
    assert condition["forged"]["count"] == condition["outcomes"]["wrong_forged"] == 2
    assert found["comparisons"] == []


def test_it_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    written = document(scripted(tmp_path, SCRIPTS["infrastructure"]))
    assert written.conditions[0].success.rate is None
    assert StudyDocument.model_validate_json(written.model_dump_json()) == written


@pytest.mark.parametrize("change", [{"schema": "agentlab.study/2"}, {"conditions": [{}]}, {"extra": 1}, {"run": None}])
def test_another_document_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    found = json.loads(document(scripted(tmp_path, SCRIPTS["wrong_other"])).model_dump_json())
    with pytest.raises(ValidationError):
        StudyDocument.model_validate_json(json.dumps(found | change))


def test_results_are_titled_studies(tmp_path: Path) -> None:
    result = scripted(tmp_path, SCRIPTS["correct_with_evidence"])
    path = save_results(tmp_path, {"The fog 雾": result})
    text = path.read_text(encoding="utf-8")
    assert "雾" in text
    found = json.loads(text)
    assert found["schema"] == "agentlab.results/1"
    (study,) = found["studies"]
    assert study.pop("title") == "The fog 雾"
    assert study == json.loads(document(result).model_dump_json())
    assert ResultsDocument.model_validate_json(text).studies[0].title == "The fog 雾"
