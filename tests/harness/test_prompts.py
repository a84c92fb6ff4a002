"""The system prompts: two versions that differ by one rule."""

from __future__ import annotations

import pytest

from agentlab.harness.contracts import ToolBox
from agentlab.harness.prompts import CHAT_V2, CHAT_V3, PROMPTS


def weigh(item: str) -> dict[str, object]:
    """Weigh an item."""
    return {"item": item}


TOOLS = ToolBox([weigh]).descriptions


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_versions_differ_by_the_prohibition_alone(language: str) -> None:
    with_rule = CHAT_V3.render(language, TOOLS).splitlines()  # type: ignore[arg-type]
    without = CHAT_V2.render(language, TOOLS).splitlines()  # type: ignore[arg-type]
    extra = [line for line in with_rule if line not in without]
    assert len(extra) == 1
    assert "Observation" in extra[0]
    assert [line for line in with_rule if line not in extra] == without


def test_every_tool_is_described() -> None:
    assert '- weigh[{"item":"..."}]: Weigh an item.' in CHAT_V3.render("en", TOOLS)


def test_versions_are_found_by_name() -> None:
    assert PROMPTS.names() == ("chat-v2", "chat-v3", "native-v1")
    assert PROMPTS.get("chat-v2") is CHAT_V2
