"""The rule about the record itself."""

from __future__ import annotations

from dataclasses import replace

from agentlab.audit.report import audit_trace
from agentlab.audit.rules.record import TRACE_DEFECT
from tests.audit.rules.chats import asks, found, gives, says, severities, user
from tests.audit.stories import Story, field_of


def test_a_damaged_record_is_a_warning_at_the_last_event_read() -> None:
    story = Story()
    story.call("note", {"text": "x"}, '"kept"')
    trace = replace(story.trace, damage="the last line was cut short after 9 bytes")
    (finding,) = audit_trace(trace).findings
    assert (finding.rule, finding.severity) == ("trace-defect", "warning")
    assert "the last line was cut short after 9 bytes" in finding.message
    (where,) = finding.where
    assert where.event == trace.events[-1].id
    assert field_of(trace, where)[where.start : where.end] == where.text


def test_a_whole_record_has_none() -> None:
    assert audit_trace(Story().trace).findings == ()


def test_a_result_under_an_id_that_no_call_has_is_a_warning_while_a_call_waits() -> None:
    task, asked = user("How deep is the north basin?"), asks(("a", "gauge", {"basin": "north"}))
    (finding,) = found(TRACE_DEFECT, task, asked, gives("z", "3 m"), says("3 m"))
    assert (finding.severity, finding.where[0].text) == ("warning", "3 m")
    assert "'z'" in finding.message
    assert not severities(TRACE_DEFECT, task, asked, gives("a", "3 m"), gives("z", "3 m"), says("3 m"))
    assert not severities(TRACE_DEFECT, task, gives("z", "3 m"), asked, gives("a", "3 m"), says("3 m"))
