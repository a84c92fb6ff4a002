from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.finding import survey
from agentlab.trace.model import Trace

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
TEXTS = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl", ".traj"))
every_sample = pytest.mark.parametrize("sample", TEXTS, ids=lambda path: path.name)


def formats(path: Path) -> list[str]:
    return [each.format.name for each in survey([str(path)]).found]


def written(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


def values(sample: Path) -> list[Any]:
    content = sample.read_text()
    try:
        return [json.loads(content)]
    except ValueError:
        return [json.loads(line) for line in content.splitlines()]


@every_sample
def test_a_list_of_records_is_read_as_the_records(sample: Path, tmp_path: Path) -> None:
    rows = values(sample)
    path = written(tmp_path / "list", json.dumps(rows))
    assert formats(path) == [sample.name.split(".")[0]]
    found = list(survey([str(path)]).load())
    assert [len(each) for each in found if isinstance(each, Trace)] == [
        len(each) for each in survey([str(sample)]).load() if isinstance(each, Trace)
    ]
    assert not [each for each in found if isinstance(each, LoadError)]


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("name", ["agentlab.jsonl", "openhands.rows.jsonl", "opencode.jsonl", "inspect.json"])
def test_a_list_has_the_attempts_of_the_lines(name: str, indent: int | None, tmp_path: Path) -> None:
    path = written(tmp_path / "list", json.dumps(values(SAMPLES / name), indent=indent))
    ours, theirs = survey([str(path)]).load(), survey([str(SAMPLES / name)]).load()
    assert [len(each) for each in ours if isinstance(each, Trace)] == [
        len(each) for each in theirs if isinstance(each, Trace)
    ]


def test_a_bad_element_of_a_list_costs_only_itself(tmp_path: Path) -> None:
    content = (SAMPLES / "spans.json").read_text()
    path = written(tmp_path / "list", f'[{content}, {{"spans": 3}}, {content}')
    first, bad, second, end = survey([str(path)]).load()
    assert isinstance(first, Trace)
    assert isinstance(second, Trace)
    assert isinstance(bad, LoadError)
    assert isinstance(end, LoadError)
    assert bad.problem.startswith("in the file's list, its elements counted as lines: line 2: spans: ")
    assert "line 4" in end.problem
