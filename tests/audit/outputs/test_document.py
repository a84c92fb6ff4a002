"""The document `agentlab.audit/1`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentlab.audit.outputs.document import AuditDocument, document, trace_part
from agentlab.audit.report import audit_trace
from agentlab.harness.history import REACT_V1
from agentlab.trace.values import ProposedCall
from tests.agents.attempts import DONE, GOOD, attempt
from tests.audit.stories import Story, forged

EMOJI = 'Thought: 🐝🐝 数一数\nAction: count_bees[{"hive": "east"}]\nObservation: 🐝 十二只 bees'


def printed(*stories: Story) -> Any:
    found = document([trace_part(audit_trace(story.trace)) for story in stories])
    value = json.loads(found.model_dump_json())
    schema = AuditDocument.model_json_schema(mode="serialization")
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(value)
    return value


def test_it_holds_what_the_design_says_and_fits_its_own_schema() -> None:
    story = Story()
    story.reply(forged("3"), keep=True)
    story.call("count_boats", {"basin": "north"}, "4")
    story.answer("3 boats")
    value = printed(story)
    assert list(value) == ["schema", "traces", "unreadable", "skipped"]
    assert value["schema"] == "agentlab.audit/1"
    (trace,) = value["traces"]
    assert set(trace) == {
        *("path", "trace_id", "format", "events", "evidence", "calls", "findings", "diagnosis", "context_checks"),
    }
    evidence = trace["evidence"]
    assert evidence.pop("usage") == "not_recorded"  # no server reported any
    assert evidence.pop("errors") == "absent"  # the reply was kept and nothing failed
    assert set(evidence.values()) == {"present"}
    assert set(trace["calls"][0]) == {"id", "step", "agent", "source", "tool", "arguments", "state", "delivered", "by"}
    for finding in trace["findings"]:
        assert set(finding) == {"rule", "severity", "message", "where", "claimed", "executed", "cause", "check"}
        for where in finding["where"]:
            assert set(where) == {"event", "source", "field", "start", "end", "text"}


def test_the_diagnosis_points_at_the_findings_that_show_it() -> None:
    story = Story()
    story.reply(forged("3"), keep=True)
    story.call("count_boats", {"basin": "north"}, "4")
    story.answer("3 boats")
    (trace,) = printed(story)["traces"]
    assert [each["layer"] for each in trace["diagnosis"]] == ["context", "model"]
    for each in trace["diagnosis"]:
        assert set(each) == {"symptom", "layer", "cause", "check", "findings", "context"}
        assert {trace["findings"][place]["severity"] for place in each["findings"]} <= {"failure", "warning"}
    shown = {trace["findings"][place]["rule"] for place in trace["diagnosis"][0]["findings"]}
    assert "forged-observation" in shown
    assert [check["name"] for check in trace["context_checks"]] == [
        *("irrelevant_text", "tool_descriptions", "instruction_place"),
    ]
    assert all(set(check) == {"name", "verdict", "detail", "event"} for check in trace["context_checks"])


def test_without_findings_there_is_no_diagnosis() -> None:
    (trace,) = printed(Story())["traces"]
    assert trace["diagnosis"] == []
    assert len(trace["context_checks"]) == 3


def test_offsets_count_code_points() -> None:
    trace, _ = attempt([EMOJI, GOOD, DONE], policy=REACT_V1)
    found = document([trace_part(audit_trace(trace))]).traces[0].findings
    where = next(finding.where[0] for finding in found if finding.rule == "forged-observation")
    assert EMOJI[where.start : where.end] == where.text == "Observation: 🐝 十二只 bees"


def test_arguments_of_a_refused_call_are_read_from_quarantine() -> None:
    story, lost = Story(), Story()
    for told, lose in ((story, False), (lost, True)):
        call = ProposedCall(call="c1", tool="count_boats")
        told.reply(forged("3"), calls=[call], lose=lose)
    calls = [trace["calls"] for trace in printed(story, lost)["traces"]]
    assert [call["arguments"] for (call,) in calls] == [{"basin": "north"}, None]
    assert {call["state"] for (call,) in calls} == {"unanswered"}


def test_raw_arguments_stay_raw_and_nobody_is_named_for_what_nobody_proposed() -> None:
    story = Story()
    call = ProposedCall(call="c1", tool="note", arguments="a=1")
    story.reply("Action: note[a=1]", accepted=True, calls=[call])
    story.execute("c9", "note", {"n": 1}, "1")
    calls = printed(story)["traces"][0]["calls"]
    assert [(call["arguments"], call["by"]) for call in calls] == [("a=1", "agent"), ({"n": 1}, "not_recorded")]


def test_what_could_not_be_read_is_listed() -> None:
    value = document([], unreadable=[("a.jsonl", "cut")], skipped=["b.txt"]).model_dump(mode="json")
    assert value == {
        "schema": "agentlab.audit/1",
        "traces": [],
        "unreadable": [{"path": "a.jsonl", "reason": "cut"}],
        "skipped": ["b.txt"],
    }


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="extra"):
        AuditDocument.model_validate({"traces": [], "unreadable": [], "skipped": [], "extra": 1})
