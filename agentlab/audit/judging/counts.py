"""How many tests are said to have passed, held against how many the runs count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agentlab.audit.claims.saying import Saying
from agentlab.audit.evidence.values import TestCounts
from agentlab.audit.judging.binding import Bound, latest_of_each
from agentlab.audit.judging.surroundings import Surroundings
from agentlab.audit.judging.values import Judgement

__all__ = ["judge_counts"]

_TESTS = re.compile(
    r"(?<![\d.,/#v-])(?P<n>\d{1,6})\s+(?:(?:unit|integration|e2e|automated|of|the|those|these|my|our|your)\s+){0,3}"
    r"(?:tests?|specs?|test cases|cases|assertions|examples?)\b(?!\s+(?:files?|suites?|class|modules?|runs?))"
    r"|(?<![\d.,/#v-])(?P<passed>\d{1,6})\s+(?:have\s+|all\s+)?pass(?:ed|ing|es)?\b"
    r"|(?<![\d.])(?P<han>\d{1,6})\s?[个项条]?(?:单元|集成)?(?:测试|用例|单测)(?!文件|套件|类|模块)",
    re.IGNORECASE,
)
_MOST = 6
"""Runs of which every sum is tried."""


def judge_counts(saying: Saying, bound: Bound, around: Surroundings) -> Judgement | None:
    """What is wrong with how many are said to have passed, where the run itself held; None where nothing is.

    A number that is the count of any run, of several together, or that stands in any of their results is right.
    Tests that were skipped weigh less: `all` may mean all that ran, unless they are counted in, or outnumber them.
    """
    tests = bound.last.outcome.tests
    if tests is None or tests.passed is None or around.is_part:
        return None
    stated = _stated(saying.statement.text)
    left = _left_out(tests, bound.last.result or "")
    if stated is not None:
        return _of_number(stated, tests, left, bound, around)
    if saying.statement.whole and not around.skips and left > tests.passed and len(latest_of_each(bound.runs)) == 1:
        return _in_part(f"{tests.passed} passed and {left} were left out", bound)
    return None


def _of_number(stated: int, tests: TestCounts, left: int, bound: Bound, around: Surroundings) -> Judgement | None:
    passed = tests.passed or 0
    if stated in _sums(one.outcome.tests for one in latest_of_each(bound.runs)):
        return None
    if left and stated == passed + left:
        return None if around.skips else _in_part(f"{passed} of {stated} passed, {left} were left out", bound)
    if stated <= passed or any(_stands(stated, deed.result or "") for deed in bound.runs):
        return None
    return Judgement(
        verdict="contradicted", why=f"the run counts {passed} that passed", deed=bound.last, figure=str(stated)
    )


def _in_part(why: str, bound: Bound) -> Judgement:
    return Judgement(verdict="vacuous", why=why, deed=bound.last, in_part=True)


def _stated(text: str) -> int | None:
    """The number of tests that a statement gives; None where it gives none, or several."""
    found = {int(match["n"] or match["passed"] or match["han"]) for match in _TESTS.finditer(text)}
    return found.pop() if len(found) == 1 else None


def _left_out(tests: TestCounts, result: str) -> int:
    """How many were skipped, or not chosen."""
    match = re.search(r"\b(\d{1,7}) (?:deselected|filtered out)\b", result[-3000:])
    return (tests.skipped or 0) + (int(match[1]) if match else 0)


def _sums(counts: Iterable[TestCounts | None]) -> set[int]:
    """The numbers of passes of any of some runs, and of any of them together."""
    known: Sequence[int] = [one.passed for one in counts if one is not None and one.passed is not None]
    sums = {0}
    for number in known[-_MOST:]:
        sums |= {number + other for other in sums}
    return sums


def _stands(number: int, result: str) -> bool:
    return re.search(rf"(?<![\d.]){number}(?![\d.]?\d)", result) is not None
