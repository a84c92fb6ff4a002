from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.react_text.loading import REACT_TEXT
from agentlab.formats.reading import read_traces
from agentlab.trace.events import CompletionEvent, Observation
from agentlab.trace.model import Trace

RUN = """Question: Which lamp is on?
Thought 1: I look.
Action 1: Look[lamps]
Observation 1: The left one.
It is bright.
Thought 2: So it is.
Action 2: Finish[left]
Observation 2: Answer is CORRECT
"""


def read(content: str, folder: Path) -> list[Trace]:
    path = folder / "log.txt"
    path.write_text(content, encoding="utf-8", newline="")
    return list(read_traces(path, format="react-text"))


def notebook(*cells: list[Any]) -> str:
    outputs = [[{"output_type": "stream", "name": "stdout", "text": text} for text in cell] for cell in cells]
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": [], "outputs": o} for o in outputs]})


def test_each_action_is_a_proposal_and_each_observation_an_answer(tmp_path: Path) -> None:
    (trace,) = read(RUN, tmp_path)
    assert [(call.tool, call.arguments, call.state, call.delivered) for call in trace.calls] == [
        ("Look", "lamps", "answered", True),
        ("Finish", "left", "answered", False),
    ]
    assert [event.text for event in trace.of(CompletionEvent)] == [
        "Thought 1: I look.\nAction 1: Look[lamps]",
        "Thought 2: So it is.\nAction 2: Finish[left]",
    ]
    assert [event.text for event in trace.of(Observation)] == ["The left one.\nIt is bright.", "Answer is CORRECT"]
    assert [event.source for event in trace.of(Observation)] == ["line 4", "line 8"]
    assert trace.started.task == "Which lamp is on?"
    assert trace.answer is not None
    assert trace.answer.text == "left"


def test_neither_authors_nor_executions_are_on_record(tmp_path: Path) -> None:
    (trace,) = read(RUN, tmp_path)
    evidence = trace.evidence
    assert (evidence.authorship, evidence.executions, evidence.errors) == ("not_recorded",) * 3
    assert (evidence.proposals, evidence.results) == ("present",) * 2
    assert trace.finished is None


def test_an_action_without_an_observation(tmp_path: Path) -> None:
    (trace,) = read("Question: q\nAction: look[a]\nAction: look[b]\nObservation: c\nAction: look[d]", tmp_path)
    assert [(call.arguments, call.state) for call in trace.calls] == [
        ("a", "answered"),
        ("b", "dropped"),
        ("d", "unanswered"),
    ]
    assert len(trace.of(CompletionEvent)) == 2


def test_an_action_that_calls_nothing_has_no_tool(tmp_path: Path) -> None:
    (trace,) = read("Question: q\nAction 1: I look at the lamp\nObservation 1: Invalid Action.\n", tmp_path)
    assert [(call.tool, call.arguments, call.state) for call in trace.calls] == [("", "I look at the lamp", "answered")]


def test_unnumbered_steps_with_inputs_and_a_final_answer(tmp_path: Path) -> None:
    text = 'Question: q\nThought: t\nAction: look\nAction Input: {"at": "lamp"}\nObservation: lit\nFinal Answer: lit\n'
    (trace,) = read(text, tmp_path)
    assert [(call.tool, call.arguments) for call in trace.calls] == [("look", {"at": "lamp"})]
    assert trace.answer is not None
    assert trace.answer.text == "lit"


def test_trials_and_sections_of_a_file(tmp_path: Path) -> None:
    text = (
        f"####\nBEGIN TRIAL 1\n####\n--- BEGIN CORRECT AGENTS ---\n\n{RUN}Correct answer: left\n\n"
        f"--- BEGIN HALTED AGENTS ---\n\n{RUN}\n\n####\nBEGIN TRIAL 2\n####\n--- BEGIN CORRECT AGENTS ---\n\n{RUN}"
    )
    first, halted, again = read(text, tmp_path)
    assert [
        (t.started.extra["trial"], t.started.extra["section"], t.started.index) for t in (first, halted, again)
    ] == [
        ("1", "CORRECT", 0),
        ("1", "HALTED", 0),
        ("2", "CORRECT", 1),
    ]
    assert halted.finished is not None
    assert (halted.finished.reason, halted.finished.detail) == ("other", "HALTED")
    assert first.started.extra["heading"] == "####\nBEGIN TRIAL 1\n####\n--- BEGIN CORRECT AGENTS ---"
    assert str(first.started.extra["behind"]).startswith("Correct answer: left\n")
    assert len({trace.id for trace in (first, halted, again)}) == 3
    assert {trace.started.task for trace in (first, halted, again)} == {"Which lamp is on?"}


def test_the_reset_that_a_loop_makes_is_not_the_agents(tmp_path: Path) -> None:
    text = "-----\n0\nAction: reset\nObservation: \nFind a cup.\n\nAction: click[C1]\nObservation: 1.0\n"
    (trace,) = read(text, tmp_path)
    assert [(call.tool, call.by) for call in trace.calls] == [("reset", "not_recorded"), ("click", "agent")]
    assert trace.started.task == "Find a cup."


def test_what_the_cells_of_a_notebook_printed(tmp_path: Path) -> None:
    first, second = read(notebook([], [RUN[:50], RUN[50:]], [[RUN[:70], RUN[70:]]], ["no run"]), tmp_path)
    assert [call.tool for call in first.calls] == [call.tool for call in second.calls] == ["Look", "Finish"]
    assert [event.source for event in first.of(Observation)] == ["cell 1 line 4", "cell 1 line 8"]
    assert second.started.source == "cell 2 line 2"


def test_line_ends_of_windows_make_no_difference(tmp_path: Path) -> None:
    (one,) = read(RUN, tmp_path)
    (other,) = read(RUN.replace("\n", "\r\n"), tmp_path)
    assert one.events == other.events


@pytest.mark.parametrize(
    ("content", "claimed"),
    [
        (RUN, True),
        ("####\nBEGIN TRIAL 1\n####\nThought 1: x\nAction 1: look[a]\nObservation 1: b", True),
        ("Action: reset\nObservation: Find it.\nAction: look[a]\nObservation: b", True),
        (notebook([RUN]), True),
        (notebook(["nothing"]), False),
        (RUN.removeprefix("Question: Which lamp is on?\n"), False),
        ("Question: q\nAction: look[a]", False),
        ("Question: q\nAction: I look around, then I see.\nObservation: b", False),
        ("The word Action: x\nand Observation: y", False),
        (json.dumps({"text": RUN}), False),
        ("", False),
    ],
)
def test_what_is_claimed(content: str, claimed: bool) -> None:
    """A reply in which the model ran on begins with the model's words: it is no log."""
    assert REACT_TEXT.sniff(Head(content.encode())) is claimed


def test_the_head_of_a_long_notebook_is_enough() -> None:
    content = notebook([RUN * 2000]).encode()
    assert REACT_TEXT.sniff(Head(content[: 1 << 16], whole=False))


def test_results_of_an_environment_without_a_run_are_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "env_results.json"
    path.write_text(json.dumps([{"name": "env_0", "memory": ["Action: look[a]\nObservation: b"], "is_success": True}]))
    found = survey([str(tmp_path)])
    assert (found.found, found.skipped) == ((), (str(path),))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"nothing here", "lines that begin with Action: and Observation: were expected"),
        (b"Action: x\nObservation: \xff", "byte 24 is not"),
        (b'{"cells": [1]}', "cells[0]: an object was expected"),
        (b'{"cells": [', "cut short"),
        (b"{}", "lines that begin with Action:"),
    ],
)
def test_what_cannot_be_read(content: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    (error,) = survey([str(path)], format=REACT_TEXT).load()
    assert isinstance(error, LoadError)
    assert problem in error.problem


@pytest.mark.timeout(120)
@pytest.mark.parametrize("count", [20_000])
def test_a_run_of_many_steps_and_many_runs(count: int, tmp_path: Path) -> None:
    (trace,) = read("Question: q\n" + "Action: look[a]\nObservation: b\n" * count, tmp_path)
    assert len(trace.calls) == count
    assert len(read("\nThought 1: x\nAction 1: look[a]\n" * count, tmp_path)) == count


def test_real_file_of_reflexion(shared: Path) -> None:
    """Counted with grep: 512 questions, 1867 actions, as many observations, 464 of them Finish."""
    traces = list(read_traces(shared / "traces" / "13_react_text" / "reflexion_hotpotqa_react_base_5trials.txt"))
    calls = [call for trace in traces for call in trace.calls]
    assert len(traces) == 512
    assert Counter(call.tool for call in calls) == {"Search": 1334, "Lookup": 69, "Finish": 464}
    assert Counter(call.state for call in calls) == {"answered": 1867}
    assert sum(not call.delivered for call in calls) == 512
    assert sum(len(trace.of(Observation)) for trace in traces) == 1867
    assert sum(trace.answer is not None for trace in traces) == 464
    verdicts = Counter(trace.of(Observation)[-1].text for trace in traces)
    assert (verdicts["Answer is CORRECT"], verdicts["Answer is INCORRECT"]) == (170, 294)
    assert Counter(trace.started.extra["trial"] for trace in traces).keys() == {"1", "2", "3", "4", "5"}
    assert sum(trace.started.extra["section"] == "CORRECT" for trace in traces) == 170
    assert all(trace.started.task and "behind" in trace.started.extra for trace in traces)


def test_real_notebook_of_webshop(shared: Path) -> None:
    """Counted with a regular expression over the one cell that printed: 500 resets, 3937 actions, 3937 observations."""
    traces = list(read_traces(shared / "traces" / "13_react_text" / "react_WebShop.ipynb"))
    calls = [call for trace in traces for call in trace.calls]
    assert len(traces) == 500
    assert Counter(call.by for call in calls) == {"agent": 3437, "not_recorded": 500}
    assert Counter(call.state for call in calls) == {"answered": 3937}
    assert sum(len(trace.of(Observation)) for trace in traces) == 3937
    assert all(trace.started.task.startswith("Webshop") for trace in traces)
    assert not [trace for trace in traces if "-----" in trace.of(Observation)[-1].text]


def test_a_cell_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "runs.ipynb"
    path.write_text(notebook([RUN], [{"odd": 1}], [RUN]).replace('{"odd": 1}', "true"), encoding="utf-8")
    first, error, last = survey([str(path)], format=REACT_TEXT).load()
    assert isinstance(error, LoadError)
    assert error.problem == "cell 1: text: a text was expected and true or false found"
    assert [trace.started.source for trace in (first, last) if isinstance(trace, Trace)] == [
        "cell 0 line 2",
        "cell 2 line 2",
    ]
