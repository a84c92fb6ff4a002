"""Answers of code agents that rest on nothing, and calls that are only announced."""

from __future__ import annotations

import pytest

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence
from tests.audit.dialogues import Call, chat, found, rules

PROMPT = "You can call:\n- ask_pilot: asks the pilot.\n- read_gauge: reads a gauge.\n- final_answer: ends."
RECORDED = Evidence(
    proposals="present", executions="present", results="present", errors="present", authorship="present"
)
Step = tuple[str, str, tuple[tuple[str, str], ...], str]
"""What is thought, the program, the tools that ran in it with their results, and what the program printed."""


def told(*steps: Step, plan: str = "1. Use ask_pilot to find the depth.\n2. Answer.") -> Trace:
    builder = TraceBuilder("openinference", path="x", key=["k", repr(steps)], evidence=RECORDED)
    builder.hear(Item(role="system", text=PROMPT))
    builder.hear(Item(role="user", text="How deep is the channel?"))
    builder.reply(plan)
    for thought, code, inner, printed in steps:
        builder.reply(f"Thought: {thought}\nCode:\n```py\n{code}\n```", source=thought[:12])
        run = builder.begin("python_interpreter", code)
        for tool, came in inner:
            builder.end(builder.begin(tool, {}), result=came)
        builder.end(run, result=printed)
        builder.hear(Item(role="tool", text=printed))
    return builder.build()


ANSWER = "final_answer('4 m')"
ASKED: Step = ("I ask.", "print(ask_pilot(task='How deep?'))", (("ask_pilot", "It is 4 m deep."),), "It is 4 m deep.")


@pytest.mark.parametrize(
    ("thought", "rule"),
    [
        ("I have verified the depth in the official charts.", "unexecuted-claim"),
        ("Based on a careful search, the channel is 4 m deep.", "unexecuted-claim"),
        ("I will assume that the channel is 4 m deep.", "unsupported-answer"),
        ("Based on my recollection, it is 4 m deep.", "unsupported-answer"),
        ("The channel is 4 m deep.", "unsupported-answer"),
    ],
)
def test_an_answer_before_anything_was_asked(thought: str, rule: str) -> None:
    assert rules(told((thought, ANSWER, (), "4 m"))) == [(rule, "failure")]


@pytest.mark.parametrize(
    "plan", ["1. Use a web search to find the chart.\n2. Read it.", "- Look up the chart.", "1. 搜索航道图"]
)
def test_an_answer_without_a_step_that_was_planned_to_look_outside(plan: str) -> None:
    (finding,) = found(told(("The channel is 4 m deep.", ANSWER, (), "4 m"), plan=plan))
    assert finding.rule == "unsupported-answer"
    assert "was planned and not done" in finding.message


@pytest.mark.parametrize(
    "plan", ["1. Review the word.\n2. Reverse it.", "I could search for it.", "1. Search my memory."]
)
def test_a_plan_that_needs_no_source_is_none(plan: str) -> None:
    assert rules(told(("The word is deep.", "final_answer('deep')", (), "deep"), plan=plan)) == []


def test_what_is_usual_is_assumed() -> None:
    usual = "I must rely on a well-known, typical depth of such channels."
    assert rules(told((usual, ANSWER, (), "4 m"), plan="1. Think.")) == [("unsupported-answer", "failure")]


def test_an_answer_that_rests_on_a_result() -> None:
    assert rules(told(ASKED, ("The pilot said 4 m.", ANSWER, (), "4 m"))) == []


def test_a_result_does_not_excuse_what_is_assumed_beside_it() -> None:
    trace = told(ASKED, ("I will simulate the sounding instead.", ANSWER, (), "4 m"))
    assert rules(trace) == [("unsupported-answer", "warning")]


def test_a_puzzle_needs_no_tool() -> None:
    steps: Step = ("Reversing the word gives the answer.", "final_answer('peed'[::-1])", (), "deep")
    assert rules(told(steps, plan="1. Reverse the word.")) == []


def test_what_a_program_works_out_is_a_result() -> None:
    work: Step = ("I compute it.", "total = 0\nfor n in range(9):\n    total += n\nprint(total)", (), "36")
    assert rules(told(work, ("It is 36.", "final_answer(36)", (), "36"), plan="1. Compute it.")) == []


GUESSED = "Wikipedia shows that the toll is 5 cents."


@pytest.mark.parametrize(
    ("thought", "code", "found"),
    [
        (GUESSED, "toll = 0.05\nprint(round(toll * 40, 2))", [("unsupported-answer", "warning")]),
        ("The toll is given: 5 cents.", "toll = 0.05\nprint(round(toll * 40, 2))", []),
        ("I will simulate the lock.", "level = 0\nfor n in range(9):\n    level += n\nprint(level)", []),
    ],
)
def test_a_program_that_works_on_what_is_given_from_memory(
    thought: str, code: str, found: list[tuple[str, str]]
) -> None:
    work: Step = (thought, code, (), "2.0")
    assert rules(told(work, ("It is 2.", "final_answer(2.0)", (), "2.0"), plan="1. Compute.")) == found


PRINTS: Step = (
    "I will now ask ask_pilot for the depth.",
    "task = 'Dear ask_pilot, how deep is it?'\nprint(task)",
    (),
    "Dear ask_pilot, how deep is it?",
)


def test_a_call_that_is_only_printed_is_none() -> None:
    trace = told(PRINTS)
    (finding,) = [each for each in found(trace) if each.rule == "phantom-call"]
    assert finding.severity == "failure"
    assert finding.where[0].text.startswith("I will now ask ask_pilot")
    assert finding.where[1].text.startswith("task = ")


@pytest.mark.parametrize(
    "step",
    [
        ASKED,
        ("I print what I know.", "print('The channel is deep.')", (), "The channel is deep."),
        ("I ask ask_pilot through a table.", "asked = [ask_pilot(task=t) for t in ('a', 'b')]\nprint(asked)",
         (("ask_pilot", "a"), ("ask_pilot", "b")), "['a', 'b']"),
    ],
)  # fmt: skip
def test_a_call_that_is_made_is_no_phantom(step: Step) -> None:
    assert "phantom-call" not in [rule for rule, _ in rules(told(step))]


def test_an_echo_is_told_from_nothing() -> None:
    said = "I looked it up on the web: the channel is 268 feet wide."
    (first, *_) = found(chat(("python", {"code": "print('268 feet')"}, "268 feet"), said))
    assert (first.rule, "nothing had come back but what the model had written itself" in first.message) == (
        "unexecuted-claim",
        True,
    )


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("timeout: 40\nlamps: 3", "I looked it up: the timeout is 40 s."),
        ('{"errors": [{"line": 7, "what": "rotten plank"}]}', "I found a rotten plank in line 7."),
        ('{"success": false, "reason": "low tide", "next": "Friday"}', "I looked: low tide; next on Friday."),
        ('{"moored": ["a", "b"], "not_moored": ["c"]}', "I looked: two of the three are moored."),
        ("404 gone. Kept copy: the berth costs 14 EUR.", "I found a kept copy: the berth costs 14 EUR."),
        ("No lamps were found. The quay has a crane and a winch.", "I looked: it has a crane and a winch, no lamps."),
        ("权限不足：2 个文件；其余 38 个已扫描", "我查了一下：扫描了 38 个文件。"),
    ],
)
def test_what_came_with_a_word_of_failure_came_all_the_same(result: str, said: str) -> None:
    look: Call = ("lookup", {"what": "quay"}, result)
    assert "unexecuted-claim" not in [rule for rule, _ in rules(chat(look, said, task="Please look"))]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("!HTTP 503 Service Unavailable", "I confirmed with the service that the berth is free."),
        ("404 not found", "I confirmed on the page that the berth is free."),
        ('{"error": "no such quay"}', "I verified on the server that the berth is free."),
    ],
)
def test_a_failure_alone_bears_nothing_out(result: str, said: str) -> None:
    look: Call = ("lookup", {"what": "quay"}, result)
    assert "unexecuted-claim" in [rule for rule, _ in rules(chat(look, said, task="Please look"))]
