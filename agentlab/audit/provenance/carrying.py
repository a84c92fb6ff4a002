"""Whether anything in a context still says what some texts said, in their words or in others'.

Only what is provable counts as gone. Half of a text's telling words in one item, or most of them in all items, carry
it. A summary carries it with three of them, and a reply with six; one in another script may say anything. A text of a
few words cannot be known again and is never gone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from agentlab.audit.arguments import written
from agentlab.audit.provenance.standing import Chain, Held
from agentlab.audit.provenance.telling import Wording, is_unspaced, stems
from agentlab.trace.events import CompletionEvent
from agentlab.trace.model import Trace

__all__ = ["Carrying"]

_FEWEST = 4
"""Telling words below which a text cannot be known again."""
_HALF = 0.5
_MOST = 0.75
_IN_SUMMARY, _IN_REPLY = 3, 6
_PROSE = 8
"""Telling words from which a text in another script may say the same; a call has fewer."""
_TEXTS = 8
"""Of many texts, the first and the last are looked for."""


class _Judged(NamedTuple):
    held: Held
    found: frozenset[str]
    carries: bool


class Carrying:
    """Looks for some texts in one context after another, in time linear in what is added to them.

    Args:
        trace: of it the arguments of calls are looked at.
        texts: any of which will do.
        in_summary: how many telling words in a summary carry them.
        aside: how a summary or a reply speaks that may say the same without a word of theirs.
    """

    def __init__(
        self,
        trace: Trace,
        texts: Sequence[str],
        *,
        in_summary: int = _IN_SUMMARY,
        aside: re.Pattern[str] | None = None,
    ) -> None:
        self._texts = texts if len(texts) <= _TEXTS else [*texts[: _TEXTS // 2], *texts[-_TEXTS // 2 :]]
        self._trace = trace
        self._in_summary, self._aside = in_summary, aside
        self._known: dict[tuple[str, str, str | None], _Judged] = {}
        self._judged: list[_Judged] = []
        self._tally: Counter[str] = Counter()
        self._carriers = 0

    @cached_property
    def _wordings(self) -> Sequence[Wording]:
        """Made when first asked for: most contexts lose nothing."""
        return [Wording(text) for text in self._texts]

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset[str]().union(*(wording.stems for wording in self._wordings))

    @cached_property
    def is_provable(self) -> bool:
        """Whether every text has words enough to be known again."""
        return all(len(wording.stems) >= _FEWEST for wording in self._wordings)

    def stands(self, chain: Chain) -> bool:
        """Whether a context carries one of the texts; also where it cannot be told."""
        if not self.is_provable:
            return True
        self._drop(chain)
        for held in chain.held[len(self._judged) :]:
            judged = self._judge(held)
            self._judged.append(judged)
            self._tally.update(judged.found)
            self._carriers += judged.carries
        if self._carriers:
            return True
        present = frozenset(word for word, count in self._tally.items() if count > 0)
        return any(wording.share(present) >= _MOST for wording in self._wordings)

    def _drop(self, chain: Chain) -> None:
        """Forget the items that stand there no more: a chain only grows and is cut at its end."""
        while self._judged:
            place, last = len(self._judged) - 1, self._judged[-1]
            if place < len(chain.held) and chain.held[place] is last.held:
                return
            self._judged.pop()
            self._tally.subtract(last.found)
            self._carriers -= last.carries

    def _judge(self, held: Held) -> _Judged:
        key = (held.kind, held.item.digest, held.item.origin)
        known = self._known.get(key)
        if known is None:
            found = frozenset(stems(self._said(held))) & self._all
            known = self._known[key] = _Judged(held, found, self._carries(held, found))
        return known._replace(held=held)

    def _said(self, held: Held) -> str:
        """A text, with what the calls of a reply asked for."""
        reply = self._trace.by_id.get(held.item.origin or "") if held.kind == "model" else None
        calls = reply.calls if isinstance(reply, CompletionEvent) else ()
        return "\n".join((held.text, *(written(call.arguments) for call in calls)))

    def _carries(self, held: Held, found: frozenset[str]) -> bool:
        if any(wording.share(found) >= _HALF for wording in self._wordings):
            return True
        if held.kind not in ("summary", "other", "model"):
            return False
        fewest = _IN_REPLY if held.kind == "model" else self._in_summary
        return len(found) >= fewest or self._may_say(held.text)

    def _may_say(self, text: str) -> bool:
        """Whether a summary, a note or a reply may say the same in words of its own."""
        return self._is_foreign(text) or (self._aside is not None and self._aside.search(text) is not None)

    def _is_foreign(self, text: str) -> bool:
        """Whether a text is in another script than those that are looked for, so that it may say the same."""
        if len(Wording(text).stems) < _PROSE:
            return False
        here = is_unspaced(text[:2000])
        return all(wording.is_unspaced != here for wording in self._wordings)
