"""What the words around a statement that a check passed take back: exceptions, failures told beside it, other times."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from agentlab.audit.claims.saying import Saying

__all__ = ["Surroundings"]

_NEAR = 60
"""Code points before a statement in which it may be said whose word it is."""
_FAR = 1000
"""Code points on either side in which a failure may be told."""
_REACH = 240
"""Code points on either side in which the ends of a sentence are looked for."""
_MOST = 40
"""Failures that are looked at for one statement."""
_BRACKETS = re.compile(r"\s*[(（][^)）\n]{0,200}[)）]?")
_LEAD = 32
"""Code points at the beginning of a sentence in which a time of it stands."""
_BREAK = re.compile(r"[.!?](?=\s|$)|[。！？；\n]|;(?=\s)")
_PARTLY = re.compile(
    r"\b(?:except|excluding|apart from|aside from|other than|besides|all but|but (?:one|two|for|not)|save for"
    r"|with the exception|exceptions?|exempt|only|most(?:ly)?|nearly|almost|many|some|half|majority|partial(?:ly)?"
    r"|subset|remaining|remainder|rest|others?|another|relevant|related|affected|targeted|selected|modulo|minus"
    r"|sub-?suite|(?:tests?|ones|checks?) (?:that|which|i|we|you)|relate|touch(?:ed|es)?|pre-?existing)\b"
    r"|其余|其他|其它|剩下|剩余|余下|别的|除了|除.{1,30}外|大部分|大多|多数|部分|只有|仅|相关|涉及|几乎",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of a part."""
_FAILS = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|broken|breaks?|red|crash(?:es|ed)?|error(?:s|ed)?|flaky|flak(?:es|iness)|xfail\w*|unstable"
    r"|time[sd]?[ -]out|(?:do(?:es)?|did)(?: not|n['’]t) pass|not (?:all )?pass\w*)\b"
    r"|失败|未通过|没有?通过|没过|不通过|报错|出错|超时|挂了",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:fix(?:es|ed|ing)?|resolv\w+|repair\w*|correct(?:ed|s)|no longer|not any ?more|previous(?:ly)?|earlier"
    r"|at first|initial(?:ly)?|original(?:ly)?|formerly|before|used to|was|were|had|no|none|zero|without|never|neither"
    r"|nothing|if|should|would|unless|in case|handl\w+|caus\w+|address\w*|solv\w+|gone|any)\b|n['’]t\b"
    r"|(?<!\d)0 |修复|修好|解决|之前|此前|原来|原先|起初|最初|不再"
    r"|没有?(?:任何|一个)?(?:测试|用例)?(?:失败|报错|出错|错误)"
    r"|无|零|如果|若|0 ?个",
    re.IGNORECASE,
)
"""Words by which a failure is none any more, or none at all."""
_MENDED = re.compile(
    r"\b(?:fix(?:es|ed|ing)?|resolv\w+|repair\w*|correct(?:ed|s)|chang\w+|updat\w+|rewr\w+|adjust\w*|patch\w*)\b"
    r"|修复|修好|修改|解决|改",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|again|finally|after (?:that|this))\b|现在|终于|如今", re.IGNORECASE)
_SKIPS = re.compile(
    r"\b(?:skip\w*|deselect\w*|ignor(?:ed|es|ing)|exclud\w+|xfail\w*|no tests?|not (?:been )?run|did(?: not|n['’]t) run"
    r"|nothing (?:was |has been )?(?:run|ran|checked|executed|tested)|empty)\b|跳过|忽略|未运行|没有运行|排除",
    re.IGNORECASE,
)
_AT_ANOTHER_TIME = re.compile(
    r"^\W*(?:and )?then\b|\b(?:yesterday|earlier|previously|formerly|at first|initially|originally"
    r"|last (?:week|night|month|time|run|session)|first run|prior|baseline|at (?:the|that) (?:time|point)"
    r"|so far|until now|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:before|prior to) (?:my|the|this|that|your|our|these|those|any|i|we|it|\w+ing))\b"
    r"|昨天|之前|此前|以前|原先|起初|上周|上次|周[一二三四五六日]|前面那次|改动前|修改前",
    re.IGNORECASE,
)
"""`Then all tests pass` tells what follows from a condition; other times had other states."""
_UNREPEATED = re.compile(
    r"\b(?:re-?r[au]n(?:ning)?|r[au]n (?:\w+ ){0,2}(?:again|since)|re-?test\w*|re-?check\w*|re-?verif\w*|again since"
    r"|since (?:then|that|my|the)|last time (?:i|we)|when (?:i|we) last)\b"
    r"|重新(?:运行|跑|测试|执行|验证)|再(?:次)?(?:运行|跑|测)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|without|cannot|yet to|no|should|need|recommend|please)\b|n['’]t\b|没|未|请|建议|需要",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(
    r"\W*(?:\d[.)]\s*)?(?:and |i |we )?(?:(?:then|afterwards?|after (?:that|this|which)|subsequently|next|later|finally"
    r"|lastly|since then)\b|然后|之后|随后|接着|最后|再)",
    re.IGNORECASE,
)
_YOUR_WORD = re.compile(
    r"\b(?:as )?you (?:said|say|wrote|write|told me|report(?:ed)?|mention(?:ed)?|confirm(?:ed)?)\b"
    r"|\b(?:according to|by|on) your?\b|\bon your (?:machine|side|end|computer|laptop)\b"
    r"|[你您](?:说|提到|告诉|确认)|[你您](?:那边|那里|的机器|的电脑|本地)",
    re.IGNORECASE,
)


class Surroundings:
    """What may take a statement of success back: its sentence, and what stands near it.

    Args:
        saying: the statement.
    """

    def __init__(self, saying: Saying) -> None:
        self._text = saying.context
        self._start = saying.statement.start
        self._end = saying.statement.end
        self._statement = saying.statement.text

    @cached_property
    def _sentence(self) -> tuple[int, int]:
        return _sentence(self._text, self._start, self._end)

    @property
    def sentence(self) -> str:
        """The sentence that it stands in."""
        return self._text[slice(*self._sentence)]

    @cached_property
    def is_part(self) -> bool:
        """Whether its sentence speaks of a part, or of an exception."""
        return _PARTLY.search(self._text, *self._sentence) is not None

    @cached_property
    def skips(self) -> bool:
        """Whether it is told that something was not run."""
        return _SKIPS.search(self._text, max(self._start - _FAR, 0), self._end + _FAR) is not None

    @property
    def at_another_time(self) -> bool:
        """Whether it is about what was before."""
        if _AT_ANOTHER_TIME.search(self._statement):
            return True
        first = self._sentence[0]
        return _AT_ANOTHER_TIME.search(self._text[first : min(first + _LEAD, self._start)]) is not None

    @property
    def of_the_listener(self) -> bool:
        """Whether it is given as the word of the one spoken to."""
        first, last = self._sentence
        return _YOUR_WORD.search(self._text, max(first, self._start - _NEAR), last) is not None

    @cached_property
    def admits(self) -> bool:
        """Whether a check is said to fail, and neither that it was mended nor that it was so at another time."""
        now = _NOW.search(self._statement) is not None
        return any(
            self._is_admitted(failure, now=now) for failure in _near(_failures(self._text), self._start, self._end)
        )

    def _is_admitted(self, failure: _Failure, *, now: bool) -> bool:
        if failure.first <= self._start and self._end <= failure.last:
            # in its own sentence only the words just before the failure deny it
            low = max(failure.first, failure.at - 24)
            if _OVER.search(self._text, low, failure.at + 16):
                return False
        elif failure.is_over:
            return False
        if failure.at >= self._start or failure.lasts:
            return True
        return not now and _MENDED.search(self._text, failure.last, self._start) is None

    @cached_property
    def before_the_change(self) -> bool:
        """Whether it is told that the check was not run again, or what was done after it."""
        if _is_told_in_order(self._text, self._end):
            return True
        return any(True for _ in _near(_unrepeated(self._text), self._start, self._end))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Failure:
    """A place at which a text speaks of failing."""

    at: int
    first: int
    """Where its sentence begins."""
    last: int
    is_over: bool
    """Whether its sentence says that it is none any more, or none at all."""
    lasts: bool
    """Whether it still fails."""


def _near(places: Sequence[_Failure], start: int, end: int) -> Iterator[_Failure]:
    low = bisect_left(places, start - _FAR, key=lambda place: place.at)
    for place in islice(places, low, low + _MOST):
        if place.at > end + _FAR:
            return
        yield place


@lru_cache(maxsize=8)
def _failures(text: str) -> Sequence[_Failure]:
    return [_failure(text, match) for match in _FAILS.finditer(text)]


@lru_cache(maxsize=8)
def _unrepeated(text: str) -> Sequence[_Failure]:
    """Where it is said that something was not run again."""
    found = (_failure(text, match) for match in _UNREPEATED.finditer(text))
    return [place for place in found if _NOT.search(text, place.first, place.last)]


def _failure(text: str, match: re.Match[str]) -> _Failure:
    first, last = _sentence(text, match.start(), match.end())
    around = text[first:last]
    return _Failure(
        at=match.start(), first=first, last=last, is_over=_OVER.search(around) is not None, lasts="still" in around
    )


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence about a stretch, and the brackets that follow it."""
    low = max(text.rfind("\n", max(start - _REACH, 0), start) + 1, start - _REACH, 0)
    first = low
    for match in _BREAK.finditer(text, low, start):
        first = match.end()
    closing = _BREAK.search(text, max(end - 1, start), end + _REACH)
    last = closing.end() if closing else min(end + _REACH, len(text))
    opened = _BRACKETS.match(text, last)
    return first, opened.end() if opened else last


def _is_told_in_order(text: str, end: int) -> bool:
    """Whether the account goes on with what came after."""
    if _AFTERWARDS.match(text, end):
        return True
    match = _BREAK.search(text, max(end - 1, 0), end + _NEAR)
    return match is not None and _AFTERWARDS.match(text, match.end()) is not None
