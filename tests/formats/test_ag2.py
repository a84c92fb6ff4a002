from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.ag2 import AG2
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.reading import read_traces
from agentlab.trace.events import CompletionEvent, Observation, Request
from agentlab.trace.model import Trace

CODE = "Let me count.\n\n```python\nprint(2 + 2)\n```\nThat is all."
DONE = "exitcode: 0 (execution succeeded)\nCode output: 4\n"
NOTHING = "There is no code from the last 1 message for me to execute. Group chat manager should go on."


def said(*turns: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"question": "How many?", "history": [{"name": n, "role": "user", "content": c} for n, c in turns], **more}


def read(value: Any, folder: Path) -> Trace:
    path = folder / "log.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    (trace,) = read_traces(path)
    assert trace.started.format == "ag2"
    return trace


def test_turns_of_nobody_are_no_conversation(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "Sail."}, {"role": "assistant", "content": "Aye."}]))
    (error,) = survey([str(path)], format=AG2).load()
    assert isinstance(error, LoadError)
    assert "turns with a name" in error.problem


def test_the_code_of_a_turn_is_one_call_and_the_exit_code_proves_that_it_ran(tmp_path: Path) -> None:
    trace = read(said(("Counter", CODE), ("Computer_terminal", DONE), ("Counter", "Four.")), tmp_path)
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.state, call.result) == (
        "python",
        {"code": "print(2 + 2)"},
        "succeeded",
        "4\n",
    )
    assert call.delivered
    assert trace.evidence.executions == "present"
    assert [event.text for event in trace.of(CompletionEvent)] == [CODE, "Four."]


def test_a_failed_run_has_its_output_as_the_error(tmp_path: Path) -> None:
    failed = "exitcode: 1 (execution failed)\nCode output: NameError: x\n"
    (call,) = read(said(("Counter", CODE), ("Computer_terminal", failed)), tmp_path).calls
    assert (call.state, call.error, call.delivered) == ("failed", "NameError: x\n", False)


def test_several_blocks_run_together(tmp_path: Path) -> None:
    content = "```sh\nls\n```\nand\n```python\nprint(1)\n```\n```json\n{}\n```"
    (call,) = read(said(("Counter", content), ("Computer_terminal", DONE)), tmp_path).calls
    assert call.tool == "sh+python"
    assert call.arguments == {
        "blocks": [{"language": "sh", "code": "ls"}, {"language": "python", "code": "print(1)"}],
    }


@pytest.mark.parametrize(
    ("block", "runs"),
    [("```json\n{}\n```", False), ("```\nls\n```", False), ("```python\nls", False), ("```Python\nls\n```", True)],
)
def test_a_block_in_no_language_that_is_run_is_only_shown(block: str, runs: bool, tmp_path: Path) -> None:
    assert bool(read(said(("Counter", block), ("Other", "Yes.")), tmp_path).calls) == runs


def test_a_block_without_a_language_was_run_where_the_terminal_says_so(tmp_path: Path) -> None:
    (call,) = read(said(("Counter", "```\nls\n```"), ("Computer_terminal", DONE)), tmp_path).calls
    assert (call.tool, call.arguments, call.state) == ("code", {"code": "ls"}, "succeeded")


def test_an_exit_code_without_code_is_an_execution_that_nobody_proposed(tmp_path: Path) -> None:
    (call,) = read(said(("Counter", "Run it."), ("Computer_terminal", DONE)), tmp_path).calls
    assert (call.proposed_in, call.state, call.by) == (None, "succeeded", "not_recorded")


def test_a_terminal_that_finds_no_code_runs_nothing(tmp_path: Path) -> None:
    trace = read(
        said(("Counter", CODE), ("Other", "Wait."), ("Computer_terminal", NOTHING), ("Counter", "Hm.")), tmp_path
    )
    (call,) = trace.calls
    assert call.state == "dropped"
    assert trace.evidence.executions == "absent"
    items = [item for request in trace.of(Request) for item in request.items]
    assert [(item.author, item.source) for item in items if item.text == NOTHING] == [("harness", "2")]


def test_executions_are_not_recorded_where_no_terminal_speaks(tmp_path: Path) -> None:
    trace = read(said(("Counter", CODE), ("Other", "It is four."), ("Counter", "Yes.")), tmp_path)
    assert trace.evidence.executions == "not_recorded"
    assert [call.state for call in trace.calls] == ["dropped"]


def test_an_agent_that_writes_an_exit_code_is_no_terminal(tmp_path: Path) -> None:
    trace = read(said(("Counter", CODE), ("Checker", "I ran it."), ("Counter", CODE), ("Checker", DONE)), tmp_path)
    assert [call.state for call in trace.calls] == ["dropped", "dropped"]
    assert trace.evidence.executions == "not_recorded"
    prompted = read(said(("Counter", CODE), ("Checker", DONE), system_prompt={"Checker": "You check."}), tmp_path)
    assert not [call for call in prompted.calls if call.executed_in]


def test_a_terminal_of_another_name_is_known_by_saying_nothing_else(tmp_path: Path) -> None:
    trace = read(said(("Counter", CODE), ("Shell_7", DONE), system_prompt={"Counter": "x", "Shell_7": ""}), tmp_path)
    assert [call.state for call in trace.calls] == ["succeeded"]


def test_a_page_of_a_browsing_agent_is_a_result_without_a_call(tmp_path: Path) -> None:
    page = "Address: https://example.org\nTitle: Boats\nViewport position: Showing page 1 of 1.\nTwo boats."
    trace = read(said(("Counter", CODE), ("Surfer", page), ("Counter", "Two.")), tmp_path)
    assert [event.source for event in trace.of(Observation)] == ["1"]
    assert [call.state for call in trace.calls] == ["dropped"]


SET_UP = "You are given: (1) a task and advises from your manager with a specific plan and (2) a general task.\n"


def test_the_message_that_starts_a_chat_of_experts_is_no_reply(tmp_path: Path) -> None:
    trace = read(said(("Counter", SET_UP + CODE), ("Computer_terminal", DONE), ("Checker", "Four.")), tmp_path)
    assert [event.agent_name for event in trace.of(CompletionEvent)] == ["Checker"]
    (request,) = trace.of(Request)
    assert [(item.source, item.author) for item in request.items] == [("0", "harness"), ("1", "tool")]
    assert request.items[0].extra == {"role": "user", "name": "Counter"}
    (call,) = trace.calls
    assert (call.proposed_in, call.by, call.state) == (None, "not_recorded", "succeeded")
    assert call.arguments == {"code": "print(2 + 2)"}


def test_what_scripts_print_behind_the_last_turn_is_not_its_text(tmp_path: Path) -> None:
    turns = [
        {"role": "human", "content": "Find the ferry."},
        {"role": "Orchestrator (thought)", "content": "SCENARIO.PY COMPLETE !#!#"},
        {
            "role": "WebSurfer",
            "content": "I looked.\nFINAL ANSWER: at nine\nSCENARIO.PY COMPLETE !#!#\nRUN.SH COMPLETE !#!#\n",
        },
    ]
    trace = read({"question": "?", "history": turns}, tmp_path)
    assert trace.answer is not None
    assert trace.answer.text == "at nine"
    thought, last = trace.of(CompletionEvent)
    assert (thought.text, last.text) == ("SCENARIO.PY COMPLETE !#!#", "I looked.\nFINAL ANSWER: at nine")
    assert last.extra["printed"] == "SCENARIO.PY COMPLETE !#!#\nRUN.SH COMPLETE !#!#\n"


def test_all_agents_share_one_context_in_which_each_turn_stands_once(tmp_path: Path) -> None:
    trace = read(said(("A", "one"), ("B", "two"), ("A", "three"), ("C", "four")), tmp_path)
    assert [event.agent_name for event in trace.of(CompletionEvent)] == ["A", "B", "A", "C"]
    assert [message.text for message in trace.contexts[trace.of(Request)[-1].id]] == ["one", "two", "three"]
    assert sum(len(request.items) for request in trace.of(Request)) == 3
    origins = [item.origin for request in trace.of(Request) for item in request.items]
    assert origins == [event.id for event in trace.of(CompletionEvent)][:3]


def test_the_chat_ends_with_the_word_for_it_and_the_answer_stands_before(tmp_path: Path) -> None:
    trace = read(said(("A", "It is four."), ("B", "TERMINATE")), tmp_path)
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.source) == ("It is four.", "0")
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("answered", "TERMINATE")
    assert read(said(("A", "It is four.")), tmp_path).finished is None


def test_labels_and_unknown_fields_are_kept(tmp_path: Path) -> None:
    value = said(("A", "one"), ("B", "two"), mistake_agent="A", mistake_step="0", is_correct=False, question_ID="q-7")
    value["history"][1]["mood"] = "calm"
    trace = read(value, tmp_path)
    assert (trace.started.task, trace.started.case) == ("How many?", "q-7")
    assert trace.started.extra == {"mistake_agent": "A", "mistake_step": "0", "is_correct": False}
    assert trace.of(CompletionEvent)[1].extra == {"role": "user", "mood": "calm"}
    assert [event.source for event in trace.of(CompletionEvent)] == ["0", "1"]


def test_magentic_one_proves_neither_calls_nor_authors(tmp_path: Path) -> None:
    turns = [
        ("human", "Find the ferry."),
        ("Orchestrator (thought)", "Initial plan:\n\nAsk."),
        ("Orchestrator (-> WebSurfer)", "Please look."),
        ("WebSurfer", "I clicked 'Ferries'."),
        ("ComputerTerminal", "The script ran, then exited with Unix exit code: 0"),
        ("Assistant", CODE),
        ("Orchestrator (termination condition)", "No agent selected.\nFINAL ANSWER: Puffin\nRUN.SH COMPLETE !#!#"),
    ]
    trace = read([{"role": role, "content": content} for role, content in turns], tmp_path)
    assert not trace.calls
    assert set(vars_of(trace)) == {"not_recorded"}
    assert trace.started.task == "Find the ferry."
    assert [event.agent_name for event in trace.of(CompletionEvent)] == [
        *("Orchestrator", "Orchestrator", "WebSurfer", "Assistant", "Orchestrator"),
    ]
    assert [event.text for event in trace.of(Observation)] == [turns[4][1]]
    shown = [message.text for message in trace.contexts[trace.of(Request)[-1].id]]
    assert shown == ["Find the ferry.", "Please look.", "I clicked 'Ferries'.", turns[4][1], CODE]
    assert trace.answer is not None
    assert trace.answer.text == "Puffin"
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("other", "No agent selected.")


def vars_of(trace: Trace) -> list[str]:
    evidence = trace.evidence
    return [evidence.proposals, evidence.executions, evidence.results, evidence.errors, evidence.authorship]


def test_a_bad_conversation_of_a_list_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps([said(("A", "one")), {"history": []}, 7, said(("A", "two"))]))
    first, empty, none, last = survey([str(path)]).load()
    assert isinstance(first, Trace)
    assert isinstance(last, Trace)
    assert isinstance(empty, LoadError)
    assert empty.problem == "row 1: history: a list of turns was expected and there are none"
    assert isinstance(none, LoadError)


def test_one_conversation_a_line_and_a_bad_one_between(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    rows = [said(("A", "one")), {"history": [{"name": "A", "role": "user", "content": 7}]}, said(("A", "two"))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, error, last = survey([str(path)]).load()
    assert isinstance(first, Trace)
    assert isinstance(last, Trace)
    assert isinstance(error, LoadError)
    assert "line 2: history[0]: content" in error.problem
    assert first.id != last.id


@pytest.mark.parametrize(
    ("value", "claimed"),
    [
        (said(("A", "one"), ("B", "two")), True),
        ([{"role": "human", "content": "x"}, {"role": "Orchestrator (thought)", "content": "y"}], False),
        ([{"role": "Orchestrator (thought)", "content": "y"}, {"role": "WebSurfer", "content": "x"}], True),
        ([{"role": "user", "name": "T", "content": DONE}, {"role": "user", "name": "A", "content": "x"}], True),
        ([{"role": "user", "name": "T", "content": "a"}, {"role": "user", "name": "A", "content": "x"}], False),
        ({"trajectory": [], **said(("A", "one"))}, False),
        ({"history": [{"role": "user", "content": "x"}]}, False),
        ({"history": "none"}, False),
        ([], False),
    ],
)
def test_what_is_claimed(value: Any, claimed: bool) -> None:
    """The last turn of a head may be cut off, so it does not count where there are others."""
    assert AG2.sniff(Head(json.dumps(value).encode())) is claimed


@pytest.mark.timeout(60)
def test_a_text_full_of_fences_is_read_in_linear_time(tmp_path: Path) -> None:
    (call,) = read(said(("A", "```sh\n" * 400_000 + "```"), ("B", "```\n" * 400_000), ("C", "x")), tmp_path).calls
    assert call.tool == "sh"


REAL = {
    # file: turns, states, result
    "whowhen_Algorithm-Generated_1.json": (6, {"succeeded": 2}, "answered"),
    "whowhen_Algorithm-Generated_108.json": (10, {"failed": 1, "dropped": 1}, "answered"),
    "whowhen_Algorithm-Generated_110.json": (9, {"succeeded": 1, "failed": 1}, "answered"),
    "whowhen_Hand-Crafted_1.json": (29, {}, None),
    "whowhen_Hand-Crafted_40.json": (17, {}, None),
    "magentic_one_big_2ddae3b7.json": (121, {}, "other"),
}
"""Counted in the files: runnable code blocks, each followed by which exit code or by none."""


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    (trace,) = read_traces(shared / "traces" / "11_multiagent" / name)
    turns, states, ended = REAL[name]
    assert Counter(call.state for call in trace.calls) == states
    assert (trace.finished.reason if trace.finished else None) == ended
    named = {int(event.source) for event in trace if event.source.isdigit()}
    named |= {int(item.source) for request in trace.of(Request) for item in request.items}
    assert named == set(range(turns))
    assert all(call.delivered for call in trace.calls if call.executed_in)


def test_a_terminal_that_prints_the_word_ends_nothing(tmp_path: Path) -> None:
    printed = "exitcode: 0 (execution succeeded)\nCode output: TERMINATE\n"
    trace = read(said(("Counter", CODE), ("Computer_terminal", printed)), tmp_path)
    assert trace.finished is None
    assert trace.answer is None
