"""Numbers of matches, held against the only search that was made."""

from __future__ import annotations

import pytest

from tests.audit.dialogues import Call, chat, found

HITS: Call = (
    "grep_logs",
    {"pattern": "buoy"},
    "a.log:1:buoy\na.log:4:red buoy\nb.log:3:buoy\nc.log:2:buoy buoy\nd.log:2:buoy",
)
SHELL: Call = ("bash", {"command": "grep -rn 'buoy' logs"}, HITS[2])


def contradicted(*turns: str | Call, task: str = "Look for it") -> bool:
    return any(each.rule == "contradicted-claim" for each in found(chat(*turns, task=task)))


@pytest.mark.parametrize("call", [HITS, SHELL])
@pytest.mark.parametrize(
    "said",
    [
        "There are 3 matches.",
        "There are 12 matches for buoy.",
        "grep returned two matches.",
        "There are no matches.",
        "I found no matches for it.",
        "共有 3 处匹配。",
        "没有匹配。",
    ],
)
def test_another_number(call: Call, said: str) -> None:
    assert contradicted(call, said)


@pytest.mark.parametrize(
    "said",
    [
        "There are 5 matches.",
        "There are 6 matches.",  # of which one line holds two
        "There are 2 matches in a.log.",
        "There are 3 matches with one word.",
        "There are no matches besides those.",
        "Are there 3 matches?",
        "There should be 3 matches.",
        "There are 4 files.",
    ],
)
def test_what_may_be_right(said: str) -> None:
    assert not contradicted(HITS, said)


def test_lines_that_are_no_matches_and_a_second_search() -> None:
    around: Call = ("grep_logs", {"pattern": "buoy"}, "a.log-3-mist\na.log:4:red buoy\na.log-5-rain\nmore")
    assert not contradicted(around, "There is 1 match, there are 3 matches.")
    assert not contradicted(HITS, ("grep_logs", {"pattern": "oar"}, "a.log:9:oar"), "There are 3 matches.")
    assert not contradicted(HITS, "There are 3 matches.", task="I know 3 matches")
