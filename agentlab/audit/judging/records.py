"""Counts, missing fields and field values that a sentence states, held against JSON results.

Held is only what the sentence itself makes plain: every word between a number and what it counts must be known from the
result, and a thing must be named by its id. Where a result has two collections of one name, where something was changed
since, or where a number is that of any part that could be meant, nothing is held.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlab.audit.evidence.fields import whole_json
from agentlab.audit.evidence.records import Collection, Leaf, collections_in, leaves_in, records_with, stem, stems
from agentlab.audit.judging.deeds import Deed, Deeds
from agentlab.strictjson import JSONValue

__all__ = ["Misfit", "misfits", "speaks_of_records"]

_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_N = rf"(?P<n>\d{{1,6}}|{'|'.join(_NUMBERS)})"
_COUNT = re.compile(
    r"\b(?:there (?:are|were|is)|(?:you|we|i|it|they|store|account|order|result|list|file|table)(?: currently| now)?"
    r" (?:have|has|found|contains?|lists?|holds?|shows?)|found|returned|a total of)"
    rf" {{1,4}}(?:(?:currently|exactly|a total of|in total) {{1,4}})*{_N} {{1,4}}(?P<what>[^\n.,;:()!?]{{2,160}})"
)
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|under|at least|at most|up to|more than|less than"
    r"|fewer than|some|only the|another|other|more|additional|remaining|further)\b"
)
_FILTER = re.compile(
    r"\b(?:with|without|under|over|above|below|between|than|since|before|after|that|which|whose|who|where|when|except"
    r"|matching|containing|named|called|priced|worth|left|other|more|per|each|and|or|not|from|to|by|like|including)\b"
    r"|\d|[$€£¥%]"
)
_NEUTRAL = frozenset(
    {"option", "item", "result", "record", "entry", "row", "element", "match", "object", "thing", "one", "of", "in"}
    | {"total", "all", "the", "different", "distinct", "unique"}
)
_UNIQUE = frozenset(("different", "distinct", "unique"))
_ID = re.compile(r"(?<![\w#])#?(?=[\w-]*\d)[A-Za-z]{0,8}[\w-]{3,40}\w")
_LACKS = re.compile(
    r"\b(?:(?:does|do|did)(?: not|n't) have (?:an? |any )?|has no |have no |had no |there is no |there's no )"
    r"(?P<field>[a-z][a-z _-]{2,40}?)"
    r"(?= (?:because|as|since|for|on|in|yet|at|and|associated|assigned|available|listed)\b|[.,;:!?()\n]|$)"
)
_GIVEN = re.compile(
    r"\bthe (?P<field>[a-z][a-z _-]{2,40}?) (?:of|for|on) (?:the|your|my|this) (?P<noun>[a-z][a-z -]{2,60}?)"
    r"(?: (?:you|that|which|we|i) [^.;:\n]{0,60}?)? is[ :]{1,3}(?P<value>#?(?=[\w-]*\d)[\w-]{6,60})"
)
_GENERIC = frozenset(
    ["number", "id", "code", "no", "info", "information", "detail", "data", "value", "name", "field", "the", "a"]
)
_NOTHING = ("", None, False, 0, "none", "null", "n/a", "-", "unknown")
_SINGULAR_NOUN = 4
"""Letters below which a noun stands in other words by chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Misfit:
    """A stretch of a text that a result contradicts. Offsets are code points, end exclusive."""

    start: int
    end: int
    why: str
    deed: Deed


def speaks_of_records(plain: str) -> bool:
    """Whether a masked text may state what can be held against a record."""
    return any(pattern.search(plain) for pattern in (_COUNT, _LACKS, _GIVEN))


def misfits(text: str, plain: str, start: int, end: int, position: int, deeds: Deeds) -> Iterator[Misfit]:
    """What of a sentence the results before it contradict.

    Args:
        text: the whole text.
        plain: the same, masked.
        start: where the sentence begins, in code points.
        end: where it ends.
        position: place of its reply among the events.
        deeds: of the trace.
    """
    for pattern, judge in ((_COUNT, _miscounted), (_LACKS, _denied), (_GIVEN, _of_another)):
        for match in pattern.finditer(plain, start, end):
            found = judge(text, match, (start, end), _Results(deeds, position))
            if found is not None:
                why, deed = found
                yield Misfit(start=match.start(), end=match.end(), why=why, deed=deed)


class _Results:
    """The JSON results that had come before a place."""

    def __init__(self, deeds: Deeds, position: int) -> None:
        self._deeds = deeds
        self._before = deeds.recent(position)

    def standing(self, about: str = "") -> Iterator[tuple[Deed, JSONValue]]:
        """The latest result of each look, latest first, back to the last change, or to the last one that names it."""
        seen: set[tuple[str, str]] = set()
        for deed in reversed(self._before):
            if deed.does("write", "send") and about in deed.text:
                return
            key = (deed.call.tool, str(deed.call.arguments))
            value = _json(deed) if key not in seen else None
            if value is not None:
                seen.add(key)
                yield deed, value

    def naming(self, word: str) -> Iterator[tuple[Deed, JSONValue]]:
        """Every result that has a word in it, those that came later included."""
        for deed in self._deeds.sharing(word, sys.maxsize):
            value = _json(deed)
            if value is not None and stem(word) in stems(deed.result or ""):
                yield deed, value


def _json(deed: Deed) -> JSONValue | None:
    return whole_json(deed.result or "") if deed.outcome.status == "ok" else None


def _miscounted(text: str, match: re.Match[str], around: tuple[int, int], results: _Results) -> tuple[str, Deed] | None:
    del text, around
    if _ABOUT.search(match.string, max(match.start() - 20, 0), match.start("what")):
        return None
    number = int(match["n"]) if match["n"].isdigit() else _NUMBERS.index(match["n"])
    words = [stem(word) for word in re.findall(r"[^\W_]+", match["what"])]
    found = [(deed, each) for deed, value in results.standing() for each in collections_in(value)]
    named = [(deed, each) for deed, each in found if not each.nouns.isdisjoint(words[:5])]
    if len(named) != 1:
        return None
    deed, collection = named[0]
    asked = _asked(words, collection)
    if asked is None or _FILTER.search(match["what"]):
        return None
    counted = collection.with_all(asked) if asked else collection.size
    if number == deed.outcome.total or deed.outcome.truncated:
        return None
    if number == counted or (not asked and collection.could_be(number)) or len(collection.kinds) < collection.size:
        return None
    kind = f", {counted} of them {' and '.join(sorted(asked))}" if asked else ""
    return f"{collection.path or 'the list'} that {deed.call.tool} returned has {collection.size} entries{kind}", deed


def _asked(words: Sequence[str], collection: Collection) -> frozenset[str] | None:
    """The properties that a phrase asks of the entries; None where it holds a word that nothing explains."""
    place = max(place for place, word in enumerate(words[:5]) if word in collection.nouns)
    front, behind = words[:place], words[place + 1 :]
    if not _UNIQUE.isdisjoint(words) or any(word in collection.words for word in behind):
        return None
    asked = {word for word in front if word not in collection.nouns and word not in _NEUTRAL}
    properties = {word for kind in collection.kinds for word in kind}
    return frozenset(asked) if asked <= properties else None


def _denied(text: str, match: re.Match[str], around: tuple[int, int], results: _Results) -> tuple[str, Deed] | None:
    wanted = {word for word in stems(match["field"]) if word not in _GENERIC}
    ids = {each[0] for each in _ID.finditer(text, *around)}
    if not wanted or len(ids) != 1:
        return None
    (name,) = ids
    for deed, value in results.standing(name.lstrip("#")):
        for record in records_with(value, name):
            leaf = next((leaf for leaf in leaves_in(dict(record)) if _has(leaf, wanted)), None)
            if leaf is not None:
                return f"{'.'.join(leaf.keys)} of {name} is {leaf.value!r}, as {deed.call.tool} returned", deed
    return None


def _has(leaf: Leaf, wanted: set[str]) -> bool:
    """Whether a field is called so, and holds something."""
    value = leaf.value.casefold() if isinstance(leaf.value, str) else leaf.value
    return value not in _NOTHING and not isinstance(value, dict | list) and wanted <= set(stems(" ".join(leaf.keys)))


def _of_another(text: str, match: re.Match[str], around: tuple[int, int], results: _Results) -> tuple[str, Deed] | None:
    del around
    wanted = {word for word in stems(match["field"]) if word not in _GENERIC}
    noun = match["noun"].split()[-1]
    value = text[match.start("value") : match.end("value")]
    if not wanted or len(noun) < _SINGULAR_NOUN:
        return None
    if not any(value in _given(result, wanted) for _, result in results.standing(value)):
        return None
    named = [(deed, _given(result, wanted)) for deed, result in results.naming(noun)]
    if any(value in said for _, said in named):
        return None
    told = (
        (f"{value} stands in a result that names no {noun}; the one that does gives {said[0]}", deed)
        for deed, said in named
        if said
    )
    return next(told, None)


def _given(result: JSONValue, wanted: set[str]) -> list[str]:
    """What a result gives in the fields that are called so."""
    return [str(leaf.value) for leaf in leaves_in(result) if _has(leaf, wanted)]
