"""Claims proposed from outside: words that stand nowhere are discarded, and the ledger alone gives a verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.outside import Assessment, Proposal, assess, proposals_from, proposals_schema
from agentlab.errors import UsageError
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace
from tests.audit.dialogues import chat
from tests.audit.stories import Story


def last(trace: Trace) -> str:
    return trace.of(CompletionEvent)[-1].id


def assessed(trace: Trace, kind: str, quote: str, **more: Any) -> Assessment:
    place = more or {"event": last(trace)}
    proposal = Proposal(kind=kind, quote=quote, claim="what a judge says", **place)  # type: ignore[arg-type]
    (found,) = assess(trace, [proposal])
    return found


WRITTEN = ("write_file", {"path": "tide.md", "text": "high"}, "written 4 bytes")
FAILED = ("run_tests", {}, "3 passed, 2 failed")


@pytest.mark.parametrize(
    ("kind", "said", "quote", "verdict"),
    [
        ("change", "I saved it to tide.md.", "saved it to tide.md", "supported"),
        ("change", "It went into reef.md this time.", "It went into reef.md this time.", "unexecuted"),
        ("check", "And so the suite came back green.", "the suite came back green", "contradicted"),
        ("check", "All tests pass.", "All tests pass", "contradicted"),
        ("change", "Next I will put it into reef.md.", "put it into reef.md", "open"),
        ("change", "It went nowhere near reef.md, not at all.", "It went nowhere near reef.md", "open"),
        ("change", "Does it go into reef.md now?", "it go into reef.md", "open"),
    ],
)
def test_the_ledger_decides(kind: str, said: str, quote: str, verdict: str) -> None:
    trace = chat(WRITTEN, FAILED, said)
    found = assessed(trace, kind, quote)
    assert found.verdict == verdict
    assert found.where is not None
    assert found.where.text == quote


@pytest.mark.parametrize("kind", ["check", "change", "state", "lookup", "completion"])
@pytest.mark.parametrize(
    "quote",
    [
        "<b>ebb</b>",
        "<a href='reef.md'>here</a>",
        "reef.md",
        "`reef.md`",
        "the plan reef.md",
        "see reef.md",
        "1/2",
        "He said that all tests passed.",
        "According to Mara, reef.md is live.",
        "The pilot claims reef.md was saved.",
        "她说测试全部通过。",
    ],
)
def test_what_states_nothing_of_the_models_own_is_not_held_against_it(kind: str, quote: str) -> None:
    for first in (FAILED, ("list_files", {"path": "pier"}, "mole.py")):
        assert assessed(chat(first, f"Well.\n\n{quote}\n\nSo far."), kind, quote).verdict == "open"


def test_what_states_something_else_is_not_held_by_the_kind_proposed() -> None:
    trace = chat(FAILED, "I saved the tides to reef.md.")
    assert assessed(trace, "check", "I saved the tides to reef.md.").verdict == "open"
    assert assessed(trace, "change", "I saved the tides to reef.md.").verdict == "unexecuted"


def test_a_verdict_names_the_call_that_it_rests_on() -> None:
    trace = chat(FAILED, "So the suite is green.")
    found = assessed(trace, "check", "the suite is green")
    assert found.event in trace.by_id
    assert "2 failed" in found.why


@pytest.mark.parametrize("quote", ["the suite is red", "The suite is green", "the  suite is green"])
def test_words_that_do_not_stand_there_are_discarded(quote: str) -> None:
    found = assessed(chat(FAILED, "So the suite is green."), "check", quote)
    assert found.discarded
    assert found.verdict is None
    assert found.why


def test_a_result_is_not_the_models_word() -> None:
    assert assessed(chat(FAILED, "I am done."), "check", "3 passed, 2 failed").discarded


def test_a_quote_of_a_forged_result_is_no_claim_of_the_models() -> None:
    story = Story()
    reply = story.reply("Thought: I count.\nObservation: saved to reef.md\n", accepted=True)
    story.answer("12")
    assert assessed(story.trace, "change", "saved to reef.md", event=reply.id).discarded


def test_a_refused_reply_reached_nobody() -> None:
    story = Story()
    reply = story.reply("All of it is saved to reef.md.")
    assert assessed(story.trace, "change", "saved to reef.md", event=reply.id).discarded


def test_a_place_is_a_round_as_well() -> None:
    story = Story()
    story.call("note", {"text": "x"}, '{"ok": true}')
    reply = story.reply("I have put it into reef.md.", accepted=True)
    found = assessed(story.trace, "change", "put it into reef.md", step=reply.step)
    assert found.where is not None
    assert found.where.event == reply.id


@pytest.mark.parametrize("place", [{"event": "e9999"}, {"step": 99}])
def test_an_unknown_place_is_discarded(place: dict[str, Any]) -> None:
    assert assessed(chat(FAILED, "The suite is green."), "check", "suite is green", **place).discarded


def test_a_source_must_stand_in_the_quote() -> None:
    trace = chat(("measure_depth", {}, "4"), "measure_depth returned 40.")
    proposal = Proposal(kind="report", quote="returned 40", event=last(trace), claim="c", source="measure_depth")
    (found,) = assess(trace, [proposal])
    assert found.discarded


def test_where_nothing_is_recorded_nothing_is_held() -> None:
    story = Story(executions="not_recorded", proposals="not_recorded", results="not_recorded")
    reply = story.reply("It went into reef.md this time.", accepted=True)
    assert assessed(story.trace, "change", "It went into reef.md", event=reply.id).verdict == "open"


GOOD: dict[str, Any] = {"kind": "check", "quote": "all green", "event": "e3", "claim": "the tests passed"}


def test_a_list_of_proposals_is_read() -> None:
    (found,) = proposals_from(json.dumps([GOOD]))
    assert found == Proposal(**GOOD)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "nonsense",
        "[NaN]",
        '[{"kind": "check", "kind": "check"}]',
        json.dumps([{**GOOD, "verdict": "contradicted"}]),
        json.dumps([{**GOOD, "step": 2}]),
        json.dumps([{key: value for key, value in GOOD.items() if key != "event"}]),
        json.dumps([{**GOOD, "kind": "lie"}]),
        json.dumps([{**GOOD, "quote": ""}]),
        json.dumps([{**GOOD, "step": "2", "event": None}]),
        json.dumps([GOOD] * 1001),
    ],
)
def test_what_fits_no_schema_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        proposals_from(text)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 300


def test_the_schema_has_no_place_for_a_verdict() -> None:
    schema = proposals_schema()
    assert "verdict" not in json.dumps(schema) or "verdict" not in schema["$defs"]["Proposal"]["properties"]  # type: ignore[index]
    assert schema["$defs"]["Proposal"]["additionalProperties"] is False  # type: ignore[index]


@given(
    st.text(min_size=2, max_size=200), st.sampled_from(["check", "change", "lookup", "report", "completion", "state"])
)
def test_any_quote_of_any_text_can_be_assessed(text: str, kind: str) -> None:
    trace = chat(WRITTEN, "ok " + text.replace("\ud800", ""))
    said = trace.completion_text(trace.of(CompletionEvent)[-1]) or ""
    found = assessed(trace, kind, said[:4000])
    assert found.discarded or (
        found.where is not None and said[found.where.start : found.where.end] == found.where.text
    )
