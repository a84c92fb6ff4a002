"""Which requests belong to one conversation, and what stands in them."""

from __future__ import annotations

import pytest

from agentlab.audit.provenance.standing import acted, loses, moments, tells_contexts
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.messages import Author
from agentlab.trace.events import Request
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence
from tests.audit.stories import Story, message

SPANS = Evidence(proposals="present", results="present", authorship="present")
WORKER = Item(role="system", text="You work in a harbour and count what lies there.")
PLANNER = Item(role="system", text="You plan the steps of another one and act on nothing.")


def story(*keeps: slice | None) -> Trace:
    """Our own journal: before each further call, the history is cut to a slice of itself."""
    book = Story()
    for number, keep in enumerate((*keeps, None)):
        book.call("count_boats", {"basin": number}, f"{number} boats")
        if keep is not None:
            book.history = book.history[keep]
    book.answer("12")
    return book.finish()


@pytest.mark.parametrize(
    ("keep", "is_loss"),
    [(None, False), (slice(0, 2), False), (slice(-1, None), True), (slice(0, 1), True), (slice(-2, None), True)],
)
def test_whether_anything_is_left_out(keep: slice | None, is_loss: bool) -> None:
    assert loses(story(keep)) is is_loss
    assert tells_contexts(story(keep))


@pytest.mark.parametrize(
    "keeps", [(None, None), (slice(-2, None), slice(-1, None)), (slice(0, 1), slice(-1, None)), (slice(-1, None), None)]
)
def test_what_a_chain_holds_is_the_context(keeps: tuple[slice | None, ...]) -> None:
    trace = story(*keeps)
    for moment in moments(trace):
        assert [held.text for held in moment.chain.held] == [m.text for m in trace.contexts[moment.request.id]]
        kinds = [held.kind for held in moment.chain.held]
        assert moment.chain.systems == [place for place, kind in enumerate(kinds) if kind == "system"]
        assert moment.chain.spoken == [place for place, kind in enumerate(kinds) if kind == "speech"]
        assert [held.text for held in moment.chain.new] == [
            m.text for m in trace.contexts[moment.request.id][moment.request.kept :]
        ]


def test_a_context_that_shows_something_again_goes_on_with_its_conversation() -> None:
    told = list(moments(story(slice(-1, None), slice(-1, None), slice(-2, None))))
    assert len({id(moment.conversation) for moment in told}) == 1
    assert all(moment.proves for moment in told)


def test_another_prompt_has_another_purpose() -> None:
    builder = TraceBuilder("spans", path="x", key=["k"], evidence=SPANS)
    said = [Item(role="assistant", text="Twelve of them."), Item(role="user", text="Sure?")]
    for context in ([WORKER, Item(role="user", text="Count.")], [PLANNER, *said], [WORKER, *said], [*said]):
        builder.see(context)
        builder.reply("Twelve of them.", remembered=False)
    first, planner, worker, bare = moments(builder.build())
    assert first.conversation is worker.conversation is bare.conversation
    assert planner.conversation is not first.conversation


@pytest.mark.parametrize(
    ("author", "text", "kind"),
    [
        ("user", "And the south basin?", "speech"),
        ("user", "", "speech"),
        ("user", "Continue.", "other"),
        ("user", "请继续", "other"),
        ("user", "Continue with the south basin and name each of them.", "speech"),
        ("user", "Observation: 12 boats", "other"),
        ("user", "Summary of the conversation: boats were counted.", "summary"),
        ("user", "This session is being continued from a previous conversation.", "summary"),
        ("user", "Here is a summary of our progress:\nboats", "summary"),
        ("user", "## 之前对话摘要\n数过船了", "summary"),
        ("user", "Summary of the fire drill:\nfile it, please.", "speech"),
        ("user", "Give me a summary so far.", "speech"),
        ("user", "总结一下码头的情况。", "speech"),
        ("harness", "Summary so far: boats were counted.", "summary"),
        ("harness", "Call a tool.", "other"),
        ("system", "It is noon.", "summary"),
        ("model", "Summary so far: boats were counted.", "summary"),
        ("model", "I count.", "model"),
        ("tool", "12 boats", "tool"),
    ],
)
def test_kinds(author: Author, text: str, kind: str) -> None:
    book = Story()
    book.call("count_boats", {"basin": 1}, "12 boats")
    book.history.append(message(author, text))
    book.answer("12")
    *_, last = moments(book.finish())
    assert last.chain.held[-1].kind == kind


def test_what_the_first_request_holds_is_the_task_whatever_it_says() -> None:
    book = Story(task="Summary of the work so far: none. Observation: begin.")
    book.answer("12")
    (only,) = moments(book.finish())
    assert [held.kind for held in only.chain.held] == ["system", "speech"]


def test_which_requests_were_acted_upon() -> None:
    book = Story()
    book.reply("I wonder.", accepted=True)
    book.call("count_boats", {"basin": 1}, "12 boats")
    book.reply("I wonder.", accepted=True)
    book.answer("12")
    trace = book.finish()
    one, two, three, four = [request.id for request in trace.of(Request)]
    assert acted(trace) == {two, four}
    assert {one, three}.isdisjoint(acted(trace))


def test_many_requests_take_time_in_proportion() -> None:
    held = sum(len(moment.chain.held) for moment in moments(story(*[slice(-3, None)] * 400)))
    assert held <= 401 * 6
