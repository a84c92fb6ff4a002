from __future__ import annotations

from agentlab.experiments.case import case_names, load_case
from agentlab.experiments.checks import AnswerNumber, Executed
from agentlab.experiments.toolfields import misnamed
from agentlab.providers.behaviour import PlanStep


def test_the_shipped_cases_name_what_their_tools_have() -> None:
    for name in case_names():
        file = load_case(name).file
        assert list(misnamed(file.checks, file.simulated.plan)) == []


def test_every_stranger_is_named_with_its_place() -> None:
    checks = [
        AnswerNumber(kind="answer_number", value=1, units=["times"]),
        Executed(kind="executed", tool="list_blocks", arguments={"firts": 1, "limit": 2}, result={"totals": 3}),
    ]
    plan = [PlanStep(tool="list_documents", arguments={"all": True}, forged={"tool": "list_documents"})]
    assert list(misnamed(checks, plan)) == [
        "checks.1.executed.arguments: 'firts' is no argument of list_blocks; there is document, first, limit",
        (
            "checks.1.executed.result: 'totals' is no field of what list_blocks returns; "
            "there is tool, document, total, blocks"
        ),
        "simulated.plan.0.arguments: 'all' is no argument of list_documents; there is none",
    ]


def test_a_tool_that_is_not_known_is_passed_over() -> None:
    plan = [PlanStep(tool="ring_bell", arguments={"times": 2}, forged={"tool": "ring_bell"})]
    assert list(misnamed([], plan)) == []
