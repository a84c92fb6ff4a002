"""Lists of which something stands in no result, and what was cut off."""

from __future__ import annotations

import time

import pytest

from agentlab.audit.judging.figures import misfigured
from agentlab.audit.judging.known import Shelf
from agentlab.audit.judging.listing import cut_off, made_up
from agentlab.audit.prose.masking import masked
from agentlab.audit.reading import read
from tests.audit.dialogues import Call, chat, found

LISTED: Call = ("bash", {"command": "ls"}, "nets.md\nropes.md")
FILES: Call = ("list_files", {"dir": "."}, '["nets.md", "ropes.md", "tide.py"]')
CREW: Call = ("list_crew", {"boat": "Elsa"}, '{"crew": ["Ada", "Ben", "Cleo"]}')
SHORT: Call = ("list_crew", {"boat": "Elsa"}, '{"crew": ["Ada", "Ben", "Rob"]}')
PART: Call = ("list_trips", {"port": "Malt"}, '{"trips": ["T-1", "T-2", "T-3"], "shown": 3, "total": 57}')
LOG: Call = ("read_log", {"path": "deck.log"}, "calm\nrain\n[showing lines 1-100 of 500]")
PAGE: Call = ("read_page", {"n": 1}, "the sea")


def contradicted(*turns: str | Call, task: str = "Look") -> bool:
    return any(each.rule == "contradicted-claim" for each in found(chat(*turns, task=task)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (LISTED, "The folder holds three files: nets.md, ropes.md and oars.md."),
        (LISTED, "The files are:\n- nets.md\n- ropes.md\n- oars.md"),
        (LISTED, "文件有：nets.md、ropes.md、oars.md。"),
        (FILES, "It contains `nets.md`, `tide.py` and `moon.py`."),
        (FILES, "ls found nets.md, ropes.md, tide.py and moon.py."),
        (PART, "There are 3 trips in total."),
        (PART, "These are all the trips: T-1, T-2, T-3."),
        (LOG, "deck.log says on line 342 that there is wind."),
        (LOG, "错误在第 342 行。"),
        (PAGE, "I read all 10 pages; here is the summary."),
        (PAGE, "I have read all ten pages."),
    ],
)
def test_what_nothing_held(call: Call, said: str) -> None:
    assert contradicted(call, said)


@pytest.mark.parametrize(
    ("task", "turns"),
    [
        ("Look", (CREW, "The crew has four people: Ada, Ben, Cleo and Dora.")),
        ("Look", (CREW, "The tool returned Ada, Ben, Cleo and Dora.")),
        ("Look", (CREW, "Ada, Ben, Cleo and Dora should be asked.")),
        ("Look", (LISTED, "The folder holds nets.md and ropes.md.")),
        ("Look", (LISTED, "It holds nets.md and ropes.md; you could add oars.md.")),
        ("Is oars.md there?", (LISTED, "It has nets.md, ropes.md and oars.md.")),
        ("Look", (LISTED, "I suggest these: nets.md, ropes.md, oars.md.")),
        ("Look", (LISTED, "To add:\n- nets.md\n- ropes.md\n- oars.md")),
        ("Look", (LISTED, ("bash", {"command": "make"}, ""), "It has nets.md, ropes.md and oars.md.")),
        ("Look", (("bash", {"command": "ls logs"}, "nets.md\nropes.md"), "It has logs/nets.md, logs/ropes.md.")),
        ("Look", (CREW, "The crew has Ada, Ben and Cleo.")),
        ("Look", (SHORT, "The crew has Ada, Ben and Robert.")),  # who may be Rob
        ("Look", (PART, "These are 3 of 57 trips: T-1, T-2, T-3.")),
        ("Look", (PART, "There are 57 trips in total.")),
        ("Look", (PART, "There are 57 trips.")),
        ("Look", (PART, "These are all the trips shown: T-1, T-2, T-3.")),
        ("Look", (LOG, "Line 342 was not shown.")),
        ("See line 342", (LOG, "It stands on line 342.")),
        ("Look", (LOG, "There is rain on line 42.")),
        ("Look", (LOG, ("grep_log", {"pattern": "wind"}, "342: wind"), "There is wind on line 342.")),
        ("Look", (("read_pages", {"first": 1, "last": 10}, "the sea"), "I read all 10 pages.")),
        ("Look", (("read_book", {"id": 1}, "the sea"), "I read all 10 pages.")),
        ("Look", (*(("read_page", {"n": n}, "sea") for n in range(1, 4)), "I read all 3 pages.")),
    ],
)
def test_what_may_be_there(task: str, turns: tuple[str | Call, ...]) -> None:
    assert not contradicted(*turns, task=task)


@pytest.mark.parametrize(
    "text",
    ["a.md, " * 30_000, "Ada, Ben and " * 15_000, "- nets.md\n" * 20_000, "x 1 " * 50_000, "there are 1 " * 16_000],
)
def test_hostile_answers_are_read_in_linear_time(text: str) -> None:
    reading = read(chat(CREW, FILES, "x"))
    known = Shelf(reading.deeds, reading.told).before(len(reading.trace))
    plain = masked(text)
    begun = time.perf_counter()
    assert sum(1 for _ in (*made_up(text, plain, known), *cut_off(plain, known), *misfigured(plain, known))) >= 0
    assert time.perf_counter() - begun < 3
