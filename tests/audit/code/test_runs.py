from __future__ import annotations

import pytest

from agentlab.audit.code.runs import code_runs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.messages import Arguments
from agentlab.trace.values import Evidence

FIRST = "Thought: I look.\nCode:\n```py\nlevel = gauge('north')\nprint(level)\n```"
CODE = "level = gauge('north')\nprint(level)"


def begun() -> TraceBuilder:
    return TraceBuilder("openinference", path="x", key=["k"], evidence=Evidence(executions="present"))


def ran(builder: TraceBuilder, tool: str, arguments: Arguments, result: str = "") -> None:
    builder.end(builder.begin(tool, arguments), result=result)


@pytest.mark.parametrize("arguments", [CODE, {"code": f"{CODE}\n"}, {"source": CODE, "timeout": 5}])
def test_a_run_belongs_to_the_reply_that_holds_its_program(arguments: Arguments) -> None:
    builder = begun()
    builder.reply(FIRST)
    ran(builder, "sandbox", arguments, "3 m")
    (run,) = code_runs(builder.build())
    assert run.text[run.start : run.end] == CODE
    assert run.program.calls == ("gauge", "print")
    assert run.execution.tool == "sandbox"
    assert run.inner == ()


def test_what_ran_inside_of_it_is_what_came_before_the_next_reply() -> None:
    builder = begun()
    builder.reply(FIRST)
    ran(builder, "sandbox", CODE)
    ran(builder, "gauge", {"place": "north"}, "3 m")
    builder.seat("helper")
    builder.reply("I help.")
    ran(builder, "search", {"q": "x"})
    builder.seat("")
    ran(builder, "lamp", {})
    builder.reply("Done.")
    ran(builder, "late", {})
    (run,) = code_runs(builder.build())
    assert [event.tool for event in run.inner] == ["gauge", "lamp"]


def test_a_program_that_no_reply_holds_is_nobodys() -> None:
    builder = begun()
    ran(builder, "sandbox", CODE)
    builder.reply("No code here.")
    ran(builder, "sandbox", {"code": "other()"})
    ran(builder, "sandbox", {"code": ""})
    ran(builder, "sandbox", {"code": 7})
    assert code_runs(builder.build()) == ()


def test_two_programs_of_one_reply() -> None:
    builder = begun()
    builder.reply("```py\none()\n```\nand\n```py\ntwo()\n```")
    ran(builder, "sandbox", "one()")
    ran(builder, "a", {})
    ran(builder, "sandbox", "two()")
    ran(builder, "b", {})
    assert [(run.program.calls, [e.tool for e in run.inner]) for run in code_runs(builder.build())] == [
        (("one",), ["a"]),
        (("two",), ["b"]),
    ]
