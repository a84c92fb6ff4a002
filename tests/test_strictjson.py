from __future__ import annotations

import hashlib
import json
import pickle
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.strictjson import MAX_DEPTH, JSONValue, StrictJSONError, digest, dumps, loads
from tests.hanging import ends

FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**300), 10**300) | FINITE | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_a_value_comes_back_as_it_was(value: JSONValue) -> None:
    assert repr(loads(dumps(value))) == repr(value)
    assert loads(json.dumps(value, indent=2)) == value


@given(st.text(st.sampled_from('{}[]",:\\u0123e-+. \tNaInfityd\ud800é')))
def test_any_text_is_read_as_json_reads_it_or_refused(text: str) -> None:
    try:
        value = loads(text)
    except StrictJSONError as refusal:
        assert refusal.position is None or 0 <= refusal.position <= len(text)  # noqa: PT017 - either outcome is fine
    else:
        assert value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expecting value at character 0"),
        ("hunter2", "expecting value at character 0"),
        ("{'hunter2': 1}", "expecting property name enclosed in double quotes at character 1"),
        ("[1,]", "illegal trailing comma|expecting value"),
        ('{"a":1} {"b":2}', "more text follows the value at character 8"),
        ('{"a":1}// hunter2', "more text follows the value at character 7"),
        ('{"a":1,"a":1}', "an object has the same key twice"),
        ('[{"x":{"a":1,"b":2,"\\u0061":3}}]', "an object has the same key twice"),
        ("NaN", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ('{"a":1e309}', "a number is beyond the range of a double"),
        ("1" + "0" * 309, "a number is beyond the range of a double"),
        ("-" + "9" * 5000, "a number is beyond the range of a double"),
        ("01", "more text follows the value at character 1"),
        ('"\\ud800"', "a string holds half of a surrogate pair"),
        ('{"\\udc00":1}', "a string holds half of a surrogate pair"),
        ('"\ud800"', "a string holds half of a surrogate pair"),
        ('"a\nb"', "invalid control character at character 2"),
        ('"hunter2', "unterminated string starting at character 0"),
        ('"\\hunter2"', r"invalid \\escape at character 1"),
        ("\ufeff{}", "expecting value at character 0"),
        ("\u00a01", "expecting value at character 0"),
    ],
)
def test_what_readers_could_take_differently_is_refused_and_not_quoted(text: str, problem: str) -> None:
    with pytest.raises(StrictJSONError, match=problem) as refusal:
        loads(text)
    assert "hunter2" not in str(refusal.value)


def test_whole_surrogate_pairs_are_one_character() -> None:
    assert loads('"\\ud83d\\udc26"') == "🐦"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded(opening: str, closing: str) -> None:
    def nested(depth: int) -> str:
        return opening * depth + "1" + closing * depth

    assert loads(nested(MAX_DEPTH)) is not None
    with pytest.raises(StrictJSONError, match=f"nested deeper than {MAX_DEPTH} levels") as refusal:
        loads(nested(MAX_DEPTH + 1))
    assert refusal.value.position == len(opening) * MAX_DEPTH
    assert loads(nested(MAX_DEPTH + 1), max_depth=MAX_DEPTH + 1) is not None


def test_brackets_in_strings_and_side_by_side_are_no_depth() -> None:
    text = json.dumps(["[[[[{" * 100, '\\"[[[' * 100, *[[]] * 100, {"[" * 100: "}"}])
    assert loads(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "[]" * 70 + '"' + '\\"' * 100_000,
        "[]" * 70 + '"' * 200_000,
        "[]" * 70 + "\\" * 200_000,
        '{"a":' * 40_000,
        '["' + "[" * 200_000,
        "9" * 200_000,
        "0." + "9" * 200_000,
        '"' + "\\u00e9" * 33_000 + '"',
        "[" + ",".join(['"é"'] * 50_000) + "]",
    ],
    ids=range(10),
)
def test_long_hostile_text_comes_to_an_end(text: str) -> None:
    with ends(), suppress(StrictJSONError):
        loads(text)


class Odd:
    pass


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "\ud800", {"\udc00": 1}, Odd(), {1, 2}, b"x", {Odd(): 1}]
)
def test_what_json_cannot_hold_is_not_written(value: object) -> None:
    with pytest.raises(StrictJSONError, match="the value cannot be written as JSON"):
        dumps([value])


def test_endless_values_are_not_written() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(StrictJSONError, match="cannot be written"):
        dumps(endless)


def test_text_is_compact_readable_and_in_its_own_order() -> None:
    assert dumps({"b": [1, 2.0], "a": "鹭"}) == '{"b":[1,2.0],"a":"鹭"}'
    assert dumps({"b": 1, "a": {"d": 1, "c": 2}}, sort_keys=True) == '{"a":{"c":2,"d":1},"b":1}'


@given(st.dictionaries(st.text(), JSON))
def test_digest_does_not_depend_on_the_order_of_keys(value: dict[str, JSONValue]) -> None:
    assert digest(value) == digest(dict(reversed(value.items())))


def test_digest_of_a_text_is_that_of_its_bytes() -> None:
    assert digest("鹭") == hashlib.sha256("鹭".encode()).hexdigest()
    assert digest({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


@pytest.mark.parametrize("error", [StrictJSONError("is odd", 7), StrictJSONError("is odd")])
def test_errors_survive_the_way_to_another_process(error: StrictJSONError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.problem, back.position) == (str(error), error.problem, error.position)
    assert isinstance(back, ValueError)
