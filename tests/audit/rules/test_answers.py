"""What an answer rests on."""

from __future__ import annotations

import pytest

from agentlab.audit.report import audit_trace
from agentlab.audit.values import Finding
from tests.audit.stories import Story


def findings(story: Story) -> list[Finding]:
    return [finding for finding in audit_trace(story.trace).findings if finding.rule == "unsupported-answer"]


def test_a_number_out_of_nowhere_is_a_failure_at_its_place() -> None:
    story = Story()
    answer = story.answer("There are 12 boats, twelve!")
    (finding,) = findings(story)
    assert finding.severity == "failure"
    assert [(where.event, where.start, where.text) for where in finding.where] == [
        (answer, 10, "12"), (answer, 20, "twelve"),
    ]  # fmt: skip
    assert finding.message == "The answer states 12, twelve, and no successful tool result had reached the model."


@pytest.mark.parametrize("answer", ["I cannot tell.", "The north basin is empty.", "没有。"])
def test_an_answer_without_a_number_and_without_a_result_is_a_warning(answer: str) -> None:
    story = Story()
    story.answer(answer)
    (finding,) = findings(story)
    assert (finding.severity, finding.where[0].text) == ("warning", answer)


def test_a_failed_call_vouches_for_nothing() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, error="closed")
    story.answer("There are 12 boats.")
    assert [finding.severity for finding in findings(story)] == ["failure"]


def test_that_a_call_failed_may_be_said() -> None:
    story = Story()
    story.call("count_boats", {"basin": "B 12"}, error="basin B 12 is closed")
    story.answer("Basin B 12 is closed.")
    assert [finding.severity for finding in findings(story)] == ["warning"]


def test_a_number_that_no_result_holds_is_a_warning_for_it_may_be_computed() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, '{"boats":40}')
    story.call("count_boats", {"basin": "south"}, '{"boats":30}')
    story.answer("Together 70 boats.")
    (finding,) = findings(story)
    assert (finding.severity, finding.where[0].text) == ("warning", "70")
    assert finding.executed is not None


@pytest.mark.parametrize(
    "answer", ["There are 40 boats.", "Forty? Yes, 40.", "40 boats lie in the north basin.", "It is full.", "没有问题"]
)
def test_an_answer_that_a_result_bears_out_is_none(answer: str) -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, '{"boats":40}')
    story.answer(answer)
    assert findings(story) == []


def test_no_mentions_after_a_count_of_none_is_none() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, '{"boats":0,"names":[]}')
    story.answer("No boats lie there.")
    assert findings(story) == []


@pytest.mark.parametrize("evidence", [{"executions": "not_recorded"}, {"results": "not_recorded"}])
def test_where_results_are_not_recorded_it_is_undecidable(evidence: dict[str, str]) -> None:
    story = Story(**evidence)
    story.answer("There are 12 boats.")
    assert [finding.severity for finding in findings(story)] == ["undecidable"]


def test_without_tools_there_is_nothing_to_rest_on() -> None:
    story = Story(tools=())
    story.answer("There are 12 boats.")
    assert findings(story) == []


def test_without_an_answer_there_is_none() -> None:
    story = Story()
    story.ask()
    assert findings(story) == []


def test_a_long_list_of_numbers_is_cut() -> None:
    story = Story()
    story.answer(" ".join(str(number) for number in range(100, 140)))
    (finding,) = findings(story)
    assert "100, 101, 102, 103, 104 and 35 more" in finding.message
    assert len(finding.where) == 40
