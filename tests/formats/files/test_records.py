from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import LoadError
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Limits, Source

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
WIDE = "text in UTF-16 or UTF-32, which must be saved as UTF-8 first"
PACK: list[Callable[[bytes], bytes]] = [
    bytes,
    gzip.compress,
    bz2.compress,
    lzma.compress,
    zstandard.ZstdCompressor().compress,
]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., list[tuple[object, ...]]]:
    """Writes bytes to a file and reads them back: (place, value) or (path, problem) for each record."""

    def write_and_read(data: bytes, *, non_finite: bool = False, **limits: int) -> list[tuple[object, ...]]:
        path = tmp_path / "log"
        path.write_bytes(data)
        found = records(Source.at(path, limits=Limits(**limits)), non_finite=non_finite)
        return [(one.place, one.value) if isinstance(one, Record) else ("error", one.problem) for one in found]

    return write_and_read


@given(st.lists(VALUES, min_size=1, max_size=6), st.sampled_from(PACK), st.booleans(), st.data())
def test_values_come_back_however_they_were_written(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[object],
    pack: Callable[[bytes], bytes],
    ascii_only: bool,
    data: st.DataObject,
) -> None:
    indent = data.draw(st.sampled_from([None, 0, 2]))
    before = data.draw(st.sampled_from(["", "\x1e"]))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    text = end.join(before + json.dumps(value, ensure_ascii=ascii_only, indent=indent) for value in values)
    text += data.draw(st.sampled_from(["", end]))
    path = tmp_path_factory.getbasetemp() / "values"
    path.write_bytes(pack(text.encode()))
    found = list(records(Source.at(path)))
    assert [record.value for record in found if isinstance(record, Record)] == values
    assert len(found) == len(values)
    lines = text.encode().split(b"\n")
    for record in found:
        assert isinstance(record, Record)
        assert record.raw.split(b"\n")[0].strip() in lines[record.line - 1]
        assert (record.place == "") == (len(values) == 1)
        assert record.place in ("", f"line {record.line}") or record.place.endswith(f"(line {record.line})")


@given(VALUES, st.sampled_from([None, 1]), st.sampled_from(PACK))
def test_a_document_is_one_record(
    tmp_path_factory: pytest.TempPathFactory, value: object, indent: int | None, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path_factory.getbasetemp() / "document"
    path.write_bytes(pack(b"\n " + json.dumps(value, indent=indent).encode() + b"\n"))
    (record,) = records(Source.at(path))
    assert isinstance(record, Record)
    assert (record.value, record.place, record.line) == (value, "", 2)


@given(st.lists(VALUES, min_size=1, max_size=5), st.sampled_from(PACK), st.sampled_from([None, 2]), st.data())
def test_changed_bytes_are_never_another_error(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[object],
    pack: Callable[[bytes], bytes],
    indent: int | None,
    data: st.DataObject,
) -> None:
    changed = bytearray(pack("\n".join(json.dumps(value, indent=indent) for value in values).encode()))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "changed"
    path.write_bytes(changed[: data.draw(st.integers(0, len(changed)))])
    found = list(records(Source.at(path)))
    assert found
    assert all(isinstance(one, Record) or one.path == str(path) for one in found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", [("error", "JSON is expected, and this is an empty file (0 bytes)")]),
        (b" \r\n\n", [("error", "JSON is expected, and this is white space only")]),
        (
            b'{"a": 1}\n\n{"a": oops}\n{"a": 3}\n',
            [
                ("line 1", {"a": 1}),
                ("error", "line 3 is not JSON: a value is expected at line 3 column 7"),
                ("line 4", {"a": 3}),
            ],
        ),
        (
            b'{"a": 1}\n{"a": "tw',
            [
                ("line 1", {"a": 1}),
                ("error", "the file was cut short in line 2: the text ends inside a string at line 2 column 9"),
            ],
        ),
        (
            b'{"a": 1, "b\n{"a": 2}\n{"a": 3}\n',
            [
                ("error", "line 1 is not whole: the text ends inside a string at line 1 column 11"),
                ("line 2", {"a": 2}),
                ("line 3", {"a": 3}),
            ],
        ),
        (
            b'starting up\n{"a": 2}\n',
            [("error", "line 1 is not JSON: a value is expected at line 1 column 1"), ("line 2", {"a": 2})],
        ),
        (
            b'{"a": 1, "a": 1}\n{"a": 2, "a": 2}\n',
            [
                ("error", "line 1 is not JSON: key 'a' stands twice in an object at line 1 column 14"),
                ("error", "line 2 is not JSON: key 'a' stands twice in an object at line 2 column 14"),
            ],
        ),
        (
            b'{\n "a": 1,\n "b": oops,\n "c": {}\n}\n',
            [("error", "the file is not JSON: a value is expected at line 3 column 7")],
        ),
        (
            b'\n{\n "a": [1,\n',
            [("error", "the file was cut short: the text ends before a value at line 3 column 9")],
        ),
        (
            b'{\n "a": 1\n}\n{\n "a": oops\n}\n{\n "a": 3\n}\n',
            [
                ("value 1 (line 1)", {"a": 1}),
                ("error", "value 2 (line 4) is not JSON: a value is expected at line 5 column 7"),
                ("value 3 (line 7)", {"a": 3}),
            ],
        ),
        (
            b'{\n "a": 1\n}\n{\n "a": "tw',
            [
                ("value 1 (line 1)", {"a": 1}),
                ("error", "value 2 (line 4) was cut short: the text ends inside a string at line 5 column 9"),
            ],
        ),
        (b'{"a": 1} {"a": 2}', [("value 1 (line 1)", {"a": 1}), ("value 2 (line 1)", {"a": 2})]),
        (b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\r\n', [("line 1", {"a": 1}), ("line 2", {"a": 2})]),
        (
            '{"a": 1}'.encode("utf-16"),
            [
                ("error", f"JSON in UTF-8 is expected, and this is {WIDE}"),
            ],
        ),
        (
            b"PK\x03\x04",
            [("error", "JSON in UTF-8 is expected, and this is a zip archive: its members are read one by one")],
        ),
        (b"[" * 100_000, [("error", "the file is not JSON: the value is nested deeper than 200 at line 1 column 202")]),
        (b'{"a": NaN}', [("error", "the file is not JSON: NaN is not JSON at line 1 column 7")]),
    ],
)
def test_what_is_read_and_what_is_refused(
    read: Callable[..., list[tuple[object, ...]]], text: bytes, found: list[tuple[str, object]]
) -> None:
    assert read(text) == found


def test_what_stands_before_the_end_of_a_cut_file_is_read(read: Callable[..., list[tuple[object, ...]]]) -> None:
    packed = gzip.compress(b'{"a": 1}\n{"a": 2}\n' * 9000)[:-4]
    *found, last = read(packed)
    assert found == [(f"line {number}", {"a": 2 - number % 2}) for number in range(1, 18_001)]
    said = f"line 18001 and what follows it cannot be read: the gzip data is cut off at byte {len(packed)}"
    assert last == ("error", said)


def test_non_finite_numbers_are_read_where_asked_for(read: Callable[..., list[tuple[object, ...]]]) -> None:
    assert repr(read(b'{"a": NaN}\n{"a": -Infinity}\n', non_finite=True)) == (
        "[('line 1', {'a': 'nan'}), ('line 2', {'a': '-inf'})]"
    )


def test_a_head_that_ends_inside_a_value_decides_all_the_same(read: Callable[..., list[tuple[object, ...]]]) -> None:
    long = {"text": "x" * 50_000, "n": [1, 2]}
    for indent, place in ((None, "line 3"), (2, "value 3 (line 15)")):
        text = "\n".join([json.dumps(long, indent=indent)] * 3).encode()
        assert read(text)[2] == (place, long)
    one_line = json.dumps([long] * 9).encode()
    assert read(one_line) == [("", [long] * 9)]
    assert read(one_line + b"\n" + one_line)[1] == ("line 2", [long] * 9)


def test_a_list_broken_into_lines_is_a_document(read: Callable[..., list[tuple[object, ...]]]) -> None:
    for long in ({"text": "x"}, {"text": "x" * 70_000}):
        text = b"[" + json.dumps(long).encode() + b',\n{"a": 2},\n{"a": 3}]\n'
        assert read(text) == [("", [long, {"a": 2}, {"a": 3}])]
    broken = b'{"text": "' + b"x" * 70_000 + b'\n{"a": 2}\n{"a": 3}\n'
    (_, problem), *others = read(broken)
    assert str(problem).startswith("line 1 is not whole: the text ends inside a string")
    assert others == [("line 2", {"a": 2}), ("line 3", {"a": 3})]


def test_a_document_on_one_line_may_be_longer_than_other_lines(read: Callable[..., list[tuple[object, ...]]]) -> None:
    text = json.dumps({"text": "x" * 200}).encode()
    assert read(text, max_line=100) == [("", {"text": "x" * 200})]
    assert read(text + b"\n{}\n", max_line=100) == [
        ("error", f"line 1 has {len(text)} bytes, and 100 are read"),
        ("line 2", {}),
    ]
    assert read(text, max_line=100, max_document=150)[0][0] == "error"


def test_lines_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for number in range(6000):
            file.write(json.dumps({"n": number, "text": "word " * 2000}).encode() + b"\n")
    tracemalloc.start()
    try:
        total = sum(isinstance(record, Record) for record in records(Source.at(path)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 6000
    assert peak < 25_000_000


@pytest.mark.parametrize(
    "text",
    [b'{"a": "' * 30_000, b'{\n"a": ' * 30_000, b"{}[" * 70_000, b'"\\' * 100_000, b"{\n}\n" * 50_000, b"1 " * 100_000],
)
@pytest.mark.timeout(30)
def test_hostile_text_takes_no_time(read: Callable[..., list[tuple[object, ...]]], text: bytes) -> None:
    assert read(text)


CHAT = json.dumps(
    {"messages": [{"role": "user", "content": "Is the lamp on?"}, {"role": "assistant", "content": "No"}]}
)
CUTS = [3, 14, 20, 33, 35, 44, 50, len(CHAT) - 10, len(CHAT) - 1]
"""Within keys, texts and numbers of brackets, behind commas and colons."""


@pytest.mark.parametrize("number", [0, 1, 3, 340])
@pytest.mark.parametrize("cut", CUTS)
def test_a_broken_line_costs_itself_in_a_file_of_any_size(
    read: Callable[..., list[tuple[object, ...]]], cut: int, number: int
) -> None:
    lines = [CHAT] * 1500
    lines[number] = CHAT[:cut]
    found = read("\n".join(lines).encode() + b"\n")
    assert len(found) == 1500
    (error,) = [one for one in found if one[0] == "error"]
    assert str(error[1]).startswith(f"line {number + 1} is not ")


def test_the_last_line_that_is_seen_may_be_the_broken_one(read: Callable[..., list[tuple[object, ...]]]) -> None:
    long = json.dumps({"text": "x" * 80_000})
    found = read("\n".join([CHAT, CHAT, CHAT[:20], long, CHAT]).encode())
    assert [one[0] for one in found] == ["line 1", "line 2", "error", "line 4", "line 5"]


def test_a_torn_first_line_before_one_longer_than_the_head(read: Callable[..., list[tuple[object, ...]]]) -> None:
    long = {"text": "x" * 80_000}
    found = read("\n".join([CHAT[:20], json.dumps(long), CHAT]).encode())
    assert [one[0] for one in found] == ["error", "line 2", "line 3"]


@pytest.mark.parametrize("text", [b'{"a": 1}', b'{"a": 1}\n{"a": 2}\n', b'{\n"a": 1\n}\n'])
def test_a_byte_order_mark_is_no_part_of_a_record(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "log"
    raws = []
    for before in (b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"):
        path.write_bytes(before + text)
        raws.append([one.raw for one in records(Source.at(path)) if isinstance(one, Record)])
    assert raws[0] == raws[1] == raws[2] != []


def test_a_document_is_called_the_file(read: Callable[..., list[tuple[object, ...]]]) -> None:
    assert read(b'{"a": oops}') == [("error", "the file is not JSON: a value is expected at line 1 column 7")]
    (found,) = read(b'{"a": "tw')
    assert found == ("error", "the file was cut short: the text ends inside a string at line 1 column 9")


def test_what_cannot_be_opened_is_the_only_item(tmp_path: Path) -> None:
    (found,) = records(Source.at(tmp_path / "absent"))
    assert isinstance(found, LoadError)
    assert found.problem == "there is no such file"
