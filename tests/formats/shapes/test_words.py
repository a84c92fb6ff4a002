from __future__ import annotations

import pytest

from agentlab.formats.shapes.fields import ShapeError
from agentlab.formats.shapes.words import meaning_of

SEATS = {"bow": 1, "stern": 2}


def test_a_word_stands_for_its_meaning() -> None:
    assert meaning_of({"seat": "stern"}, "seat", SEATS) == 2


@pytest.mark.parametrize(
    ("seat", "problem"),
    [
        ("keel", "seat: one of bow, stern was expected and 'keel' found"),
        (None, "seat: one of bow, stern was expected and '' found"),
        ("x" * 99, f"seat: one of bow, stern was expected and {'x' * 40!r} found"),
        ([], "seat: a text was expected and a list found"),
    ],
)
def test_any_other_is_named(seat: str | list[object] | None, problem: str) -> None:
    with pytest.raises(ShapeError) as told:
        meaning_of({"seat": seat}, "seat", SEATS)
    assert str(told.value) == problem
