from __future__ import annotations

import pytest

from agentlab.formats.shapes.python_errors import kind_of_error, misfits_signature


@pytest.mark.parametrize(
    ("error", "unfit"),
    [
        ("TypeError: plant() got an unexpected keyword argument 'depth'", True),
        ("Error: GardenTools.plant() missing 1 required positional argument: 'bed'", True),
        ("plant() takes 1 positional argument but 2 were given", True),
        ("plant() got multiple values for argument 'bed'", True),
        ("TypeError: water() missing 1 required positional argument: 'bed'", False),  # called from within the tool
        ("TypeError: unsupported operand type(s) for +: 'int' and 'str'", False),
        ("TypeError: plant() is out of season", False),
        ("ValueError: plant", False),
        ("", False),
    ],
)
def test_whether_arguments_fitted_the_function(error: str, unfit: bool) -> None:
    assert misfits_signature("plant", error) is unfit


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("ValueError: no such bed", "ValueError"),
        ("pydantic.ValidationError: x", "pydantic.ValidationError"),
        ("no such bed: seven", None),
        ("no such bed", None),
        ("", None),
    ],
)
def test_the_class_of_an_error(error: str, kind: str | None) -> None:
    assert kind_of_error(error) == kind
