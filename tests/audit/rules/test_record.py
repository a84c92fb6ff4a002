"""The rule about the record itself."""

from __future__ import annotations

from dataclasses import replace

from agentlab.audit.report import audit_trace
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
