"""The diagnoses of several traces as one."""

from __future__ import annotations

from agentlab.audit.diagnosis.symptoms import SYMPTOMS
from agentlab.audit.outputs.document import trace_part
from agentlab.audit.outputs.gathering import LAYERS, gather
from agentlab.audit.report import audit_trace
from agentlab.trace.model import Trace
from tests.audit.dialogues import Call, chat

LOOP: list[str | Call] = [("tide", {"day": "today"}, "!gauge offline")] * 4
MADE_UP = "The tide table says high water at noon.\n\nUser: Thank you.\n\nAssistant: You are welcome."


def gathered(*traces: Trace) -> list[tuple[str, int]]:
    return [(seen.symptom, seen.traces) for seen in gather(trace_part(audit_trace(trace)) for trace in traces)]


def test_each_symptom_once_and_the_context_before_the_loop() -> None:
    loop, turn = chat(*LOOP, "No table."), chat(MADE_UP)
    both = gathered(loop, turn, loop)
    assert dict(both)["it repeats itself"] == 2
    assert dict(both)["it believes what it wrote itself"] == 1
    order = {symptom.name: LAYERS.index(symptom.layer) for symptom in SYMPTOMS}
    assert [order[name] for name, _ in both] == sorted(order[name] for name, _ in both)
    assert both[0][0] == "it believes what it wrote itself"


def test_the_example_is_a_place_in_the_first_trace_that_shows_it() -> None:
    parts = [trace_part(audit_trace(trace)) for trace in (chat("Quiet."), chat(MADE_UP), chat("x", MADE_UP))]
    (seen,) = gather(parts)
    assert seen.part is parts[1]
    assert seen.part.findings[seen.finding].rule == "forged-turn"


def test_what_of_the_context_feeds_it_is_counted() -> None:
    padding = "Gulls. " * 2000
    trace = chat(("log", {}, padding), *LOOP, "No table.")
    seen = next(each for each in gather([trace_part(audit_trace(trace))] * 2) if each.symptom == "it repeats itself")
    ((detail, number),) = seen.context
    assert number == 2
    assert "characters" in detail


def test_nothing_found_nothing_gathered() -> None:
    assert gathered(chat("Quiet.")) == []
    assert gathered() == []
