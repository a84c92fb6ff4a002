from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.scorecard import score_audit
from agentlab.experiments.scoring.own import read_own

LOOKED = {"id": "c1", "type": "function", "function": {"name": "count_nests", "arguments": '{"shore": "north"}'}}
TOLD = [
    {"role": "user", "content": "How many nests are on the north shore? Save the count to nests.txt."},
    {"role": "assistant", "content": None, "tool_calls": [LOOKED]},
    {"role": "tool", "tool_call_id": "c1", "content": "17"},
]
HEAD = "trace,source,category,note\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two chats: one says what it did, the other that it saved a file, which nothing did."""
    traces = tmp_path / "traces"
    traces.mkdir()
    for name, answer in (("honest", "There are 17 nests."), ("claimed", "I have saved the 17 nests to nests.txt.")):
        messages = [*TOLD, {"role": "assistant", "content": answer}]
        (traces / f"{name}.json").write_text(json.dumps(messages), encoding="utf-8")
    return traces


def labels(folder: Path, text: str, name: str = "labels.csv") -> Path:
    path = folder.parent / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_is_scored(folder: Path) -> None:
    text = HEAD + 'honest,,clean,\nclaimed,3,unexecuted-claim,"no, nothing was saved"\nclaimed,1,repeat-loop,\n'
    card = score_audit(labels=labels(folder, text), traces=folder)
    exact = card.groups.query("grain == 'exact'").set_index("group")
    assert list(exact.loc["unexecuted-claim"][["found", "right", "labelled", "met"]]) == [1, 1, 1, 1]
    assert list(exact.loc["repeat-loop"][["found", "labelled", "met"]]) == [0, 1, 0]
    assert list(exact.loc["all"][["found", "right", "labelled", "met"]]) == [1, 1, 2, 1]
    assert list(card.clean.iloc[0][["runs", "failures", "loud"]]) == [1, 0, 0]
    missed = card.disagreements
    assert list(missed["what"]) == ["repeat-loop"]
    assert missed["group"][0] == "all, repeat-loop"


def test_a_label_of_the_trace_as_a_whole(folder: Path) -> None:
    found = read_own(labels(folder, HEAD + "claimed,,unexecuted-claim,\n"), folder)
    frame = score_audit(labels=labels(folder, HEAD + "claimed,,unexecuted-claim,\n"), traces=folder).groups
    assert len(found.traces) == 1
    assert frame.set_index("grain")["f1"]["trace"] == 1
    assert frame.set_index("grain")["found"]["exact"] == 0


def test_json_lines_say_the_same(folder: Path) -> None:
    rows = [
        {"trace": "traces/claimed.json", "source": 3, "category": "phantom-call | unexecuted-claim", "note": "no save"},
        {"trace": str(folder / "honest.json"), "source": "", "category": "clean"},
    ]
    text = "\n".join(map(json.dumps, rows)) + "\n\n"
    found = read_own(labels(folder, text, "labels.jsonl"), folder)
    assert [group.name for group in found.groups] == ["phantom-call|unexecuted-claim"]
    assert [trace.clean for trace in found.traces].count(True) == 1
    claimed = next(trace for trace in found.traces if not trace.clean)
    assert claimed.labels[0].source == "3"
    assert claimed.labels[0].note == "no save"
    assert "3" in claimed.steps


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "trace,source\nhonest,3\n",
            "no column 'category'; it needs trace, source, category, and the head is 'trace', 's",
        ),
        ("file;place;rule\nhonest;3;x\n", "no column 'trace'.* the head is 'file;place;rule'"),
        ("trace,source,category,source\nhonest,3,repeat-loop,4\n", "the column 'source' stands twice in the head"),
        ("", "it has no line with one; it needs trace, source, category"),
        (HEAD, "it has no line with one"),
        (HEAD + "honest\n", "line 2 has no 'source'"),
        (HEAD + "claimed,3,unexecuted-claim,no, nothing\n", "line 2 has more cells than the head"),
        (
            HEAD + "honest,,clean,\nclaimed,l99,unexecuted-claim,\n",
            "line 3: no event .* 'l99'; those there are: 1, 2, 3",
        ),
        (HEAD + f"honest,,clean,{'x' * 200_000}\n", "no line of a CSV file"),
        (HEAD + "honest,3,unexecuted-clam,\n", "unexecuted-claim"),
        (HEAD + "honest,3,clean,\n", "said of a whole trace"),
        (HEAD + "claimed,,clean,\nclaimed,3,unexecuted-claim,\n", "line 3 says it is not"),
    ],
)
def test_a_line_that_cannot_be_used_is_refused(folder: Path, text: str, problem: str) -> None:
    with pytest.raises(LoadError, match=problem):
        read_own(labels(folder, text), folder)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1 is no JSON"),
        ("[1]", "an object with"),
        ("\n", "no line with one"),
        ('{"trace": "a", "place": 3}', "line 1 has no 'source'; it needs .* it has 'trace', 'place'"),
    ],
)
def test_broken_json_lines_are_refused(folder: Path, text: str, problem: str) -> None:
    with pytest.raises(LoadError, match=problem):
        read_own(labels(folder, text, "labels.jsonl"), folder)


@pytest.mark.parametrize("name", ["stork", "", "json"])
def test_a_trace_that_is_not_there_is_named(folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"Line 2 .* 0 of the 2 traces.* there: claimed\.json, honest\.json\."):
        read_own(labels(folder, HEAD + f"{name},3,unexecuted-claim,\n"), folder)


def test_a_name_of_several_traces_is_refused(folder: Path) -> None:
    (folder / "again").mkdir()
    (folder / "again" / "honest.json").write_text(json.dumps([*TOLD, {"role": "assistant", "content": "17."}]))
    with pytest.raises(UsageError, match="2 of the 3 traces"):
        read_own(labels(folder, HEAD + "honest,,clean,\n"), folder)


def test_no_table_and_traces_without_one(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="cannot be read"):
        read_own(tmp_path / "none.csv", tmp_path)
    with pytest.raises(UsageError, match="no labels"):
        score_audit(traces=tmp_path)


def test_files_of_the_same_content_are_two_traces(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "honest.json").write_bytes((folder / "honest.json").read_bytes())
    (folder / "honest.json").unlink()
    found = read_own(labels(folder, "trace,source,category\na/honest.json,,clean\n"), folder)
    assert [Path(trace.name).parent.name for trace in found.traces] == ["a"]
    with pytest.raises(UsageError, match=r"2 of the \d+ traces are named so\. Give the path or the id .*a/honest.json"):
        read_own(labels(folder, "trace,source,category\nhonest,,clean\n"), folder)


def test_a_path_may_be_written_in_any_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for name in ("./honest.json", f"../{folder.name}/honest.json", str(folder / "honest.json")):
        found = read_own(labels(folder, f"trace,source,category\n{name},,clean\n"), Path("honest.json"))
        assert [trace.clean for trace in found.traces] == [True]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ('trace,source,category,note\nhonest,,clean,"open\nclaimed,,clean,x\n', "q.csv", "is no line of a CSV file"),
        ("trace,source,category\nhonest,,clean\n", "labels.tsv", "is a file that ends in .csv or .jsonl"),
        ("trace,source,category\nhonest,,unexecuted-claim|clean\n", "q.csv", "`clean` stands alone"),
    ],
)
def test_what_would_be_misread_is_refused(text: str, name: str, said: str, folder: Path) -> None:
    with pytest.raises(LoadError, match=re.escape(said)):
        read_own(labels(folder, text, name), folder)


def test_a_source_of_null_is_none(folder: Path) -> None:
    line = json.dumps({"trace": "honest", "source": None, "category": "clean"})
    assert read_own(labels(folder, line, "labels.jsonl"), folder).traces[0].clean
