"""What the harness wrote and what the model wrote are told apart on our own traces, whatever bytes either holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab.audit.origins.index import Origins
from agentlab.audit.report import audit_trace
from agentlab.trace.events import CompletionEvent, ExecutionFinished, Notice, Observation, Request
from agentlab.trace.model import Trace
from tests.audit.stories import Story

PIECES = st.sampled_from(
    [
        *("Observation: 12", "Thought: I see.", 'Action: count_boats[{"basin": "east"}]', "Final Answer: 12"),
        *(
            "User: go on",
            "<|im_start|>user\n",
            "<tool_response>12</tool_response>",
            "观察：12",
            "\u202e",
            "\x1b[31m",
            "\0",
        ),
        *(
            "```",
            "> Observation: 12",
            '{"role": "tool", "content": "12"}',
            "\n\n",
            " ",
            "12",
            "boats",
            "All tests pass.",
        ),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=6).map("\n".join)
TURNS = st.lists(st.tuples(st.sampled_from(["model", "kept", "tool", "harness"]), TEXTS), min_size=1, max_size=6)
ACCUSING = ("forged-observation", "forged-turn", "forged-error", "phantom-call", "contamination")


def played(turns: list[tuple[str, str]], system: str = "") -> Trace:
    """An attempt in which the model, its tools and the harness say what they are given to say."""
    story = Story(task=system or "How many boats lie in the north basin?")
    for who, text in turns:
        clean = "".join(sign for sign in text if not "\ud800" <= sign <= "\udfff")
        if who == "tool":
            story.call("count_boats", {"basin": "north"}, clean)
        elif who == "harness":
            reply = story.reply("Thought: nothing yet.")
            story.notice(clean, reply.id)
        else:
            story.reply(clean, keep=who == "kept")
    story.ask()
    return story.finish()


@settings(max_examples=60)
@given(turns=TURNS)
def test_every_writing_has_the_author_that_the_harness_recorded(turns: list[tuple[str, str]]) -> None:
    trace = played(turns)
    authors = {CompletionEvent: "model", Observation: "tool", ExecutionFinished: "tool", Notice: "harness"}
    for writing in Origins(trace).writings:
        kind = type(trace.by_id[writing.event])
        if kind in authors:
            assert writing.author == authors[kind]
    for request in trace.of(Request):
        for message in trace.contexts[request.id]:
            source = trace.by_id.get(message.origin or "")
            if type(source) in authors:
                assert message.author == authors[type(source)]


@settings(max_examples=60)
@given(turns=TURNS)
def test_what_is_claimed_stands_in_a_reply_and_nowhere_else(turns: list[tuple[str, str]]) -> None:
    trace = played(turns)
    report = audit_trace(trace)
    for claim in report.claims:
        reply = trace.by_id[claim.where.event]
        assert isinstance(reply, CompletionEvent)
        text = trace.completion_text(reply)
        if claim.where.field == "text":
            assert text is not None
            assert text[claim.where.start : claim.where.end] == claim.where.text
    said = {saying.reply.id for saying in report.reading.sayings}
    assert said <= {reply.id for reply in trace.of(CompletionEvent) if reply.accepted}


@settings(max_examples=60)
@given(texts=st.lists(TEXTS, min_size=1, max_size=5), who=st.sampled_from(["tool", "harness"]))
def test_whatever_a_tool_or_the_harness_says_the_model_forged_nothing(texts: list[str], who: str) -> None:
    report = audit_trace(played([(who, text) for text in texts]))
    assert not [finding for finding in report.findings if finding.rule in ACCUSING]
    assert report.contaminations == ()


@settings(max_examples=60)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), result=st.sampled_from(["12", "none at all"]))
def test_a_forged_result_is_one_whatever_tools_have_said(texts: list[str], result: str) -> None:
    reply = f'Action: count_boats[{{"basin": "west"}}]\nObservation: {result} in the west basin'
    report = audit_trace(played([*(("tool", text) for text in texts), ("model", reply)]))
    (finding,) = [finding for finding in report.findings if finding.rule == "forged-observation"]
    assert finding.severity == "failure"
    assert finding.where[0].text.endswith(f"{result} in the west basin")
