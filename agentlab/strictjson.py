"""JSON without surprises: what two readers could understand differently is refused.

The standard `json` module takes duplicate keys, NaN and lone surrogates, and dies of deep nesting.
Each of these has let one part of some harness read another call than the part that checked it.
"""

from __future__ import annotations

import hashlib
import json
import re
from math import isinf
from typing import NoReturn

from typing_extensions import TypeAliasType

__all__ = ["MAX_DEPTH", "JSONValue", "StrictJSONError", "digest", "dumps", "loads"]

JSONValue = TypeAliasType("JSONValue", "bool | int | float | str | list[JSONValue] | dict[str, JSONValue] | None")
"""What JSON can hold. A named alias, because pydantic follows a plain recursive one without end."""

MAX_DEPTH = 64
"""Deepest nesting of lists and objects that is read; far beyond any tool's arguments or results."""


class StrictJSONError(ValueError):
    """A text is not JSON that every reader understands alike.

    Args:
        problem: what is wrong, in a clause that quotes nothing of the text, so that it may enter a context.
        position: where, in code points from the start of the text; None where the whole text is at fault.
    """

    def __init__(self, problem: str, position: int | None = None) -> None:
        super().__init__(problem, position)  # what unpickling passes again
        self.problem = problem
        self.position = position

    def __str__(self) -> str:
        return self.problem if self.position is None else f"{self.problem} at character {self.position}"


def loads(text: str, *, max_depth: int = MAX_DEPTH) -> JSONValue:
    """Read one JSON value that fills the whole text.

    Args:
        text: the text.
        max_depth: deepest nesting of lists and objects that is read.

    Raises:
        StrictJSONError: for anything RFC 8259 forbids, and also for duplicate keys at any depth, NaN and infinities,
            numbers beyond a double, lone surrogates, and nesting deeper than `max_depth`.
    """
    _check_depth(text, max_depth)
    try:
        value: JSONValue = _DECODER.decode(text)
    except StrictJSONError:
        raise
    except json.JSONDecodeError as error:
        raise StrictJSONError(_reason(error), error.pos) from None
    except ValueError:  # an integer longer than the interpreter's limit on digits
        raise StrictJSONError("a number is too long") from None
    if "\\u" in text or not text.isascii():
        _check_surrogates(value)
    return value


def dumps(value: object, *, sort_keys: bool = False) -> str:
    """Write a value as compact JSON in UTF-8-safe text, keys in their own order unless asked.

    Raises:
        StrictJSONError: for what JSON cannot hold (NaN, infinities, lone surrogates, other types).
    """
    try:
        text = (_SORTING if sort_keys else _ENCODER).encode(value)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise StrictJSONError(f"the value cannot be written as JSON ({type(error).__name__})") from None
    return text


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_SORTING = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


def digest(value: object) -> str:
    """The SHA-256, in 64 hex digits, of a text's UTF-8 bytes or of another value's canonical JSON (sorted keys)."""
    text = value if isinstance(value, str) else dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _check_depth(text: str, limit: int) -> None:
    if text.count("[") + text.count("{") <= limit:
        return
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > limit:
            raise StrictJSONError(f"nested deeper than {limit} levels", token.start())


def _pairs(pairs: list[tuple[str, JSONValue]]) -> dict[str, JSONValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise StrictJSONError("an object has the same key twice")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise StrictJSONError(f"{name} is not a JSON number")


def _float(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise StrictJSONError("a number is beyond the range of a double")
    return number


def _int(digits: str) -> int:
    _float(digits)
    return int(digits)


def _check_surrogates(value: JSONValue) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise StrictJSONError("a string holds half of a surrogate pair") from None


def _reason(error: json.JSONDecodeError) -> str:
    said = error.msg.removesuffix(" at").rstrip(": ")
    return {"Extra data": "more text follows the value"}.get(said, said[:1].lower() + said[1:])


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
)
# The closing quote is optional and nothing is given back, so that a string that never ends is passed over once.
_STRING_OR_BRACKET = re.compile(r'"(?>(?:[^"\\]|\\.)*)"?|[\[\]{}]', re.DOTALL)
