from __future__ import annotations

import pytest

from agentlab.audit.tooling import described_tools, known_tools
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.messages import ToolDescription
from agentlab.trace.values import Evidence


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


LISTED = (
    "You can call:\n- read_gauge: Reads a gauge.\n  Takes: {'name': str}\n- lightLamp: Lights a lamp.\n\n"
    '{"name": "tide", "description": "Tells the tide."} For example {"name": "moor", "arguments": {}}'
)


def test_what_each_tool_is_said_to_do() -> None:
    builder = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence())
    builder.describe(tools=(ToolDescription(name="lightLamp", description="Lights one lamp.", parameters={}),))
    builder.hear(Item(role="system", text=LISTED))
    builder.reply("Yes.")
    trace = builder.build()
    said = described_tools(trace)
    assert set(said) == {"read_gauge", "lightLamp", "tide"}
    assert said["read_gauge"].text == " Reads a gauge.\n  Takes: {'name': str}\n"
    assert said["lightLamp"].text == "Lights one lamp."
    assert (said["lightLamp"].event, said["lightLamp"].field) == (trace.started.id, "tools[0].description")
    gauge = said["read_gauge"]
    assert (gauge.field, LISTED[gauge.start : gauge.end]) == ("context[0].text", gauge.text)


def test_where_nothing_is_described() -> None:
    builder = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence())
    builder.hear(Item(role="user", text=LISTED))
    builder.reply("Yes.")
    assert described_tools(builder.build()) == {}
