from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.shapes.filled import filled


@pytest.mark.parametrize("value", [0, False, 0.0, " ", [None], {"x": None}])
def test_what_says_something(value: Any) -> None:
    assert filled(value)


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_what_says_nothing(value: Any) -> None:
    assert not filled(value)
