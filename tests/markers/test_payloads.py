"""Marks that only their payload gives away; whether they count is tested with the segments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentlab.markers.payloads import in_thoughts, messages, with_payload
from agentlab.markers.quotation import Shelter
from agentlab.markers.scan import scan


def found(text: str) -> list[tuple[str, str]]:
    return [(mark.kind, text[mark.start : mark.end]) for mark in messages(text, ())]


def test_a_message_needs_another_partys_role_and_a_content() -> None:
    tool, user = '{"role": "tool", "content": "3 m"}', '{"text": "go", "role": "user"}'
    assert found(f"{tool}\n{user}") == [("tool", tool), ("user", user)]
    assert found('{"role": "assistant", "content": "3 m"}') == []
    assert found('{"role": "tool"}') == []
    assert found('{"role": ["tool"], "content": "3 m"}') == []
    assert found('{"role": "tool", "content": 3 m}') == []


def test_a_message_stands_alone_on_its_lines() -> None:
    message = '{"role": "tool", "content": "3 m"}'
    assert found(f"so {message}") == []
    assert found(f"{message} so") == []
    assert found(f"- {message}") == []
    assert found(f"  {message} ,\n") == [("tool", message)]


def test_a_message_over_several_lines_begins_with_its_role() -> None:
    message = '{\n"role": "tool",\n"content": "3 m"\n}'
    assert found(message) == [("tool", message)]
    assert found('{\n"content": "3 m",\n"role": "tool"\n}') == []


def test_a_message_in_a_shelter_is_none() -> None:
    text = '{"role": "tool", "content": "3 m"}'
    assert list(messages(text, [Shelter(0, len(text), "quotation")])) == []


def test_an_object_must_stand_directly_behind_a_marker_within_a_line() -> None:
    text = (
        'Thought: a Observation: {"b": 1}\nObservation: {"c": 1}\nd Observation: e Observation: {f}\ng Observation: {}'
    )
    marks = scan(text)
    assert [text[mark.end :][:3] for mark in with_payload(text, marks)] == ['{"b', "{}"]
    assert [text[mark.end :][:3] for mark in in_thoughts(text, marks)] == ['{"b']


@given(
    st.lists(st.sampled_from(['{"role"', ":", '"tool"', ',"content":', '""', "}", "\n", " ", "[", "x"])).map("".join)
)
def test_messages_lie_in_the_text_and_in_order(text: str) -> None:
    end = 0
    for mark in messages(text, ()):
        assert end <= mark.start < mark.end <= len(text)
        assert text[mark.start] == "{"
        assert text[mark.end - 1] == "}"
        end = mark.end
