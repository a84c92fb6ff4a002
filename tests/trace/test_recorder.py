from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.clock import TickClock
from agentlab.messages import Message
from agentlab.strictjson import digest
from agentlab.trace.codec import encode
from agentlab.trace.events import Answer, Event, Notice, Observation, Request
from agentlab.trace.model import Trace
from agentlab.trace.quarantine import MemoryQuarantine
from agentlab.trace.quarantine_reader import read_side
from agentlab.trace.recorder import JournalFile, Recorder
from tests.trace.samples import FORGED, played, recorder, said, started

MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    text=st.sampled_from(["", "a", "b", "long " * 9]) | st.text(max_size=3),
    author=st.sampled_from(["system", "user", "harness", "tool", "model"]),
    trust=st.sampled_from(["trusted", "untrusted"]),
    origin=st.none() | st.sampled_from(["e1", "e2"]),
)
EDITS = st.lists(st.tuples(st.sampled_from(["append", "drop", "replace"]), st.integers(0), MESSAGES), max_size=4)


def test_events_get_id_time_and_step_in_order() -> None:
    events: list[Event] = []
    book = Recorder(events.append, quarantine=MemoryQuarantine(), clock=TickClock(start=100.0, tick=0.5))
    first = book.record(started())
    book.step = 4
    second = book.record(Answer(completion="e1", text="x"))
    assert (first.id, first.time, first.step) == ("e1", 100.5, None)
    assert (second.id, second.time, second.step) == ("e2", 101.0, 4)
    assert events == [first, second]


def test_a_text_is_written_in_full_once() -> None:
    events: list[Event] = []
    book = recorder(events.append)
    book.record(started())
    seen = book.record(Observation(execution="x1", call="c1", text="three herons"))
    first = book.request([said("count"), said("three herons"), said("count", "model")])
    second = book.request([said("new"), said("count")])
    assert [item.text for item in first.items] == ["count", None, None]
    assert [item.digest for item in first.items] == [digest("count"), digest(seen.text), digest("count")]
    assert [item.text for item in second.items] == ["new", None]


@pytest.mark.parametrize(
    ("after", "kept", "new"),
    [
        ("abc", 3, ""),
        ("abcd", 3, "d"),
        ("ab", 2, ""),
        ("abx", 2, "x"),
        ("xbc", 0, "xbc"),
        ("acd", 1, "cd"),
        ("", 0, ""),
    ],
)
def test_kept_counts_the_leading_items_that_stand_unchanged(after: str, kept: int, new: str) -> None:
    book = recorder(lambda event: None)
    book.request([said(letter) for letter in "abc"])
    request = book.request([said(letter) for letter in after], attempt_of_step=2)
    assert (request.kept, len(request.items), request.attempt_of_step) == (kept, len(new), 2)


def test_an_item_counts_as_changed_when_only_its_author_differs() -> None:
    book = recorder(lambda event: None)
    book.request([said("same", "tool", "e1")])
    request = book.request([said("same", "model", "e1")])
    assert request.kept == 0
    assert request.items[0].author == "model"


@given(st.lists(EDITS, max_size=6))
def test_contexts_come_back_as_they_were_sent(rounds: list[list[tuple[str, int, Message]]]) -> None:
    events: list[Event] = []
    book = recorder(events.append)
    book.record(started())
    context: list[Message] = []
    sent: dict[str, tuple[Message, ...]] = {}
    for edits in rounds:
        for action, place, message in edits:
            if action == "append":
                context.append(message)
            elif context and action == "drop":
                del context[place % len(context)]
            elif context:
                context[place % len(context)] = message
        if edits:
            book.record(Notice(code="x", about="e1", text=edits[0][2].text))  # a text known without a request
        sent[book.request(context).id] = tuple(context)
    assert Trace(events=tuple(events)).contexts == sent


def append_only(history: list[Message], step: int) -> list[Message]:
    return [*history, said(f"thought {step} " * 20, "model"), said(f"observation {step} " * 20, "tool")]


def window(history: list[Message], step: int) -> list[Message]:
    """The middle is dropped: the prompt, the task and the last eight messages stay."""
    longer = append_only(history, step)
    return longer if len(longer) <= 10 else longer[:2] + longer[-8:]


@pytest.mark.parametrize("remember", [append_only, window])
def test_journal_grows_with_the_attempt_and_not_with_its_square(
    remember: Callable[[list[Message], int], list[Message]],
) -> None:
    sizes = [_journal_size(remember, steps) for steps in (50, 100, 200)]
    assert sizes[1] / sizes[0] == pytest.approx(2, abs=0.2)
    assert sizes[2] / sizes[1] == pytest.approx(2, abs=0.2)


def _journal_size(remember: Callable[[list[Message], int], list[Message]], steps: int) -> int:
    size = 0

    def count(event: Event) -> None:
        nonlocal size
        size += len(encode(event))

    book = recorder(count)
    history = [said("You count birds.", "system"), said("How many herons?")]
    for step in range(steps):
        book.request(history)
        history = remember(history, step)
    return size


def test_rejected_text_goes_to_quarantine_and_nowhere_else() -> None:
    trace = played()
    written = b"".join(map(encode, trace))
    assert FORGED.splitlines()[2].encode() not in written
    assert b"99" not in written
    rejected = next(event for event in trace if event.type == "completion")
    assert trace.completion_text(rejected) == FORGED


def test_quarantine_returns_the_digest() -> None:
    store = MemoryQuarantine()
    assert recorder(lambda event: None, store).quarantine("bad reply") == digest("bad reply")
    assert read_side(store).get(digest("bad reply")) == "bad reply"


def test_what_the_sink_refuses_is_not_taken_for_shown() -> None:
    def refuse(event: Event) -> None:
        if isinstance(event, Notice):
            raise OSError("disk full")
        kept.append(event)

    kept: list[Event] = []
    book = recorder(refuse)
    book.record(started())
    with pytest.raises(OSError, match="disk full"):
        book.record(Notice(code="x", about="e1", text="lost"))
    book.request([said("lost")])
    assert Trace(events=tuple(kept)).contexts["e3"] == (said("lost"),)


def test_journal_file_is_new_and_flushed_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    journal = JournalFile(path)
    book = recorder(journal)
    book.record(started())
    assert json.loads(path.read_bytes())["id"] == "e1"
    book.request([said("x")])
    assert len(path.read_bytes().splitlines()) == 2
    journal.close()
    with pytest.raises(FileExistsError):
        JournalFile(path)


def test_a_line_that_the_system_takes_in_parts_is_written_whole(tmp_path: Path) -> None:
    class Slow(io.FileIO):
        def write(self, data: object) -> int:
            return super().write(bytes(data)[:7])  # type: ignore[call-overload]

    journal = JournalFile(tmp_path / "a.jsonl")
    journal.close()
    journal._file = Slow(tmp_path / "b.jsonl", "xb")
    journal(started())
    assert (tmp_path / "b.jsonl").read_bytes() == encode(started())
    journal.close()


def test_equal_attempts_give_equal_bytes() -> None:
    assert [encode(event) for event in played()] == [encode(event) for event in played()]
    assert any(isinstance(event, Request) and event.kept for event in played())
