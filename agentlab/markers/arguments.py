"""What a call's arguments say: a JSON object, Python-style literals, or plain text. Nothing is ever repaired."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue, StrictJSONError, loads

__all__ = ["Problem", "Read", "closing", "read_arguments", "read_keywords", "read_object"]

Problem: TypeAlias = Literal[
    "not_a_call", "no_name", "unclosed", "trailing_text", "not_json", "same_key_twice", "two_calls"
]
"""Why a call cannot be read: no call syntax, no tool named, no closing bracket or brace, text behind the closing one,
arguments that begin like an object and are none, a key or a name given twice, several objects that differ."""


class Read(NamedTuple):
    """Arguments as read; where there is a problem, the text as it stood."""

    arguments: Arguments
    problem: Problem | None = None


def read_arguments(text: str) -> Read:
    """Read the arguments of a call: nothing is `{}`, an object is an object, anything else the trimmed text."""
    body = text.strip()
    if not body:
        return Read({})
    if not body.startswith("{"):
        return Read(body)
    value = read_object(body)
    return Read(body, value) if isinstance(value, str) else Read(value)


def read_keywords(text: str) -> Read:
    """Read what stands in `name(...)`: `key=literal` pairs, or else as `read_arguments` does."""
    if not _FIRST_KEY.match(text):
        return read_arguments(text)
    value = _loads(f"{{{_KEY_OR_LITERAL.sub(_json_literal, text)}}}")
    return Read(text.strip(), value) if isinstance(value, str) else Read(value)


def read_object(text: str) -> dict[str, JSONValue] | Problem:
    """Read a JSON object, or the first of an array of them, or the same written with Python's literals."""
    value = _loads(text)
    return _loads(_LITERAL.sub(_json_literal, text)) if value == "not_json" and "'" in text else value


def closing(text: str, start: int, stop: int, *, strings: bool = True) -> int | None:
    """The place behind the bracket that closes the one at `start`; None where it is not closed before `stop`.

    Args:
        text: any text.
        start: place of the opening bracket.
        stop: where to give up.
        strings: whether what stands between quotation marks is passed over and every kind of bracket must match; where
            not, only brackets of the first one's kind are looked at, as free text wants it.
    """
    depth = 0
    opening, closing_ = (_OPENING, _CLOSING) if strings else (text[start], _PAIRS[text[start]])
    for token in (_STRING_OR_BRACKET if strings else _BRACKET).finditer(text, start, stop):
        if token[0] in opening:
            depth += 1
        elif token[0] in closing_:
            depth -= 1
            if not depth:
                return token.end()
    return None


def _loads(text: str) -> dict[str, JSONValue] | Problem:
    """The object, or of an array of objects the first."""
    try:
        value = loads(text)
    except StrictJSONError as error:
        return "same_key_twice" if "same key" in error.problem else "not_json"
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, dict) else "not_json"


def _json_literal(match: re.Match[str]) -> str:
    """One Python literal or keyword as JSON; what is neither stays as it is, for the JSON reader to refuse."""
    groups = match.groupdict()
    if groups.get("key"):
        return f'"{groups["key"]}":'
    if groups["word"]:
        return _CONSTANTS.get(match[0], match[0])
    bar = groups["triple"] or groups["quote"]
    if len(match[0]) < 2 * len(bar) or not match[0].endswith(bar):
        return match[0]
    return '"' + _ESCAPED.sub(_json_escape, match[0][len(bar) : -len(bar)]) + '"'


def _json_escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0], match[0])


_PAIRS = dict(zip("[({［（｛", "])}］）｝", strict=True))
_OPENING, _CLOSING = frozenset(_PAIRS), frozenset(_PAIRS.values())
_BRACKET = re.compile(r"[\[\](){}［］（）｛｝]")
_STRING_OR_BRACKET = re.compile(
    r"\"(?>(?:[^\"\\]++|\\(?:.|\Z))*)(?:\"|\Z)|'(?>(?:[^'\\\n]++|\\(?:.|\Z))*)(?:'|(?=\n)|\Z)|[\[\](){}［］（）｛｝]",
    re.DOTALL,
)
_FIRST_KEY = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)")
_LITERAL = re.compile(
    r"(?P<triple>\"\"\"|''')(?>(?:(?!(?P=triple))[^\\]|\\(?:.|\Z))*)(?:(?P=triple)|\Z)"
    r"|(?P<quote>[\"'])(?>(?:(?!(?P=quote))[^\\\n]|\\(?:.|\Z))*)(?:(?P=quote)|(?=\n)|\Z)"
    r"|(?P<word>[^\W\d]\w*)",
    re.DOTALL,
)
_KEY_OR_LITERAL = re.compile(rf"(?P<key>[^\W\d]\w*)\s*=(?!=)|{_LITERAL.pattern}", re.DOTALL)
_ESCAPED = re.compile(r"\\.|[\"\n\r\t]", re.DOTALL)
_ESCAPES = {"\\'": "'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
