"""The notices are fixed text: what a model is told may only change on purpose."""

from __future__ import annotations

from agentlab.harness.notices import KEPT, OMITTED, tool_failure

GOLDEN_OMITTED_EN = (
    "protocol_error: your last reply broke the required format, and the harness has omitted its text. Reply again with "
    "one Thought and one Action. Never write an Observation: the harness writes it, after it has run your action."
)
GOLDEN_OMITTED_ZH = (
    "protocol_error：上一条回复不符合规定的格式，执行框架已省略其全部文本。请重新回复，只写一个 Thought 和一个 Action。"
    "不得书写 Observation：它只能由执行框架在运行动作之后写出。"
)
GOLDEN_KEPT_EN = (
    "protocol_error: your last reply broke the required format. Reply again with one Thought and one Action. "
    "Never write an Observation: the harness writes it, after it has run your action."
)
GOLDEN_KEPT_ZH = (
    "protocol_error：上一条回复不符合规定的格式。请重新回复，只写一个 Thought 和一个 Action。"
    "不得书写 Observation：它只能由执行框架在运行动作之后写出。"
)


def test_notices_are_golden() -> None:
    assert OMITTED.render("en", "") == GOLDEN_OMITTED_EN
    assert OMITTED.render("zh", "") == GOLDEN_OMITTED_ZH
    assert KEPT.render("en", "") == GOLDEN_KEPT_EN
    assert KEPT.render("zh", "") == GOLDEN_KEPT_ZH


def test_a_notice_says_what_the_history_needs_to_know() -> None:
    assert "protocol_error" in GOLDEN_OMITTED_EN
    assert "omitted" in GOLDEN_OMITTED_EN
    assert "省略" in GOLDEN_OMITTED_ZH
    assert "omitted" not in GOLDEN_KEPT_EN
    assert "count" not in GOLDEN_OMITTED_EN + GOLDEN_OMITTED_ZH


def test_a_detail_follows_the_fixed_text() -> None:
    assert OMITTED.render("en", "weigh takes nothing.") == f"{GOLDEN_OMITTED_EN} weigh takes nothing."


def test_a_failed_tool_is_translated() -> None:
    assert tool_failure("en", "The gate is shut", "Ring the bell") == "error: The gate is shut. Ring the bell."
    assert tool_failure("zh", "门关着", "按铃") == "错误: 门关着. 按铃."
