"""Which format a file is of, where its beginning says little or is broken, and what is said where it is of none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError
from agentlab.formats.catalogue import all_formats
from agentlab.formats.finding import Survey, survey
from agentlab.trace.model import Trace

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
TEXTS = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl", ".traj"))
every_sample = pytest.mark.parametrize("sample", TEXTS, ids=lambda path: path.name)
CHAT = [{"role": "user", "content": "Which way?"}, {"role": "assistant", "content": "North."}]
ROW = json.dumps({"messages": CHAT})
LONG = "x" * 100_000


def own(sample: Path) -> str:
    return sample.name.split(".")[0]


def formats(path: Path) -> list[str]:
    return [each.format.name for each in survey([str(path)]).found]


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path) -> str:
    found: Survey = survey([str(path)])
    assert not found.found
    (error,) = found.unreadable
    return error.problem


def values(sample: Path) -> list[Any]:
    content = sample.read_text()
    try:
        return [json.loads(content)]
    except ValueError:
        return [json.loads(line) for line in content.splitlines()]


# --- long texts


def lengthened(value: Any) -> Iterator[str]:
    """Makes the first message longer than what is looked at first; yields where there was one."""
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for name, each in inner:
        if name in ("content", "text", "message") and isinstance(each, str):
            value[name] = LONG + each
            yield name
            return
        for found in lengthened(each):
            yield found
            return


@every_sample
def test_a_long_first_message_hides_no_format(sample: Path, tmp_path: Path) -> None:
    rows = values(sample)
    if own(sample) == "agentlab" or not list(lengthened(rows)):
        return  # a journal holds its texts' digests
    path = written(tmp_path / "long", "\n".join(map(json.dumps, rows)))
    assert formats(path) == [own(sample)]
    assert not [each for each in survey([str(path)]).load() if isinstance(each, LoadError)]


def test_what_names_the_format_may_stand_behind_a_long_list(tmp_path: Path) -> None:
    row = {"traj": [{"role": "user", "content": LONG}, *CHAT], "reward": 1.0, "info": {}, "trial": 0, "task_id": 3}
    assert formats(written(tmp_path / "a", json.dumps([row, row]))) == ["tau-bench"]


def test_of_a_file_whose_first_line_is_whole_no_more_is_looked_at(tmp_path: Path) -> None:
    """A general format's claim counts, though a line far behind is of another format."""
    late = {"schema_version": "ATIF-v1.6", "session_id": "s", "steps": []}
    path = written(tmp_path / "a", "\n".join([ROW] * 2000 + [json.dumps(late)]))
    assert formats(path) == ["openai-chat"]


# --- pages


@every_sample
def test_what_wraps_records_is_of_their_format_or_of_none(sample: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "page", json.dumps({"data": values(sample)}))
    assert formats(path) in ([], [own(sample)])


def test_every_row_of_a_page_of_langchain_is_read(tmp_path: Path) -> None:
    sample = SAMPLES / "langchain.jsonl"
    path = written(tmp_path / "page", json.dumps({"data": values(sample)}))
    lines, page = (list(survey([str(each)]).load()) for each in (sample, path))
    assert [len(each) for each in page if isinstance(each, Trace)] == [
        len(each) for each in lines if isinstance(each, Trace)
    ]


# --- broken beginnings


@pytest.mark.parametrize("name", ["", "claude-code.jsonl"])
@pytest.mark.parametrize("cut", [1, 40])
def test_a_broken_first_line_costs_itself(name: str, cut: int, tmp_path: Path) -> None:
    lines = (SAMPLES / name).read_text().splitlines() if name else [ROW] * 2000
    path = written(tmp_path / "a.jsonl", "\n".join([lines[0][:cut], *lines]))
    (found,) = survey([str(path)]).found
    assert found.format.name == (name.split(".")[0] or "openai-chat")
    error, *others = found.load()
    assert isinstance(error, LoadError)
    assert error.problem.startswith("line 1 is not ")
    assert not [each for each in others if isinstance(each, LoadError)]
    assert len(others) == (1 if name else 2000)


def test_a_broken_line_of_a_long_session_costs_itself(tmp_path: Path) -> None:
    user = {"role": "user", "content": "Is the lamp on? " * 9}
    model = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "No."}]}
    rows = [
        json.dumps(
            {
                "type": ("user", "assistant")[number % 2],
                "sessionId": "s",
                "message": {**model, "id": f"m{number}"} if number % 2 else user,
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
            }
        )
        for number in range(1000)
    ]
    rows[1] = rows[1][:50]
    (trace,) = survey([str(written(tmp_path / "a.jsonl", "\n".join(rows) + "\n"))]).load()
    assert isinstance(trace, Trace)
    assert "line 2" in trace.defect
    assert len(trace) > 900


def test_a_number_that_is_none_hides_no_format(tmp_path: Path) -> None:
    log = json.loads((SAMPLES / "inspect.json").read_text())
    log = {**log, "eval": {**log["eval"], "metadata": {"score": float("nan"), "notes": LONG}}}
    assert formats(written(tmp_path / "log.json", json.dumps(log))) == ["inspect"]


# --- what is said where nothing can be read


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 100_000, "this is not JSON: the value is nested deeper than 200 at line 1 column 202"),
        (
            json.dumps({"messages": CHAT})[:-1].encode() + b', "n": ' + b"9" * 5000 + b"}",
            "a number has too many digits",
        ),
        (b'{"messages": "a\tb"}', "this is not JSON: a control character stands unescaped in a string at line 1"),
        (b'{"messages": "\x01"}', "it is no text: byte 15 is 0x01"),
        (b'"only a text"', "it holds JSON: a text."),
        (b'{"a": 1, "b', "the file was cut short: the text ends inside a string at line 1 column 11"),
        (b"{", "the file was cut short"),
        (b'{"a": 1}', "its first object has the fields a."),
        ("Das heißt".encode("utf-16"), "it is text in UTF-16 or UTF-32"),
        (ROW.encode("utf-16-le"), "the file is text in UTF-16 or UTF-32"),
        (ROW.encode("utf-32-be"), "the file is text in UTF-16 or UTF-32"),
        (b"Action: look\0[lamp]", "it is no text: byte 13 is 0x00"),
        (b"PK\x03", "it is no text: byte 3 is 0x03"),
        (b"\x1f", "it is no text: byte 1 is 0x1f"),
        (b"\x1f\x8b\x08", ""),
        (b"logs/a.json".ljust(257, b"\0") + b"ustar" + b"\0" * 250, "it is a tar archive"),
        (b" \n\t\n", "it holds white space only"),
        (b"caf\xe9", "it holds no text in UTF-8"),
    ],
)
def test_a_named_file_that_is_no_trace_is_refused_with_the_reason(content: bytes, said: str, tmp_path: Path) -> None:
    assert said in refusal(written(tmp_path / "a", content))


def test_the_id_of_a_reply_does_not_hang_on_a_byte_order_mark(tmp_path: Path) -> None:
    for text in ("Action: look[lamp]", ROW, json.dumps({"messages": CHAT}, indent=1)):
        plain, marked = (
            [each.id for each in survey([str(written(tmp_path / "a", before + text.encode()))]).load()]  # type: ignore[union-attr]
            for before in (b"", b"\xef\xbb\xbf")
        )
        assert plain == marked


def test_general_formats_are_few() -> None:
    assert [form.name for form in all_formats() if form.general] == ["openai-chat", "react-text"]
