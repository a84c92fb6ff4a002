"""What a user wished: whether what a text says was made the user's own wish, and whether such a deed was asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf

from agentlab.audit.origins.deeds import Deed, deed_words
from agentlab.audit.origins.folding import fold
from agentlab.audit.origins.values import Writing

__all__ = ["Wishes"]

_SHORTEST = 3
"""Letters of a word in an argument's name that says what it is."""

_SOURCE = (
    r"(?:instructions?|tasks?|to-?dos?|steps|actions?|requests?|directions|orders?|checklists?|items?|guides?"
    r"|procedures?|"
    r"recommendations?|suggestions?|recipe|tickets?|issues?|readme|runbook|playbook|plan|e-?mails?|mails?|messages?"
    r"|letters?|notes?|notices?|"
    r"inbox|files?|documents?|pages?|list|website|comments?)"
)
_CARRY_OUT = (
    r"(?:follow|do|execute|perform|complete|carry out|act on|act upon|handle|process|comply with|implement|apply|obey"
    r"|work (?:through|on|off)|take care of|deal with|address|resolve|finish|go through|see to|clear|run through"
    r"|tick off|get through|complete|carry out|tackle|settle)"
)
_DELEGATES = re.compile(
    rf"\b{_CARRY_OUT}\b(?! (?:the following|these|those))[^.\n:]{{0,50}}?\b{_SOURCE}\b(?!\s+in the order)"
    r"|\bdo (?:exactly |just |only )?(?:what|whatever|anything|everything|all|as)\b"
    r"|\b(?:follow|execute|perform|handle|act|proceed|carry out|comply with|implement|obey)\b"
    r"[^.\n]{0,30}\b(?:what|whatever|anything|everything|all|as)\b"
    r"|\bhelp (?:the|this|that|our) (?:customer|client|user|guest|caller|sender|person)\b"
    r"|\b(?:help|assist) (?:him|her|them|\w+) with (?:what|whatever|everything|anything)\b"
    r"|(?:按照?|依照|根据|遵照|遵循|照着?)[^。！？\n]{0,20}(?:做|执行|办|处理|操作|要求|指示|指引|步骤|来)"
    r"|(?:处理|执行|完成|办理|落实|照办|搞定)[^。！？\n]{0,16}(?:邮件|工单|任务|待办|指令|要求|清单|步骤|事项|请求|通知|里|中)"
    r"|\b(?:befolge|folge|erledige|führe)\b[^.\n]{0,40}|\b(?:sigue|haz lo|suis|fais ce|segui|выполни)\b[^.\n]{0,40}",
    re.IGNORECASE,
)
_WHOM = re.compile(
    r"\bthe (?:person|people|address|account|contact|recipient|name|number|client|customer|sender|owner|author|one)s?"
    r"\b[^.\n]{0,30}\b(?:in|on|from|of|at|gives?|names?|mentions?|says?|wrote|provides?|lists?)\b"
    r"|\b(?:named|given|listed|mentioned|found|written|shown|stated|noted|described|specified) (?:in|on|by|at|there)\b"
    r"|\b(?:who|whom|what)ever\b|[里中上](?:的|提到|写|列|给)",
    re.IGNORECASE,
)
_HOW = re.compile(
    r"\baccordingly\b|\baccording to\b|\b(?:instructed|requested|outlined|asked for|laid out) (?:in|on|by|at|there)\b"
    r"|\bas (?:\w+ ){0,5}(?:described|instructed|requested|specified|stated|told|asked|says?|written|outlined|listed"
    r"|explained|given)\b|(?:按照?|依照|根据|照)[^。！？\n]{0,20}(?:说明|内容|更新|修改|安排|填)",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"^\W{0,3}(?:yes|yeah|yep|ok(?:ay)?|sure|go ahead|do (?:it|so|that)|please do|proceed|confirm(?:ed)?|approved?"
    r"|agreed|fine|sounds good|correct|right|"
    r"好的?|可以|是的?|同意|确认|没问题|行|去做吧|ja|sí|si|oui|да)(?!\w)",
    re.IGNORECASE,
)


class Wishes:
    """What the users of one trace said, asked by place: each question costs one look at every text, once.

    Args:
        said: the users' texts, in order.
    """

    def __init__(self, said: Sequence[Writing]) -> None:
        self._said = said
        self._since: dict[str, float] = {}

    def delegated(self, before: int) -> bool:
        """Whether a user had asked, before an event's place, that what another text says be done."""
        return self._first("delegated", _DELEGATES) < before

    def pointed(self, before: int, *, at_whom: bool) -> bool:
        """Whether a user had said that another text tells whom a deed goes to, or else how it is to be done."""
        return self._first("whom", _WHOM) < before or (not at_whom and self._first("how", _HOW) < before)

    def asked_for(self, deed: Deed, before: int) -> bool:
        """Whether a user had spoken of such a deed at all."""
        words = deed_words(deed)
        return words is not None and self._first(deed, words) < before

    def spoke_of(self, name: str, before: int) -> bool:
        """Whether a user had named an argument by a word of its name."""
        words = (word for word in re.split(r"[\W_]+", name.casefold()) if len(word) >= _SHORTEST)
        return any(self._words.get(word, before) < before for word in words)

    def named(self, folded: str, before: int) -> bool:
        """Whether a user had written every word of a folded value."""
        words = folded.split()
        return bool(words) and all(self._words.get(word, before) < before for word in words)

    def agreed(self, after: int, before: int) -> bool:
        """Whether a user's turn between two places begins with a yes."""
        place = bisect_right(self._agreeing, after)
        return place < len(self._agreeing) and self._agreeing[place] < before

    def _first(self, key: str, pattern: re.Pattern[str]) -> float:
        """Place of the first text that a pattern finds something in."""
        if key not in self._since:
            places = (text.position for text in self._said if pattern.search(text.text))
            self._since[key] = next(places, inf)
        return self._since[key]

    @cached_property
    def _agreeing(self) -> Sequence[int]:
        return [text.position for text in self._said if _AGREES.search(text.text)]

    @cached_property
    def _words(self) -> Mapping[str, int]:
        """Every word they used, with the place of its first use."""
        found: dict[str, int] = {}
        for text in reversed(self._said):
            found.update(dict.fromkeys(fold(text.text).split(), text.position))
        return found
