"""What a JSON result holds: collections that can be counted, and records with an id whose fields can be looked up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentlab.strictjson import JSONValue

__all__ = ["Collection", "Leaf", "collections_in", "leaves_in", "records_with", "stem", "stems"]

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_NAMING = ("name", "title", "type", "kind", "category", "名称", "类型")
"""Fields by which an object says what its parts are."""
_COUNTED = 500
"""Entries of a collection whose fields are looked at; of a longer one only the number is known."""
_PATTERN = 3
"""Words of a value that may sort entries; longer ones are names and texts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """A list, or an object that holds entries by their ids."""

    path: str
    nouns: frozenset[str]
    """Stems of the words by which it may be called: its key, and the name of the object it stands in."""
    size: int
    kinds: tuple[frozenset[str], ...]
    """Of each entry: the stems of its flags that are true and of its short values."""
    words: frozenset[str]
    """Stems of all that could sort the entries: flags, fields and short values."""

    def with_all(self, asked: frozenset[str]) -> int:
        """How many entries have each of some properties."""
        return sum(asked <= kind for kind in self.kinds)

    def could_be(self, number: int) -> bool:
        """Whether a number is that of all entries, or of those that one property, or two, pick out."""
        if number == self.size:
            return True
        single = Counter(word for kind in self.kinds for word in kind)
        if number in single.values() or number in (self.size - count for count in single.values()):
            return True
        common = [word for word, count in single.items() if count > number]
        return len(common) > _LARGE or any(
            self.with_all(frozenset((one, other))) == number
            for place, one in enumerate(common)
            for other in common[place + 1 :]
        )


_LARGE = 30
"""Properties above which two of them can pick out any number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Leaf:
    """A plain value with the keys that lead to it."""

    keys: tuple[str, ...]
    value: JSONValue


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without the ending of its plural, in small letters."""
    word = word.casefold()
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def stems(text: str) -> tuple[str, ...]:
    """The stems of the words of a text or a key, in order; `trackingId` and `tracking_id` are two words."""
    return tuple(stem(word) for word in _WORD.findall(_CAMEL.sub(" ", text)))


def collections_in(value: JSONValue) -> Iterator[Collection]:
    """Every collection of a result, those outside first."""
    level: list[tuple[tuple[str, ...], JSONValue, str]] = [((), value, "")]
    while level:
        below: list[tuple[tuple[str, ...], JSONValue, str]] = []
        for path, each, owner in level:
            entries = _entries(each)
            if entries is not None:
                yield _collection(path, owner, entries)
            if isinstance(each, dict):
                name = _name(each) or owner
                below += [((*path, key), part, name) for key, part in each.items() if isinstance(part, dict | list)]
            elif isinstance(each, list):
                below += [(path, part, owner) for part in each[:_COUNTED] if isinstance(part, dict | list)]
        level = below


def _entries(value: JSONValue) -> Sequence[JSONValue] | None:
    """What a collection holds; None for what is none."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or not value or not all(isinstance(each, dict) for each in value.values()):
        return None
    are_ids = all(any(part == key for part in each.values()) for key, each in value.items() if isinstance(each, dict))
    return list(value.values()) if are_ids or all(key.isdigit() for key in value) else None


def _collection(path: Sequence[str], owner: str, entries: Sequence[JSONValue]) -> Collection:
    nouns = {*(stems(path[-1]) if path else ()), *stems(owner)}
    seen = entries if len(entries) <= _COUNTED else ()
    kinds, words = [], set[str]()
    for entry in seen:
        kind = set[str]()
        for leaf in leaves_in(entry):
            key, said = leaf.keys[-1] if leaf.keys else "", leaf.value
            words.update(stems(key))
            if said is True:
                kind.update(stems(key))
            elif isinstance(said, str) and len(found := stems(said)) <= _PATTERN:
                kind.update(found)
            elif isinstance(said, int) and not isinstance(said, bool):
                kind.add(str(said))
        kinds.append(frozenset(kind))
        words |= kind
    return Collection(
        path=".".join(path), nouns=frozenset(nouns), size=len(entries), kinds=tuple(kinds), words=frozenset(words)
    )


def _name(value: Mapping[str, JSONValue]) -> str:
    named = (value[key] for key in _NAMING if key in value)
    return next((each for each in named if isinstance(each, str)), "")


def leaves_in(value: JSONValue) -> Iterator[Leaf]:
    """Every plain value, depth first; an empty list or object is one, too."""
    stack: list[tuple[tuple[str, ...], JSONValue]] = [((), value)]
    while stack:
        keys, each = stack.pop()
        if isinstance(each, dict) and each:
            stack += [((*keys, key), part) for key, part in reversed(each.items())]
        elif isinstance(each, list) and each:
            stack += [(keys, part) for part in reversed(each)]
        else:
            yield Leaf(keys=keys, value=each)


def records_with(value: JSONValue, name: str) -> Iterator[Mapping[str, JSONValue]]:
    """The objects that have a name or an id as the value of a field of their own."""
    stack = [value]
    plain = name.lstrip("#").casefold()
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            if any(isinstance(part, str) and part.lstrip("#").casefold() == plain for part in each.values()):
                yield each
            stack += each.values()
        elif isinstance(each, list):
            stack += each
