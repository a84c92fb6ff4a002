from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.agentdojo import AGENTDOJO
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.reading import read_traces
from agentlab.trace.calls import TracedCall
from agentlab.trace.events import CallRefused, ExecutionFinished, ExecutionStarted, Observation
from agentlab.trace.model import Trace

SYSTEM = {"role": "system", "content": "You run a kiosk."}
USER = {"role": "user", "content": "Sell two papers."}
DONE = {"role": "assistant", "content": "Sold.", "tool_calls": None}


def asks(*calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def call(name: str, identity: str | None = "", **arguments: Any) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def gives(name: str, content: str, *, identity: str | None = None, error: str | None = None, **arguments: Any) -> Any:
    copy = {"function": name, "args": arguments, "id": identity}
    return {"role": "tool", "content": content, "tool_call_id": identity, "tool_call": copy, "error": error}


def read(*messages: Any, folder: Path) -> Trace:
    path = folder / "messages.json"
    path.write_text(json.dumps([SYSTEM, USER, *messages]), encoding="utf-8")
    (trace,) = read_traces(path)
    assert trace.started.format == "agentdojo"
    return trace


def one(name: str, folder: Path, *, content: str = "", error: str | None = None) -> TracedCall:
    (found,) = read(asks(call(name)), gives(name, content, error=error), DONE, folder=folder).calls
    return found


def test_without_an_error_the_function_returned(tmp_path: Path) -> None:
    trace = read(
        asks(call("sell", "c1", count=2)), gives("sell", "sold 2", identity="c1", count=2), DONE, folder=tmp_path
    )
    (sold,) = trace.calls
    assert (sold.id, sold.state, sold.result, sold.delivered) == ("c1", "succeeded", "sold 2", True)
    assert [event.source for event in trace.of(Observation)] == ["3"]
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.source) == ("Sold.", "4")
    assert trace.evidence.errors == "absent"


def test_an_empty_result_is_a_result(tmp_path: Path) -> None:
    assert (one("sell", tmp_path).state, one("sell", tmp_path).result) == ("succeeded", "")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("ValueError: the till is shut", "ValueError"),
        ("KeyError: 'paper'", "KeyError"),
        ("ValidationError: 2 validation errors for Receipt\nprice\n  Input should be a number", "ValidationError"),
        ("TypeError: can only concatenate str", "TypeError"),
        ("it rains", None),
    ],
)
def test_what_a_running_function_raised_is_a_failure(error: str, kind: str | None, tmp_path: Path) -> None:
    trace = read(asks(call("sell")), gives("sell", "", error=error), DONE, folder=tmp_path)
    (failed,) = trace.calls
    (end,) = trace.of(ExecutionFinished)
    assert (failed.state, failed.error, failed.delivered, end.error_kind) == ("failed", error, True, kind)
    assert [event.text for event in trace.of(Observation)] == [error]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("ToolNotFoundError: The requested function `sell` is not available.", "unknown_tool"),
        ("Invalid tool sell provided.", "unknown_tool"),
        ("ValidationError: 1 validation error for Input schema for `sell`\ncount\n  required", "invalid_arguments"),
        ("TypeError: sell() got an unexpected keyword argument 'n'", "invalid_arguments"),
        ("TypeError: sell() missing 1 required positional argument: 'count'", "invalid_arguments"),
    ],
)
def test_what_stopped_a_call_before_it_ran_is_a_refusal(error: str, code: str, tmp_path: Path) -> None:
    trace = read(asks(call("sell")), gives("sell", "", error=error), DONE, folder=tmp_path)
    assert [each.state for each in trace.calls] == ["refused"]
    assert [(each.code, each.reason, each.source) for each in trace.of(CallRefused)] == [(code, error, "3")]
    assert not trace.of(ExecutionStarted)


@pytest.mark.parametrize("identity", ["", None])
def test_without_ids_the_calls_of_a_reply_are_answered_in_their_order(identity: str | None, tmp_path: Path) -> None:
    trace = read(
        asks(call("sell", identity, count=1), call("sell", identity, count=2), call("shut", identity)),
        gives("sell", "one", identity=identity, count=1),
        gives("sell", "", identity=identity, error="ValueError: none left", count=2),
        gives("shut", "", identity=identity, error="Invalid tool shut provided."),
        asks(call("sell", identity, count=3)),
        folder=tmp_path,
    )
    assert [(each.tool, each.arguments, each.state) for each in trace.calls] == [
        ("sell", {"count": 1}, "succeeded"),
        ("sell", {"count": 2}, "failed"),
        ("shut", {}, "refused"),
        ("sell", {"count": 3}, "unanswered"),
    ]
    assert all(each.delivered for each in trace.calls[:3])
    assert trace.answer is None


def test_ids_count_where_answers_come_in_another_order(tmp_path: Path) -> None:
    answers = gives("b", "B", identity="c2"), gives("a", "A", identity="c1")
    trace = read(asks(call("a", "c1"), call("b", "c2")), *answers, DONE, folder=tmp_path)
    assert [(each.tool, each.result) for each in trace.calls] == [("a", "A"), ("b", "B")]


def test_the_copy_of_the_call_says_what_it_was_run_with(tmp_path: Path) -> None:
    trace = read(asks(call("sell", to="['a', 'b']")), gives("sell", "ok", to=["a", "b"]), DONE, folder=tmp_path)
    assert [each.arguments for each in trace.of(ExecutionStarted)] == [{"to": ["a", "b"]}]
    assert [each.arguments for each in trace.calls] == [{"to": "['a', 'b']"}]


def test_where_one_answer_lacks_its_error_none_proves_what_ran(tmp_path: Path) -> None:
    bare = {name: value for name, value in gives("look", "2 left").items() if name != "error"}
    asked = asks(call("sell")), gives("sell", "", error="ValueError: shut"), asks(call("look")), bare
    trace = read(*asked, DONE, folder=tmp_path)
    assert [each.state for each in trace.calls] == ["answered", "answered"]
    assert (trace.evidence.executions, trace.evidence.errors) == ("not_recorded", "not_recorded")
    assert [event.text for event in trace.of(Observation)] == ["ValueError: shut", "2 left"]


def test_a_function_in_the_text_is_no_call(tmp_path: Path) -> None:
    told = {"role": "assistant", "content": '<function=sell>{"count": 2}</function>', "tool_calls": []}
    trace = read(asks(call("look")), gives("look", "2 left"), told, folder=tmp_path)
    assert [each.tool for each in trace.calls] == ["look"]
    assert trace.answer is not None
    assert trace.answer.text == '<function=sell>{"count": 2}</function>'


def native(**more: Any) -> dict[str, Any]:
    function = {"function": "sell", "args": {"count": 2}, "id": "c1", "placeholder_args": {"count": "n"}}
    text = [{"type": "text", "content": "one"}, {"type": "text", "content": "two"}]
    messages = [
        {"role": "system", "content": text},
        {"role": "user", "content": text[:1]},
        {"role": "assistant", "content": [], "tool_calls": [function]},
        {"role": "tool", "content": text, "tool_call_id": "c1", "tool_call": function, "error": None},
    ]
    names = {"suite_name": "kiosk", "pipeline_name": "seller", "user_task_id": "u1", "injection_task_id": "i2"}
    return {**names, "attack_type": "direct", "messages": messages, "error": None, "utility": False, **more}


def test_a_log_of_its_own_says_what_was_run(tmp_path: Path) -> None:
    path = tmp_path / "i2.json"
    path.write_text(json.dumps(native()), encoding="utf-8")
    (trace,) = read_traces(path)
    assert (trace.started.case, trace.started.agent) == ("kiosk/u1/i2", "seller")
    assert trace.started.extra == {"attack_type": "direct", "utility": False}
    assert [(each.arguments, each.result, each.delivered) for each in trace.calls] == [
        ({"count": 2}, "one\ntwo", False)
    ]
    assert trace.events[2].extra == {"tool_calls": [{"placeholder_args": {"count": "n"}}]}
    assert trace.finished is None


def test_a_run_that_broke_off_says_why(tmp_path: Path) -> None:
    path = tmp_path / "i2.json"
    path.write_text(json.dumps(native(error="context too long")), encoding="utf-8")
    (trace,) = read_traces(path)
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.detail) == ("other", "context too long")


def rows(folder: Path, *lines: Any) -> list[Any]:
    path = folder / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return list(survey([str(path)], format=AGENTDOJO).load())


def test_the_line_of_metadata_is_told_to_every_run(tmp_path: Path) -> None:
    first = {"metadata": {"benchmark": "agent-dojo", "name": "seller", "accuracy": 0.5}}
    about = {"suite_name": "kiosk", "user_task_id": "u1", "injection_task_id": None, "model": "m", "security": True}
    run = {"index": 1, "messages": [SYSTEM, USER, DONE], "metadata": about, "annotations": []}
    one, broken, two = rows(tmp_path, first, run, {"index": 2, "messages": "none"}, {**run, "index": 3})
    assert isinstance(one, Trace)
    assert (one.started.case, one.started.agent, one.started.model) == ("kiosk/u1", "seller", "m")
    assert one.started.source == "line 2"
    assert one.started.extra == {"index": 1, "metadata": about, "annotations": [], "benchmark": first["metadata"]}
    assert "line 3: messages: a list of chat messages was expected" in str(broken)
    assert isinstance(two, Trace)
    assert two.id != one.id


def test_metadata_alone_are_no_run(tmp_path: Path) -> None:
    (error,) = rows(tmp_path, {"metadata": {"benchmark": "agent-dojo"}})
    assert "no run" in str(error)


def test_how_it_is_known() -> None:
    answered = [SYSTEM, USER, asks(call("sell")), gives("sell", "ok")]
    ours: list[Any] = [
        {"metadata": {"benchmark": "agent-dojo"}},
        native(),
        answered,
        {"index": 1, "messages": answered},
    ]
    for value in ours:
        assert AGENTDOJO.sniff(Head(json.dumps(value).encode()))
    begun = json.dumps([*answered, *[USER] * 3000]).encode()[: 1 << 16]
    assert AGENTDOJO.sniff(Head(begun, whole=False))
    plain = {"role": "tool", "content": "ok", "tool_call_id": "c1"}
    others = [[SYSTEM, USER, DONE], [SYSTEM, USER, asks(call("sell")), plain], {"metadata": {"name": "x"}}, 3, []]
    for other in others:
        assert not AGENTDOJO.sniff(Head(json.dumps(other).encode()))


REAL = {
    "claude-3-5-sonnet-20240620": {"succeeded": 682, "failed": 32, "refused": 3},
    "claude-3-haiku-20240307": {"succeeded": 857, "failed": 23, "refused": 16, "unanswered": 15},
    "command-r": {"succeeded": 534, "failed": 109, "refused": 8, "unanswered": 1, "undelivered": 2},
    "gemini-1-5-pro-002": {"succeeded": 610, "failed": 23},
    "gpt-4o-mini-2024-07-18": {"succeeded": 833, "failed": 30, "refused": 31, "unanswered": 3},
}
PROPOSED = {
    "claude-3-5-sonnet-20240620": 717,
    "claude-3-haiku-20240307": 911,
    "command-r": 652,
    "gemini-1-5-pro-002": 633,
    "gpt-4o-mini-2024-07-18": 897,
}


@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared: Path) -> None:
    found: Counter[str] = Counter()
    for trace in survey([str(shared / f"labelled/agentdojo/agentdojo-{name}.jsonl.xz")]).load():
        assert isinstance(trace, Trace)
        found["traces"] += 1
        found.update(call.state for call in trace.calls)
        found["agent"] += sum(call.by == "agent" and call.proposed_in is not None for call in trace.calls)
        found["undelivered"] += sum(call.observed_in is not None and not call.delivered for call in trace.calls)
    assert +found == {"traces": 194, "agent": PROPOSED[name], **REAL[name]}


def test_lists_of_messages_by_themselves_are_read_alike(shared: Path, tmp_path: Path) -> None:
    """As the referee of the labelled runs writes them: one list a file, placed by the index of the message."""
    file = shared / "labelled/agentdojo/agentdojo-command-r.jsonl.xz"
    lines = [json.loads(line) for line in lzma.decompress(file.read_bytes()).splitlines()][1:]
    for number, line in enumerate(lines):
        (tmp_path / f"{number:05d}.json").write_text(json.dumps(line["messages"]), encoding="utf-8")
    rows, bare = list(read_traces(file)), list(read_traces(tmp_path))
    found = Counter(trace.started.format for trace in bare)
    assert found == {"agentdojo": 192, "openai-chat": 2}  # the two without any tool message are plain chat
    for row, alone in zip(rows, bare, strict=True):
        assert [(call.tool, call.arguments) for call in row.calls] == [(c.tool, c.arguments) for c in alone.calls]
        assert all(event.source.isdigit() for event in alone.events[1:])
        if alone.started.format == "agentdojo":
            assert [call.state for call in row.calls] == [call.state for call in alone.calls]


def test_a_bad_message_is_named_by_its_index(tmp_path: Path) -> None:
    path = tmp_path / "messages.json"
    path.write_text(json.dumps([SYSTEM, USER, {"role": "tool", "content": "x", "tool_call": {}, "error": 5}]), "utf-8")
    (error,) = survey([str(path)], format=AGENTDOJO).load()
    assert isinstance(error, LoadError)
    assert "message 2: error: a text was expected and a number found" in str(error)
