from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from agentlab.cli.words import CONDITION, POLICIES, SCRIPTS
from agentlab.experiments.conditions import condition_of
from agentlab.harness import history
from agentlab.providers.scripted import ScriptedProvider
from tests.cli.conftest import Call


def test_every_history_policy_is_explained() -> None:
    assert [line.split()[0] for line in POLICIES.splitlines()[2:]] == list(history.POLICIES.builtin)


def test_the_condition_is_one() -> None:
    text = "\n".join(CONDITION.splitlines()[2:])
    assert condition_of(tomllib.loads(text)).name == "careful"


def test_scripts_are_read_as_the_help_says(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('"one"\n{"text": "two"}\n')
    (tmp_path / "a.txt").write_text("one\n---\ntwo\n")
    for path in tmp_path.iterdir():
        assert repr(ScriptedProvider.from_file(path)) == "ScriptedProvider(2 replies, asked 0 times)"


@pytest.mark.parametrize(
    ("command", "shared"), [("study", (POLICIES, SCRIPTS, CONDITION)), ("run", (POLICIES, SCRIPTS))]
)
def test_the_help_shows_each_line(command: str, shared: tuple[str, ...], call: Call) -> None:
    shown = [line.strip() for line in call(command, "--help").out.splitlines()]
    for paragraph in shared:
        for line in paragraph.splitlines()[1:]:
            assert line.strip() in shown
