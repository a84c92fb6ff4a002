from __future__ import annotations

from agentlab.audit.claims.answering import GivenAnswer, given_answers, passed_texts
from agentlab.audit.claims.claims import claims_of
from agentlab.audit.code.runs import code_runs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence


def begun() -> TraceBuilder:
    return TraceBuilder("openinference", path="x", key=["k"], evidence=Evidence(executions="present"))


def answers(trace: Trace) -> list[GivenAnswer]:
    return list(given_answers(trace, claims_of(trace), code_runs(trace)))


def test_a_program_that_calls_a_tool_for_finishing_gives_what_it_passes() -> None:
    builder = begun()
    builder.reply("Code:\n```py\nlevel = 3\nfinal_answer(f'{level} m')\n```")
    builder.end(builder.begin("sandbox", "level = 3\nfinal_answer(f'{level} m')"), result="3 m")
    (found,) = answers(builder.build())
    assert found.where.text == "f'{level} m'"
    assert found.run is not None
    assert found.run.text[found.where.start : found.where.end] == found.where.text
    assert found.is_final


def test_a_call_of_a_tool_for_finishing() -> None:
    builder = begun()
    calls = [builder.propose("gauge", {"at": "north"}), builder.propose("submit_answer", {"text": "3 m", "n": 1})]
    builder.reply("So it is.", calls=calls)
    trace = builder.build()
    (found,) = answers(trace)
    assert (found.where.field, found.where.text) == ("calls[1].tool", "submit_answer")
    assert list(passed_texts(trace.of(CompletionEvent)[0])) == [("calls[1].arguments.text", "3 m")]


def test_a_marker() -> None:
    builder = begun()
    builder.reply("Thought: I know.\nFinal Answer: 3 m")
    builder.reply("Thought: More?\nAction: gauge\nAction Input: north")
    (found,) = answers(builder.build())
    assert found.where.text == "Final Answer: 3 m"


def test_the_last_reply_of_each_agent_that_asks_for_nothing() -> None:
    builder = begun()
    builder.reply("I will ask the pilot.", calls=[builder.propose("pilot", {})])
    run = builder.begin("pilot", {})
    for name, last in (("pilot", "The channel is deep."), ("parrot", "Deep, deep.")):
        builder.seat(name)
        builder.reply("Let me see.")
        builder.reply(last)
    builder.seat("")
    builder.end(run, result="The channel is deep.\n")
    builder.reply("It is deep, says the pilot.")
    found = answers(builder.build())
    assert [(each.where.text, each.is_final) for each in found] == [
        ("The channel is deep.", False),
        ("It is deep, says the pilot.", True),
    ]


def test_a_last_reply_that_calls_or_says_nothing_is_no_answer() -> None:
    for text, calls in (("I look.", ["gauge"]), ("  ", [])):
        builder = begun()
        builder.reply(text, calls=[builder.propose(tool, {}) for tool in calls])
        assert answers(builder.build()) == []
