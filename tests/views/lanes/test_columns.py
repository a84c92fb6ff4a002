from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab.audit.report import audit_trace
from agentlab.trace.model import Trace
from agentlab.views.lanes.columns import bands, columns
from agentlab.views.lanes.scene import Scene
from tests.views import audited, foreign
from tests.views.audited import Attempt, Report


def mixed(kinds: list[str]) -> Report:
    attempt = Attempt("react-v1")
    for number, kind in enumerate(kinds):
        if kind == "call":
            attempt.call("read_page", {"page": number}, '"tides"')
        elif kind == "fail":
            attempt.call("read_page", {"page": number}, error="no such page")
        elif kind == "refused":
            attempt.refused("read_page", {"page": number})
        else:
            attempt.forged("read_page", {"page": number}, "tides", "more tides")
    return attempt.finish("step_limit")


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["call", "fail", "refused", "forged"]), max_size=120))
def test_columns_hold_every_slot_and_request_once_and_in_order(kinds: list[str]) -> None:
    scene = Scene.of(mixed(kinds))
    shown = columns(scene)
    assert len(shown) <= 28
    assert [slot for column in shown for slot in column.slots] == list(scene.slots)
    assert [request for column in shown for request in column.requests] == list(scene.requests)
    assert all(len(column.slots) <= 1 for column in shown if not column.folded)


@given(st.integers(1, 28))
def test_bands_are_even_and_lose_nothing(number: int) -> None:
    shown = columns(Scene.of(mixed(["call"] * number)))
    lines = bands(shown)
    assert [column for line in lines for column in line] == shown
    assert max(map(len, lines)) <= 7
    assert len(lines) <= 4


def test_28_columns_are_shown_whole_and_29_are_folded() -> None:
    assert not any(column.folded for column in columns(Scene.of(mixed(["call"] * 28))))
    assert sum(column.folded for column in columns(Scene.of(mixed(["call"] * 29)))) == 1


@pytest.mark.parametrize("kind", ["fail", "refused", "forged"])
def test_what_went_wrong_is_folded_last(kind: str) -> None:
    shown = columns(Scene.of(mixed(["call"] * 40 + [kind] + ["call"] * 40)))
    assert "step 41" in [column.label for column in shown if not column.folded]
    assert [column.label for column in shown if column.folded] == ["steps 4 to 40", "steps 42 to 78"]


def test_both_ends_of_a_forged_text_stay_when_refusals_are_folded() -> None:
    attempt = Attempt("react-v1")
    for step in range(100):
        if step == 50:
            claim = attempt.forged("read_page", {"page": step}, "high water at nine")[0]
        attempt.refused("read_page", {"page": step})
    attempt.spread(claim, 60)
    shown = columns(Scene.of(attempt.finish("step_limit")))
    kept = [column for column in shown if not column.folded and "51" in column.label]
    assert [slot.claim.kind for column in kept for slot in column.slots if slot.claim] == ["observation"]


def test_one_crowded_step_keeps_its_name_when_it_is_folded() -> None:
    attempt = Attempt("react-v1")
    attempt.forged("read_page", {}, *(f"page {n}" for n in range(50)))
    shown = columns(Scene.of(attempt.finish(None)))
    assert {column.label for column in shown} == {"step 1"}
    assert len(shown) <= 28


def test_a_step_in_which_nothing_was_said_still_has_its_column() -> None:
    attempt = Attempt()
    attempt.ask()
    shown = columns(Scene.of(attempt.finish("provider_error")))
    assert [(column.label, column.slots, len(column.requests)) for column in shown] == [("step 1", (), 1)]


def test_rounds_without_step_numbers_are_named_by_their_requests() -> None:
    report = audited.clean()
    bare = replace(report, trace=Trace(events=tuple(replace(event, step=None) for event in report.trace)))
    scene = Scene.of(bare)
    assert [stage.label for stage in scene.rounds] == ["request 1", "request 2", "request 3"]
    assert [len(stage.slots) for stage in scene.rounds] == [1, 1, 1]


def test_empty_steps_are_folded_however_short_the_attempt() -> None:
    attempt = Attempt()
    attempt.call("read_page", {"page": 1}, '"tides"')
    for _ in range(5):
        attempt.ask()
    attempt.call("read_page", {"page": 2}, '"tides"')
    shown = columns(Scene.of(attempt.finish("step_limit")))
    assert [(column.label, column.folded) for column in shown] == [
        ("step 1", False), ("steps 2 to 6", True), ("step 7", False),
    ]  # fmt: skip


def test_folded_steps_name_their_agent_if_it_is_one() -> None:
    told = foreign.builder()
    for number, agent in enumerate(["scout"] * 20 + ["pilot"] * 20):
        told.seat(agent)
        told.reply("", calls=[told.propose("look", {}, call=f"c{number}")], source=str(number))
        told.end(told.begin("look", {}, call=f"c{number}", source=str(number)), result="fog", source=str(number))
    every = columns(Scene.of(audit_trace(told.build())))
    assert [column.title for column in every if column.folded] == ["steps 4 to 37"]
    assert every[0].title == "step 1 · scout"
    assert every[-1].title == "step 40 · pilot"
