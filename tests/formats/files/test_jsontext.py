from __future__ import annotations

import json
import math
import pickle
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.files.jsontext import JSONError, parse, parse_partial

HALVES = "cannot be told apart, because they hold halves of emoji"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_reads_what_json_can_hold(value: object, ascii_only: bool, indent: int | None) -> None:
    assert parse(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()) == value


@given(VALUES, st.data())
def test_a_cut_text_is_refused_and_read_in_part(value: object, data: st.DataObject) -> None:
    text = json.dumps({"head": 1, "rest": value}).encode()
    cut = data.draw(st.integers(len(b'{"head": 1,'), len(text) - 1))
    with pytest.raises(JSONError) as caught:
        parse(text[:cut])
    assert caught.value.trouble == "cut" or b"\\u" in text
    partial = parse_partial(text[:cut])
    assert isinstance(partial, dict)
    assert partial["head"] == 1


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    parse_partial(data)
    said = ""
    try:
        parse(data)
    except JSONError as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "the text is empty"),
        (b'{\n "a": "b', "the text ends inside a string at line 2 column 8"),
        (b'{"a": 1', "the text ends inside an object at line 1 column 7"),
        (b'{"a":', "the text ends before a value at line 1 column 5"),
        (b'{"a": 1, "a": 2}', "key 'a' stands twice in an object at line 1 column 14"),
        (b"[" * 100_000, "the value is nested deeper than 200 at line 1 column 202"),
        (b"[1,\n NaN]", "NaN is not JSON at line 2 column 2"),
        (b"[-Infinity]", "Infinity is not JSON at line 1 column 3"),
        (b"1e999", "a number is beyond the range of a double at line 1 column 1"),
        (b'{"1e999": 1,\n "a\\"": [2, -1e999]}', "a number is beyond the range of a double at line 2 column 13"),
        (rb'{"\ud83d": 1, "\ud83e": 2}', f"keys of an object {HALVES} at line 1 column 24"),
        (b"9" * 5000, "a number has too many digits at line 1 column 4302"),
        (b"{} {}", "more text follows the value at line 1 column 4"),
        (b"[1,]", "nothing follows a comma at line 1 column 4"),
        (b"{'a': 1}", "a key in double quotes is expected at line 1 column 2"),
        (b"hello", "a value is expected at line 1 column 1"),
        (b'"a\nb"', "a string is not closed before the line ends at line 1"),
        (b'"a\tb"', "a control character stands unescaped in a string at line 1 column 3"),
        (b'"\xe9t\xe9"', "the bytes are not UTF-8 at line 1 column 2"),
        ('{"a": 1}'.encode("utf-16"), "the text is UTF-16 or UTF-32, and JSON is read as UTF-8 only"),
        ('{"a": 1}'.encode("utf-16-be"), "the text is UTF-16 or UTF-32, and JSON is read as UTF-8 only"),
    ],
)
def test_says_what_is_wrong_and_where(text: bytes, said: str) -> None:
    with pytest.raises(JSONError) as caught:
        parse(text)
    assert str(caught.value) == said


def test_a_long_key_is_not_quoted_whole_and_a_key_cannot_feign_a_place() -> None:
    for key in ("k" * 5000, "x at line 7 column 7"):
        text = json.dumps(key) + ": 1"
        with pytest.raises(JSONError) as caught:
            parse(f"{{{text}, {text}}}".encode())
        assert len(str(caught.value)) < 120
        assert (caught.value.line, caught.value.trouble) == (1, "twice")


def test_an_error_tells_its_line_in_the_file_and_survives_pickling() -> None:
    with pytest.raises(JSONError) as caught:
        parse(b"[1,\n oops]")
    assert caught.value.told(40) == "a value is expected at line 41 column 2"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_non_finite_numbers_are_read_where_asked_for() -> None:
    value = parse(b'[NaN, Infinity, -Infinity, {"a": [1e999, 1e308]}]', non_finite=True)
    assert value == ["nan", "inf", "-inf", {"a": ["inf", 1e308]}]
    assert parse(b'{"a": [{"b": -1e999}]}', non_finite=True) == {"a": [{"b": -math.inf}]}  # refused by the trace


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'"cut \ud83d"', "cut \ufffd"),
        (rb'"\ude00 and \ud83d\n"', "\ufffd and \ufffd\n"),
        (rb'"\ud83d\ude00 \ud83d"', "\U0001f600 \ufffd"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\ud83d \\ud83d"', "\ufffd \\ud83d"),
        (rb'"\\\ud83d"', "\\\ufffd"),
        (b'\xef\xbb\xbf"marked"', "marked"),
    ],
)
def test_half_an_emoji_and_a_byte_order_mark_are_mended(text: bytes, value: str) -> None:
    assert parse(text) == value
    assert parse_partial(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a": [1, "ab', {"a": [1, "ab"]}),
        (b'{"a": 1, "a": 2', {"a": 2}),
        (rb'{"a": "\ud83d y', {"a": "\ufffd y"}),
        (b"oops", None),
        (b"", None),
        (b'[{"a": "NaN"}, -Infinity, {"b": "x', [{"a": "NaN"}, -inf, {"b": "x"}]),
        ('{"a"'.encode("utf-16"), None),
    ],
)
def test_what_can_be_read_of_a_cut_value(text: bytes, value: object) -> None:
    assert parse_partial(text) == value


@pytest.mark.parametrize(
    "text",
    [
        b"\\" * 200_000,
        b'"' + rb"\ud83d" * 40_000,
        b'{"a":' * 40_000,
        b'"' + b"\\\\" * 100_000 + b"\\ud83d",
        b"\n" * 200_000 + b"NaN",
    ],
)
@pytest.mark.timeout(20)
def test_hostile_text_takes_no_time(text: bytes) -> None:
    with pytest.raises(JSONError):
        parse(text)
    parse_partial(text)
