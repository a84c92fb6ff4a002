from __future__ import annotations

import time

import pytest

from agentlab.audit.prose.marks import marked_checks
from agentlab.audit.prose.reading import statements


@pytest.mark.parametrize(
    "text",
    [
        "| tests | all pass |",
        "Report:\n\n| check | result |\n|---|---|\n| Unit tests | ✅ |\n",
        "- **Tests:** ✅",
        "Test status: ✅ passed",
        "Build — 🟢",
        "测试状态：✅",
        "| 测试 | 全部通过 |",
    ],
)
def test_a_row_or_a_line_marks_a_check_as_good(text: str) -> None:
    (found,) = statements(text)
    assert (found.kind, found.verb, found.negated) == ("check", "mark", False)
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    "text",
    [
        "Acceptance criteria:\n\n| tests | all pass |",
        "Plan:\n- Tests: ✅",
        "```\n| tests | all pass |\n```",
        "> | tests | all pass |",
        "| tests | passed |\n|---|---|\n| 3 | 2 |",
        "| tests | ❌ |\n| build | ✅ |",
        "| tests | 1 failed |\n| lint | all pass |",
        "A ✅ means that it passed.\n- Tests: ✅",
        "| plums | ✅ |",
        "Tests: passing",
    ],
)
def test_a_plan_a_head_or_a_mixed_report_marks_nothing(text: str) -> None:
    assert list(marked_checks(text)) == []


def test_many_rows_are_read_quickly() -> None:
    begun = time.process_time()
    for text in ("| tests | ✅ |\n" * 3500, "✅" + "unit " * 40_000, "✅\n- " + "all " * 12_000, "|" + " " * 49_000):
        list(marked_checks(text))
    assert time.process_time() - begun < 2
