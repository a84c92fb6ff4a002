"""A small case of its own, and scripts that lead an attempt to each outcome."""

from __future__ import annotations

import json
from pathlib import Path

from agentlab.experiments.case import Case, load_case
from agentlab.experiments.conditions import Condition
from agentlab.experiments.results import StudyResult
from agentlab.experiments.study import Study, run_study

LOG = """# Keeper's log

Fog came in at dusk. The horn was sounded while fog lay on the sound.

No fog at noon. In the evening fog again, and the fog stayed until morning.
"""
ORDERS = "# Standing orders\n\nLight the lamp at sunset. Write down the oil.\n"

CASE = """
format = "agentlab.case/1"
name = "lighthouse"
title = "How often does the log mention fog?"
about = "Counting takes one call."
documents = "papers"
tools = ["list_documents", "scan_term"]
prompt_version = "chat-v3"

[task]
en = "How many times does log.md mention fog?"
zh = "log.md 中 fog 出现了几次？"

[[checks]]
kind = "answer_number"
value = 4
units = ["times", "mentions", "次"]

[[checks]]
kind = "executed"
tool = "scan_term"
arguments = { term = "fog" }
result = { count = 4 }

[simulated]
p_forge = 0.6
p_heed = 0.4
answer_step = "scan_term"

[[simulated.plan]]
tool = "scan_term"
arguments = { term = "fog" }
forged = { tool = "scan_term", term = "fog", count = 0, hits = [] }

[simulated.words.en]
act = "Now {tool}."
again = "Once more {tool}."
conclude = "It counted {count}."
answer = "It mentions fog {count} times."

[simulated.words.zh]
act = "调用 {tool}。"
again = "再次调用 {tool}。"
conclude = "统计到 {count} 次。"
answer = "fog 出现了 {count} 次。"
"""

CALL = 'Thought: count it\nAction: scan_term[{"term": "fog"}]'
OTHER_CALL = "Thought: look around\nAction: list_documents[{}]"
FORGED = f'{CALL}\nObservation: {{"tool": "scan_term", "term": "fog", "count": 0, "hits": []}}'
RIGHT = "Thought: done\nAction: Finish[The log mentions fog 4 times.]"
WRONG = "Thought: done\nAction: Finish[The log mentions fog 0 times.]"

OUTCOMES = {
    "infrastructure": [CALL],
    "not_finished": [CALL, CALL, CALL, CALL],
    "wrong_forged": [FORGED, WRONG],
    "wrong_other": [CALL, WRONG],
    "correct_with_evidence": [CALL, RIGHT],
    "correct_without_evidence": [OTHER_CALL, RIGHT],
}
"""A script for each outcome, under react-v1 with four steps."""


def write_case(folder: Path, *changes: tuple[str, str]) -> Path:
    """The case in a new folder, with pieces of its file replaced."""
    text = CASE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "papers").mkdir(parents=True)
    (folder / "papers" / "log.md").write_text(LOG, encoding="utf-8")
    (folder / "papers" / "orders.md").write_text(ORDERS, encoding="utf-8")
    (folder / "case.toml").write_text(text, encoding="utf-8")
    return folder


def lighthouse(folder: Path) -> Case:
    """The case, read from a new folder."""
    return load_case(write_case(folder))


def write_script(path: Path, replies: list[str]) -> str:
    """A provider spec for these replies."""
    path.write_text("".join(json.dumps(reply) + "\n" for reply in replies), encoding="utf-8")
    return f"scripted:{path}"


def scripted(
    folder: Path, replies: list[str], *, loop: str = "react-v1", steps: int = 4, attempts: int = 1
) -> StudyResult:
    """A study in which every attempt gets these replies."""
    spec = write_script(folder / "script.jsonl", replies)
    study = Study(
        case=lighthouse(folder / "lighthouse"),
        conditions=[Condition(name="only", loop=loop, steps=steps)],
        attempts=attempts,
        provider=spec,
    )
    return run_study(study, out=folder / "run")
