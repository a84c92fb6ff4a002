from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import AgentlabError, LoadError, ProviderError, ToolError, UsageError, unknown_name

ERRORS = [
    (UsageError("There is no pond."), "There is no pond."),
    (LoadError(Path("ponds.json"), "line 3 is not JSON"), "ponds.json: line 3 is not JSON"),
    (ProviderError("timeout", "No answer within 5 s.", server_said="busy"), "No answer within 5 s."),
    (ToolError("Pond 9 is dry", "Name another pond", kind="crash"), "Pond 9 is dry. Name another pond."),
]


@pytest.mark.parametrize(("error", "text"), ERRORS, ids=lambda value: type(value).__name__)
def test_text_is_for_a_person(error: AgentlabError, text: str) -> None:
    assert str(error) == text
    assert isinstance(error, AgentlabError)


@pytest.mark.parametrize("error", [error for error, _ in ERRORS], ids=lambda error: type(error).__name__)
def test_errors_survive_the_way_to_another_process(error: AgentlabError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_each_kind_carries_what_its_reader_needs() -> None:
    load = LoadError(Path("a/b"), "is empty")
    assert (load.path, load.problem) == ("a/b", "is empty")
    provider = ProviderError("rate_limited", "Too many requests.", server_said="slow down")
    assert (provider.fault, provider.server_said) == ("rate_limited", "slow down")
    tool = ToolError("It failed", "Try again")
    assert (tool.happened, tool.next_step, tool.kind) == ("It failed", "Try again", "refused_by_tool")


def test_what_the_server_said_stays_out_of_text_and_repr() -> None:
    error = ProviderError("server_error", "The server failed.", server_said="Bearer abc")
    assert "Bearer" not in str(error) + repr(error)


def test_unknown_name_shows_the_value_the_nearest_and_all() -> None:
    error = unknown_name("pond", "nroth", ["south", "north"])
    assert isinstance(error, UsageError)
    assert str(error) == "There is no pond 'nroth'. Did you mean 'north'? What there is: north, south."
    assert str(unknown_name("pond", "zzz", ["north"])) == "There is no pond 'zzz'. What there is: north."
    assert str(unknown_name("pond", 7, [])) == "There is no pond 7. What there is: none."


@given(st.text(), st.lists(st.text(min_size=1), max_size=5))
def test_unknown_name_takes_any_text(name: str, known: list[str]) -> None:
    assert repr(name) in str(unknown_name("pond", name, known))


@pytest.mark.timeout(60)
def test_unknown_name_is_quick_for_a_long_one() -> None:
    unknown_name("pond", "north" * 40_000, ["north", "south" * 20] * 20)
