from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.markers.quotation import quoted_words, shelters


def bodies(text: str) -> list[str]:
    return [text[fence.body_start : fence.body_end] for fence in shelters(text).fences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```\nb\n```\nc", ["b\n"]),
        ("```py\nb\n```", ["b\n"]),
        ("~~~\n```\n~~~", ["```\n"]),
        ("````\n```\nx\n```\n````", ["```\nx\n```\n"]),
        ("Input: ```json\n{}\n```\nafter", ["{}\n"]),
        ("```\nb\n```<end_code>\nafter", ["b\n"]),
        ("```\nb", ["b"]),
        ("```", [""]),
        ("  ```\r\n  b\r\n  ```\r\n", ["  b\r\n"]),
        ("one `x` two ``y`` three", []),
        ("``` not a fence `", []),
        ('{"a": "b ```py"}', []),
    ],
)
def test_fences(text: str, expected: list[str]) -> None:
    assert bodies(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "One round looks like this:\n\n    Thought: a\n\n    Action: b\n\nThe rest is yours.",
            ["Thought: a", "Action: b"],
        ),
        ("One round looks like this:\n\n    Thought: a\n", []),
        ("It says:\n\n    Thought: a\n\nSo it does.", []),
        ("<example>\nAction: b\n</example>\nDone", ["Action: b"]),
        ("<example>\nAction: b", []),
    ],
)
def test_quoted_blocks(text: str, expected: list[str]) -> None:
    held = "\n".join(text[block.start : block.end] for block in shelters(text).quoted_lines)
    assert [line for line in ("Thought: a", "Action: b") if line in held] == expected


def test_a_fence_knows_its_language_and_whether_it_is_closed() -> None:
    first, second = shelters("``` Bash \nls\n```\n```\nx").fences
    assert (first.info, first.closed) == ("bash", True)
    assert (second.info, second.closed) == ("", False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>a</think>b", ["<think>a</think>"]),
        ("<Thinking>\na\n</THINKING>\nb", ["<Thinking>\na\n</THINKING>"]),
        ("<think>a", ["<think>a"]),
        ("a\n</think>\nb", ["a\n</think>"]),
        ("<think>```\na</think>\n```\nb\n```", ["<think>```\na</think>"]),
        ("```\n<think>a\n```\nb", []),
        ("the tag <think> opens it and </think> closes it", []),
    ],
)
def test_reasoning(text: str, expected: list[str]) -> None:
    assert [text[part.start : part.end] for part in shelters(text).reasoning] == expected


def test_a_fence_that_opens_in_reasoning_ends_with_it() -> None:
    assert bodies("<think>```\na</think>\n```\nb\n```") == ["b\n"]


def test_quoted_lines_and_words() -> None:
    text = 'a\n > b\nc "d" `e` “f” 「g」 "h'
    assert [text[part.start : part.end] for part in shelters(text).quoted_lines] == [" > b"]
    assert [text[part.start : part.end] for part in quoted_words(text)] == ['"d"', "`e`", "“f”", "「g」"]


@given(st.text(alphabet='`~<>/think \n:"ax', max_size=60))
def test_spans_lie_in_the_text_and_in_order(text: str) -> None:
    found = shelters(text)
    for part in (*found.fences, *found.reasoning, *found.quoted_lines, *quoted_words(text)):
        assert 0 <= part.start < part.end <= len(text)
    ends = 0
    for fence in found.fences:
        assert ends <= fence.start <= fence.body_start <= fence.body_end <= fence.end
        ends = fence.end


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("[THINK]Action: a[/THINK]b", "b"),
        ("◁think▷Action: a◁/think▷b", "b"),
        ("<seed:think>Action: a</seed:think>b", "b"),
        ("<|begin_of_thought|>\nAction: a\n<|end_of_thought|>\nb", "\nb"),
        ("<|channel>thought\nAction: a<channel|>b", "b"),
        ("<|channel|>analysis<|message|>Action: a<|end|>b", "b"),
        ("Action: a\n[/THINK]\nb", "\nb"),
        ("<th\u0131nk>\nb", "<th\u0131nk>\nb"),
        ("he [thinks] of it", "he [thinks] of it"),
    ],
)
def test_reasoning_as_other_models_write_it(text: str, rest: str) -> None:
    found = shelters(text).reasoning
    assert text[found[-1].end if found else 0 :] == rest
