from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.markers.arguments import Read, closing, read_arguments, read_keywords
from agentlab.markers.elements import ClosingTags, read_parameters
from agentlab.markers.jsoncalls import another_call_follows, read_json_call

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(alphabet="ab'\"\\ \n\t{[é", max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abc'", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4))
def test_an_object_is_read_as_written_in_json_and_in_python(value: dict[str, object]) -> None:
    assert read_arguments(json.dumps(value)) == Read(value)
    assert read_arguments(f" {json.dumps(value, ensure_ascii=False)}\n") == Read(value)


@given(st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True), VALUES, min_size=1, max_size=4))
def test_keywords_are_read_as_python_writes_them(value: dict[str, object]) -> None:
    plain = all("\\" not in text and "'" not in text for text in _texts(value))
    if plain:
        assert read_keywords(", ".join(f"{key}={part!r}" for key, part in value.items())) == Read(value)
    assert read_keywords(", ".join(f"{key}={json.dumps(part)}" for key, part in value.items())) == Read(value)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _texts(part)]
    return [text for part in value for text in _texts(part)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Read({})),
        (" Brest\n", Read("Brest")),
        ("[1, 2]", Read("[1, 2]")),
        ('{"a": 1', Read('{"a": 1', "not_json")),
        ('{"a": 1} x', Read('{"a": 1} x', "not_json")),
        ('{"a": NaN}', Read('{"a": NaN}', "not_json")),
        ('{"a": {"b": 1, "b": 2}}', Read('{"a": {"b": 1, "b": 2}}', "same_key_twice")),
        ("{'a': 'it\\'s', 'b': (1, 2)}", Read("{'a': 'it\\'s', 'b': (1, 2)}", "not_json")),
        ("{'a': 'it\\'s \"x\"', 'b': None}", Read({"a": 'it\'s "x"', "b": None})),
    ],
)
def test_arguments(text: str, expected: Read) -> None:
    assert read_arguments(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Read({})),
        ('"Brest"', Read('"Brest"')),
        ("a == b", Read("a == b")),
        ('code="""print(\'x\')\n"""', Read({"code": "print('x')\n"})),
        ("港口='Brest'", Read({"港口": "Brest"})),
        ("a=b", Read("a=b", "not_json")),
        ("a=1, a=2", Read("a=1, a=2", "same_key_twice")),
        ("a='x", Read("a='x", "not_json")),
        ("a=f(1)", Read("a=f(1)", "not_json")),
    ],
)
def test_keywords(text: str, expected: Read) -> None:
    assert read_keywords(text) == expected


def test_closing_brackets_are_found_behind_strings() -> None:
    text = '{"a": "}", "b": [1, {"c": \'}\'}]} }'
    assert text[: closing(text, 0, len(text)) or 0] == text[:-2]
    assert closing("[ ( ]", 0, 5) is None
    assert closing("[ ( ]", 0, 5, strings=False) == 5
    assert closing("[x]", 0, 2) is None
    assert closing('["x]', 0, 4) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "tide"}', ("tide", Read({}))),
        ('{"tool_name": "tide", "kwargs": {"a": 1}}', ("tide", Read({"a": 1}))),
        ('{"name": "tide", "arguments": [1]}', ("tide", Read("[1]"))),
        ('{"function": {"name": "tide", "arguments": "{}"}}', ("tide", Read({}))),
        ('{"name": "tide", "action": "tide", "args": {}, "input": {}}', ("tide", Read({}))),
        ("[{'name': 'tide', 'arguments': {'a': None}}]", ("tide", Read({"a": None}))),
        ('{"arguments": {}}', ("", Read('{"arguments": {}}', "no_name"))),
        ("[]", ("", Read("[]", "not_json"))),
        ('{"name": "a", "tool": "b"}', ("", Read('{"name": "a", "tool": "b"}', "same_key_twice"))),
    ],
)
def test_calls_written_as_objects(text: str, expected: tuple[str, Read]) -> None:
    assert read_json_call(text) == expected


def test_copies_of_a_call_are_no_other_call() -> None:
    call = '{"name": "tide"}'
    assert not another_call_follows(f"{call}\n{call} {call}", 0, len(call))
    assert not another_call_follows(f'{call}\n{{"height": 3}}', 0, len(call))
    assert another_call_follows(f'{call}\n{call}\n{{"name": "weigh"}}', 0, len(call))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<arg key="a">1</arg><arg key="b"> x </arg>', Read({"a": "1", "b": " x "})),
        ("<parameter=a>\n1\n</parameter>", Read({"a": "1"})),
        ('<ns:parameter name="a">1</ns:parameter>', Read({"a": "1"})),
        ("<arguments><a>1</a><b></b></arguments>", Read({"a": "1", "b": ""})),
        ('<arguments>{"a": 1}</arguments>', Read({"a": 1})),
        ("<a>1</a> and more", Read("<a>1</a> and more")),
        ("<a>1</a><a>2</a>", Read("<a>1</a><a>2</a>", "same_key_twice")),
        ("", Read({})),
    ],
)
def test_parameters_written_as_tags(text: str, expected: Read) -> None:
    assert read_parameters(text) == expected


def test_closing_tags_are_found_from_any_place_in_any_order() -> None:
    text = "<a></A><b><a></a >"
    tags = ClosingTags(text)
    assert tags.find("a", 0) == (3, 7)
    assert tags.find("a", 7) == (13, 18)
    assert tags.find("a", 18) is None
    assert tags.find("a", 0) == (3, 7)
    assert tags.find("b", 0) is None
