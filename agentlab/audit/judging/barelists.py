"""How many entries an answer gives a list that has no name, and which, held against the only such list that came back.

The list is named by the tool (`list_boats`), by a word for any entry, or as the list. Held is only more than there are:
fewer may be those that somebody asked for. What was told, passed or returned anywhere is held against nobody.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from agentlab.audit.evidence.effects import words_of
from agentlab.audit.evidence.fields import whole_json
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.records import collections_in, leaves_in, stem, stems
from agentlab.audit.judging.deeds import Deed
from agentlab.audit.judging.figures import is_loose
from agentlab.audit.judging.known import Known
from agentlab.audit.judging.numerals import Numeral, numerals
from agentlab.audit.judging.records import Misfit
from agentlab.audit.prose.sentences import Sentence, sentences
from agentlab.strictjson import JSONValue

__all__ = ["misgiven_entries", "sole_list"]

_COUNT = re.compile(
    r"\b(?:there (?:are|is)"
    r"|(?P<list>list|result|output|response)s? (?:now )?(?:has|have|holds?|contains?|shows?|lists?)"
    r"|(?:it|search|query|tool|call|[a-z]+_[a-z_]+) (?:now )?(?:has|holds|contains|returned|returns|lists|shows|gave"
    r"|found)|(?:i|we|you) (?:found|have|see)) (?:(?:exactly|a total of|in total|all) )*(?=\S)"
)
_WHAT = re.compile(r" (?P<noun>[a-z]{3,20})(?P<rest>[^.,;:()!?\n]{0,80})")
_FILTER = re.compile(
    r"\b(?:with|without|that|which|whose|who|where|when|except|matching|named|called|priced|worth|left|per|each|or|not"
    r"|including|plus|other|besides)\b|\d|[$€£¥%]"
)
_ENTRIES = words("entry item result record row element object match")
_TAKES = words("in on at of the a an for from total list result all altogether here this and to it output")
_PAGED = words("limit page offset top max count n size per_page page_size pagesize first last start end cursor k num")
_VERBS = words("status news details info address series access process progress stats settings contents this")
_NAME = r"[A-Z][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30})?"
_ROW = re.compile(
    rf"(?:\bare|\bwere|:|\breturned|\bfound|\bholds|\bcontains|\blists|\bnamed)[ :]{{1,2}}"
    rf"(?P<row>{_NAME}(?:, {_NAME}){{1,40}},? (?:and|&) {_NAME})(?=[.,;!\n]|$)"
)
_BETWEEN = re.compile(r",? (?:and|&) |, ")
_HEAD = 20
_MOST = 500
"""Entries of a list above which nothing is held."""
_KINDS = words("other others more rest all none various etc you me them")


def sole_list(known: Known) -> tuple[Deed, Sequence[JSONValue]] | None:
    """The only list without a name that came back, whole as far as the record tells."""
    found = [deed for deed in known.deeds if (deed.result or "")[:_HEAD].lstrip()[:1] == "["]
    deed = found[0] if len(found) == 1 else None
    if deed is None or deed.outcome.status != "ok" or deed.outcome.truncated or deed.outcome.total:
        return None
    value, given = whole_json(deed.result or ""), deed.call.arguments
    if (
        not isinstance(value, list)
        or not 0 < len(value) <= _MOST
        or any(each.does("write", "send") for each in known.deeds)
    ):
        return None
    paged = isinstance(given, Mapping) and any(key.casefold() in _PAGED for key in given)
    return None if paged else (deed, value)


def misgiven_entries(text: str, plain: str, known: Known) -> Iterator[Misfit]:
    """Numbers of entries, and rows of their names, that hold more than the only list.

    Args:
        text: the answer.
        plain: the same, masked.
        known: before it.
    """
    found = sole_list(known)
    if found is None:
        return
    deed, entries = found
    why = f"the list that {deed.call.tool} returned has {len(entries)} entries"
    for sentence in sentences(plain):
        if is_loose(plain, sentence):
            continue
        for said in _counted(plain, sentence, deed, known):
            if min(said.values) > len(entries) and not _may_be(said, entries, known):
                yield Misfit(start=said.start, end=said.end, why=why, deed=deed)
        for start, end in _invented(text, sentence, entries, known):
            yield Misfit(start=start, end=end, why=f"{why}, and none is called so", deed=deed)


def _counted(plain: str, sentence: Sentence, deed: Deed, known: Known) -> Iterator[Numeral]:
    """The numbers that a sentence gives of the entries."""
    for match in _COUNT.finditer(plain, *sentence[:2]):
        said = next(numerals(plain, match.end(), sentence.end), None)
        if said is None or said.start != match.end():
            continue
        what = _WHAT.match(plain, said.end, sentence.end)
        if what is None or _FILTER.search(what["rest"]):
            continue
        noun, rest = stem(what["noun"]), stems(what["rest"])
        of_list = match["list"] is not None or re.search(r"\bin (?:the|this) (?:list|result|output)", what["rest"])
        if not (of_list or noun in _ENTRIES or noun in _nouns(deed)) or not what["noun"].endswith("s"):
            continue
        came = set(stems(deed.text[:5000]))
        if all(word in _TAKES or word in came for word in rest) and not known.is_of_another(
            plain[slice(*sentence[:2])], deed
        ):
            yield said


def _nouns(deed: Deed) -> set[str]:
    """What a tool lists by its name: `list_open_boats`, boats."""
    return {stem(word) for word in words_of(deed.call.tool)[1:] if word.endswith("s") and word not in _VERBS}


def _may_be(said: Numeral, entries: Sequence[JSONValue], known: Known) -> bool:
    """Whether a number is known, or that of what the entries hold or add up to."""
    if not known.numbers.isdisjoint(said.values):
        return True
    sums: dict[str, float] = defaultdict(float)
    for entry in entries:
        for leaf in leaves_in(entry):
            if isinstance(leaf.value, int | float) and not isinstance(leaf.value, bool):
                sums[".".join(leaf.keys)] += leaf.value
    nested = {each.size for each in collections_in(list(entries))}
    leaves = sum(1 for entry in entries for _ in leaves_in(entry)) if nested != {len(entries)} else 0
    return any(float(value) in (*sums.values(), *nested, leaves) for value in said.values)


def _invented(text: str, sentence: Sentence, entries: Sequence[JSONValue], known: Known) -> Iterator[tuple[int, int]]:
    """The names of a row that stand nowhere, where the row holds all that the entries are called, and they."""
    for match in _ROW.finditer(text, *sentence[:2]):
        row = _BETWEEN.split(match["row"])
        names = next((names for names in _called(entries) if names <= set(row)), None)
        extra = [name for name in row if names is not None and name not in names]
        if not names or not extra or len(extra) >= len(names):
            continue
        if not any(known.holds_any_case(name) or name.casefold() in _KINDS for name in extra):
            start = text.index(extra[0], match.start("row"))
            yield start, start + len(extra[0])


def _called(entries: Sequence[JSONValue]) -> Iterator[set[str]]:
    """What all entries have under one key, or are."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for entry in entries:
        for leaf in leaves_in(entry):
            if isinstance(leaf.value, str):
                found[leaf.keys].append(leaf.value)
    yield from (set(values) for values in found.values() if len(values) == len(entries) > 1)
