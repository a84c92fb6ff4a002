from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.notebookfile import read_notebook
from agentlab.experiments.parameters import Parameter, check_values, parameters_of
from tests.experiments.notebooks import write_notebook

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def found(folder: Path, parameters: str) -> dict[str, Any]:
    notebook = read_notebook(write_notebook(folder / "small.ipynb", parameters=parameters))
    return {name: parameter.default for name, parameter in parameters_of(notebook, "small.ipynb").items()}


def test_assignments_are_read_with_their_defaults(tmp_path: Path) -> None:
    text = '# a comment\nseed: int = -1  # another\nname = "a=b"\npair = [1, {"k": None}]\nseed = 2\n'
    assert found(tmp_path, text) == {"seed": 2, "name": "a=b", "pair": [1, {"k": None}]}
    assert found(tmp_path, "") == {}


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "a = b",
        "a = 1 + x",
        "a = open('x')",
        "a = b = 1",
        "a, b = 1, 2",
        "a.b = 1",
        "a[0] = 1",
        "a: int",
        "a += 1",
        "%matplotlib inline",
        "a = (1, 2)",
        "a = {1, 2}",
        "a = b'x'",
        "a = {1: 2}",
        "a = 1e999",
        "a = [(1,)]",
        "a = '\\ud800'",
        "a = '\x00'",
        "a = " + "[" * 50_000,
        "a = " + "-" * 50_000 + "1",
        "a = [" * 80 + "1" + "]" * 80,
    ],
)
def test_anything_else_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="should hold assignments of plain values"):
        found(tmp_path, text)


def test_the_first_tagged_cell_counts(tmp_path: Path) -> None:
    notebook = read_notebook(write_notebook(tmp_path / "small.ipynb", "later = 1", parameters="first = 1"))
    notebook["cells"][2]["metadata"]["tags"] = ["parameters"]
    assert set(parameters_of(notebook, "small.ipynb")) == {"first"}


@pytest.mark.parametrize(
    ("default", "given", "value"),
    [
        (1, "2", 2),
        (1, " -7 ", -7),
        (1, 2, 2),
        (0.5, "3", 3.0),
        (0.5, 3, 3.0),
        (0.5, "1e-3", 0.001),
        (True, "no", False),
        (False, "TRUE", True),
        (False, True, True),
        ("x", "", ""),
        ("x", "007", "007"),
        ([], '["a", 1]', ["a", 1]),
        ({}, '{"a": {}}', {"a": {}}),
        (None, "text", "text"),
        (None, 3, 3),
        (None, None, None),
    ],
)
def test_values_are_read_as_the_type_of_the_default(default: Any, given: Any, value: Any) -> None:
    read = Parameter(name="p", default=default).read(given)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("default", "given"),
    [
        (1, "1.5"),
        (1, ""),
        (1, 1.0),
        (1, True),
        (1, None),
        (1, "9" * 5000),
        (0.5, "much"),
        (0.5, "inf"),
        (True, "2"),
        (True, 1),
        ("x", 1),
        ("x", None),
        ([], "a"),
        ([], "{}"),
        ([], "[1, 1e999]"),
        ([], (1, 2)),
        ({}, '{"a": 1, "a": 2}'),
        ({}, {1: 2}),
        (None, {1, 2}),
        (None, float("nan")),
        ("x", "\udcff"),
    ],
)
def test_values_of_another_type_are_refused(default: Any, given: Any) -> None:
    with pytest.raises(UsageError, match="'p' takes a value of type"):
        Parameter(name="p", default=default).read(given)


@given(JSON)
def test_every_value_json_can_hold_is_a_value_of_its_own_type(value: Any) -> None:
    assert Parameter(name="p", default=value).read(value) == value
    assert Parameter(name="p", default=None).read(value) == value


def test_all_given_values_are_checked() -> None:
    known = {name: Parameter(name=name, default=1) for name in ("a", "b")}
    assert check_values(known, {"b": "2"}) == {"b": 2}
    with pytest.raises(UsageError, match=r"no parameter 'c'.*What there is: a, b"):
        check_values(known, {"b": "2", "c": 3})


def test_a_path_means_what_it_means_where_the_caller_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'name = "船"\nlabels = ""  # path, of a table\nkind = ""  # word\nrows = 3  # path'
    known = parameters_of(read_notebook(write_notebook(tmp_path / "a.ipynb", parameters=text)), "a.ipynb")
    values = {"labels": "deep/mine.csv", "kind": "deep/mine.csv", "name": "deep/mine.csv", "rows": "4"}
    whole = str(tmp_path / "deep" / "mine.csv")
    assert check_values(known, values) == {**values, "labels": whole, "rows": 4}
    assert check_values(known, {"labels": ""}) == {"labels": ""}
    for kept in (whole, "s3://depot/mine.csv"):
        assert check_values(known, {"labels": kept}) == {"labels": kept}
