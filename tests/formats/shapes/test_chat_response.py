from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.shapes.chat_response import finish_reason_of, message_of, usage_of
from agentlab.formats.shapes.fields import ShapeError
from agentlab.messages import Usage


@pytest.mark.parametrize(
    ("counted", "given", "made"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 90}}, 100, 7),
        # what was written to the cache is not in prompt_tokens: 4 + 6500, 6559 + 210
        ({"prompt_tokens": 4, "completion_tokens": 9, "cache_creation_input_tokens": 6500}, 6504, 9),
        (
            {
                "prompt_tokens": 6559,
                "completion_tokens": 9,
                "cache_creation_input_tokens": 210,
                "cache_read_input_tokens": 6553,
            },
            6769,
            9,
        ),
        # it is
        ({"prompt_tokens": 900, "cache_creation_input_tokens": 300, "cache_read_input_tokens": 500}, 900, None),
        ({"input_tokens": 5, "output_tokens": 6}, 5, 6),
    ],
)
def test_all_prompt_tokens_are_counted(counted: dict[str, Any], given: int | None, made: int | None) -> None:
    assert usage_of({"usage": counted}) == Usage(input_tokens=given, output_tokens=made)


def test_no_count_is_none() -> None:
    assert usage_of({}) is None
    assert usage_of({"usage": {"total_tokens": 4}}) is None
    with pytest.raises(ShapeError, match="prompt_tokens"):
        usage_of({"usage": {"prompt_tokens": []}})


def test_the_first_choice_counts() -> None:
    response = {"choices": [{"finish_reason": "tool_use", "message": {"content": "a"}}, {"message": {"content": "b"}}]}
    assert message_of(response) == {"content": "a"}
    assert finish_reason_of(response) == "tool_calls"
    assert (message_of({}), finish_reason_of({})) == ({}, "unknown")
