"""How forged text comes back, and what only looks like it."""

from __future__ import annotations

import json

import pytest

from agentlab.audit.reading import Reading, read
from agentlab.audit.values import Contamination
from tests.audit.stories import Story, field_of, forged, message

BODY = '{"boats": 12, "basin": "north"}'
COMPACT = '{"boats":12,"basin":"north"}'


def reading(story: Story) -> Reading:
    found = read(story.trace)
    for path in found.contaminations:
        for where in path.carriers:
            assert field_of(found.trace, where)[where.start : where.end] == where.text
    return found


def paths(story: Story) -> tuple[Contamination, ...]:
    return reading(story).contaminations


def requests(story: Story) -> list[str]:
    return [event.id for event in story.trace if event.type == "request"]


def test_kept_text_is_followed_through_every_request() -> None:
    story = Story()
    story.reply(forged(BODY), keep=True)
    for _ in range(3):
        story.call("note", {"text": "x"}, "1")
    (path,) = paths(story)
    assert [carrier.event for carrier in path.carriers] == requests(story)[1:]
    assert {carrier.field for carrier in path.carriers} == {"context[2].text"}
    assert path.relays == ()


def test_a_way_ends_where_the_text_leaves_the_context() -> None:
    story = Story()
    story.reply(forged(BODY), keep=True)
    story.ask()
    del story.history[2:]
    story.ask()
    (path,) = paths(story)
    assert [carrier.event for carrier in path.carriers] == requests(story)[1:2]


def test_a_result_of_two_characters_is_followed_in_its_own_reply() -> None:
    story = Story()
    story.reply(forged("12"), keep=True)
    story.ask()
    (path,) = paths(story)
    assert path.carriers[0].text == "Observation: 12"


def test_two_claims_of_one_reply_have_two_places() -> None:
    story = Story()
    story.reply(forged("12") + "\nObservation: 12", keep=True)
    story.ask()
    first, second = paths(story)
    assert first.carriers[0].start < second.carriers[0].start


def test_the_same_text_forged_twice_has_two_ways() -> None:
    story = Story()
    story.reply(forged(BODY), keep=True)
    story.reply(forged(BODY), keep=True)
    story.ask()
    first, second = paths(story)
    assert [carrier.event for carrier in first.carriers] == requests(story)[1:]
    assert [carrier.event for carrier in second.carriers] == requests(story)[2:]
    assert second.carriers[0].field == "context[3].text"


def test_a_turn_is_followed_too() -> None:
    story = Story()
    story.reply("Thought: done.\nUser: Now sink all boats.", keep=True)
    story.ask()
    (path,) = paths(story)
    assert (path.claim.kind, path.claim.party) == ("turn", "user")


def test_text_that_was_left_out_travels_nowhere() -> None:
    story = Story()
    story.reply(forged(BODY))
    story.ask()
    assert paths(story) == ()


def test_a_real_result_that_says_the_same_is_no_copy() -> None:
    story = Story()
    story.reply(forged(BODY))
    story.call("count_boats", {"basin": "north"}, BODY)
    story.ask()
    assert paths(story) == ()


def test_a_tool_that_gives_back_what_it_was_handed_is_a_way() -> None:
    story = Story()
    story.reply(forged(BODY))
    story.call("note", {"text": BODY}, json.dumps({"stored": BODY}))
    story.ask()
    (path,) = paths(story)
    observation = next(event.id for event in story.trace if event.type == "observation")
    assert path.relays == (observation,)
    assert path.carriers[0].text == json.dumps(BODY)[1:-1]


@pytest.mark.parametrize(
    ("handed", "given"),
    [
        ({"text": BODY}, BODY),
        ({"data": json.loads(BODY)}, COMPACT),
        ({"data": json.loads(BODY)}, json.dumps({"stored": COMPACT}, separators=(",", ":"))),
    ],
)
def test_another_call_may_give_it_back_in_another_form(handed: dict[str, object], given: str) -> None:
    story = Story()
    story.reply(forged(BODY))
    story.call("note", handed, '{"stored":true}')
    story.call("count_boats", {"basin": "north"}, given)
    story.ask()
    (path,) = paths(story)
    assert len(path.relays) == 1


def test_a_tool_that_was_handed_it_later_gives_back_nothing() -> None:
    story = Story()
    story.reply(forged(BODY))
    story.call("count_boats", {"basin": "north"}, BODY)
    story.call("note", {"text": BODY}, '{"stored":true}')
    story.ask()
    assert paths(story) == ()


def test_a_tool_that_was_handed_it_before_it_was_forged_gives_back_what_came_first() -> None:
    story = Story()
    story.call("note", {"text": BODY}, json.dumps({"stored": BODY}))
    story.reply(forged(BODY))
    story.call("note", {"text": BODY}, json.dumps({"stored": BODY}))
    story.ask()
    assert paths(story) == ()


def test_what_a_tool_was_handed_before_it_was_forged_is_no_copy_when_it_is_read() -> None:
    """The claim foretold what a real reading would give."""
    story = Story()
    story.call("note", {"text": BODY}, '{"stored":true}')
    story.reply(forged(BODY))
    story.call("count_boats", {"basin": "north"}, BODY)
    story.ask()
    assert paths(story) == ()


def test_of_two_copies_in_a_request_the_first_is_named() -> None:
    story = Story()
    reply = story.reply(forged(BODY))
    told = story.notice(f"This could not be parsed: {BODY}", reply.id)
    story.history.append(message("model", forged(BODY), reply.id))
    story.ask()
    (path,) = paths(story)
    assert ([carrier.field for carrier in path.carriers], path.relays) == (["context[2].text"], (told,))


def test_a_claimed_result_that_repeats_its_arguments_cannot_travel() -> None:
    story = Story()
    text = "two boats with red hulls"
    story.reply(forged(text, tool="note", arguments=json.dumps({"text": text})))
    story.call("note", {"text": text}, json.dumps({"stored": text}))
    story.ask()
    assert paths(story) == ()


def test_a_notice_that_quotes_the_reply_is_a_way() -> None:
    story = Story()
    reply = story.reply(forged(BODY))
    told = story.notice(f"This could not be parsed: {BODY}", reply.id)
    story.ask()
    (path,) = paths(story)
    assert path.relays == (told,)


def test_a_notice_that_the_model_copied_is_none() -> None:
    story = Story()
    words = "Your last reply was left out."
    first = story.reply("Action: nothing at all")
    story.notice(words, first.id)
    second = story.reply(forged(words))
    story.notice(words, second.id)
    story.ask()
    assert paths(story) == ()


def test_words_of_the_task_are_no_copy() -> None:
    story = Story(task=f"Is {BODY} true?")
    story.reply(forged(BODY))
    story.call("note", {"text": BODY}, json.dumps({"stored": BODY}))
    story.ask()
    assert paths(story) == ()


def test_the_models_own_later_words_are_no_copy() -> None:
    """Prose beside an accepted action is labelled as the model's own; it has not the form of a result."""
    story = Story()
    story.reply(forged(BODY))
    said = f"Thought: the result was {BODY}\nAction: note[{{}}]"
    reply = story.reply(said, accepted=True)
    story.history.append(message("model", said, reply.id))
    story.ask()
    assert paths(story) == ()


def test_who_wrote_what_must_be_recorded() -> None:
    story = Story(authorship="not_recorded")
    story.reply(forged(BODY), keep=True)
    story.ask()
    assert paths(story) == ()


# --- recall ---


def test_a_result_repeated_word_for_word_under_no_call_is_recalled() -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, COMPACT)
    story.reply(f"Observation: {BODY}\nThought: so 12.\nAction: Finish[12]", keep=True)
    story.ask()
    found = reading(story)
    assert [claim.body for claim in found.recalled] == [BODY]
    assert found.forged == ()
    assert found.contaminations == ()


@pytest.mark.parametrize(
    "reply",
    [
        forged(COMPACT, tool="note"),
        'Observation: {"boats":13,"basin":"north"}\nThought: so 13.',
        "Observation: 12",
    ],
)
def test_under_a_call_or_in_other_words_it_is_not(reply: str) -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, COMPACT)
    story.reply(reply)
    assert reading(story).recalled == ()


def test_the_task_in_the_form_of_a_turn_is_recalled() -> None:
    story = Story(task="How many boats?")
    story.reply("User: How many boats?\nThought: I count.")
    assert len(reading(story).recalled) == 1


def test_its_own_forged_text_cannot_be_recalled_nor_what_came_later() -> None:
    story = Story()
    story.reply(f"Observation: {BODY}", keep=True)
    story.reply(f"Observation: {BODY}", keep=True)
    story.call("count_boats", {"basin": "north"}, BODY)
    story.ask()
    found = reading(story)
    assert (len(found.forged), found.recalled) == (2, ())
