from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.shapes.arguments import given_arguments, plain_arguments


@pytest.mark.parametrize(
    ("value", "arguments"),
    [(None, None), ("", {}), ({"n": 1}, {"n": 1}), ('{"n": 1}', {"n": 1}), ("rye", "rye"), ([1, 2], "[1,2]"), (7, "7")],
)
def test_arguments_are_an_object_or_a_text_or_not_recorded(value: Any, arguments: Any) -> None:
    assert given_arguments(value) == arguments
    assert plain_arguments(arguments) == arguments
