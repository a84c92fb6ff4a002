from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError, field_validator

from agentlab.errors import LoadError
from agentlab.experiments.tomlfile import problems_of, read_toml


class Ship(BaseModel):
    name: str
    masts: int
    crew: dict[str, int]
    flag: str

    @field_validator("flag")
    @classmethod
    def _known(cls, value: str) -> str:
        raise ValueError("no such flag")


def problems(values: object) -> str:
    with pytest.raises(ValidationError) as found:
        Ship.model_validate(values)
    return problems_of(found.value)


def test_a_file_is_read_with_or_without_a_mark_at_its_start(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + "name = '字'\n".encode())
        assert read_toml(path, "a ship") == {"name": "字"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff", "a ship is a TOML file in UTF-8"),
        (b"name", "a ship is a TOML file in UTF-8"),
        (b"a = 1\na = 2", "a ship is a TOML file in UTF-8"),
        (b"a = " + b"[" * 100_000, "nested too deep"),
        (b"a = " + b"{a=" * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_toml(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(LoadError, match=said):
        read_toml(path, "a ship")


def test_problems_are_named_with_their_fields_and_quote_no_value() -> None:
    said = problems({"name": "secret" * 3, "masts": "secret", "crew": {"cook": "secret"}, "flag": "x"})
    assert said.startswith("masts: Input should be a valid integer")
    assert "crew.cook: " in said
    assert said.endswith("flag: no such flag")
    assert "secret" not in said


def test_only_the_first_problems_are_named() -> None:
    said = problems({})
    assert said.count("Field required") == 3
    assert said.endswith("; and 1 more")


def test_a_problem_of_the_whole_has_no_field() -> None:
    assert problems(3).startswith("Input should be")
