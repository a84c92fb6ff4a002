"""The example of each rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlab.audit.catalogue import RULES
from agentlab.audit.outputs.examples import EXAMPLES
from agentlab.audit.report import audit_trace
from agentlab.formats.reading import read_traces


def test_every_rule_has_one() -> None:
    assert set(RULES) <= set(EXAMPLES)


@pytest.mark.parametrize("rule", RULES)
def test_saved_and_audited_it_raises_the_rule(rule: str, tmp_path: Path) -> None:
    file = tmp_path / "example.json"
    file.write_text(str(EXAMPLES[rule]), encoding="utf-8")
    (trace,) = read_traces(file)
    assert rule in {finding.rule for finding in audit_trace(trace).findings}


@pytest.mark.parametrize("rule", EXAMPLES)
def test_it_is_short_and_says_what_to_see(rule: str) -> None:
    example = EXAMPLES[rule]
    assert json.loads(str(example)) == [dict(message) for message in example.messages]
    assert example.why.endswith(".")
    assert len(str(example)) < 2500


def test_the_words_on_contamination_say_what_its_audit_says(tmp_path: Path) -> None:
    file = tmp_path / "example.json"
    file.write_text(str(EXAMPLES["contamination"]), encoding="utf-8")
    (found,) = [f for f in audit_trace(next(iter(read_traces(file)))).findings if f.rule == "contamination"]
    for words in ("rests on it cannot be told", found.severity):
        assert words in EXAMPLES["contamination"].why
    assert "rests on it cannot be told" in found.message
