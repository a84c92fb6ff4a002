from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from agentlab.audit.diagnosis.context import ContextCheck, context_checks
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.messages import ToolDescription
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Request
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

TASK = "List the lighthouses that are lit at noon."


def sent(*items: Item, task: str = TASK, tools: Sequence[ToolDescription] = ()) -> Trace:
    builder = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence())
    builder.describe(task=task, tools=tuple(tools))
    builder.see(items)
    builder.request()
    builder.reply("None is.", remembered=False)
    return builder.build()


def user(text: str) -> Item:
    return Item(role="user", text=text)


def tool(name: str, description: str, /, **parameters: JSONValue) -> ToolDescription:
    given: Mapping[str, JSONValue] = {"type": "object", "properties": parameters}
    return ToolDescription(name=name, description=description, parameters=given)


def check(trace: Trace, name: str) -> ContextCheck:
    return next(each for each in context_checks(trace) if each.name == name)


@pytest.mark.parametrize(
    ("items", "verdict", "detail"),
    [
        ((user(TASK), user("a" * 900)), "good", "0 of 942 characters are repeated"),
        ((user(TASK), user("a" * 3000), user("a" * 3000)), "poor", "3000 of 6042 characters stand in the context more"),
        ((user(TASK), Item(role="tool", text="b" * 9000)), "poor", "One tool result takes up 9000 of 9042"),
        ((user(TASK), user("b" * 9000)), "good", "the longest tool result has 0"),
    ],
)
def test_text_that_nobody_needs(items: tuple[Item, ...], verdict: str, detail: str) -> None:
    trace = sent(*items)
    found = check(trace, "irrelevant_text")
    assert found.verdict == verdict
    assert detail in found.detail
    assert found.event == trace.of(Request)[0].id


@pytest.mark.parametrize(
    ("tools", "verdict", "detail"),
    [
        ((), "not_recorded", "No tool's description is on record."),
        ((tool("lamp", "Tells whether a lamp is lit.", name={"description": "Of the lamp."}),), "good", "All 1 tools"),
        ((tool("lamp", "lamp"),), "poor", "1 of 1 tools are poorly described: lamp (hardly any description)."),
        ((tool("lamp", "Tells whether a lamp is lit.", name={}, at=True),), "poor", "lamp (nothing on name, at)."),
        (tuple(tool(f"t{n}", "") for n in range(6)), "poor", "and 2 more."),
    ],
)
def test_descriptions_of_tools(tools: tuple[ToolDescription, ...], verdict: str, detail: str) -> None:
    found = check(sent(user(TASK), tools=tools), "tool_descriptions")
    assert found.verdict == verdict
    assert detail in found.detail


@pytest.mark.parametrize(
    ("prompt", "verdict", "detail"),
    [
        (
            "Call:\n- read_gauge: Reads a gauge of the harbour.",
            "good",
            "All 1 tools that the prompt lists are described.",
        ),
        ("Call:\n- read_gauge: Reads a gauge.\n- light_lamp: lamp", "poor", "light_lamp (hardly any description)."),
    ],
)
def test_descriptions_in_a_prompt(prompt: str, verdict: str, detail: str) -> None:
    found = check(sent(Item(role="system", text=prompt), user(TASK)), "tool_descriptions")
    assert found.verdict == verdict
    assert detail in found.detail


@pytest.mark.parametrize(
    ("items", "verdict"),
    [
        ((user(TASK), user("x" * 20_000)), "good"),
        ((user("x" * 20_000), user(f"And now: {TASK}")), "good"),
        ((user("x" * 20_000), user(TASK), user("y" * 20_000)), "poor"),
        ((user("x" * 1000), user(TASK), user("y" * 1000)), "good"),
        ((user("x"),), "poor"),
    ],
)
def test_the_place_of_the_instruction(items: tuple[Item, ...], verdict: str) -> None:
    assert check(sent(*items), "instruction_place").verdict == verdict


def test_without_a_context_nothing_is_said() -> None:
    trace = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence()).build()
    assert {each.verdict for each in context_checks(trace)} == {"not_recorded"}


def test_another_context_than_the_largest_can_be_asked() -> None:
    builder = TraceBuilder("openai-chat", path="x", key=["k"], evidence=Evidence())
    builder.describe(task=TASK)
    for items in ([user(TASK)], [user(TASK), user("b" * 900)]):
        builder.see(items)
        builder.request()
        builder.reply("None is.")
    trace = builder.build()
    first, last = trace.of(Request)
    assert context_checks(trace) == context_checks(trace, last)
    checks = {each.name: each for each in context_checks(trace, first)}
    assert checks["irrelevant_text"].event == first.id
    assert checks["instruction_place"].detail == "The task begins after 0 of 42 characters, with 0 behind it."
