from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.files.layout import is_closed, is_lines, lines_of, no_json, no_text, reads, values

ROW = b'{"a": [1, "x"], "b": {"c": 2}}'
PRETTY = json.dumps(json.loads(ROW), indent=2).encode()
FLAT = json.dumps(json.loads(ROW), indent=0).encode()


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        (b"\n".join([ROW] * 3), True),
        (ROW[:9], True),  # one line that goes on
        (b"\n".join([PRETTY] * 3), False),
        (b"\n".join([FLAT] * 3), False),
        (b"[\n" + b",\n".join([ROW] * 3), False),
        (b'{"rows": [\n' + b",\n".join([ROW] * 3), False),
        (ROW + b"\n" + PRETTY, False),
        (b"\n".join([ROW, ROW[:5], ROW, ROW]), True),
        (b"\n".join([ROW[:-1], ROW, ROW, ROW]), True),
        (b"\n".join([ROW[:4], ROW, ROW, ROW]), True),
        (b"\n".join([ROW, ROW, ROW[:-1], ROW[:-2]]), True),
        (b"\n".join([b'{"a": "x', b'{"b": "' + b"y" * 100]), True),
    ],
)
def test_whether_a_file_that_begins_so_is_lines(head: bytes, lines: bool) -> None:
    assert is_lines(head, whole=False) is lines


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:ab1 \n\\', max_size=200).map(str.encode), st.booleans())
def test_no_bytes_make_it_fail(data: bytes, whole: bool) -> None:
    assert is_lines(data, whole) in (True, False)
    held = [b"".join(text.replace(b"\x1e", b"").split()) for text in (data, b"".join(text for _, text in values(data)))]
    assert held[0] == held[1]


@pytest.mark.parametrize(
    ("line", "closed"), [(ROW, True), (ROW + b" \r", True), (b" " + ROW, False), (ROW + b",", False), (b"7", False)]
)
def test_a_line_that_is_all_of_a_value(line: bytes, closed: bool) -> None:
    assert is_closed(line) is closed
    assert reads(line, non_finite=False) is not line.endswith(b",")


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (ROW, None),
        (b"", None),
        ("Ünder\x1b[1m\b".encode(), None),
        (ROW.decode().encode("utf-16"), "text in UTF-16 or UTF-32, which must be saved as UTF-8 first"),
        (ROW.decode().encode("utf-16-be"), "text in UTF-16 or UTF-32, which must be saved as UTF-8 first"),
        (b"\xff\xfe\xfd", "no text: byte 1 is 0xff"),
        (ROW.decode().encode("utf-32-le"), "text in UTF-16 or UTF-32, which must be saved as UTF-8 first"),
        (b"\0" * 64, "no text: byte 1 is 0x00"),
        (ROW + b"\x02", f"no text: byte {len(ROW) + 1} is 0x02"),
    ],
)
def test_what_is_no_text(head: bytes, said: str | None) -> None:
    assert no_text(head) == said
    assert no_json(head) == (None if said and said.endswith("0x02") else said)


def test_a_zip_archive_is_no_json() -> None:
    assert no_json(b"PK\x03\x04") == "a zip archive: its members are read one by one"


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"{"])).map(b"".join))
def test_the_lines_of_a_text(text: bytes) -> None:
    assert list(lines_of(text)) == text.split(b"\n")
    assert list(lines_of(text, whole=False)) == text.split(b"\n")[:-1]
