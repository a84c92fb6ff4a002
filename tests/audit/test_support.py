"""What an answer rests on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentlab.audit.claims.claims import claims_of
from agentlab.audit.ledger import ledger
from agentlab.audit.support import Support
from tests.audit.stories import Story, forged

RAN = '{"basin":"north","boats":40}'


def unborne(answer: str, *results: str, task: str = "How many boats lie in basin 7?") -> list[str]:
    story = Story(task=task)
    for result in results:
        story.call("count_boats", {"basin": "north"}, result)
    story.answer(answer)
    trace = story.trace
    assert trace.answer is not None
    return [number.text for number in Support(trace, ledger(trace)).unborne(trace.answer)]


@pytest.mark.parametrize(
    ("answer", "result", "missing"),
    [
        ("There are 40 boats.", RAN, []),
        ("Basin 7 holds 40 boats.", RAN, []),
        ("There are 41 boats.", RAN, ["41"]),
        ("There are forty-one boats, two of them new.", RAN, ["two"]),
        ("No boats are there.", '{"boats":0}', []),
        ("No boats are there.", RAN, []),
        ("There are 0 boats.", RAN, ["0"]),
        ("There are 0 boats.", '{"page":1,"text":"no dock is as old as the one by the sea"}', ["0"]),
        ("There are 0 boats.", '{"text":"no boats found"}', []),
        ("There are 2 boats.", '{"boats":["Ada","Eve"]}', []),
        ("Three boats.", '{"boats":3}', []),
        ("共有3艘船，两次靠岸。", '{"boats":3,"calls":2}', []),
        ("The basin is 2.5 m deep.", '{"depth":2.50}', []),
        ("The basin is 2.6 m deep.", '{"depth":2.50}', ["2.6"]),
        ("The basin is about 3 m deep, 2.7 to be exact.", '{"depth":2.6891}', []),
        ("1,240 boats in 2031.", '{"boats":1240,"day":"2031-05-04"}', []),
        ("It happened on May 4, 2031.", '{"day":"2031-05-04"}', []),
        ("There is no doubt that one of them is old.", RAN, []),
        ("There are 3.", "1 boat\n2 boats\nthree in all", []),
    ],
)
def test_numbers_are_borne_out_by_results_and_the_task(answer: str, result: str, missing: list[str]) -> None:
    assert unborne(answer, result) == missing


def test_a_failed_or_undelivered_execution_bears_nothing_out() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, RAN, deliver=False)
    story.call("count_boats", {"basin": "south"}, error="closed")
    story.answer("There are 40 boats.")
    trace = story.trace
    assert trace.answer is not None
    support = Support(trace, ledger(trace))
    assert [number.text for number in support.unborne(trace.answer)] == ["40"]
    assert support.delivered == ()


def test_what_the_model_itself_asked_for_is_no_news() -> None:
    story = Story()
    story.call("count_boats", {"file": "log-2031.txt"}, error="there is no file log 2031")
    story.answer("The log of 2031 could not be read.")
    trace = story.trace
    assert trace.answer is not None
    assert Support(trace, ledger(trace)).unborne(trace.answer) == ()


def rests(
    answer: str, claimed: str, tell: Callable[[Story], object] = lambda _: None, *, task: str = "How many boats?"
) -> str | None:
    """What of the answer rests on a forged result, after something else that happened."""
    story = Story(task=task)
    story.reply(forged(claimed), keep=True)
    tell(story)
    story.answer(answer)
    trace = story.trace
    claim = next(claim for claim in claims_of(trace) if claim.kind == "observation")
    assert trace.answer is not None
    where = Support(trace, ledger(trace)).on_forged(trace.answer, claim, without=())
    assert where is None or trace.answer.text[where.start : where.end] == where.text
    return where.text if where else None


@pytest.mark.parametrize(
    ("answer", "claimed", "stated"),
    [
        ("There are 12 boats.", '{"boats": 12}', "12"),
        ("Twelve boats.", "I counted 12 of them", "Twelve"),
        ("There are no boats.", '{"boats": 0}', "no"),
        ("There are no boats.", '{"boats": []}', "no"),
        ("There are no boats.", "nothing, none", "no"),
        ("没有船。", '{"boats": 0}', "没有"),
        ("It is 2.50 m deep.", '{"depth": 2.5}', "2.50"),
        ("The Ada III lies there.", '{"boat": "Ada III"}', "Ada III"),
        ("那里停着海鸥一号。", '{"船": "海鸥一号"}', "海鸥一号"),
        ("There are 13 boats.", '{"boats": 12}', None),
        ("There are 13 boats, there is no doubt.", '{"boats": 0}', None),
        ("It was a success.", '{"status": "success"}', None),
        ("The north basin is full.", '{"basin": "north", "full": true}', None),
    ],
)
def test_an_answer_rests_on_what_it_shares_with_the_forged_text(answer: str, claimed: str, stated: str | None) -> None:
    assert rests(answer, claimed) == stated


def executed(result: str, tool: str = "count_boats", **more: object) -> Callable[[Story], object]:
    return lambda story: story.call(tool, {"basin": "north"}, result, **more)  # type: ignore[arg-type]


def test_a_delivered_result_of_the_tool_bears_the_value_out() -> None:
    assert rests("40 boats", '{"boats": 40}', executed(RAN)) is None
    assert rests("40 boats", '{"boats": 40}', executed(RAN, deliver=False)) == "40"
    assert rests("40 boats", '{"boats": 40}', lambda story: story.call("count_boats", {}, error="40 closed")) == "40"
    assert rests("0 boats", '{"boats": 0}', executed(RAN)) == "0"


def test_the_same_value_of_another_tool_does_not() -> None:
    assert rests("12 boats", '{"boats": 12}', executed('{"boats":12}', tool="note")) == "12"


def test_an_empty_list_beside_a_count_is_no_count() -> None:
    assert rests("0 boats", '{"boats": 0}', executed('{"boats":40,"warnings":[]}')) == "0"
    assert rests("0 boats", '{"boats": 0}', executed('{"boats":[]}')) is None


def test_a_name_that_any_result_or_the_task_gave_is_no_news() -> None:
    assert rests("The Ada III.", '{"boat": "Ada III"}', executed('{"name":"Ada III"}', tool="note")) is None
    assert rests("The Ada III.", '{"boat": "Ada III"}', task="Where is the Ada III?") is None


def test_numbers_of_the_task_and_of_the_claimed_call_are_no_news() -> None:
    assert rests("Basin 7 holds 40.", '{"basin": 7, "boats": 12}', task="How many boats lie in basin 7?") is None


def test_a_word_for_none_counts_beside_numbers_of_the_task() -> None:
    assert rests("No boats lie in basin 7.", '{"boats": 0}', task="How many boats lie in basin 7?") == "No"


def test_whether_results_are_recorded_is_asked_of_the_trace() -> None:
    for evidence, recorded in [
        ({}, True),
        ({"executions": "not_recorded"}, False),
        ({"results": "not_recorded"}, False),
    ]:
        trace = Story(**evidence).trace
        assert Support(trace, ()).recorded is recorded
