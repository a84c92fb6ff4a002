"""How many matches an answer speaks of, held against the lines of the only search that was made.

Counted are the lines only where each of them holds what was searched for; then they are the matches, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from agentlab.audit.evidence.effects import shell_line_of, words_of
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.judging.deeds import Deed
from agentlab.audit.judging.figures import is_loose
from agentlab.audit.judging.known import Known
from agentlab.audit.judging.numerals import numerals
from agentlab.audit.judging.records import Misfit
from agentlab.audit.prose.sentences import sentences

__all__ = ["miscounted_hits", "speaks_of_hits"]

_SAID = re.compile(
    r"(?:\bthere (?:are|is|were|was)|\b(?:found|returned|shows?|gives?|has)|共有?|找到了?|有) {0,2}"
    r"(?P<n>\S{1,12}) ?(?P<what>match(?:es)?|hits?|matching lines?|(?:处|个|条)?匹配)(?P<rest>[^.;!?。；！？\n]{0,80})"
    r"|(?P<none>没有(?:任何)?匹配|未找到匹配)"
)
_PART = re.compile(
    r"\b(?:in|with|that|which|of|where|within|on|per|each|and|other|besides?|except|under|inside)\b|[在中里]"
)
_SEARCHING = words("grep search rg find ripgrep 搜索")
_PATTERNS = ("pattern", "query", "q", "regex", "text", "needle", "search", "keyword", "term")
_IN_SHELL = re.compile(
    r"^\s*(?:git )?(?:grep|rg) (?:-[nHiwrRE]+ )*(?:'([^']{2,80})'|\"([^\"]{2,80})\"|([\w.-]{2,80}))(?: [^|;&]*)?$"
)
_MOST = 2000
"""Lines above which a search is not counted."""


def speaks_of_hits(text: str) -> bool:
    """Whether a text can say how much was found: a cheap look before a dear one."""
    return "match" in text or "hit" in text or "匹配" in text


def miscounted_hits(plain: str, known: Known) -> Iterator[Misfit]:
    """Numbers of matches that the only search there was does not give.

    Args:
        plain: the answer, masked.
        known: before it.
    """
    found = _only_search(known.deeds)
    if found is None:
        return
    deed, lines, times = found
    for sentence in sentences(plain):
        for match in () if sentence.question else _SAID.finditer(plain, sentence.start, sentence.end):
            said = 0 if match["none"] else _number(match["n"])
            if (
                said is None
                or said in (lines, times)
                or said in known.told_numbers
                or _PART.search(match["rest"] or "")
            ):
                continue
            if said and is_loose(plain, sentence):
                continue
            yield Misfit(
                start=match.start(),
                end=match.end("what") if match["what"] else match.end(),
                why=f"{deed.call.tool} returned {lines} lines, each of which matches",
                deed=deed,
            )


def _number(written: str) -> int | None:
    number = next(numerals(f"{written} x"), None)
    return int(min(number.values)) if number is not None and len(number.values) == 1 else None


def _only_search(deeds: Sequence[Deed]) -> tuple[Deed, int, int] | None:
    """The only search, how many lines it gave, and how often they hold what was searched for."""
    searches = [deed for deed in deeds if not _SEARCHING.isdisjoint(words_of(deed.call.tool)) or _in_shell(deed)]
    if len(searches) != 1 or searches[0].outcome.truncated or searches[0].outcome.status != "ok":
        return None
    deed = searches[0]
    wanted = _wanted(deed).casefold()
    lines = [line.casefold() for line in (deed.result or "").splitlines() if line.strip()]
    if not wanted or not lines or len(lines) > _MOST or not all(wanted in line for line in lines):
        return None
    return deed, len(lines), sum(line.count(wanted) for line in lines)


def _in_shell(deed: Deed) -> str:
    match = _IN_SHELL.match(shell_line_of(deed.call.tool, deed.call.arguments) or "")
    return next((group for group in match.groups() if group), "") if match else ""


def _wanted(deed: Deed) -> str:
    given = deed.call.arguments
    if (written := _in_shell(deed)) or not isinstance(given, Mapping):
        return written
    return next((value for key in _PATTERNS if isinstance(value := given.get(key), str) and len(value) > 1), "")
