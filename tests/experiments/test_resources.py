from __future__ import annotations

from pathlib import Path

from agentlab.experiments.resources import resource_folders

ROOT = Path(__file__).parents[2]


def test_the_checkout_comes_first() -> None:
    assert next(resource_folders("notebooks")) == ROOT / "notebooks"
    assert next(resource_folders("data/cases")) == ROOT / "data" / "cases"


def test_only_what_exists() -> None:
    assert list(resource_folders("data/nothing")) == []
