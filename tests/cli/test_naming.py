from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentlab.cli.naming import short_paths
from agentlab.formats.files.paths import printable


def test_a_name_is_as_long_as_it_must_be() -> None:
    assert short_paths(["r/a/trace.json", "r/b/trace.json", "r/b/other.json"]) == {
        "r/a/trace.json": "a/trace.json",
        "r/b/trace.json": "b/trace.json",
        "r/b/other.json": "other.json",
    }
    assert short_paths(["trace.json", "a/trace.json"]) == {"trace.json": "trace.json", "a/trace.json": "a/trace.json"}
    assert short_paths(["x.zip!one.json", "y.zip!one.json"])["x.zip!one.json"] == "x.zip!one.json"
    assert short_paths([]) == {}


def test_an_escaped_name_is_not_cut_at_its_backslash() -> None:
    path = "logs/" + printable("bidi\u202ename\n\x1b[31m.json")
    assert short_paths([path]) == {path: r"bidi\u202ename\n\x1b[31m.json"}


def test_a_long_name_loses_its_middle_unless_that_tells_it_from_another() -> None:
    long = "a" * 100 + ".json"
    assert short_paths([long])[long] == "a" * 21 + "…" + "a" * 17 + ".json"
    others = ["x" * 40 + middle + "y" * 40 for middle in "12"]
    assert list(short_paths(others).values()) == others


@given(st.sets(st.text("ab/!", max_size=12), max_size=8))
def test_no_two_paths_have_one_name(paths: set[str]) -> None:
    names = short_paths(paths)
    assert set(names) == paths
    assert len(set(names.values())) == len(paths)
