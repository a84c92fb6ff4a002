"""JSON as other people's programs write it: read fast, and refused in words a person understands.

What a harness executes is read by `agentlab.strictjson`, which is stricter and slower. Here the texts are logs of
gigabytes: the parser is jiter, half of an emoji is mended instead of refused, and nesting may be deeper.
"""

from __future__ import annotations

import codecs
import mmap
import re
from math import isfinite
from typing import Final, Literal

import jiter

from agentlab.strictjson import JSONValue

__all__ = ["JSONError", "Trouble", "parse", "parse_partial"]

Trouble = Literal["cut", "more", "twice", "other"]
"""`cut`: the text ends before the value does; `more`: text follows a whole value; `twice`: a key stands twice in an
object, which others allow; `other`: it is not JSON."""

_BOM: Final = codecs.BOM_UTF8
_SHORT: Final = 40
"""Longest key, in characters, that an error quotes."""


class JSONError(ValueError):
    """Bytes are not one JSON value.

    Args:
        problem: what is wrong, as a clause without the place.
        line: line of the place, from 1; None where the whole text is at fault.
        column: byte of the place in its line, from 1; None where the whole line is at fault.
        trouble: which of the four ways it is wrong.
    """

    def __init__(
        self, problem: str, line: int | None = None, column: int | None = None, trouble: Trouble = "other"
    ) -> None:
        super().__init__(problem, line, column, trouble)  # what unpickling passes again
        self.problem = problem
        self.line = line
        self.column = column
        self.trouble: Trouble = trouble

    def __str__(self) -> str:
        return self.told()

    def told(self, first_line: int = 1) -> str:
        """The sentence, for a text that begins at line `first_line` of its file."""
        if self.line is None:
            return self.problem
        column = "" if self.column is None else f" column {self.column}"
        return f"{self.problem} at line {self.line + first_line - 1}{column}"


def parse(data: bytes, *, non_finite: bool = False) -> JSONValue:
    r"""Read one JSON value that fills the whole of `data`.

    Args:
        data: UTF-8, with or without a byte order mark. Escapes of lone surrogates (`\ud83d` without its other
            half, where a log cut a text inside an emoji) are read as U+FFFD.
        non_finite: whether NaN and Infinity are read too, as the texts `nan` and `inf`, which can be written again.
            A number beyond a double is then not looked for, which takes as long as half of the parsing: it may be an
            infinite float, which no trace takes.

    Raises:
        JSONError: where it is not JSON, a key stands twice in an object, or the nesting is deeper than 200.
        MemoryError: where there is too little memory for its value.
    """
    data = _utf8(data)
    if len(data) > _LARGE:
        _reserve(_SWELLS * len(data))
    try:
        value = _read(data)
    except ValueError as error:
        return _read_again(data, error, non_finite)
    if not non_finite and any(huge.search(data) for huge in _HUGE):
        return _checked(value, data)
    return value


def parse_partial(data: bytes) -> JSONValue | None:
    """What can be read of a value that is cut off, its last string included; what follows a whole value is ignored.

    Keys that stand twice are not refused: the last one counts. NaN and infinities are read as floats.

    Returns:
        The value, or None where `data` is not the beginning of JSON. (A whole `null` is None as well.)
    """
    try:
        data = _utf8(data)
    except JSONError:
        return None
    try:
        return _read_partial(data)
    except ValueError as error:
        mended = _mended(data, error)
    try:
        return None if mended is None else _read_partial(mended)
    except ValueError:
        return None


def _read(data: bytes, non_finite: bool = False) -> JSONValue:
    try:
        value: JSONValue = jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=non_finite, cache_mode="all")
    except BaseException as error:
        if not _is_panic(error):
            raise
    else:
        return value
    raise MemoryError


def _read_again(data: bytes, error: ValueError, non_finite: bool) -> JSONValue:
    """Read what was refused once with all that is allowed: escapes mended, words for numbers taken."""
    mended = _mended(data, error)
    if mended is None and not non_finite:
        raise _reworded(error, data) from None
    again = data if mended is None else mended
    try:
        value = _read(again, non_finite)
        return _finite(value) if non_finite else _checked(value, again)
    except JSONError:
        raise
    except ValueError as second:
        raise _reworded(second, again) from None


def _checked(value: JSONValue, data: bytes) -> JSONValue:
    """The value, in which every number is finite."""
    if _finite(value) != value:
        raise JSONError("a number is beyond the range of a double", *_place_of_huge(data))
    return value


_NUMBER = re.compile(rb'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|(?P<number>-?[0-9][0-9.eE+-]*+)', re.DOTALL)


def _place_of_huge(data: bytes) -> tuple[int, int]:
    """Line and column, from 1, of the first number beyond a double in a value that is JSON otherwise."""
    for found in _NUMBER.finditer(data):
        if found["number"] and not isfinite(float(found["number"])):
            before = data[: found.start()]
            return before.count(b"\n") + 1, found.start() - before.rfind(b"\n")
    return 1, 1


def _read_partial(data: bytes) -> JSONValue:
    try:
        value: JSONValue = jiter.from_json(data, partial_mode="trailing-strings", allow_inf_nan=True)
    except BaseException as error:
        if not _is_panic(error):
            raise
    else:
        return value
    raise MemoryError


_LARGE: Final = 1 << 26
"""Bytes of a text whose value may need more memory than there is."""
_SWELLS: Final = 4
"""How many times as large a value is as its text: a chat of short messages."""


def _reserve(size: int) -> None:
    """Fail where so much memory cannot be had. It is asked for and not touched, so this costs nothing.

    When memory ends in its midst, the parser may end the whole process.
    """
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        raise MemoryError(f"{size} bytes") from None


def _is_panic(error: BaseException) -> bool:
    """Whether the parser gave up in its own way, as it does where Python has no memory for an object."""
    return type(error).__name__ == "PanicException"


def _utf8(data: bytes) -> bytes:
    if data.startswith(_BOM):
        return data[len(_BOM) :]
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and len(data) % 2 == 0
    if marked or b"\x00" in data[:4]:
        raise JSONError("the text is UTF-16 or UTF-32, and JSON is read as UTF-8 only")
    return data


_HUGE = tuple(re.compile(mark + rb"\+?[0-9]{3,}\s*(?:[,\]}]|\Z)") for mark in (b"e", b"E"))
"""Without an exponent of three digits no number is infinite: jiter lets 1e999 pass, and nothing can write it again.

The end behind it tells a number from digits in a text, of which every hexadecimal digest is full. Two patterns, because
one that begins with a single letter is found twice as fast.
"""


def _finite(value: JSONValue) -> JSONValue:
    """The value with what is no finite number as text."""
    if isinstance(value, dict):
        return {name: inner if type(inner) in _ATOMS else _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [inner if type(inner) in _ATOMS else _finite(inner) for inner in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


_ATOMS: Final = frozenset({str, int, bool, type(None)})
"""What needs no looking into, so that most values cost no call."""


# An escape is taken whole, so that the text after an escaped backslash is never taken for one; a pair goes together.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def _mended(data: bytes, error: ValueError) -> bytes | None:
    """The text with U+FFFD for every lone surrogate escape, of the same length; None where that is not the fault."""
    said = str(error)
    if not said.startswith(("lone leading surrogate", "unexpected end of hex escape")):
        return None
    mended = _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], data)
    return None if mended == data else mended


# Greedy: the place is the last one named, whatever a quoted key holds.
_SAID = re.compile(r"(?P<what>.*) at line (?P<line>\d+) column (?P<column>\d+)\Z", re.DOTALL)
_ENDS: Final = "EOF while parsing "
_TWICE: Final = "Detected duplicate key "
_PLAIN: Final = {
    "trailing characters": "more text follows the value",
    "trailing comma": "nothing follows a comma",
    "key must be a string": "a key in double quotes is expected",
    "recursion limit exceeded": "the value is nested deeper than 200",
    "invalid number": "a number is malformed",
    "number out of range": "a number has too many digits",
    "invalid escape": "a backslash in a string stands before a character that needs none",
    "unexpected end of hex escape": r"a \u escape in a string is incomplete",
    "lone leading surrogate in hex escape": r"a \u escape in a string is half of a pair",
    "invalid unicode code point": "the bytes are not UTF-8",
    "expected ident": "a word is none of true, false and null",
    "expected value": "a value is expected",
}


def _reworded(error: ValueError, data: bytes) -> JSONError:
    found = _SAID.match(str(error))
    if found is None:
        return JSONError("the text is not JSON")
    what, line, column = found["what"], int(found["line"]), int(found["column"])
    if what.startswith(_ENDS):
        if not data.strip():
            return JSONError("the text is empty", trouble="cut")
        return JSONError(_ended(what.removeprefix(_ENDS)), line, column, "cut")
    if what.startswith("control character"):
        if column == 0:
            return JSONError("a string is not closed before the line ends", line - 1)
        return JSONError("a control character stands unescaped in a string", line, column)
    if what.startswith(_TWICE) and "\ufffd" in what:
        problem = "keys of an object cannot be told apart, because they hold halves of emoji"
        return JSONError(problem, line, column, "twice")
    if what.startswith(_TWICE):
        problem = f"key {_short(what.removeprefix(_TWICE))} stands twice in an object"
        return JSONError(problem, line, column, "twice")
    if what in ("expected value", "invalid number") and (word := _word_at(data, line, column)):
        return JSONError(f"{word} is not JSON", line, column)
    return JSONError(_PLAIN.get(what, what), line, column, "more" if what == "trailing characters" else "other")


def _ended(where: str) -> str:
    return f"the text ends {'before' if where == 'a value' else 'inside'} {where}"


def _short(quoted: str) -> str:
    key = quoted[1:-1]
    return repr(key) if len(key) <= _SHORT else f"{key[:_SHORT]!r}..."


_WORD = re.compile(rb"NaN|Infinity")


def _word_at(data: bytes, line: int, column: int) -> str | None:
    """Which of JavaScript's number words, that JSON does not have, stands at a place."""
    start = 0
    for _ in range(line - 1):
        start = data.find(b"\n", start) + 1
    start += column - 1
    found = _WORD.match(data, start)
    return found[0].decode() if found else None
