"""Items of contexts, each with the requests it stood in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.provenance.contexts import Contexts
from tests.audit.stories import Story, message

AUTHORS = st.sampled_from(["user", "harness", "tool", "model"])


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.lists(st.tuples(AUTHORS, st.text("abc", max_size=2)), max_size=3)), max_size=8
    )
)
def test_the_stays_are_the_contexts(changes: list[tuple[int, list[tuple[str, str]]]]) -> None:
    story = Story()
    for kept, new in changes:
        del story.history[kept:]
        story.history += [message(author, text) for author, text in new]  # type: ignore[arg-type]
        story.ask()
    trace = story.trace
    contexts = Contexts(trace)
    for number, request in enumerate(contexts.requests):
        held = sorted((s.place, s.text, s.author) for s in contexts.stays if s.first <= number <= s.last)
        assert held == [(place, m.text, m.author) for place, m in enumerate(trace.contexts[request.id])]
        assert contexts.numbers[request.id] == number


def test_an_item_that_stays_is_held_once() -> None:
    story = Story()
    for number in range(200):
        story.history.append(message("model", f"turn {number}", f"e{number}"))
        story.ask()
    contexts = Contexts(story.trace)
    assert len(contexts.stays) == 202
    assert [(stay.first, stay.last, stay.place) for stay in contexts.by_origin["e7"]] == [(7, 199, 9)]
    assert [stay.author for stay in contexts.by_others] == ["system", "user"]
