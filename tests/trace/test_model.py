from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.reading import read_traces
from agentlab.strictjson import digest
from agentlab.trace.calls import TracedCall
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Notice,
    Observation,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.model import Trace
from agentlab.trace.values import ContextItem, ProposedCall
from tests.trace.samples import ATTEMPT, FORGED, TASK, played, said, started, trace_of

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
HOSTILE = "<script>alert(1)</script>\n\x1b[31m\u202e evil"


def reply(*calls: str, accepted: bool = True) -> CompletionEvent:
    proposed = tuple(
        ProposedCall(call=call, tool="count", arguments={"pond": 7} if accepted else None) for call in calls
    )
    text = "I count."
    return CompletionEvent(
        request="e1",
        digest=digest(text),
        characters=len(text),
        accepted=accepted,
        text=text if accepted else None,
        calls=proposed,
    )


def begun(call: str = "c1", execution: str = "x1") -> ExecutionStarted:
    return ExecutionStarted(execution=execution, call=call, tool="count", arguments={"pond": 7})


def ended(execution: str = "x1", *, error: str | None = None) -> ExecutionFinished:
    if error:
        return ExecutionFinished(execution=execution, status="failed", error=error, error_kind="crash")
    return ExecutionFinished(execution=execution, status="succeeded", result='{"herons":3}')


def seen(call: str = "c1", execution: str = "x1") -> Observation:
    return Observation(execution=execution, call=call, text="Observation: 3")


def sent(*origins: str) -> Request:
    items = [
        ContextItem(role="user", author="tool", trust="untrusted", digest=digest(o), text=o, origin=o) for o in origins
    ]
    return Request(items=tuple(items))


def only(*events: Event) -> TracedCall:
    (call,) = trace_of(*events).calls
    return call


# --- The state of a call: e1 is attempt_started, so the first event given is e2. ---


def test_unanswered_when_the_record_ends_with_the_proposal() -> None:
    assert only(reply("c1")) == TracedCall(
        id="c1", tool="count", arguments={"pond": 7}, state="unanswered", delivered=False, proposed_in="e2"
    )


def test_dropped_when_the_loop_goes_on_and_nothing_is_recorded_of_it() -> None:
    assert only(reply("c1"), sent("e2")).state == "dropped"


def test_unanswered_when_no_end_is_recorded() -> None:
    call = only(reply("c1"), begun())
    assert (call.state, call.executed_in, call.result, call.error) == ("unanswered", "e3", None, None)


def test_refused_by_the_schema() -> None:
    refusal = CallRefused(completion="e2", call="c1", code="unknown_tool", reason="There is no such tool.", digest="d")
    call = only(reply("c1"), refusal)
    assert (call.state, call.executed_in, call.delivered) == ("refused", None, False)


def test_refused_with_the_whole_reply() -> None:
    error = ProtocolErrorEvent(completion="e2", code="x", reason="r", digest=digest("I count."), start=0, end=1)
    call = only(reply("c1", accepted=False), error)
    assert (call.state, call.tool, call.arguments) == ("refused", "count", None)


def test_failed() -> None:
    call = only(reply("c1"), begun(), ended(error="no such pond"), seen())
    assert (call.state, call.error, call.result) == ("failed", "no such pond", None)
    assert (call.executed_in, call.observed_in) == ("e3", "e5")


def test_succeeded_but_not_delivered() -> None:
    call = only(reply("c1"), begun(), ended(), seen(), sent("e2", "e4"))
    assert (call.state, call.result, call.observed_in, call.delivered) == ("succeeded", '{"herons":3}', "e5", False)


@pytest.mark.parametrize("error", [None, "no such pond"])
def test_delivered_when_a_later_request_carries_the_observation(error: str | None) -> None:
    call = only(reply("c1"), begun(), ended(error=error), seen(), sent("e2", "e5"))
    assert call.delivered


def test_delivered_by_a_request_that_keeps_it() -> None:
    events = (reply("c1"), begun(), ended(), seen(), sent("e5"), Request(kept=1, items=()))
    assert only(*events).delivered


def test_an_answer_is_not_an_execution() -> None:
    call = only(reply("c1"), seen(execution=""), sent("e3"))
    assert (call.state, call.executed_in, call.observed_in, call.delivered) == ("answered", None, "e3", True)


def test_an_execution_nobody_proposed_comes_last() -> None:
    calls = trace_of(begun("c9", "x9"), ended("x9"), reply("c1"), begun(), ended()).calls
    assert [(call.id, call.proposed_in, call.executed_in, call.state) for call in calls] == [
        ("c1", "e4", "e5", "succeeded"),
        ("c9", None, "e2", "succeeded"),
    ]


def test_an_end_without_a_start_proves_nothing() -> None:
    assert only(reply("c1"), ended("x1"), sent("e2")).state == "dropped"


def test_a_refused_call_that_ran_all_the_same_is_shown_as_run() -> None:
    error = ProtocolErrorEvent(completion="e2", code="x", reason="r", digest=digest("I count."), start=0, end=1)
    assert only(reply("c1", accepted=False), error, begun(), ended()).state == "succeeded"


def test_a_call_id_that_comes_again_is_another_call() -> None:
    refusal = CallRefused(completion="e6", call="call_0", code="not_permitted", reason="Not allowed.", digest="d")
    calls = trace_of(
        *(reply("call_0"), begun("call_0", "x1"), ended("x1"), seen("call_0", "x1")),
        *(reply("call_0"), refusal),
        reply("call_0"),
        *(reply("call_0"), begun("call_0", "x2"), ended("x2", error="dry"), seen("call_0", "x2"), sent("e12")),
    ).calls
    assert [(call.state, call.proposed_in, call.observed_in, call.delivered) for call in calls] == [
        ("succeeded", "e2", "e5", False),
        ("refused", "e6", None, False),
        ("dropped", "e8", None, False),
        ("failed", "e9", "e12", True),
    ]


def test_a_second_run_of_one_proposal_was_not_proposed() -> None:
    calls = trace_of(reply("c1"), begun("c1", "x1"), ended("x1"), begun("c1", "x2"), ended("x2")).calls
    assert [(call.proposed_in, call.executed_in) for call in calls] == [("e2", "e3"), (None, "e5")]


@given(st.lists(st.sampled_from([reply("a", "b", "a"), reply("a"), begun("a"), begun("b"), seen("a", ""), ended()])))
def test_no_proposal_and_no_execution_is_ever_lost(events: list[Event]) -> None:
    executions = [replace(e, execution=f"x{n}") if isinstance(e, ExecutionStarted) else e for n, e in enumerate(events)]
    trace = trace_of(*executions)
    proposals = [event.id for event in trace.of(CompletionEvent) for _ in event.calls]
    assert [call.proposed_in for call in trace.calls if call.proposed_in] == proposals
    ran = [call.executed_in for call in trace.calls if call.executed_in]
    assert sorted(ran) == sorted(event.id for event in trace.of(ExecutionStarted))


# --- Reading a trace ---


def test_events_can_be_walked_counted_and_picked() -> None:
    trace = played()
    assert len(trace) == len(list(trace)) == 14
    assert [event.id for event in trace.of(Request)] == ["e2", "e6", "e11"]
    assert trace.by_id["e5"] is trace.of(Notice)[0]
    assert trace.positions["e5"] == 4
    assert trace.id == trace.started.attempt == ATTEMPT
    assert trace.evidence.times == trace.started.evidence.times


def test_end_and_answer_are_none_where_they_are_not_recorded() -> None:
    trace = trace_of(reply("c1"))
    assert trace.finished is None
    assert trace.answer is None


def test_of_several_answers_and_ends_the_last_counts() -> None:
    ends = [
        AttemptFinished(reason="answered", steps=n, requests=1, executions=0, duration=0.0, detail=str(n))
        for n in (1, 2)
    ]
    trace = trace_of(Answer(completion="e1", text="first"), Answer(completion="e1", text="last"), *ends)
    assert trace.answer is not None
    assert trace.answer.text == "last"
    assert trace.finished is not None
    assert trace.finished.steps == 2


@pytest.mark.parametrize("sample", ["inspect.json", "ag2.magentic-one.json", "otel-genai.json", "claude-code.jsonl"])
def test_the_context_of_one_request_is_that_among_all(sample: str) -> None:
    for trace in (played(), *read_traces(SAMPLES / sample)):
        for request in trace.of(Request):
            assert trace.context_of(request) == trace.contexts[request.id]


def test_contexts_carry_author_trust_and_origin() -> None:
    trace = played()
    context = trace.contexts["e11"]
    assert [(m.role, m.author, m.origin) for m in context] == [
        ("system", "system", None),
        ("user", "user", None),
        ("user", "harness", "e5"),
        ("assistant", "model", "e7"),
        ("user", "tool", "e10"),
    ]
    assert context[1] == said(TASK)
    assert context[:3] == trace.contexts["e6"]


def test_completion_text_comes_from_quarantine_or_is_lost() -> None:
    trace = played()
    rejected, accepted, _ = trace.of(CompletionEvent)
    assert trace.completion_text(rejected) == FORGED
    assert trace.completion_text(accepted) == accepted.text
    alone = Trace(events=trace.events)
    assert alone.completion_text(rejected) is None
    assert (trace.lost, alone.lost) == ((), (rejected,))
    assert [span.kind for span in alone.marks[rejected.id]] == ["observation"]


def test_a_lost_text_is_found_again_where_a_later_request_shows_it() -> None:
    shown = reply(accepted=False)
    item = ContextItem(role="assistant", author="model", trust="untrusted", digest=shown.digest, text="I count.")
    trace = trace_of(shown, Request(items=(item,)))
    assert [trace.completion_text(event) for event in trace.of(CompletionEvent)] == ["I count."]
    assert trace.lost == ()


def test_equal_records_are_equal_wherever_they_lie() -> None:
    assert Trace(events=played().events) == played()


# --- How it is shown ---


def test_repr_is_one_line_that_says_what_it_is() -> None:
    assert repr(played()) == (
        "<Trace attempt_0a0a0a0a… react react-v2 case='herons' events=14 executions=1 ended=answered>"
    )
    assert repr(trace_of()).endswith("events=1 executions=0 ended=not recorded>")


def hostile() -> Trace:
    changes = dict.fromkeys(("attempt", "run", "case", "condition", "agent", "loop_version", "model", "task"), HOSTILE)
    texts: Sequence[Event] = (
        Notice(code=HOSTILE, about="e1", text=HOSTILE * 400),
        ExecutionStarted(execution=HOSTILE, call=HOSTILE, tool=HOSTILE, arguments={HOSTILE: HOSTILE}),
        Observation(execution=HOSTILE, call=HOSTILE, text=HOSTILE),
        Answer(completion="e1", text=HOSTILE),
    )
    trace = trace_of(*texts)
    return Trace(events=(started(**changes, id="e1"), *trace.events[1:], Answer(id=HOSTILE, completion="e1", text="x")))


def test_hostile_trace_is_shown_as_harmless_text() -> None:
    trace = hostile()
    assert len(repr(trace).splitlines()) == 1
    assert len(repr(trace)) < 300
    page = trace._repr_html_()
    assert not re.search(r"<(?!/?(p|code|table|thead|tbody|tr|th|td)\b)", page)
    for shown in (repr(trace), page):
        assert not set("\x1b\u202e") & set(shown)


@pytest.mark.parametrize("trace", [played(), hostile()], ids=["played", "hostile"])
def test_html_shows_the_text_and_every_event_id(trace: Trace) -> None:
    page = html.unescape(trace._repr_html_())
    assert repr(trace) in page
    for event in trace.events[:-1]:
        assert f">{event.id}</td>" in page
        assert f">{event.type}</td>" in page


def test_the_main_agent_waits_while_an_agent_that_it_started_goes_on() -> None:
    sub = replace(sent("e2"), agent_name="scout")
    assert only(reply("c1"), sub).state == "unanswered"
    assert only(reply("c1"), sub, sent("e2")).state == "dropped"


def test_among_agents_that_take_turns_the_next_turn_is_the_loop_going_on() -> None:
    first, second = replace(reply("c1"), agent_name="anna"), replace(sent("e2"), agent_name="bert")
    assert only(first, second).state == "dropped"
