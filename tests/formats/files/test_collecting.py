from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentlab.formats.files.collecting import uncollected
from agentlab.formats.reading import read_traces

SAMPLES = Path(__file__).parents[3] / "data" / "samples"


@pytest.fixture(autouse=True)
def _left_as_it_was() -> Iterator[None]:
    yield
    gc.enable()


def test_the_collector_rests_and_goes_on() -> None:
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="x"), uncollected():
        raise ValueError("x")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


def test_whoever_takes_traces_has_a_collector_that_is_on() -> None:
    states = [gc.isenabled() for _ in read_traces(SAMPLES / "inspect.pooled.eval")]
    assert states == [True, True]


def test_what_was_read_is_old_and_is_not_searched_at_once() -> None:
    gc.collect()
    with uncollected():
        made = [[] for _ in range(10_000)]
    young = {id(each) for generation in (0, 1) for each in gc.get_objects(generation)}
    assert not young & {id(each) for each in made}
    assert not gc.get_freeze_count()


def test_what_the_program_set_apart_itself_stays_apart() -> None:
    gc.freeze()
    with uncollected():
        pass
    assert gc.get_freeze_count()
    gc.unfreeze()
