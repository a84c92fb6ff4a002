"""The artefacts that a word, a value or a text names: paths, urls, ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agentlab.strictjson import JSONValue

__all__ = ["artefacts", "is_path", "leaves", "paths_in"]

_LONGEST = 300
_PATH = re.compile(
    r"(?:~|\.{1,2})?/?(?:[\w.@+\-]{1,80}/){0,24}[\w.@+\-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}"
    r"|(?:~|\.{1,2})?/(?:[\w.@+\- ]{1,80}/?){1,24}|(?:[\w.@+\-]{1,80}/){1,24}[\w.@+\-]{0,80}"
)
_URL = re.compile(r"(?:[a-z][a-z0-9+.\-]{1,10}://|www\.)\S{1,300}", re.IGNORECASE)
_ID = re.compile(r"[#@]?[A-Za-z0-9][\w.\-@#:+]{0,79}")
_IN_TEXT = re.compile(r"(?<![\w/.])(?:[~.]{0,2}/)?(?:[\w@+\-.]{1,60}/){0,12}[\w@+\-]{1,60}\.[A-Za-z][A-Za-z0-9]{0,5}\b")


def is_path(word: str) -> bool:
    """Whether a word may be the name of a file or folder."""
    return len(word) <= _LONGEST and _PATH.fullmatch(word) is not None


def artefacts(value: JSONValue | Mapping[str, JSONValue]) -> Iterator[str]:
    """The short texts and numbers within a value that may name something: paths, urls, ids, titles without spaces."""
    for leaf in leaves(value):
        if isinstance(leaf, bool) or leaf is None:
            continue
        word = str(leaf).strip()
        if 0 < len(word) <= _LONGEST and (is_path(word) or _URL.fullmatch(word) or _ID.fullmatch(word)):
            yield word


def paths_in(text: str) -> frozenset[str]:
    """The file names with an extension that stand in a text of at most a few thousand code points."""
    return frozenset(match[0] for match in _IN_TEXT.finditer(text[:4000]))


def leaves(value: JSONValue | Mapping[str, JSONValue]) -> Iterator[str | int | float | bool | None]:
    """The plain values within a value, in order."""
    waiting: list[JSONValue | Mapping[str, JSONValue]] = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Mapping):
            waiting += reversed(list(found.values()))
        elif isinstance(found, list):
            waiting += reversed(found)
        else:
            yield found
