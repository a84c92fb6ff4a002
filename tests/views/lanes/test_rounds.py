from __future__ import annotations

from agentlab.trace.events import Request
from agentlab.views.lanes.rounds import places_of
from tests.views import audited, foreign


def test_each_step_names_its_agent_where_there_are_several() -> None:
    trace = foreign.harbour()
    labels, places = places_of(trace)
    assert labels == [("step 1", "captain"), ("step 2", "scout"), ("step 3", "scout"), ("step 4", "captain")]
    assert set(places) == {event.id for event in trace}
    assert [places[request.id] for request in trace.of(Request)] == [0, 1, 2, 3]


def test_where_one_is_at_work_it_is_not_named() -> None:
    assert places_of(audited.clean().trace)[0] == [("step 1", ""), ("step 2", ""), ("step 3", "")]


def test_an_executor_with_a_name_of_its_own_has_no_step_of_its_own() -> None:
    told = foreign.builder()
    told.seat("clerk")
    told.reply("", calls=[told.propose("count", call="c1")], source="1")
    told.seat("terminal")
    told.end(told.begin("count", call="c1", source="2"), result="3", source="2")
    told.begin("sweep", by="not_recorded", source="3")
    assert places_of(told.build())[0] == [("step 1", "clerk"), ("step 1", "terminal")]
