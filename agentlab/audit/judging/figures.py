"""A figure that an answer gives for something, held against the only one that the results give for it.

Bound is by name: the words of a field stand beside the number, and every other word of the clause is known, so that
nothing makes it the number of a part or of something else. A number that was shown anywhere, or that may follow from
those that were, is held against nobody; nor is one that is no larger than a list that came back, and may be counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.records import stems
from agentlab.audit.judging.given import Given
from agentlab.audit.judging.known import Known
from agentlab.audit.judging.numerals import Numeral, may_be, may_follow, numerals
from agentlab.audit.judging.records import Misfit
from agentlab.audit.prose.hedges import conditional
from agentlab.audit.prose.masking import QUOTED
from agentlab.audit.prose.sentences import Sentence, sentences

__all__ = ["is_label", "is_loose", "misfigured"]

_LOOSE = re.compile(
    r"\b(?:usual\w*|typical\w*|normal\w*|often|general\w*|should|would|may|might|must|could|can|guess\w*|suggest\w*"
    r"|recommend\w*|plan\w*|allow|until|at least|at most|up to|before|after|let|than|compared|about|around|approx\w*"
    r"|roughly|nearly|almost|over|under|above|below|more|less|fewer|other|another|additional|remaining|further"
    r"|expect\w*|estimat\w*|will|was|were|used to|previous\w*|former\w*|default\w*|average|each|every|per|combined"
    r"|altogether|together|difference|left|first|last|next|between|except|without|only the|need|want|target|goal"
    r"|ideal\w*|likely|probabl\w*|changed?|from|increase\w*|decrease\w*|set|raised?|lowered?|if|assum\w*|example|e\.g"
    r"|imagine|say we|not|never|n't|miles?|feet|ft|inch(?:es)?|lbs?|ounces?|oz|gallons?|mph|knots?|yards?|acres?)\b"
    r"|通常|一般|建议|如果|可以|可能|应该|至少|最多|比|大约|约|左右|估计|预计|平均|每|之前|原来|假设|例如|不是",
    re.IGNORECASE,
)
"""What makes a sentence a rule, a guess, an order, a comparison, or one about a part, another time or other units."""
_CURRENCIES = tuple(
    re.compile(rf"{mark}|\b(?:{words})\b", re.IGNORECASE)
    for mark, words in (
        (r"\$", "usd|dollars?"),
        ("€", "eur|euros?"),
        ("£", "gbp|pounds?"),
        ("[¥元]", "cny|rmb|jpy|yen|yuan"),
        ("chf", "francs?"),
    )
)
_TOKEN = re.compile(rf"[^\W_]+(?:['’][a-z]+)?|[,;:()!?.。，；：（）|]|{QUOTED}+")
_STOP = words(
    "the a an its their is are was were be been of for in at on to it that this there has have had now currently"
    " and so as by i we you here total exactly tool result output found counted contain contains hold holds answer"
    " returned via with say says show shows reads current value according file i've 行 个 条 项 次 件 张 名 位 了"
)
_IS = words("is are was equals equal : ：")
_ENDS = frozenset(",;:()!?.。，；：（）|")
_GAP = 4
"""Words between a number and what it counts."""
_REACH = 400
"""Code points on each side of a number in which its clause is read."""
_COUNTS = re.compile(
    r"\bthere (?:are|is) (?P<a>\S{1,20})(?= )"
    r"|\b(?:count|total|number|sum|result|answer|value|length)(?: of [\w -]{1,40})? (?:is|was|=|:) {0,2}(?P<b>\S{1,20})"
    r"|\b(?:returned|printed|counted|found|contains|holds|has) (?P<c>\S{1,20})(?=[ .,]|$)"
    r"|(?:共有|一共有?|总共有?|结果是|结果为|共计|总数[为是]|数量[为是]|有) ?(?P<d>[0-9]{1,15})"
)
_LABEL = re.compile(
    r"#$|\b(?:step|option|page|line|version|chapter|section|part|day|no\.?|phase|level|task|item|figure|table|port"
    r"|room|week|python|java|node|http) $|第 ?$"
)
"""What stands before a number that only says which."""
_SEEN = 2000
"""Code points of a call and its result in which units may be named."""
_FEW = 3
"""Entries below which a list gives nothing to count."""


def misfigured(plain: str, known: Known) -> Iterator[Misfit]:
    """The figures of an answer that the only result which gives one contradicts.

    Args:
        plain: the answer, masked.
        known: before it.
    """
    for sentence in sentences(plain) if known.given else ():
        if is_loose(plain, sentence):
            continue
        found = [each for each in numerals(plain, sentence.start, sentence.end) if not is_label(plain, each)]
        for said in found:
            clause = _Clause(plain, sentence, said, known)
            given = clause.named or clause.counted
            if given is None or clause.is_of_another(given) or clause.holds(given, found):
                continue
            what = f"its {given.name!r}" if given.name else "the only number"
            why = f"{what} as {given.deed.call.tool} returned it is {given.value}"
            yield Misfit(start=said.start, end=said.end, why=why, deed=given.deed)


def is_loose(plain: str, sentence: Sentence) -> bool:
    """Whether a sentence asks, guesses, compares or tells of a part or of another time."""
    start, end, question = sentence
    return question or _LOOSE.search(plain, start, end) is not None or conditional(plain, start, end)


def is_label(plain: str, said: Numeral) -> bool:
    """Whether a number is that of an entry or a section."""
    line = plain[plain.rfind("\n", 0, said.start) + 1 : said.start]
    listed = not line.strip(" \t-*#") and plain[said.end : said.end + 1] in (".", ")", ":")
    return listed or _LABEL.search(line[-20:]) is not None


class _Clause:
    """The words around a number, up to the next stop on each side."""

    def __init__(self, plain: str, sentence: Sentence, said: Numeral, known: Known) -> None:
        self._known = known
        self._said = said
        self._plain = plain
        self._sentence = sentence
        before = _TOKEN.findall(plain[max(sentence.start, said.start - _REACH) : said.start])[::-1]
        self._colon = before[:1] in ([":"], ["："])
        self._before = _upto(before[1:] if self._colon else before)
        self._behind = _upto(_TOKEN.findall(plain[said.end : min(sentence.end, said.end + _REACH)]))

    @property
    def named(self) -> Given | None:
        """What the number is said of, by the words behind it or before it."""
        for called, given in self._known.given.items():
            if called and "" not in called and (self._follows(called) or self._precedes(called)):
                return given
        return None

    @property
    def counted(self) -> Given | None:
        """The only number that came back, where this one is given as a count or a result."""
        start, end = self._sentence[:2]
        sole = self._known.sole
        if sole is None or not self._are_known(self._behind):
            return None
        for match in _COUNTS.finditer(self._plain, start, end):
            if any(match.start(name) <= self._said.start < match.end(name) for name in "abcd" if match[name]):
                return sole
        return None

    def holds(self, given: Given, found: Sequence[Numeral]) -> bool:
        """Whether the figure may be right, for itself or by the others of its sentence."""
        said, known = self._said, self._known
        beside = f"{self._plain[self._sentence.start : self._sentence.end]}\n{given.name}\n{given.deed.text[:_SEEN]}"
        if may_be(said, given.value, beside, given.name) or not said.values.isdisjoint(known.numbers):
            return True
        counted = [value for value in said.values if value and value % 1 == 0]
        if counted and known.longest >= _FEW and min(counted) <= known.longest:
            return True
        near = {value for each in found if each is not said for value in each.values}
        whole = given.value % 1 == 0
        return may_follow(said, [*known.few, *near.difference(said.values)], counted=whole)

    def is_of_another(self, given: Given) -> bool:
        """Whether the clause speaks of something else than the call does, or of another currency."""
        stretch, text = self._plain[self._sentence.start : self._sentence.end], given.deed.text
        said = [each for each in _CURRENCIES if each.search(stretch)]
        came = [each for each in _CURRENCIES if said and each.search(text)]
        if said and came and not any(each in came for each in said):
            return True
        return self._known.is_of_another(stretch, given.deed)

    def _follows(self, called: frozenset[str]) -> bool:
        """`14 ripe plums`, `14 are ripe`."""
        near = {word for token in self._behind[: _GAP + len(called)] for word in stems(token)}
        return called <= near and self._are_known(self._behind, called) and self._are_known(self._before)

    def _precedes(self, called: frozenset[str]) -> bool:
        """`the price of the lamp is 15.2`, `price: 15.2`."""
        if not (self._colon or (self._before and self._before[0] in _IS)):
            return False
        near = {word for token in self._before for word in stems(token)}
        return called <= near and self._are_known(self._before, called) and self._are_known(self._behind[1:])

    def _are_known(self, tokens: Sequence[str], called: Collection[str] = ()) -> bool:
        """Whether words restrict nothing, but are those by which the thing is called or were told or shown."""
        known = self._known.words.union(called)
        return all(
            token in _STOP or token[0] == QUOTED or all(word in known for word in stems(token)) for token in tokens
        )


def _upto(tokens: Sequence[str]) -> Sequence[str]:
    """The words up to the next stop."""
    return tokens[: next((place for place, token in enumerate(tokens) if token in _ENDS), len(tokens))]
