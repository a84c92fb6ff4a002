from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.files.head import Head

ROWS = [{"a": 1}, {"b": [2]}, {"c": "x"}]
LINES = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)


@pytest.mark.parametrize(
    "data",
    [
        LINES,
        LINES.rstrip(),
        b"\xef\xbb\xbf" + LINES,
        b"\n\n" + LINES,
        LINES.replace(b"\n", b"\r\n"),
        b"".join(b"\x1e" + line + b"\n" for line in LINES.splitlines()),
        b"a preamble\nof two lines\n" + LINES,
        b"".join(json.dumps(row, indent=2).encode() + b"\n" for row in ROWS),
    ],
)
def test_values_that_follow_each_other(data: bytes) -> None:
    head = Head(data)
    assert list(head.values) == ROWS
    assert head.first == ROWS[0]
    assert list(head.objects) == ROWS


@pytest.mark.parametrize("indent", [None, 1])
def test_one_list_is_one_value_and_its_objects_are_at_hand(indent: int | None) -> None:
    head = Head(json.dumps([*ROWS, 7], indent=indent).encode())
    assert head.values == ([*ROWS, 7],)
    assert list(head.objects) == ROWS


def test_a_document_that_the_head_cuts_off_is_seen_as_far_as_it_goes() -> None:
    data = json.dumps({"name": "x", "rows": [{"a": "long " * 100}]}).encode()
    head = Head(data[:60], whole=False)
    assert isinstance(head.first, dict)
    assert head.first["name"] == "x"
    assert isinstance(head.first["rows"], list)


def test_a_last_line_that_the_head_cuts_off_does_not_count() -> None:
    assert list(Head(LINES[:-3], whole=False).values) == ROWS[:2]


@pytest.mark.parametrize("data", [b"", b"  \n", b"words only", b"\xff\xfe\x00", b"{", b"{'a': 1}"])
def test_what_is_no_json_has_no_objects(data: bytes) -> None:
    head = Head(data)
    assert not [one for one in head.objects if one]


@pytest.mark.parametrize(
    ("data", "json_"),
    [(LINES, True), (b"[1]", True), (b"\xef\xbb\xbf {}", True), (b"x\n" + LINES, False), (b"", False)],
)
def test_whether_it_begins_as_json(data: bytes, json_: bool) -> None:
    assert Head(data).is_json is json_


def test_the_text_has_signs_for_what_is_no_utf_8() -> None:
    assert Head(b"\xef\xbb\xbfa\xff").text == "a\ufffd"


def test_few_values_are_looked_at() -> None:
    assert len(Head(b"{}\n" * 5000).values) == len(Head(b"{} " * 5000).values) == 50


def test_numbers_that_are_no_json_are_seen_all_the_same() -> None:
    (value,) = Head(b'{"a": NaN}').values
    assert isinstance(value, dict)
    (cut,) = Head(b'{"a": NaN, "b": [Infinity, "x', whole=False).values
    assert isinstance(cut, dict)
    assert cut["b"] == [float("inf"), "x"]


@pytest.mark.parametrize("broken", [b'{"a": "x', b'{"a": oops}', b'{"a":', b"{"])
def test_lines_behind_a_broken_one_are_seen(broken: bytes) -> None:
    for data in (broken + b"\n" + LINES, LINES + broken + b"\n" + LINES):
        assert list(Head(data, whole=False).values)[-3:] == ROWS


def test_whether_the_only_value_is_seen_in_part() -> None:
    assert Head(b'{"a": [1, 2', whole=False).cut
    assert not Head(b'{"a": [1, 2]}\n{"b"', whole=False).cut
    assert not Head(b'{"a": [1, 2]}').cut


def test_the_rows_of_a_list_are_seen_as_lines() -> None:
    rows = Head(json.dumps(ROWS).encode()).rows
    assert rows is not None
    assert list(rows.values) == ROWS
    cut = Head(json.dumps(ROWS)[:-4].encode(), whole=False).rows
    assert cut is not None
    assert list(cut.values) == ROWS[:2]
    assert Head(LINES).rows is None


@pytest.mark.parametrize(
    ("data", "json_"),
    [
        (b'{"a": oops}', True),
        (b"[" * 100_000, True),
        (b"{", True),
        (b'[{"a"', True),
        (b"[TOOL_CALLS] [{", False),
        (b"[1] A lamp.", False),
        (b"{thought} a lamp", False),
    ],
)
def test_whether_it_was_meant_to_be_json(data: bytes, json_: bool) -> None:
    assert Head(data).begins_as_json is json_


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:ab1 \n\\', max_size=200).map(str.encode), st.booleans())
def test_no_bytes_make_it_fail(data: bytes, whole: bool) -> None:
    head = Head(data, whole=whole)
    assert isinstance(head.text, str)
    assert all(isinstance(one, dict) for one in head.objects)
    assert head.first is None or head.first == head.values[0]


def test_a_deep_document_is_no_trouble() -> None:
    assert not Head(b"[" * 60_000, whole=False).objects
    assert len(Head(b'{"a":' * 13_000, whole=False).values) <= 1
    assert len(Head(b'{"a":[' * 50_000 + b"\n" + LINES).values) <= 4


def test_what_lies_readable_in_a_zip_archive_is_not_the_archives() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a.jsonl", b"\n" + LINES)
    head = Head(content.getvalue(), members=("a.jsonl",))
    assert (head.values, head.text, head.is_json) == ((), "", False)
