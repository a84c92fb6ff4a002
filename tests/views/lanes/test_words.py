from __future__ import annotations

from dataclasses import replace

import pytest

from agentlab.audit.outputs.account import account
from agentlab.audit.report import audit_trace
from agentlab.formats.building.builder import TraceBuilder
from agentlab.strictjson import JSONValue
from agentlab.trace.events import ProtocolErrorEvent
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, Span
from agentlab.views.lanes.labels import call_text, claim_text, result_text
from agentlab.views.lanes.scene import Scene
from agentlab.views.lanes.words import clauses, count, headline, outcome, verdict
from tests.views import audited
from tests.views.audited import Attempt, Report


def said(report: Report) -> str:
    return verdict(Scene.of(report))


def test_the_verdict_counts_calls_forgeries_and_carriers() -> None:
    assert said(audited.clean()) == "The model wrote no result itself. 2 of 2 claimed calls executed."
    assert said(audited.contaminated()) == (
        "The model wrote 1 result itself, without an execution. 2 of 4 requests carried forged text on. "
        "The answer rests on it. 2 of 3 claimed calls executed, 1 refused."
    )


@pytest.mark.parametrize(
    ("results", "turns", "words"),
    [
        (2, 0, "wrote 2 results itself"),
        (0, 1, "wrote 1 turn itself"),
        (1, 1, "wrote 2 results or turns itself"),
    ],
)
def test_the_verdict_names_what_was_forged(results: int, turns: int, words: str) -> None:
    attempt = Attempt()
    attempt.forged("read_page", {}, *["tides"] * results, turns=("Go on.",) * turns)
    assert words in said(attempt.finish(None))


def test_an_attempt_without_calls_and_requests_says_so() -> None:
    start = audited.clean().trace.events[0]
    assert said(Report(trace=Trace(events=(start,)))) == "The model wrote no result itself. No call was claimed."


@pytest.mark.parametrize("extra", [None, {"content": "not recorded"}])
def test_a_foreign_record_without_a_reply_is_not_called_clean(extra: dict[str, JSONValue] | None) -> None:
    builder = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence())
    if extra is not None:
        builder.reply("", extra=extra)
    trace = builder.build()
    assert said(Report(trace=trace)).startswith("No reply of the model is on record, so what it wrote itself cannot be")
    told = {question: [line.text for line in lines] for question, lines in account(audit_trace(trace)).answers}
    assert told["Where did it forge?"] == ["That cannot be told: no reply of the model is on record."]
    assert told["What did it believe it held?"] == ["That cannot be told either."]


def test_lost_replies_leave_open_what_was_forged() -> None:
    report = audited.contaminated()
    unread = Report(trace=report.trace)
    assert said(unread).startswith(
        "Whether the model wrote a result there itself cannot be told: the text of 1 reply is not in quarantine."
    )
    events = tuple(
        replace(event, forged=(Span(start=0, end=4, kind="observation"),))
        if isinstance(event, ProtocolErrorEvent)
        else event
        for event in report.trace
    )
    assert said(Report(trace=Trace(events=events))).startswith(
        "The harness marked 1 forged text in refused replies; what became of it cannot be told: the text of 1 reply is "
        "not in quarantine."
    )


def test_clauses_are_the_sentences_of_the_verdict() -> None:
    scene = Scene.of(audited.repaired())
    assert [f"{clause[0].upper()}{clause[1:]}." for clause in clauses(scene)] == verdict(scene).replace(
        ". ", ".\n"
    ).split("\n")


def test_headline_and_outcome_name_loop_prompt_and_end() -> None:
    assert headline(audited.clean().trace) == "react · loop react-v2 · prompt chat-v3 · case tide-tables · attempt 1"
    assert outcome(audited.clean().trace) == "answered: High water at Norwick is at 04:12 and 16:40."
    assert outcome(audited.unfinished().trace) == "no answer: step_limit (12 of 12 steps were used)"
    assert outcome(audited.hostile().trace).startswith("answered: $\\frac")
    assert "loop not recorded" in headline(audited.unrecorded().trace)


def test_numbers_have_their_plural() -> None:
    assert [count(n, "step") for n in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]


def test_calls_are_written_with_their_arguments_whatever_those_are() -> None:
    assert call_text("read", {"page": 3, "of": ["a", None]}) == 'read(page=3, of=["a",null])'
    assert call_text("read", "page 3") == "read(page 3)"
    assert call_text("read", None) == "read(…)"
    assert call_text(None, {}) == "?()"
    assert call_text("read", {"page": float("nan"), "name": "\ud800"}) == "read(page=<float>, name=<str>)"


def test_a_claim_shows_its_body_and_else_its_text() -> None:
    claim = audited.contaminated().claims[2]
    assert claim_text(claim) == '{"high_water":["05:55","18:20"]}'
    assert claim_text(replace(claim, body="")) == claim.where.text
    assert claim_text(replace(claim, kind="call", tool=None, body="")) == claim.where.text


def test_results_errors_and_their_absence_are_told_apart() -> None:
    entry = audited.clean().ledger[0]
    assert result_text(entry) == '{"tables":["norwick-may"]}'
    assert result_text(replace(entry, result=None, error="no such table")) == "failed: no such table"
    assert result_text(replace(entry, result=None)) == "no result recorded"
