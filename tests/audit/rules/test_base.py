"""What a rule makes of a crossing."""

from __future__ import annotations

from agentlab.audit.reading import read
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.values import Where
from tests.audit.stories import Story

WHERE = Where(event="e1", field="task", start=0, end=3, text="How")


def test_a_finding_carries_its_rule_and_the_severity_of_the_crossing() -> None:
    rule = Rule(
        id="any-letter",
        severity="warning",
        meaning="There is a letter.",
        cause="Somebody wrote.",
        check="Read it.",
        find=lambda _: [Crossing(message="m", where=(WHERE,)), Crossing(message="n", where=(WHERE,), severity="note")],
    )
    first, second = rule.judge(read(Story().trace))
    assert (first.rule, first.severity, first.cause, first.check) == (
        "any-letter",
        "warning",
        "Somebody wrote.",
        "Read it.",
    )
    assert (second.message, second.severity) == ("n", "note")


def test_a_tool_without_a_name_and_one_with_too_much_of_it() -> None:
    assert tool_name("") == tool_name(None) == "an unnamed tool"
    assert len(tool_name("x" * 999)) == 60
