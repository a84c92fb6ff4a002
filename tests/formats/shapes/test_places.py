from __future__ import annotations

import pytest

from agentlab.formats.shapes.fields import ShapeError
from agentlab.formats.shapes.places import at


def test_a_misfit_is_told_with_all_its_places() -> None:
    with pytest.raises(ShapeError, match=r"^crate 2: lid 1: it is bent$"), at("crate 2"), at("lid 1"):
        raise ShapeError("it is bent")


def test_other_errors_pass_as_they_are() -> None:
    with pytest.raises(ValueError, match=r"^no misfit$") as told, at("crate 2"):
        raise ValueError("no misfit")
    assert type(told.value) is ValueError
