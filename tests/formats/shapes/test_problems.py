from __future__ import annotations

import pytest

from agentlab.formats.shapes.problems import told


@pytest.mark.parametrize(("problems", "text"), [([], ""), (["a"], "a"), (["a", "b", "c"], "a (and 2 more)")])
def test_the_first_is_told_and_the_others_are_counted(problems: list[str], text: str) -> None:
    assert told(problems) == text
