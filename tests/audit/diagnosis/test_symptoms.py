from __future__ import annotations

from dataclasses import replace

import pytest

from agentlab.audit.diagnosis.symptoms import SYMPTOMS, diagnose
from agentlab.audit.values import Finding, Severity, Where
from agentlab.messages import ToolDescription
from agentlab.trace.events import AttemptStarted
from agentlab.trace.model import Trace
from tests.trace.samples import played

WHERE = Where(event="e3", field="text", start=0, end=1, text="x")


def found(rule: str, severity: Severity = "failure") -> Finding:
    return Finding(
        rule=rule, severity=severity, message="m", where=(WHERE,), claimed=None, executed=None, cause="c", check="k"
    )


def with_tools(*tools: ToolDescription) -> Trace:
    first, *rest = played().events
    assert isinstance(first, AttemptStarted)
    return Trace(events=(replace(first, tools=tools), *rest), quarantine=played().quarantine)


def test_nothing_loud_is_no_symptom() -> None:
    assert diagnose(played(), [found("repeat-loop", "note"), found("repeat-loop", "undecidable")]) == ()


def test_the_context_comes_first_and_the_model_last() -> None:
    rules = ("unsupported-answer", "malformed-call", "repeat-loop", "unknown-tool")
    shown = diagnose(played(), [found(rule) for rule in rules])
    assert [each.symptom.layer for each in shown] == ["context", "loop", "tool_calls", "model"]
    assert [each.findings[0].rule for each in shown] == list(reversed(rules))


def test_a_symptom_holds_all_its_findings() -> None:
    findings = [found("repeat-loop"), found("no-progress", "warning"), found("malformed-call")]
    loop, calls = diagnose(played(), findings)
    assert loop.findings == tuple(findings[:2])
    assert calls.findings == tuple(findings[2:])


@pytest.mark.parametrize(("description", "fed"), [("", True), ("Counts the birds on one pond, by its number.", False)])
def test_what_is_poor_in_the_context_stands_with_the_symptom_it_feeds(description: str, fed: bool) -> None:
    trace = with_tools(ToolDescription(name="count", description=description, parameters={}))
    (shown,) = diagnose(trace, [found("unknown-tool")])
    assert [check.name for check in shown.context] == (["tool_descriptions"] if fed else [])


def test_no_rule_shows_two_symptoms() -> None:
    rules = [rule for symptom in SYMPTOMS for rule in symptom.rules]
    assert len(rules) == len(set(rules))
    assert len({symptom.name for symptom in SYMPTOMS}) == len(SYMPTOMS)
