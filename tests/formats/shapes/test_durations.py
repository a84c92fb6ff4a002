from __future__ import annotations

import pytest

from agentlab.formats.shapes.durations import between


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(1.0, 3.5, 2.5), (2.0, 2.0, 0.0), (None, 3.0, None), (1.0, None, None), (3, 1, None)]
)
def test_seconds_between_two_times(start: float | None, end: float | None, expected: float | None) -> None:
    assert between(start, end) == expected
