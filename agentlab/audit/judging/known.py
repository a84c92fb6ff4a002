"""What was known when an answer was given: which numbers and words had been told, passed or returned."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property

from agentlab.audit.arguments import written
from agentlab.audit.evidence.fields import whole_json
from agentlab.audit.evidence.records import collections_in, stems
from agentlab.audit.judging.deeds import Deed, Deeds
from agentlab.audit.judging.given import Given, givens
from agentlab.audit.judging.numerals import numerals, values_in

__all__ = ["Known", "Shelf"]

_READ = 5000
"""Characters at the head of a text that are read for words, and for figures that others may follow from."""
_MOST = 200_000
"""Characters of a text in which numbers are looked for."""
_NAME = re.compile(r"[\w./-]*[A-Z\d][\w./-]*")
_TOKEN = re.compile(r"[\w./-]*\w")


class _Text:
    """A text that the model was shown or wrote into a call, read as far as somebody asks."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        return values_in(self.text[:_MOST])

    @cached_property
    def folded(self) -> str:
        return self.text.casefold()

    @cached_property
    def few(self) -> frozenset[Decimal]:
        return frozenset(value for each in numerals(self.text[:_READ]) for value in each.values)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(stems(" ".join(set(self.text[:_READ].split()))))

    @cached_property
    def names(self) -> frozenset[str]:
        """What has a capital or a digit in it, and does not merely open the text."""
        found = set(_NAME.findall(self.text[:_READ]))
        opening = _TOKEN.search(self.text[:_READ])
        return frozenset(found - {opening[0]} if opening and len(opening[0]) > 1 else found)

    @cached_property
    def small(self) -> frozenset[str]:
        return frozenset(_TOKEN.findall(self.text[:_READ])) - self.names

    @cached_property
    def size(self) -> int:
        """Entries of its longest list, or its lines."""
        value = whole_json(self.text)
        if isinstance(value, dict | list):
            return max((each.size for each in collections_in(value)), default=0)
        return sum(1 for line in self.text.splitlines() if line.strip())


class _Facts:
    """A call, what was passed to it and what came back."""

    def __init__(self, deed: Deed) -> None:
        self.deed = deed
        self.passed = _Text(written(deed.call.arguments))
        self.came = _Text("\n".join(filter(None, (deed.result, deed.call.error))))
        self.tool = _Text(deed.call.tool)

    @cached_property
    def given(self) -> Sequence[Given]:
        found = list(givens(self.deed))  # asked first, as what a result proves is dear to tell
        return found if found and self.deed.outcome.status != "failed" else ()


class Shelf:
    """Everything that became known in a trace, each text read once.

    Args:
        deeds: of the trace.
        told: what users and the system had said.
    """

    def __init__(self, deeds: Deeds, told: Sequence[str]) -> None:
        self._deeds = deeds
        self._told = [_Text(text) for text in told]
        self._facts: dict[int, _Facts] = {}

    def before(self, position: int) -> Known:
        """What was known before an event, of the calls the recent ones."""
        recent = self._deeds.recent(position)
        return Known([self._fact(deed) for deed in recent], self._told)

    def _fact(self, deed: Deed) -> _Facts:
        known = self._facts.get(deed.at)
        if known is None:
            known = self._facts[deed.at] = _Facts(deed)
        return known


class Known:
    """What had been told, passed and returned before an answer."""

    def __init__(self, facts: Sequence[_Facts], told: Sequence[_Text]) -> None:
        self._facts = facts
        self._told = told

    @property
    def deeds(self) -> Sequence[Deed]:
        """The calls, in the order of their results."""
        return [fact.deed for fact in self._facts]

    @cached_property
    def given(self) -> Mapping[frozenset[str], Given]:
        """What results give one number for, and only one, by its words; nothing from before the last change."""
        found: dict[frozenset[str], list[Given]] = defaultdict(list)
        if not any(fact.given for fact in self._facts):
            return {}
        changed = max((place for place, fact in enumerate(self._facts) if fact.deed.does("write", "send")), default=-1)
        for place, fact in enumerate(self._facts):
            for each in fact.given:
                found[each.words].append(each if place > changed else replace(each, stale=True))
        return {
            words: many[0]
            for words, many in found.items()
            if len({each.value for each in many}) == 1 and not any(each.stale for each in many)
        }

    def may_concern(self, text: str) -> bool:
        """Whether a text can give anything of this another number: a cheap look before a dear one."""
        if not self.given:
            return False
        lowered = text.casefold()
        return self.sole is not None or any(all(word[:-1] in lowered for word in words) for words in self.given)

    @cached_property
    def sole(self) -> Given | None:
        """The number that is all that came back, where nothing else did."""
        sole = self.given.get(frozenset())
        others = [fact for fact in self._facts if sole is not None and fact.deed is not sole.deed]
        return None if any(fact.came.numbers for fact in others) else sole

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number that was told, passed or returned."""
        return frozenset[Decimal]().union(*(text.numbers for text in self._texts))

    @cached_property
    def told_numbers(self) -> frozenset[Decimal]:
        """Those that were told."""
        return frozenset[Decimal]().union(*(text.numbers for text in self._told))

    @cached_property
    def few(self) -> frozenset[Decimal]:
        """Those that a figure may be worked out from: of the first part of each text."""
        return frozenset[Decimal]().union(*(text.few for text in self._texts))

    @cached_property
    def longest(self) -> int:
        """Entries of the longest list that came back, or lines of the longest text."""
        return max((fact.came.size for fact in self._facts), default=0)

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of all words that were told, passed or returned, and of the names of the tools."""
        tools = (fact.tool for fact in self._facts)
        return frozenset[str]().union(*(text.words for text in (*self._texts, *tools)))

    def is_of_another(self, clause: str, deed: Deed) -> bool:
        """Whether a clause names something that was told or passed, and that a call has nothing to do with."""
        text = deed.text.casefold()
        return any(token in self._names and token not in text for token in _TOKEN.findall(clause.casefold()))

    def holds(self, name: str) -> bool:
        """Whether a name had been told, passed or returned."""
        return any(name in text.text for text in self._texts)

    @property
    def texts(self) -> Sequence[str]:
        """All that was told, passed and returned."""
        return [text.text for text in self._texts]

    def holds_any_case(self, name: str) -> bool:
        """The same, in capitals or in small letters."""
        return any(name.casefold() in text.folded for text in self._texts)

    @cached_property
    def _texts(self) -> Sequence[_Text]:
        return [*self._told, *(text for fact in self._facts for text in (fact.passed, fact.came))]

    @cached_property
    def _names(self) -> frozenset[str]:
        """What was told or passed and looks like a name: it never stands there in small letters."""
        texts = [*self._told, *(fact.passed for fact in self._facts)]
        names = frozenset[str]().union(*(text.names for text in texts))
        return frozenset(name.casefold().rstrip(".") for name in names).difference(*(text.small for text in texts))
