from __future__ import annotations

import pytest

from agentlab.audit.prose.hedges import conditional, hedged, is_any, is_plan, odd_subject

CLAIM = "the row was deleted"


@pytest.mark.parametrize(
    "before", ["i think ", "perhaps ", "make sure that ", "we hope that ", "expected: ", "it seems "]
)
def test_what_takes_a_statement_back(before: str) -> None:
    assert hedged(before + CLAIM, 0, len(before), timed=False)


@pytest.mark.parametrize("before", ["", "i can confirm that ", "perhaps not, but ", "i think: "])
def test_what_does_not(before: str) -> None:
    assert not hedged(before + CLAIM, 0, len(before), timed=False)


def test_a_time_makes_a_rule_only_where_nobody_says_i() -> None:
    assert hedged("when " + CLAIM, 0, 5, timed=True)
    assert not hedged("when " + CLAIM, 0, 5, timed=False)


def test_a_condition_stands_before() -> None:
    assert conditional("if so, " + CLAIM, 0, 7)
    assert not conditional(CLAIM + " if so", 0, 4)


def test_a_subject_may_be_any_of_its_kind() -> None:
    assert is_any("a test passes", 0, 7, 13, 13)
    assert not is_any("the test passes", 0, 9, 15, 15)


def test_a_plan_follows() -> None:
    assert is_plan("after checking, i will go", 14, 25)


@pytest.mark.parametrize("before", ["", "which ", "it should "])
def test_no_subject_of_its_own(before: str) -> None:
    assert odd_subject(before)
