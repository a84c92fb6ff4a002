from __future__ import annotations

import pytest

from agentlab.audit.tooling import known_tools
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.trace.values import Evidence, ToolDescription


def test_described_called_run_and_started() -> None:
    builder = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence())
    builder.describe(tools=(ToolDescription(name="lamp", description="", parameters={}),))
    builder.reply("", calls=[builder.propose("gauge", {})])
    builder.begin("sandbox", {})
    builder.seat("pilot")
    builder.reply("Here.")
    assert known_tools(builder.build()) == {"lamp", "gauge", "sandbox", "pilot"}


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("- read_gauge: Reads it.\n- Note: be brief.\n* `lightLamp` (at night)", {"read_gauge", "lightLamp"}),
        ("1. ask_pilot: asks.\n### keeper_2 (a helper)", {"ask_pilot", "keeper_2"}),
        ("def tide(at: str) -> str:\n    ...", {"tide"}),
        ('[{"type": "function", "function": {"name": "lamp", "parameters": {}}}]', {"lamp"}),
        ("The read_gauge tool is broken - do_not use: it", set()),
    ],
)
def test_what_a_prompt_lists(prompt: str, names: set[str]) -> None:
    builder = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence())
    builder.hear(Item(role="system", text=prompt))
    builder.hear(Item(role="user", text="- not_a_tool: mine"))
    builder.reply("Yes.")
    assert known_tools(builder.build()) == names
