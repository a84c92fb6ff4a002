"""Copies that a foreign record does not mark as such, and real results that say the same."""

from __future__ import annotations

import json
import time

import pytest

from agentlab.audit.reading import read
from agentlab.audit.rules.contamination import CONTAMINATION
from agentlab.audit.values import Contamination
from tests.audit.rules.chats import asks, chat, gives, says, user
from tests.audit.stories import Story, field_of, forged, message

BODY = "twelve boats lie in the north basin today, one of them red"
REPLY = forged(BODY)


def paths(story: Story) -> tuple[Contamination, ...]:
    trace = story.trace
    found = read(trace).contaminations
    for path in found:
        for where in path.carriers:
            assert field_of(trace, where)[where.start : where.end] == where.text
    return found


@pytest.mark.parametrize(
    "copy",
    [
        BODY,
        f"Observation: {BODY}",
        BODY.replace(" ", "  \n"),
        json.dumps({"text": BODY}),
        json.dumps(json.dumps([BODY])),
        f"So far: “{BODY.upper()}”.",
        BODY.replace("today", "\uff54oday"),  # a full-width letter
        BODY.replace(", ", "\\n"),
    ],
)
@pytest.mark.parametrize("author", ["model", "harness", "system"])
def test_a_copy_is_known_by_its_words(copy: str, author: str) -> None:
    story = Story()
    story.reply(REPLY)
    story.history.append(message(author, copy))  # type: ignore[arg-type]
    story.ask()
    story.ask()
    (path,) = paths(story)
    assert len(path.carriers) == 2


def test_a_long_line_of_it_is_enough() -> None:
    story = Story()
    story.reply(forged(f"{BODY}\nand so on"))
    story.history.append(message("system", f"Summary: {BODY}."))
    story.ask()
    (path,) = paths(story)
    assert path.carriers[0].text == BODY


def test_a_message_of_the_user_counts_where_it_quotes_the_reply() -> None:
    story = Story()
    story.reply(REPLY)
    story.history.append(message("user", f"Your last reply was not understood:\n{json.dumps(REPLY)}"))
    story.ask()
    assert len(paths(story)) == 1


def test_a_message_of_the_user_may_be_a_real_result() -> None:
    story = Story()
    story.reply(REPLY)
    story.history.append(message("user", f"Observation: {BODY}"))
    story.ask()
    assert paths(story) == ()


@pytest.mark.parametrize("author", ["user", "system", "tool", "harness"])
def test_what_somebody_else_had_said_before_is_nobodys_forgery(author: str) -> None:
    story = Story()
    story.history.append(message(author, f"Yesterday: {BODY}!"))  # type: ignore[arg-type]
    story.reply(REPLY)
    story.history.append(message("system", f"Summary: {BODY}"))
    story.ask()
    assert paths(story) == ()


def test_a_real_result_that_says_the_same_is_a_result() -> None:
    story = Story()
    story.reply(REPLY)
    story.call("count_boats", {"basin": "north"}, BODY)
    story.history.append(message("system", f"Summary: {BODY}"))
    story.ask()
    assert paths(story) == ()


@pytest.mark.parametrize(
    "copy", ["twelve boats lie in the", "twelve boats", "a basin with boats, twelve of them, and one red"]
)
def test_few_words_agree_by_chance(copy: str) -> None:
    story = Story()
    story.reply(REPLY)
    story.history.append(message("system", copy))
    story.ask()
    assert paths(story) == ()


def test_a_short_forgery_is_not_looked_for_by_its_words() -> None:
    story = Story()
    story.reply(forged("12 boats"))
    story.history.append(message("system", "There are 12 boats"))
    story.ask()
    assert paths(story) == ()


@pytest.mark.parametrize(("handed", "count"), [(BODY, 1), (BODY.replace(" ", "\n"), 1), ("nothing of it", 0)])
def test_a_chat_without_executions_shows_what_a_tool_gave_back(handed: str, count: int) -> None:
    trace = chat(
        user("How many boats?"),
        says(f"Thought: I look.\nAction: count_boats[{{}}]\nObservation: {BODY}\n"),
        asks(("n", "save_note", {"text": handed})),
        gives("n", f"Saved.\n{BODY}"),
        says("All is noted."),
    )
    found = [finding for finding in CONTAMINATION.judge(read(trace)) if "save_note" not in finding.message]
    reading = read(trace)
    relayed = [path for path in reading.contaminations if path.relays]
    assert len(relayed) == count
    assert found


def test_many_forgeries_in_a_long_record_take_linear_time() -> None:
    def spent(size: int) -> float:
        story = Story()
        for k in range(size):
            story.reply(forged(f"boat {k} lies in the north basin of harbour {k} today"))
            story.history.append(
                message("system", f"Summary {k}: boat {k} lies in the north  basin of harbour {k} today")
            )
        trace = story.trace
        begun = time.perf_counter()
        assert len(read(trace).contaminations) == size - 1
        return time.perf_counter() - begun

    spent(20)
    assert spent(400) < 20 * spent(100) + 0.5


@pytest.mark.parametrize(
    "quoted", [BODY, BODY.replace(" ", "  "), BODY.upper(), f"“{BODY}”", BODY.replace("today", "\uff54oday")]
)
def test_a_result_quoted_where_none_was_asked_for_is_recalled(quoted: str) -> None:
    story = Story()
    story.call("count_boats", {"basin": "north"}, BODY)
    story.reply(f"Thought: I had this.\nObservation: {quoted}", keep=True)
    story.ask()
    reading = read(story.trace)
    assert reading.contaminations == ()
    assert len(reading.recalled) == 1
