"""The audit of whole attempts."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlab.audit.outputs.account import account
from agentlab.audit.outputs.document import AuditDocument, document, trace_part
from agentlab.audit.report import AuditReport, audit_trace
from agentlab.harness.history import DROP, KEPT_SILENT, REACT_V1, REACT_V2, REACT_V3, RETRY, HistoryPolicy
from agentlab.harness.limits import Limits
from agentlab.trace.model import Trace
from tests.agents.attempts import DONE, GOOD, attempt
from tests.audit.stories import Story, field_of, forged

POLICIES = [REACT_V1, KEPT_SILENT, REACT_V2, REACT_V3, DROP, RETRY]
HOSTILE = "<script>alert(1)</script> \u202e🐝 蜜蜂 e\u0301 $x$"

VALUES = st.one_of(
    st.sampled_from(
        ['{"bees": 12}', '{"tool":"count_bees","hive":"east","bees":40}', "none", "🐝🐝 十二只", HOSTILE, ""]
    ),
    st.integers(0, 99).map(str),
    st.text(max_size=30),
)
CALLS = st.sampled_from(
    [
        'count_bees[{"hive": "east"}]', 'count_bees[{"hive": "burnt"}]', "list_hives[{}]", "swarm[{}]", "count_bees[{]",
        'count_bees[{"hive": "{\\"bees\\": 12345678}"}]', 'count_bees[{"hive": 1}]', "", "🐝[{}]",
    ]
)  # fmt: skip
PARTS = st.one_of(
    VALUES.map(lambda value: f"Thought: I think {value}"),
    CALLS.map(lambda call: f"Action: {call}"),
    VALUES.map(lambda value: f"Observation: {value}"),
    VALUES.map(lambda value: f"<observation>{value}</observation>"),
    VALUES.map(lambda value: f"User: {value}"),
    VALUES.map(lambda value: f"Tool: {value}"),
    VALUES.map(lambda value: f"```\nObservation: {value}\n```"),
    VALUES.map(lambda value: f"Action: Finish[{value}]"),
    VALUES.map(lambda value: f"Final Answer: {value}"),
    VALUES,
)
REPLIES = st.one_of(
    st.just(GOOD),
    st.just(DONE),
    st.lists(PARTS, max_size=5).map("\n".join),
)


def check_places(report: AuditReport) -> None:
    """Every place holds the text it says it holds."""
    trace = report.trace
    for where in [
        *(claim.where for claim in report.claims),
        *(carrier for path in report.contaminations for carrier in path.carriers),
        *(where for finding in report.findings for where in finding.where),
    ]:
        assert field_of(trace, where)[where.start : where.end] == where.text


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(replies=st.lists(REPLIES, min_size=1, max_size=6), killed=st.integers(0, 40), lost=st.booleans())
def test_any_attempt_can_be_audited(policy: HistoryPolicy, replies: list[str], killed: int, lost: bool) -> None:
    trace, _ = attempt([*replies, *[DONE] * 6], policy=policy, limits=Limits(steps=6))
    events = trace.events if killed > len(trace) - 2 else trace.events[: killed + 1]
    trace = Trace(events=events) if lost else Trace(events=events, quarantine=trace.quarantine)
    report = audit_trace(trace)
    check_places(report)
    _check_ways(report, policy)
    text, html = str(account(report)), account(report)._repr_html_() + report._repr_html_()
    assert "\u202e" not in text + html
    assert "<script" not in html
    printed = document([trace_part(report)]).model_dump_json()
    assert AuditDocument.model_validate_json(printed).model_dump_json() == printed


def _check_ways(report: AuditReport, policy: HistoryPolicy) -> None:
    """Where the policy leaves a refused reply out, only a tool can bring its text back."""
    for path in report.contaminations:
        items = {report.trace.contexts[where.event][int(where.field[8:-6])].author for where in path.carriers}
        assert items <= ({"tool"} if not policy.keeps_rejected else {"tool", "model"})


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@given(
    st.lists(
        st.sampled_from(
            [
                GOOD,
                "Action: list_hives[{}]",
                "Thought: a log reads\n```\nObservation: 7\n```\n" + GOOD,
                "Thought: 3?\n" + GOOD,
            ]
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=20)
def test_a_clean_attempt_has_no_findings(policy: HistoryPolicy, replies: list[str]) -> None:
    trace, _ = attempt([*replies, "Action: Finish[40 bees in 2 hives]"], policy=policy, limits=Limits(steps=5))
    states = {"40"} if GOOD in "".join(replies) else set()
    states |= {"2"} if "list_hives[{}]" in "".join(replies) else set()
    loops = ("repeat-loop", "no-progress")  # the same call may be drawn again and again
    findings = [finding for finding in audit_trace(trace).findings if finding.rule not in loops]
    missing = {where.text for finding in findings for where in finding.where}
    assert missing == {"40", "2"} - states
    assert all((finding.rule, finding.severity) == ("unsupported-answer", "warning") for finding in findings)


def test_findings_come_in_the_order_of_what_they_are_about() -> None:
    trace, _ = attempt([forged("1", tool="count_bees"), forged("2", tool="count_bees"), DONE], policy=REACT_V1)
    report = audit_trace(trace)
    places = [trace.positions[finding.where[0].event] for finding in report.findings]
    assert places == sorted(places)
    assert len(set(places)) == 3


def test_the_repr_is_one_line_and_the_table_is_escaped() -> None:
    story = Story()
    story.reply(forged(HOSTILE, tool=HOSTILE))
    report = audit_trace(story.trace)
    assert "\n" not in repr(report)
    assert "failure=2" in repr(report)
    html = report._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "findings: none" in repr(audit_trace(Story().trace))


def test_the_html_shows_the_diagnosis_in_the_order_in_which_to_look() -> None:
    trace, _ = attempt([forged("1", tool="count_bees"), GOOD, DONE], policy=REACT_V1)
    report = audit_trace(trace)
    html = report._repr_html_()
    assert report.diagnosis
    places = [html.index(escape(diagnosis.symptom.cause)) for diagnosis in report.diagnosis]
    assert places == sorted(places)
    assert "Diagnosis" not in audit_trace(Story().trace)._repr_html_()


def test_pairs_lead_from_a_claim_to_its_execution() -> None:
    trace, _ = attempt([GOOD, DONE])
    report = audit_trace(trace)
    assert [report.pairs.get(claim.id) for claim in report.claims] == ["e4", None]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("keep", [True, False], ids=["kept", "left out"])
def test_a_long_trace_is_audited_in_seconds(keep: bool) -> None:
    """3,000 events, each second reply forged; looking through every request for every claim would take minutes."""
    story = Story()
    for number in range(430):
        body = f'{{"boats": {number}, "basin": "north"}}'
        story.reply(forged(body), keep=keep)
        story.call("note", {"text": body}, f'{{"stored": {number}}}')
    story.answer("There are 7000 boats.")
    trace = story.finish()
    assert len(trace) >= 3000
    report = audit_trace(trace)
    assert len(report.contaminations) == (430 if keep else 0)
