"""The pages of the rules."""

from __future__ import annotations

import re

import pytest

from agentlab.audit.catalogue import RULES
from agentlab.audit.diagnosis.symptoms import SYMPTOMS
from agentlab.audit.rules.base import Rule

INTENTIONS = re.compile(
    r"\b(lie[ds]?|lying|deceiv|cheat|pretend|fake|intent|tries to|tried to|wants?|hide)", re.IGNORECASE
)


def test_the_rules_there_are() -> None:
    assert list(RULES) == [
        *("forged-observation", "forged-turn", "forged-error", "phantom-call", "unexecuted-claim"),
        *("contradicted-claim", "vacuous-evidence", "stale-evidence", "unknown-tool", "malformed-call"),
        *("multiple-actions", "missing-result", "ignored-error", "raw-error-fed-back", "repeat-loop", "no-progress"),
        *("goal-lost", "late-drift"),
        *("premature-finish", "injection-followed", "contamination", "laundered-claim", "unsupported-answer"),
        *("subagent-claim", "harness-forged-result", "unsupported-memory", "hidden-character"),
        *("infrastructure", "trace-defect"),
    ]


def test_each_rule_but_that_of_the_record_shows_a_symptom() -> None:
    shown = {rule for symptom in SYMPTOMS for rule in symptom.rules}
    assert set(RULES) - shown == {"trace-defect", "hidden-character"}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_each_page_is_whole_and_accuses_nobody(rule: Rule) -> None:
    for text in (rule.meaning, rule.cause, rule.check):
        assert text[0].isupper()
        assert text.endswith((".", "?"))
        assert not INTENTIONS.search(text)
    assert RULES[rule.id] is rule
