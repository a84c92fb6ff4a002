from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.provenance.contexts import Contexts
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.opening import NothingToldError
from agentlab.formats.building.seat import Item
from agentlab.messages import Usage
from agentlab.trace.codec import decode, encode
from agentlab.trace.events import (
    CallRefused,
    CompletionEvent,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

SEEN = Evidence(proposals="present", executions="present", results="present", errors="present", authorship="present")


def builder(*key: object, form: str = "diary") -> TraceBuilder:
    return TraceBuilder(form, path="diary.txt", key=key or ["d1"], evidence=SEEN, source="line 1")


def item(text: str, role: Any = "user", **more: Any) -> Item:
    return Item(role=role, text=text, **more)


def contexts(trace: Trace) -> list[list[str]]:
    return [[message.text for message in trace.contexts[request.id]] for request in trace.of(Request)]


def test_ids_come_from_the_format_and_the_key_alone() -> None:
    ids = {builder("a", 1).build().id, builder("a", 1).build().id, builder("a", 2).build().id}
    ids |= {builder("a", 1, form="log").build().id}
    assert len(ids) == 3


def test_a_context_that_grows_is_written_once() -> None:
    make = builder()
    make.hear(item("Be kind.", "system"))
    for number in range(3):
        make.hear(item(f"question {number}"))
        make.reply(f"answer {number}")
    trace = make.build()
    assert contexts(trace)[-1] == ["Be kind.", "question 0", "answer 0", "question 1", "answer 1", "question 2"]
    assert [len(request.items) for request in trace.of(Request)] == [2, 2, 2]
    assert [request.kept for request in trace.of(Request)] == [0, 2, 4]
    assert trace.of(Request)[1].items[0].origin == trace.of(CompletionEvent)[0].id
    assert trace.of(Request)[1].items[0].text is None
    assert [event.step for event in trace.of(CompletionEvent)] == [1, 2, 3]


def test_a_context_that_is_seen_whole_is_known_again() -> None:
    make = builder()
    make.see([item("a")])
    make.reply("b", remembered=False)
    make.see([item("a"), item("b", "assistant"), item("c")])
    make.reply("d", remembered=False)
    make.see([item("a"), item("c"), item("e")])
    make.reply("f", remembered=False)
    trace = make.build()
    assert contexts(trace) == [["a"], ["a", "b", "c"], ["a", "c", "e"]]
    assert [request.kept for request in trace.of(Request)] == [0, 1, 1]
    assert trace.of(Request)[1].items[0].origin == trace.of(CompletionEvent)[0].id


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=1, max_size=6), st.data())
def test_any_contexts_are_restored_exactly(seen: list[list[str]], data: st.DataObject) -> None:
    make = builder()
    for texts in seen:
        make.seat(data.draw(st.sampled_from(["", "helper"])))
        make.see([item(text) for text in texts])
        make.reply("", remembered=False)
    trace = make.build()
    assert contexts(trace) == seen
    assert [decode(encode(event)) for event in trace] == list(trace)


def test_calls_are_paired_by_id_and_else_by_order() -> None:
    make = builder()
    make.reply("", calls=[make.propose("look", call="x"), make.propose("look"), make.propose("touch")])
    make.hear(item("first", "tool", call="x"))
    make.hear(item("second", "tool"))
    make.hear(item("third", "tool"))
    make.request()
    trace = make.build()
    assert [(call.id, call.tool, call.state, call.delivered) for call in trace.calls] == [
        ("x", "look", "answered", True),
        ("call-2", "look", "answered", True),
        ("call-3", "touch", "answered", True),
    ]
    assert [event.call for event in trace.of(Observation)] == ["x", "call-2", "call-3"]


def test_an_execution_belongs_to_the_call_it_names_or_to_the_first_that_waits() -> None:
    make = builder()
    make.reply("", calls=[make.propose("look", {"at": "lamp"}), make.propose("touch", {"at": "lamp"})])
    make.end(make.begin("touch", {"at": "lamp"}, call="call-2"), error="too hot", error_kind="Burn", duration=0.5)
    make.end(make.begin("look", {"at": "lamp"}), result="lit")
    make.hear(item("lit", "tool", call="call-1"))
    trace = make.build()
    assert [(call.tool, call.state, call.result, call.error) for call in trace.calls] == [
        ("look", "succeeded", "lit", None),
        ("touch", "failed", None, "too hot"),
    ]
    assert not trace.calls[0].delivered
    assert trace.of(Observation)[0].execution == "x2"
    assert trace.of(ExecutionFinished)[0].duration == 0.5


def test_what_nobody_proposed_ran_all_the_same() -> None:
    make = builder()
    make.end(make.begin("clean", by="provider", execution="span-7"), result="done")
    make.begin("clean", execution="span-7")
    trace = make.build()
    assert [(call.tool, call.proposed_in, call.by, call.state) for call in trace.calls] == [
        ("clean", None, "provider", "succeeded"),
        ("clean", None, "not_recorded", "unanswered"),
    ]


def test_a_refused_call_and_a_rejected_reply() -> None:
    make = builder()
    make.reply("go", calls=[make.propose("look"), make.propose("burn")], source="3")
    make.refuse("call-2", code="not_permitted", reason="no fire", source="4")
    make.refuse("call-9", code="not_permitted", reason="nobody asked")
    rejected = make.reply("Action: ???", calls=[make.propose("")], source="5")
    make.reject(rejected, code="no_name", reason="it names no tool", source="5")
    trace = make.build()
    assert [(call.tool, call.state) for call in trace.calls] == [
        ("look", "dropped"),
        ("burn", "refused"),
        ("", "refused"),
    ]
    assert [event.source for event in trace.of(CallRefused)] == ["4"]
    (error,) = trace.of(ProtocolErrorEvent)
    assert (error.start, error.end) == (0, len("Action: ???"))
    assert [reply.accepted for reply in trace.of(CompletionEvent)] == [True, False]


def test_each_seat_has_a_context_and_calls_of_its_own() -> None:
    make = builder()
    make.hear(item("Find it."))
    make.reply("", calls=[make.propose("ask")])
    make.seat("helper")
    make.hear(item("Look there."))
    make.reply("", calls=[make.propose("look", by="subagent")])
    make.hear(item("found", "tool"))
    make.seat("")
    make.hear(item("it is there", "tool"))
    make.reply("done")
    trace = make.build()
    assert [call.state for call in trace.calls] == ["answered", "answered"]
    assert contexts(trace) == [["Find it."], ["Look there."], ["Find it.", "", "it is there"]]
    assert [event.agent_name for event in trace.of(CompletionEvent)] == ["", "helper", ""]
    assert [event.call for event in trace.of(Observation)] == ["call-2", "call-1"]
    assert trace.calls[1].by == "subagent"
    assert not trace.calls[1].delivered


def test_agents_at_one_place_share_its_context() -> None:
    make = builder()
    for name, words in (("ann", "one"), ("bob", "two"), ("ann", "three")):
        make.seat(name, place="room")
        make.reply(words)
    trace = make.build()
    assert contexts(trace) == [[], ["one"], ["one", "two"]]
    assert [event.agent_name for event in trace.of(CompletionEvent)] == ["ann", "bob", "ann"]
    assert [request.kept for request in trace.of(Request)] == [0, 0, 1]


def test_what_was_never_sent_is_kept() -> None:
    make = builder()
    make.describe(extra={"mood": "calm"})
    make.hear(item("hello"))
    make.reply("hi")
    make.hear(item("bye", source="9"))
    trace = make.build()
    assert trace.started.extra == {"mood": "calm", "unsent": [{"role": "user", "text": "bye", "source": "9"}]}


def test_the_end_counts_what_there_was() -> None:
    make = builder()
    make.reply("a", usage=Usage(input_tokens=10, output_tokens=2))
    make.reply("b", usage=Usage(output_tokens=3))
    make.begin("look")
    make.answer("It is b.")
    make.finish("other", detail="tired", duration=2.0)
    trace = make.build()
    end = trace.finished
    assert end is not None
    assert (end.steps, end.requests, end.executions, end.input_tokens, end.output_tokens) == (2, 2, 1, 10, 5)
    assert trace.answer is not None
    assert trace.answer.completion == trace.of(CompletionEvent)[1].id


def test_an_answer_stands_where_its_reply_does() -> None:
    make = builder()
    first = make.reply("a", time=5.0, source="3")
    make.reply("b", time=6.0, source="4")
    make.answer("a", completion=first)
    answer = make.build().answer
    assert answer is not None
    assert (answer.time, answer.source) == (5.0, "3")
    empty = builder()
    empty.answer("nobody said it")
    assert empty.build().answer is None


def test_who_wrote_an_item_decides_whom_to_trust() -> None:
    make = builder()
    make.hear(item("a", "system"))
    make.hear(item("b", author="tool"))
    make.hear(item("c", author="harness"))
    make.hear(item("d", "assistant"))
    make.request()
    (request,) = make.build().of(Request)
    assert [(one.author, one.trust) for one in request.items] == [
        ("system", "trusted"),
        ("tool", "untrusted"),
        ("harness", "trusted"),
        ("model", "untrusted"),
    ]


def test_a_defect_is_told() -> None:
    assert builder().build(defect="line 7 is missing").defect == "line 7 is missing"


def test_a_record_that_tells_nothing_and_may_be_another_is_none() -> None:
    with pytest.raises(NothingToldError, match=r"a message, a reply or a call was expected as .* line 7 is missing"):
        builder().build(defect="line 7 is missing", ours=False)
    unsent = builder()
    unsent.hear(item("Is anybody there?"))
    assert len(unsent.build(ours=False)) == 1


@pytest.mark.timeout(60)
@pytest.mark.parametrize("way", ["hear", "see"])
def test_a_long_conversation_is_no_more_work_a_message_than_a_short_one(way: str) -> None:
    """Looking at what was said before, for each of 50,000 messages, would take hours."""
    make = builder()
    for number in range(50_000):
        if way == "hear":
            make.hear(item(f"q{number}"))
        else:
            make.see([item(f"q{number}")], same=2 * number)
        make.reply(f"a{number}", calls=[make.propose("look")])
    assert len(make.build()) == 100_001


def test_arguments_that_are_not_recorded_are_not_an_empty_object() -> None:
    make = builder()
    make.begin("tide", source="1")
    make.begin("tide", {}, source="2")
    trace = make.build()
    begun = trace.of(ExecutionStarted)
    assert [event.arguments for event in begun] == [None, {}]
    assert [decode(encode(event)) for event in begun] == list(begun)
    assert [call.arguments for call in trace.calls] == [None, {}]


def test_ids_that_the_builder_makes_up_meet_none_of_the_file() -> None:
    make = builder()
    make.reply("", calls=[make.propose("look", call="call-1"), make.propose("look"), make.propose("look")])
    first = make.begin("look", execution="x1")
    second = make.begin("look")
    third = make.begin("look", execution="x2")
    assert len({first, second, third}) == 3
    for execution in (first, second, third):
        make.end(execution, result=execution)
    calls = make.build().calls
    assert len({call.id for call in calls}) == 3
    assert [call.result for call in calls] == [first, second, third]


def test_a_made_up_execution_gives_way_to_one_that_the_file_names_alike() -> None:
    make = builder()
    make.reply("", calls=[make.propose("look"), make.propose("look")])
    named = make.begin("look", execution="x2")
    made = [make.begin("look"), make.begin("look")]
    assert len({named, *made}) == 3


@given(st.lists(st.tuples(st.sampled_from(["", "scout", "judge"]), st.integers(0, 3)), max_size=14))
def test_agents_that_take_turns_keep_their_own_contexts(turns: list[tuple[str, int]]) -> None:
    make = builder()
    said: dict[str, list[str]] = {}
    sent = []
    for number, (name, cut) in enumerate(turns):
        make.seat(name)
        own = said.setdefault(name, [])
        if cut == 3:  # the context is given anew, without its beginning
            del own[:1]
        own.append(f"{name} question {number}")
        make.see([item(text, "assistant" if "answer" in text else "user") for text in own])
        make.request()
        sent.append(list(own))
        make.reply(f"{name} answer {number}")
        own.append(f"{name} answer {number}")
    trace = make.build()
    assert contexts(trace) == sent
    assert [decode(encode(event)) for event in trace] == list(trace)
    stays = Contexts(trace).stays
    for number, texts in enumerate(sent):
        held = sorted((stay.place, stay.text) for stay in stays if number in stay.requests)
        assert held == list(enumerate(texts))


def test_a_turn_of_another_agent_costs_no_context_anew() -> None:
    make = builder()
    for number in range(50):
        make.seat("")
        make.hear(item(f"question {number}"))
        make.reply(f"answer {number}")
        make.seat("scout")
        make.hear(item(f"look {number}"))
        make.reply(f"seen {number}")
    requests = make.build().of(Request)
    assert {len(request.items) for request in requests[2:]} == {2}
    assert requests[2].base == requests[0].id
