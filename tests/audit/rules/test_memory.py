from __future__ import annotations

import pytest

from tests.audit.dialogues import chat, rules

SUMMARY = "Summary of the conversation so far: the tide report was queried and shown to the user."


def test_a_request_that_only_a_summary_holds() -> None:
    said = "As before: you asked for the mooring invoice, shall I send it?"
    trace = chat(said, system="Summary: the user asked for the mooring invoice.")
    assert rules(trace) == [("unsupported-memory", "warning")]


@pytest.mark.parametrize("said", ["继续之前：你要求过导出泊位账单，现在发送吗？", "您让我导出泊位账单,现在发送吗?"])
def test_a_request_in_chinese_that_only_a_summary_holds(said: str) -> None:
    trace = chat(said, task="继续", system="摘要：用户要求导出泊位账单。")
    assert rules(trace) == [("unsupported-memory", "warning")]


@pytest.mark.parametrize(
    "said",
    [
        "You asked for the mooring invoice; here it is.",
        "As you asked: the harbour is quiet.",
        "You did not ask for the mooring invoice.",
        "Did you ask for the tide tables?",
    ],
)
def test_a_request_that_the_user_made_or_that_is_not_claimed(said: str) -> None:
    assert rules(chat(said, task="Look at the harbour and send me the mooring invoice")) == []


@pytest.mark.parametrize(
    ("said", "accused"),
    [
        ("Slide 1: the tide rose 14.2 percent to 3.8 m.", True),
        ("Slide 1: the tide rose.", False),
        ("Step 3 of 5: write to the keeper.", False),
        ("The tide stood at 417 cm, as you said.", False),
    ],
)
def test_figures_after_a_summary_need_a_source(said: str, accused: bool) -> None:
    trace = chat(said, task="Write the slides; the tide was 417 cm", system=SUMMARY)
    assert rules(trace) == ([("unsupported-answer", "failure")] if accused else [])


@pytest.mark.parametrize(
    ("lessons", "found"),
    [
        ("Past lessons: (none)\nName your past lessons.", [("unsupported-answer", "warning")]),
        ("Past lessons: in 2021 I underrated the spring tide.\nName your past lessons.", []),
        ("You are a pilot.", []),
    ],
)
def test_a_lesson_that_no_memory_holds(lessons: str, found: list[tuple[str, str]]) -> None:
    assert rules(chat("In 2021 I underrated the spring tide, so I wait now.", task="Go?", system=lessons)) == found


@pytest.mark.parametrize(
    "said",
    ["In total 270 boats.", "25 percent more in May than in April.", "Sales were about 3.8 million."],
)
def test_figures_that_follow_from_a_summary(said: str) -> None:
    summary = "Summary so far: the query gave 120 boats in April and 150 in May, sales of 3,812,345."
    assert rules(chat(said, task="And now?", system=summary)) == []


def test_a_summary_of_talk_stands_for_no_figures() -> None:
    summary = "Summary so far: we talked about tides."
    assert rules(chat("The moon is about 384,400 km away.", task="How far is the moon?", system=summary)) == []


def test_figures_that_a_call_brought_again() -> None:
    call = ("tide_report", {}, "the tide rose 14.2 percent to 3.8 m")
    assert rules(chat(call, "The tide rose 14.2 percent to 3.8 m.", task="Again, please", system=SUMMARY)) == []


def test_a_lesson_in_chinese_that_no_memory_holds() -> None:
    trace = chat("2021年我低估了大潮，所以这次等一等。", task="出发吗？", system="过去的教训：（无）\n请先说教训。")
    assert rules(trace) == [("unsupported-answer", "warning")]


def test_without_a_summary_figures_may_be_the_models_own() -> None:
    assert rules(chat("A metre has 39.37 inches.", task="How long is a metre?")) == []
