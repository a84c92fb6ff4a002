from __future__ import annotations

from dataclasses import replace

from agentlab.audit.report import audit_trace
from agentlab.formats.building.seat import Item
from agentlab.views.lanes.scene import Scene
from agentlab.views.lanes.words import verdict
from agentlab.views.style import ANSWER, CALL, FORGED, REFUSED, SAID, UNMATCHED
from agentlab.views.timeline import timeline_text
from tests.agents.attempts import DONE, GOOD, attempt
from tests.audit.stories import Story
from tests.trace.samples import played
from tests.views import audited, foreign
from tests.views.audited import Attempt


def test_every_claim_is_marked_for_what_it_turned_out_to_be() -> None:
    scene = Scene.of(audited.contaminated())
    assert [slot.mark for slot in scene.slots] == [CALL, REFUSED, FORGED, CALL, ANSWER]
    assert [slot.fate for slot in scene.slots] == ["", "refused", "no execution", "", ""]
    assert [slot.entry is not None for slot in scene.slots] == [True, False, False, True, False]


def test_a_call_the_ledger_does_not_know_is_unmatched() -> None:
    report = replace(audited.clean(), ledger=(), pairs={})
    assert [slot.mark for slot in Scene.of(report).slots] == [UNMATCHED, UNMATCHED, ANSWER]
    assert Scene.of(report).slots[0].fate == "no execution recorded"


def test_a_pair_that_points_to_nothing_is_no_match() -> None:
    report = audited.clean()
    dangling = replace(report, pairs=dict.fromkeys(report.pairs, "nowhere"))
    scene = Scene.of(dangling)
    assert sum(slot.entry is not None and slot.claim is None for slot in scene.slots) == 2
    assert not any(slot.entry is not None and slot.claim is not None for slot in scene.slots)


def test_two_claims_of_one_execution_share_it() -> None:
    report = audited.clean()
    shared = replace(report, pairs=dict.fromkeys(report.pairs, report.ledger[0].event))
    first, second, alone = [slot for slot in Scene.of(shared).slots if slot.mark is not ANSWER]
    assert first.entry == report.ledger[0]
    assert (second.entry, second.mark, second.fate) == (None, CALL, "same execution")
    assert (alone.claim, alone.entry) == (None, report.ledger[1])


def test_an_answer_is_found_by_its_reply_and_by_its_event() -> None:
    report = audited.contaminated()
    way = report.contaminations[0]
    assert way.answer is not None
    event = next(event for event in report.trace if event.type == "answer")
    by_event = replace(way, answer=replace(way.answer, event=event.id))
    for found in (way, by_event):
        flow = Scene.of(replace(report, contaminations=(found,))).flows[0]
        assert (flow.answer, flow.rests) == ("claim5", True)
    lost = replace(way, answer=replace(way.answer, event="nowhere"))
    flow = Scene.of(replace(report, contaminations=(lost,))).flows[0]
    assert (flow.answer, flow.rests) == (None, True)


def test_carriers_count_once_and_only_where_they_are_requests() -> None:
    report = audited.contaminated()
    way = report.contaminations[0]
    doubled = replace(way, carriers=(*way.carriers, *way.carriers, replace(way.carriers[0], event="nowhere")))
    carried = Scene.of(replace(report, contaminations=(doubled, doubled))).carried()
    assert list(carried.values()) == ["A B", "A B"]


def test_claims_of_a_step_stand_in_the_order_of_the_reply() -> None:
    report = audited.crowded()
    shuffled = replace(report, claims=tuple(reversed(report.claims)))
    assert Scene.of(shuffled).rounds == Scene.of(report).rounds


def test_a_refused_answer_is_refused() -> None:
    attempt = Attempt()
    attempt.answer("High water is at nine.")
    report = attempt.finish("step_limit")
    refused = replace(report, claims=(replace(report.claims[0], rejected=True),))
    assert Scene.of(refused).slots[0].mark is REFUSED


def test_an_answer_that_no_claim_holds_is_shown_from_its_event() -> None:
    report = audited.contaminated()
    without = replace(report, claims=tuple(claim for claim in report.claims if claim.kind != "answer"))
    scene = Scene.of(without)
    assert [slot.mark for slot in scene.slots] == [CALL, REFUSED, FORGED, CALL, ANSWER]
    shown = scene.slots[-1].claim
    assert shown is not None
    assert shown.body == "High water at Norwick is at 05:55 and 18:20."
    assert scene.flows[0].answer == shown.id


def test_a_recorded_attempt_is_laid_out_as_the_auditor_reads_it() -> None:
    scene = Scene.of(audit_trace(played()))
    assert [slot.mark for slot in scene.slots] == [REFUSED, FORGED, CALL, ANSWER]
    assert [slot.reason for slot in scene.slots] == ["forged_observation", "", "", ""]
    assert [stage.label for stage in scene.rounds] == ["step 1", "step 2", "step 3"]
    assert scene.carried() == {}


def test_a_reply_in_prose_is_shown_and_claims_nothing() -> None:
    report = audit_trace(foreign.harbour())
    scene = Scene.of(report)
    assert [(stage.title, [slot.said for slot in stage.slots]) for stage in scene.rounds] == [
        ("step 1 · captain", [None]),
        ("step 2 · scout", [None]),
        ("step 3 · scout", ["I see three boats, all of them blue."]),
        ("step 4 · captain", [None]),
    ]
    assert [slot.mark for slot in scene.slots] == [CALL, CALL, SAID, ANSWER]
    assert "without a recorded claim" not in verdict(scene)
    assert "said      I see three boats, all of them blue." in timeline_text(report)


def test_a_refused_reply_without_an_action_is_no_empty_step() -> None:
    trace, _ = attempt(["I would like to think about bees.", GOOD, DONE])
    first = Scene.of(audit_trace(trace)).rounds[0]
    assert [(slot.said, slot.mark, slot.fate, slot.reason) for slot in first.slots] == [
        ("I would like to think about bees.", REFUSED, "refused", "no_action")
    ]


def test_an_empty_and_a_lost_reply_say_so() -> None:
    story = Story()
    story.reply("", accepted=True)
    story.reply("x", lose=True)
    assert [slot.said for slot in Scene.of(audit_trace(story.trace)).slots] == ["(no text)", "(its text is lost)"]


def test_a_call_that_nobody_is_known_to_have_asked_for_is_told_and_not_claimed() -> None:
    told = foreign.builder()
    told.reply("Action: reset[]", calls=[told.propose("reset", {}, call="c1", by="not_recorded")], source="1")
    told.hear(Item(role="tool", text="a pond", call="c1", source="2"))
    told.reply("I see.", source="3")
    report = audit_trace(told.build())
    first = Scene.of(report).rounds[0]
    assert [(slot.claim, slot.said, slot.fate, slot.reason) for slot in first.slots] == [
        (None, None, "reset()", "answered; who asked for it is not recorded")
    ]
    assert "  called    reset()  [answered; who asked for it is not recorded]" in timeline_text(report).splitlines()


def test_arguments_that_are_not_recorded_are_not_none() -> None:
    assert "executed  succeeded   count(…) -> 3" in timeline_text(audit_trace(foreign.harbour()))


def test_an_answer_stands_at_the_reply_that_gave_it() -> None:
    told = foreign.builder()
    given = told.reply("There are three.", source="1")
    told.seat("grader")
    told.reply("GRADE: C", source="2")
    told.answer("There are three.", completion=given, source="1")
    scene = Scene.of(audit_trace(told.build()))
    assert [[slot.mark for slot in stage.slots] for stage in scene.rounds] == [[ANSWER], [SAID]]
