from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.prose.masking import QUOTED, masked


@given(st.text())
def test_a_masked_text_is_as_long_as_it_was(text: str) -> None:
    assert len(masked(text)) == len(text)


def test_prose_is_folded() -> None:
    assert masked("I\u2019ve **Saved** it") == "i've   saved   it"


@pytest.mark.parametrize("text", ["_a b_", "__a b__", "_ab_"])
def test_emphasis_is_taken_off(text: str) -> None:
    assert masked(f"it {text} here").split() == ["it", *text.strip("_").split(), "here"]


@pytest.mark.parametrize("text", ["_all to _some", "__init__.py", "__init__", "_all_.txt", "a_b_c", "_x", "`_a b_`"])
def test_names_with_an_underscore_are_not_emphasised(text: str) -> None:
    assert masked(f"it {text} here").replace(QUOTED, "") == f"it {text} here".replace("`_a b_`", "")


@pytest.mark.parametrize("text", ["`a b`", '"a b"', "“a b”", "「ab」", "'a b'"])
def test_quotations_are_covered(text: str) -> None:
    assert masked(f"it says {text} here") == f"it says {QUOTED * len(text)} here"


def test_an_apostrophe_opens_no_quotation() -> None:
    assert masked("it's the users' file") == "it's the users' file"


@pytest.mark.parametrize("line", ["> saved", "# saved", "// saved", "| saved |", "x = saved", "saved(it)", "saved();"])
def test_lines_that_are_no_prose_are_blank(line: str) -> None:
    assert masked(f"one\n{line}\ntwo") == f"one\n{' ' * len(line)}\ntwo"


def test_a_fence_is_blank_up_to_its_end() -> None:
    assert masked("one\n```py\nsaved\n```\ntwo").split() == ["one", "two"]


def test_an_open_fence_runs_to_the_end() -> None:
    assert masked("one\n~~~\nsaved\ntwo").split() == ["one"]
