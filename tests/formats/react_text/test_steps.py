from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentlab.formats.react_text.steps import Episode, call_in, episodes, marks_of
from agentlab.markers.segments import segment


def runs(text: str) -> list[Episode]:
    return list(episodes(text, marks_of(text)))


def kinds(text: str) -> list[str]:
    return [mark.kind for mark in marks_of(text)]


@pytest.mark.parametrize(
    ("line", "kind", "number"),
    [
        ("Action: look[]", "action", None),
        ("Action 12: look[]", "action", 12),
        ("**Action 3:** look[]", "action", 3),
        ("  action: look[]", "action", None),
        ("行动：look[]", "action", None),
        ("Наблюдение 2: x", "observation", 2),
        ("Act 1: go", "action", 1),
        ("Obs 1: gone", "observation", 1),
        ("Thought: x", "thought", None),
        ("Final Answer: x", "final", None),
        ("17 Question: x", "task", None),
        ("Question: x", "task", None),
    ],
)
def test_a_word_at_the_beginning_of_a_line_is_a_mark(line: str, kind: str, number: int | None) -> None:
    for text in (line, f"before\n{line}\nafter"):
        (mark,) = marks_of(text)
        assert (mark.kind, mark.number) == (kind, number)
        assert text[: mark.end].endswith((":", "：", ":**"))


@pytest.mark.parametrize("line", ["The action: look", "Actions: two", "Action Input: x", "Action", "- Action: x", ""])
def test_other_lines_are_none(line: str) -> None:
    assert not marks_of(line)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        (" Search[two boats]\n", "Search", "two boats"),
        (' search\nAction Input: {"q": "x"}\n', "search", {"q": "x"}),
        (" search(q='x')", "search", {"q": "x"}),
        (" click[< Prev]", "click", "< Prev"),
        (" reset\n", "reset", {}),
    ],
)
def test_the_call_of_an_action(text: str, tool: str, arguments: object) -> None:
    call = call_in(text, 0, len(text))
    assert (call.name, call.arguments, call.problem) == (tool, arguments, None)


@given(
    name=st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True),
    argument=st.text(max_size=20),
    end=st.sampled_from("] \n)"),
)
@example(name="Finish", argument="", end="]")
@example(name="none", argument="x", end="]")
def test_the_short_way_to_a_call_ends_where_the_grammar_does(name: str, argument: str, end: str) -> None:
    """`segment` reads the same call; a tool's name tells it that a call is there at all."""
    text = f"{name}[{argument}]{end}"
    found = [part.call for part in segment(f"Action: {text}", tools=[name]) if part.call]
    call = call_in(text, 0, len(text))
    if found and found[0].problem is None and call.problem is None:
        assert (call.name, call.arguments, call.finish) == (found[0].name, found[0].arguments, found[0].finish)


STEP = "Thought {n}: a\nAction {n}: look[b]\nObservation {n}: c\n"


def numbered(*numbers: int) -> str:
    return "".join(STEP.format(n=n) for n in numbers)


def test_numbers_that_begin_again_begin_a_run_where_something_separates_it() -> None:
    assert [len(run.steps) for run in runs(f"{numbered(1, 2)}\n{numbered(1, 2, 3)}")] == [6, 9]
    assert [len(run.steps) for run in runs(numbered(1, 1, 2))] == [9]


def test_a_question_begins_a_run() -> None:
    text = f"Question: first?\n{numbered(1, 2)}\nQuestion: second?\n{numbered(1)}"
    first, second = runs(text)
    assert first.task is not None
    assert second.task is not None
    assert text[first.task.end : first.steps[0].start] == " first?\n"
    assert text[second.prompt : second.steps[0].start] == "Question: second?\n"


@pytest.mark.parametrize("inside", ["Question: what now?", "Question: what now?\nThought: it asks"])
def test_a_question_within_an_answer_begins_none(inside: str) -> None:
    text = f"Question: first?\nAction: look[b]\nObservation: c\n{inside}\nAction: look[d]\nObservation: e"
    assert len(runs(text)) == 1


def test_an_environment_that_is_reset_begins_a_run() -> None:
    text = "Action: reset\nObservation: Find it.\n\nAction: look[b]\nObservation: 1.0\n\n1 1.0 0.5\n-----\n-----\n1\n"
    first, second = runs(text * 2)
    assert len(first.steps) == len(second.steps) == 4
    for run in (first, second):
        assert (text * 2)[run.steps[-1].end : run.end] == " 1.0\n"
        assert (text * 2)[run.end : run.behind] == "\n1 1.0 0.5\n-----\n-----\n1\n"


def test_without_numbers_and_questions_a_rule_ends_only_a_run_that_is_over() -> None:
    over = "Action: look[b]\nObservation: c\nFinal Answer: c\n"
    going = "Action: look[b]\nObservation: c\n"
    assert len(runs(f"{over}-----\n{over}")) == 2
    assert len(runs(f"{going}-----\n{going}")) == 1


def test_a_task_without_a_word_for_it_is_the_paragraph_before_the_first_step() -> None:
    text = f"{numbered(1)}still c\n\nNow the second.\n{numbered(1)}"
    first, second = runs(text)
    assert text[second.prompt : second.steps[0].start] == "Now the second.\n"
    assert text[first.steps[-1].end : first.end] == " c\nstill c\n"


@pytest.mark.parametrize("number", ["42\n", "1\n2\n3\n"])
def test_numbers_belong_to_the_observation_and_behind_a_rule_to_the_file(number: str) -> None:
    alone = f"Action 1: add[40, 2]\nObservation 1: {number}"
    (run,) = runs(alone)
    assert alone[run.steps[-1].end : run.end] == f" {number}"


def test_numbers_before_a_rule_belong_to_the_file() -> None:
    text = "Action 1: add[40, 2]\nObservation 1: 42\n\n1 0.5\n-----\n"
    (run,) = runs(text)
    assert text[run.steps[-1].end : run.end] == " 42\n"
    assert text[run.end : run.behind] == "\n1 0.5\n-----\n"


def test_a_dict_and_the_right_answer_behind_a_run_are_no_observation() -> None:
    for tail in ("{'steps': 2, 'answer': 'x', 'em': True}", "Correct answer: x", "Trial summary: Correct: 3"):
        text = f"Question: q?\n{numbered(1, 2)}{tail}\n"
        (run,) = runs(text)
        assert text[run.end : run.behind] == f"{tail}\n"


def test_examples_in_a_prompt_belong_to_it() -> None:
    prompt = f"Answer in steps.\nHere are some examples:\nQuestion: x?\n{numbered(1, 2)}\n(END OF EXAMPLES)\n"
    text = f"{prompt}Question: first?\n{numbered(1)}\n{prompt}Question: second?\n{numbered(1, 2)}"
    first, second = runs(text)
    assert (len(first.steps), len(second.steps)) == (3, 6)
    assert text[first.prompt : first.steps[0].start] == f"{prompt}Question: first?\n"
    assert text[second.prompt : second.steps[0].start] == f"{prompt}Question: second?\n"
    assert text[first.steps[-1].end : first.end].strip() == "c"


def test_examples_whose_end_is_not_said_end_before_the_last_question() -> None:
    text = f"Here are two examples.\n\nQuestion: x?\n{numbered(1, 2)}\nQuestion: y?\n{numbered(1)}\nQuestion: z?\n"
    (run,) = runs(text + numbered(1, 2, 3))
    assert len(run.steps) == 9
    assert run.prompt == 0


def test_examples_alone_are_no_run() -> None:
    assert not runs(f"Here are examples:\nQuestion: x?\n{numbered(1, 2)}\n(END OF EXAMPLES)\nQuestion: {{question}}\n")


def test_an_observation_about_examples_hides_nothing() -> None:
    text = f"Question: x?\nAction 1: look[b]\nObservation 1: Here are examples of boats.\n\nQuestion: y?\n{numbered(1)}"
    assert [len(run.steps) for run in runs(text)] == [2, 3]


def test_a_fence_that_an_observation_opens_hides_no_later_action() -> None:
    assert kinds("Action: a[]\nObservation: ```\nAction: b[]\nObservation: c") == ["action", "observation"] * 2


@given(
    st.lists(st.sampled_from([*STEP.splitlines(), "Question: q", "", "-----", "1", "x", "Action: reset"]), max_size=30)
)
def test_runs_follow_each_other_and_hold_every_step_outside_examples(lines: list[str]) -> None:
    text = "\n".join(line.replace("{n}", "1") for line in lines)
    marks = [mark for mark in marks_of(text) if mark.kind not in ("task", "prompt")]
    found = runs(text)
    assert [mark for run in found for mark in run.steps] == marks
    at = 0
    for run in found:
        assert at == run.start <= run.prompt <= run.steps[0].start < run.steps[-1].end <= run.end <= run.behind
        at = run.behind


HOSTILE = {
    "open brackets": "Action: x[\n" * 40_000,
    "questions": "Question: \n" * 40_000,
    "restarts": "\nThought 1: a\n" * 40_000,
    "examples": "Here are examples\n" * 40_000,
    "examples in one line": "here are examples " * 40_000,
    "examples with questions": "Here are examples\nQuestion: a\n" * 20_000,
    "rules": "Action: finish[a]\n" + "-----\n" * 100_000,
    "numbers": "Observation: 1\n" + "1\n" * 200_000,
    "dashes": "-" * 1_000_000,
    "dashes and stars": "*-" * 400_000,
    "blanks": " " * 1_000_000 + "Action: x",
    "empty lines": "Thought 1: a" + "\n" * 500_000 + "Thought 1: b",
}


EPISODES = {"open brackets": 1, "restarts": 40_000, "rules": 1, "numbers": 1, "empty lines": 2}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    assert len(runs(HOSTILE[name])) == EPISODES.get(name, 0)
