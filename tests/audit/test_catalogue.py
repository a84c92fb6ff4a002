"""The pages of the rules."""

from __future__ import annotations

import re

import pytest

from agentlab.audit.catalogue import RULES
from agentlab.audit.rules.base import Rule

INTENTIONS = re.compile(
    r"\b(lie[ds]?|lying|deceiv|cheat|pretend|fake|intent|tries to|tried to|wants?|hide)", re.IGNORECASE
)


def test_the_rules_of_the_first_audit_are_there() -> None:
    first = "forged-observation forged-turn phantom-call contradicted-claim contamination unsupported-answer"
    assert list(RULES) == [*first.split(), "trace-defect"]


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_each_page_is_whole_and_accuses_nobody(rule: Rule) -> None:
    for text in (rule.meaning, rule.cause, rule.check):
        assert text[0].isupper()
        assert text.endswith((".", "?"))
        assert not INTENTIONS.search(text)
    assert RULES[rule.id] is rule
