"""Who wrote a value first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlab.audit.origins.index import Origins
from agentlab.audit.origins.shared import SharedText
from agentlab.formats.reading import read_traces
from agentlab.harness.history import REACT_V2
from agentlab.trace.model import Trace
from tests.agents.attempts import DONE, GOOD, attempt

MESSAGES = [
    {"role": "system", "content": "You keep huts."},
    {"role": "user", "content": "Who keeps the hut at Tarn? Write to her."},
    {"role": "assistant", "content": "I look it up under key tarn-77.", "tool_calls": None},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"key": "tarn-77"}'}}
        ],
    },
    {
        "role": "tool",
        "tool_call_id": "c1",
        "content": '{"of": "tarn-77", "keeper": "Maud Fell. Ring her at +44 1539 000 777."}',
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "ring", "arguments": '{"to": "+441539000777 Maud  FELL"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "busy"},
    {"role": "assistant", "content": "Maud Fell did not answer."},
]


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(MESSAGES), encoding="utf-8")
    (found,) = read_traces(path)
    return found


def test_the_first_author_of_each_value(trace: Trace) -> None:
    origins = Origins(trace)
    first = {value: origins.first(value) for value in ("huts", "TARN", "tarn-77", "maud fell", "busy")}
    assert {value: origin and origin.writing.author for value, origin in first.items()} == {
        "huts": "system",
        "TARN": "user",
        "tarn-77": "model",
        "maud fell": "tool",
        "busy": "tool",
    }
    assert origins.first("nobody wrote this") is None
    assert origins.first("?!") is None


def test_the_place_and_the_sentence(trace: Trace) -> None:
    origin = Origins(trace).first("+44 1539-000-777")
    assert origin is not None
    assert (origin.writing.tool, origin.writing.call, origin.writing.field) == ("look_up", "c1", "text")
    assert origin.text == "44 1539 000 777"
    assert "Ring her" in origin.sentence
    assert "keeper" not in origin.sentence


def test_only_what_was_written_before(trace: Trace) -> None:
    origins = Origins(trace)
    replies = [event.id for event in trace if event.type == "completion"]
    assert origins.first("maud fell", before=replies[0]) is None
    assert origins.first("maud fell", before=replies[-1]) is not None
    assert origins.first("maud fell", authors=("model",), before=replies[-1]) is not None
    assert origins.first("maud fell", authors=("user",)) is None


def test_each_text_of_an_author_is_kept_once(trace: Trace) -> None:
    texts = [(writing.author, writing.text) for writing in Origins(trace).writings]
    assert len(texts) == len(set(texts))
    assert ("model", '{"key":"tarn-77"}') in texts


def test_our_own_journal_has_authors_too() -> None:
    trace, _ = attempt([GOOD, DONE], policy=REACT_V2)
    authors = {writing.author for writing in Origins(trace).writings}
    assert {"system", "user", "model", "tool"} <= authors


def test_what_a_text_shares_with_earlier_ones(trace: Trace) -> None:
    text = "So: who  keeps the HUT at tarn write to her, and nothing else that anybody said before today."
    (stretch,) = SharedText(Origins(trace)).stretches(text, before=len(trace))
    assert stretch.writing.author == "user"
    assert text[stretch.start : stretch.end] == "who  keeps the HUT at tarn write to her"
    assert SharedText(Origins(trace)).stretches(text, before=0) == ()


@pytest.mark.timeout(60)
def test_many_questions_take_no_time(tmp_path: Path) -> None:
    results = [
        {"role": "tool", "tool_call_id": f"c{n}", "content": f"row {n} of hut-{n} is kept by k{n}@hut.example"}
        for n in range(3000)
    ]
    path = tmp_path / "messages.json"
    path.write_text(json.dumps([{"role": "user", "content": "go"}, *results]), encoding="utf-8")
    (found,) = read_traces(path)
    origins = Origins(found)
    firsts = [origins.first(f"k{n}@hut.example") for n in range(3000)]
    assert all(origin is not None and origin.text == f"k{n}@hut.example" for n, origin in enumerate(firsts))


def test_an_index_gives_the_answers_of_a_look_into_every_text(trace: Trace) -> None:
    values = ["maud fell", "tarn-77", "hut", "the", "nobody", "+44 1539 000 777", "-"]
    fresh = [[writing.number for writing in Origins(trace).holding(value)] for value in values]
    origins = Origins(trace)
    for _ in range(20):
        assert [[writing.number for writing in origins.holding(value)] for value in values] == fresh
    assert any(fresh)
