from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.shapes.counts import whole_usage


@pytest.mark.parametrize(
    ("usage", "kept"),
    [
        ({}, False),
        ({"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}, False),
        ({"prompt_tokens": 3, "completion_tokens": 4, "cached_tokens": None}, False),
        ({"prompt_tokens": 3, "completion_tokens": 4, "cached_tokens": 0}, True),
        ({"input": 3, "output": 4, "cache": {"read": 2, "write": 0}}, True),
    ],
)
def test_a_count_is_kept_whole_where_it_says_more_than_two_numbers(usage: dict[str, Any], kept: bool) -> None:
    assert whole_usage(usage) == ({"usage": usage} if kept else {})
