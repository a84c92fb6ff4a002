from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.messages import ToolDescription
from agentlab.strictjson import JSONValue, digest
from agentlab.trace.codec import LINE_DEPTH, decode, encode
from agentlab.trace.events import (
    Answer,
    CallRefused,
    Checkpoint,
    CompletionEvent,
    Event,
    ExecutionStarted,
    Notice,
    Request,
    Summary,
)
from agentlab.trace.integrity import check_record
from agentlab.trace.model import Trace
from agentlab.trace.values import ContextItem, ProposedCall, Span
from tests.trace.samples import played, started

EVENTS = played().events
SAID = "private words"
REPLY = CompletionEvent(id="e2", request="e1", digest=digest(""), characters=0, accepted=True, text="")
REFUSAL = CallRefused(id="e99", completion=SAID, call="c", code="unknown_tool", reason="r", digest="d")


def item(text: str | None = None, name: str = "") -> ContextItem:
    return ContextItem(role="user", author="user", trust="untrusted", digest=name or digest(text or ""), text=text)


def span(start: int, end: int) -> Span:
    return Span(start=start, end=end, kind="observation")


def changed(place: int, **changes: object) -> tuple[Event, ...]:
    """The attempt with one event changed, by its place from 0."""
    return (*EVENTS[:place], replace(EVENTS[place], **changes), *EVENTS[place + 1 :])  # type: ignore[arg-type]


def test_a_recorded_attempt_passes() -> None:
    check_record(EVENTS)


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ((), "a trace begins with attempt_started"),
        (EVENTS[1:], "a trace begins with attempt_started"),
        ((*EVENTS, started(id="e99")), r"event 15 \(attempt_started\) begins a second attempt"),
        ((*EVENTS, Answer(id="e2", completion="e1", text=SAID)), r"event 15 \(answer\) has the id of an earlier event"),
        ((EVENTS[0], EVENTS[5]), r"event 2 \(request\) keeps items that the request it is built on did not have"),
        ((EVENTS[0], Request(id="e2", kept=-1, items=())), r"event 2 \(request\) keeps items"),
        ((EVENTS[0], Request(id="e2", items=(item(SAID), item(name="0" * 64)))), r"refers in items\[1\] to a text"),
        ((EVENTS[0], Request(id="e2", items=(item(SAID, "0" * 64),))), r"has in items\[0\] a text with another digest"),
        ((*EVENTS[:6], replace(EVENTS[6], text=SAID)), r"event 7 \(completion\) has a text with another digest"),
        ((*EVENTS[:4], *EVENTS[5:6]), r"event 5 \(request\) refers in items\[0\] to a text that nothing before shows"),
        (changed(2, request="e9"), r"event 3 \(completion\) refers in request to no earlier event"),
        (changed(2, step=0), r"event 3 \(completion\) has a step below 1"),
        (changed(2, discarded=(span(0, 999),)), r"event 3 \(completion\) has in discarded a stretch that is not"),
        (changed(3, completion="e4"), r"event 4 \(protocol_error\) refers in completion to no earlier event"),
        (changed(3, completion="e2"), r"event 4 \(protocol_error\) refers in completion to an event that is no reply"),
        (changed(3, digest="0" * 64), r"event 4 \(protocol_error\) has another digest than the reply it refuses"),
        (changed(3, start=-1), r"event 4 \(protocol_error\) marks a stretch that is not within the reply"),
        (changed(3, start=9, end=8), r"event 4 \(protocol_error\) marks a stretch that is not within the reply"),
        (changed(3, forged=(span(0, 999),)), r"event 4 \(protocol_error\) marks a stretch that is not within"),
        (changed(4, about="private"), r"event 5 \(notice\) refers in about to no earlier event"),
        (changed(12, completion="private"), r"event 13 \(answer\) refers in completion to no earlier event"),
        ((*EVENTS, REFUSAL), r"event 15 \(call_refused\) refers in completion to no earlier event"),
        (changed(0, attempt=""), r"event 1 \(attempt_started\) has an empty attempt id"),
        (changed(1, time=float("nan")), r"event 2 \(request\) has in time what is no finite number"),
        (changed(2, latency=float("inf")), r"event 3 \(completion\) has in latency what is no finite number"),
        (changed(8, duration=float("nan")), r"event 9 \(execution_finished\) has in duration what is no finite"),
        (changed(13, duration=float("-inf")), r"event 14 \(attempt_finished\) has in duration what is no finite"),
        (changed(13, extra={"a": [1.5, float("nan")]}), r"event 14 \(attempt_finished\) holds a number that is not"),
        (changed(7, arguments={"a": [10**309]}), r"event 8 \(execution_started\) holds a number that is not fin"),
        (changed(7, arguments={"a": float("inf")}), r"event 8 \(execution_started\) holds a number that is not finite"),
    ],
)  # fmt: skip
def test_what_cannot_be_one_record_is_refused_by_place_and_unquoted(events: tuple[Event, ...], problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as refusal:
        Trace(events=events)
    assert SAID not in str(refusal.value)


def deep(levels: int) -> dict[str, JSONValue]:
    """Objects inside each other, which with lists between them are so many levels deep."""
    inner: JSONValue = 7
    for number in range(levels - 1):
        inner = [inner] if number % 2 else {SAID: inner}
    return {SAID: inner}


@pytest.mark.parametrize(
    ("make", "above"),
    [
        (lambda value: Answer(id="e2", completion="e1", text="", extra=value), 1),
        (lambda value: Request(id="e2", items=(replace(item("a"), extra=value),)), 3),
        (lambda value: ExecutionStarted(id="e2", execution="x", call="c", tool="t", arguments=value), 1),
        (lambda value: Checkpoint(id="e2", label="", state=value), 1),
        (lambda value: replace(REPLY, calls=(ProposedCall(call="c", tool="t", arguments=value),)), 3),
    ],
    ids=["extra", "item", "arguments", "state", "call"],
)
def test_what_is_taken_can_be_written_and_read_again(make: Callable[[dict[str, JSONValue]], Event], above: int) -> None:
    event = make(deep(LINE_DEPTH - above))
    Trace(events=(started(id="e1"), event))
    assert decode(encode(event)) == event
    with pytest.raises(
        ValueError, match=r"event 2 \(\w+\) holds lists and objects nested deeper than the 200"
    ) as refusal:
        Trace(events=(started(id="e1"), make(deep(LINE_DEPTH - above + 1))))
    assert SAID not in str(refusal.value)


def test_tools_are_no_deeper_either() -> None:
    tool = ToolDescription(name="t", description="", parameters=deep(LINE_DEPTH - 3))
    first = started(id="e1", tools=(tool,))
    assert decode(encode(Trace(events=(first,)).started)) == first
    with pytest.raises(ValueError, match="nested deeper"):
        Trace(events=(replace(first, tools=(replace(tool, parameters=deep(LINE_DEPTH - 2)),)),))


def test_a_digest_may_stand_for_the_text_of_any_event_before() -> None:
    shown = (
        Notice(id="e2", code="x", about="e1", text="one"),
        Summary(id="e3", replaces=(), text="two", author="model"),
    )
    items = (item(name=digest("one")), item(name=digest("two")))
    check_record((started(id="e1"), *shown, Request(id="e4", items=items)))
    with pytest.raises(ValueError, match="event 2 "):
        check_record((started(id="e1"), Request(id="e4", items=items), *shown))


@given(st.data())
def test_leaving_out_an_event_never_restores_other_contexts(data: st.DataObject) -> None:
    gone = data.draw(st.integers(1, len(EVENTS) - 1))
    rest = EVENTS[:gone] + EVENTS[gone + 1 :]
    try:
        contexts = Trace(events=rest).contexts
    except ValueError:
        return
    assert contexts.items() <= played().contexts.items()


def test_digests_that_are_known_already_are_not_worked_out_again() -> None:
    wrong = "0" * 64
    request = next(event for event in EVENTS if isinstance(event, Request))
    first = request.items[0]
    assert first.text is not None
    check_record(EVENTS, {first.text: first.digest})
    with pytest.raises(ValueError, match=r"items\[0\] a text with another digest than it says"):
        check_record(EVENTS, {first.text: wrong})
    assert Trace(events=EVENTS, digests={first.text: first.digest}) == Trace(events=EVENTS)


def test_a_request_is_built_on_one_that_no_other_is_built_on() -> None:
    one = Request(id="e2", items=(item(SAID),))
    other = Request(id="e3", items=(item(SAID),))
    check_record((EVENTS[0], one, other, Request(id="e4", kept=1, base="e2", items=())))
    for base in ("e2", "e9"):
        taken = Request(id="e4", kept=1, base="e2", items=())
        with pytest.raises(ValueError, match=r"event 5 \(request\) keeps items that the request it is built on"):
            check_record((EVENTS[0], one, other, taken, Request(id="e5", kept=1, base=base, items=())))
