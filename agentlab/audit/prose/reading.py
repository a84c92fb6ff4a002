"""Reading a text for what its sentences state.

The way of a text: `masking` covers what is not the writer's own prose → `sentences` cuts it into sentences and clauses
→ the forms of `english` and `chinese` whose cue words stand in a sentence are tried on its clauses → `hedges` drops
what is taken back → `names` and the quantities are read from what is left.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from agentlab.audit.prose.chinese import CHINESE, HEDGED, chinese_forms, has_chinese_cue, verb_of_chinese
from agentlab.audit.prose.english import DEEDS
from agentlab.audit.prose.english_checks import CHECKS, STATES
from agentlab.audit.prose.english_minds import MINDS
from agentlab.audit.prose.english_sources import REPORTS, REQUESTS
from agentlab.audit.prose.forms import Form
from agentlab.audit.prose.hedges import conditional, hedged, is_any, is_plan, odd_subject
from agentlab.audit.prose.marks import marked_checks
from agentlab.audit.prose.masking import masked
from agentlab.audit.prose.names import names_in
from agentlab.audit.prose.polarity import is_denied
from agentlab.audit.prose.sentences import Clause, Sentence, clauses, sentences
from agentlab.audit.prose.values import Statement, StatementKind
from agentlab.audit.prose.verbs import verb_of
from agentlab.audit.stated import plain_numbers
from agentlab.markers.odd import odd

__all__ = ["statements"]

_ENGLISH = (*CHECKS, *STATES, *REPORTS, *REQUESTS, *MINDS, *DEEDS)
_LETTERS = bytes(code if chr(code) in "abcdefghijklmnopqrstuvwxyz-" else ord(" ") for code in range(256))
_WHOLE = re.compile(
    r"\b(?:all|both|every|everything|entire|whole|complete(?:ly)?|full(?:y)?|each)\b|全部"
    r"|所有|全都|都|均|整个|完整|全文"
)
_PARTLY = re.compile(r"\b(?:except|apart from|other than|almost|nearly|not all)\b|除了|几乎|并非")
_NUMBER = re.compile(
    r"\d|\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice"
    r"|thrice)\b|[零二三四五六七八九十两]"
)
_FIRST = 400
"""Characters in which most texts have a cue, so that the rest is not cut into words to find one."""
_TOLD = {"change", "check", "state"}
"""Kinds that a source may tell of in the same clause."""
_BELOW = re.compile(r"\b(?:below|following|here(?:'s| is| are)?|above)\b")
_RUNS = ("run", "execute")
_TEXTS = {
    "write",
    "create",
    "generate",
    "add",
    "prepare",
    "draft",
    "make",
    "include",
    "implement",
    "format",
    "build",
    "update",
    "rewrite",
}
"""Changes that a reply can be itself."""


def _by_word(words: Iterable[Collection[str]]) -> Mapping[str, int]:
    """For each word a set of forms, by their places, as the bits of a number."""
    found: dict[str, int] = defaultdict(int)
    for place, each in enumerate(words):
        for word in each:
            found[word] |= 1 << place
    return dict(found)


_CUED = _by_word(one.cues for one in _ENGLISH)
_NEEDED = _by_word(one.needs for one in _ENGLISH)
_WANTING = sum(1 << place for place, one in enumerate(_ENGLISH) if not one.needs)
"""The forms that need no other word beside a cue."""
_CUE_WORDS = frozenset(_CUED)
_KEY_WORDS = _CUE_WORDS.union(_NEEDED)
_CHINESE = frozenset(id(one) for one in CHINESE)


def statements(
    text: str, *, tools: Collection[str] = (), only: StatementKind | None = None, plain: str | None = None
) -> tuple[Statement, ...]:
    """What the sentences of a text state, in order. Linear in the text; whether it is true is not asked.

    Args:
        text: what a model wrote. Markdown is understood: fences, quotations, headings and tables state nothing.
        tools: names of the tools there are, to recognise them among the names.
        only: the one kind that is looked for, which is quicker; None for all.
        plain: the text masked, where somebody has it.

    Returns:
        Statements, none overlapping another of its kind. A question, a condition, a wish, a plan, a hedge or a rule
        gives none.
    """
    page = _Page(text, masked(text) if plain is None else plain, frozenset(tools), only)
    found: list[Statement] = []
    for sentence in sentences(page.plain) if page.han or page.english else ():
        found += _stated(page, sentence)
    for each in marked_checks(text) if only in (None, "check") else ():
        if not any(one.kind == "check" and one.start < each.end and each.start < one.end for one in found):
            found.append(each)
    return tuple(sorted(found, key=lambda one: one.start))


class _Page:
    """A text made ready: as it is, as it is read, and its English words apart from all other signs."""

    def __init__(self, text: str, plain: str, tools: frozenset[str], only: StatementKind | None) -> None:
        self._only = only
        self.text = text
        self.plain = plain
        self.tools = tools
        self._letters = plain.encode("ascii", "replace").translate(_LETTERS).decode("ascii")
        self.han = has_chinese_cue(odd(plain)) and has_chinese_cue(plain)
        cues = _cue_words(only)
        self.english = any(not cues.isdisjoint(part.split()) for part in (self._letters[:_FIRST], self._letters))

    def english_forms(self, start: int, end: int) -> Sequence[Form]:
        """The English forms whose cue words stand in a stretch."""
        forms = _forms_of(_KEY_WORDS.intersection(self._letters[start:end].split())) if self.english else ()
        return [one for one in forms if one.kind == self._only] if self._only else forms

    def chinese_forms(self, start: int, end: int) -> Sequence[Form]:
        """The Chinese forms whose signs stand in a stretch."""
        forms = chinese_forms(self.plain[start:end])
        return [one for one in forms if one.kind == self._only] if self._only else forms


@lru_cache
def _cue_words(only: StatementKind | None) -> frozenset[str]:
    """The words of which a text must have one to be looked at."""
    return _CUE_WORDS if only is None else frozenset(cue for one in _ENGLISH if one.kind == only for cue in one.cues)


@lru_cache(maxsize=8192)
def _forms_of(words: frozenset[str]) -> Sequence[Form]:
    """The English forms that some key words allow."""
    cued, needed = 0, _WANTING
    for word in words:
        cued |= _CUED.get(word, 0)
        needed |= _NEEDED.get(word, 0)
    return _forms_at(cued & needed)


@lru_cache(maxsize=4096)
def _forms_at(allowed: int) -> Sequence[Form]:
    return [one for place, one in enumerate(_ENGLISH) if allowed >> place & 1]


def _stated(page: _Page, sentence: Sentence) -> Iterator[Statement]:
    han = page.han and has_chinese_cue(page.plain[sentence.start : sentence.end])
    if han or page.english_forms(sentence.start, sentence.end):
        yield from _Sentence(page, sentence, han=han).read()


class _Sentence:
    """One sentence that may state something."""

    def __init__(self, page: _Page, sentence: Sentence, *, han: bool) -> None:
        self._page = page
        self._text = page.text
        self._plain = page.plain
        self._sentence = sentence
        self._han = han

    def read(self) -> Iterator[Statement]:
        ours = False
        parts = clauses(self._plain, self._sentence)
        for place, clause in enumerate(parts):
            begins = (
                clause.start == self._sentence.start
                or (clause.labelled and " " in self._plain[clause.start : clause.end])
                or (ours and clause.joined)
            )
            found: list[Statement] = []
            done = False
            for one, match in self._matches(clause, begins=begins):
                found.append(self._statement(one, match, clause, self._span(one, match, parts, place)))
                done = done or one.first_person or one.leading or (one.subject and one.kind == "change")
            ours = done or (ours and clause.joined)
            if found:
                yield from _distinct(_attributed(found))

    def _matches(self, clause: Clause, *, begins: bool) -> Iterator[tuple[Form, re.Match[str]]]:
        """The forms that a clause has, each once.

        Args:
            clause: where it stands.
            begins: whether nothing stands before it that could be its subject.
        """
        stretch = self._plain[clause.start : clause.end]
        forms = self._page.english_forms(clause.start, clause.end)
        for one in (*forms, *self._page.chinese_forms(clause.start, clause.end)) if self._han else forms:
            if begins or not one.leading:
                for match in one.places(stretch):
                    if self._counts(one, match, clause.start, stretch):
                        yield one, match
                        break

    def _span(self, one: Form, match: re.Match[str], parts: Sequence[Clause], place: int) -> tuple[int, int]:
        """The clause, and of one that only names a source the clause that it speaks of."""
        start, end = parts[place].start, parts[place].end
        if one.back and match.end() >= end - start - 1:
            if place + 1 < len(parts) and self._plain[start - 1 : start] not in ("(", "（"):
                end = parts[place + 1].end
            elif place:
                start = parts[place - 1].start
        if one.kind == "change" and place + 1 < len(parts) and self._is_named_behind(parts[place], parts[place + 1]):
            end = parts[place + 1].end
        return start, end

    def _is_named_behind(self, clause: Clause, after: Clause) -> bool:
        """Whether a colon and nothing but a name follows: `Saved: notes.md`."""
        if not after.labelled:
            return False
        names = names_in(self._text, after.start, after.end)
        return (
            len(names) == 1 and names[0].kind == "path" and names[0].end - names[0].start >= after.end - after.start - 4
        )

    def _counts(self, one: Form, match: re.Match[str], start: int, stretch: str) -> bool:
        groups = match.groupdict()
        if groups.get("odd") or (one.verbs and groups.get("verb") not in one.verbs):
            return False
        if id(one) in _CHINESE:
            return one.exempt or not self._is_hedged_chinese(start + match.end())
        if one.subject and odd_subject(stretch[: match.start()]):
            return False
        at = start + match.start()
        if conditional(self._plain, self._sentence.start, at):
            return False
        if not one.exempt and hedged(self._plain, self._sentence.start, at, timed=not one.first_person):
            return False
        if one.generic and is_any(self._plain, start, at, start + match.end(), self._sentence.end):
            return False
        if one.settled and is_plan(self._plain, start + match.end(), self._sentence.end):
            return False
        base = one.verbs.get(groups.get("verb") or "", "")
        return not (base in _TEXTS and _BELOW.search(stretch))

    def _is_hedged_chinese(self, end: int) -> bool:
        """Whether something in the sentence before a place takes back what is stated there."""
        return (
            HEDGED.search(self._plain, max(self._sentence.start, end - 80), min(end + 1, self._sentence.end))
            is not None
        )

    def _statement(self, one: Form, match: re.Match[str], clause: Clause, span: tuple[int, int]) -> Statement:
        groups = match.groupdict()
        start, end = span
        source = ""
        if groups.get("src"):
            source = self._text[clause.start + match.start("src") : clause.start + match.end("src")].strip()
        verb = groups.get("verb") or ""
        text = self._text[start:end]
        return Statement(
            kind=one.kind,
            start=start,
            end=end,
            text=text,
            negated=is_denied(one, match),
            verb=one.verb or one.verbs.get(verb) or (verb_of(verb) if verb.isascii() else verb_of_chinese(verb)),
            names=names_in(self._text, start, end, self._page.tools),
            numbers=tuple(
                replace(number, start=number.start + start, end=number.end + start) for number in plain_numbers(text)
            )
            if _NUMBER.search(self._plain, start, end)
            else (),
            whole=_WHOLE.search(self._plain, start, end) is not None
            and _PARTLY.search(self._plain, start, end) is None,
            source=source,
        )


def _attributed(found: Sequence[Statement]) -> list[Statement]:
    """The statements of a clause, with the source that it names."""
    source = next((one.source for one in found if one.kind == "report" and one.source), "")
    return [replace(one, source=source) if source and not one.source and one.kind in _TOLD else one for one in found]


def _distinct(found: Sequence[Statement]) -> Iterator[Statement]:
    """One statement of each kind and verb for a clause, the plainest kind first."""
    kinds = {statement.kind for statement in found}
    seen: set[tuple[str, str]] = set()
    for one in found:
        key = (one.kind, "" if one.kind in ("report", "check", "assumption", "completion") else one.verb)
        told_twice = (
            (one.kind == "change" and "completion" in kinds and one.verb in ("complete", "finish"))
            or (one.kind == "change" and "check" in kinds and one.negated)
            or (one.kind == "report" and "check" in kinds and one.verb == "find")
            or (one.kind == "change" and "check" in kinds and one.verb in ("complete", "finish", "compile", "build"))
            or (one.kind == "state" and "check" in kinds and one.verb == "clean")
            or (one.kind == "lookup" and "check" in kinds and one.verb == "test" and one.negated)
            or (one.kind == "lookup" and "check" in kinds and one.verb in _RUNS and not one.text.isascii())
            or (one.kind in ("change", "lookup") and "announcement" in kinds and one.verb == "run")
        )
        if key not in seen and not told_twice:
            seen.add(key)
            yield one
