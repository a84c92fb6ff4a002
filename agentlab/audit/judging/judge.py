"""Each statement with what is held of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentlab.audit.claims.saying import Saying
from agentlab.audit.judging.asking import Asking
from agentlab.audit.judging.changes import judge_change, judge_completion
from agentlab.audit.judging.checks import judge_check
from agentlab.audit.judging.deeds import Deeds
from agentlab.audit.judging.lookups import judge_lookup, judge_report
from agentlab.audit.judging.retold import Retold
from agentlab.audit.judging.values import OPEN, Judgement
from agentlab.audit.prose.values import StatementKind

__all__ = ["Judged", "judged"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A statement and its judgement."""

    saying: Saying
    judgement: Judgement


def judged(
    sayings: Sequence[Saying],
    deeds: Deeds,
    shown: Sequence[str],
    asking: Asking,
    *,
    tells_deeds: bool,
    whole: bool,
) -> Iterator[Judged]:
    """Judge every statement of which anything can be held.

    Args:
        sayings: of a trace.
        deeds: of it.
        shown: what others than tools had said to the model.
        asking: what users alone had.
        tells_deeds: whether what is no deed was not done.
        whole: whether all that the model was shown is on record.
    """
    checked = frozenset(each.reply.id for each in sayings if each.statement.kind == "check")
    retold = Retold(deeds, shown, asking, sayings)
    for saying in sayings:
        kind = saying.statement.kind
        if kind == "report":
            yield Judged(saying=saying, judgement=judge_report(saying, deeds, shown, whole=whole))
        elif kind in _JUDGES and tells_deeds:
            judgement = judge_change(saying, deeds, asking.texts) if kind == "change" else _JUDGES[kind](saying, deeds)
            if judgement.verdict == "unexecuted" and (retold.may_be(saying) or _is_told_by_check(saying, checked)):
                judgement = OPEN
            if judgement.figure and retold.says(judgement.figure):
                judgement = OPEN
            yield Judged(saying=saying, judgement=judgement)


def _is_told_by_check(saying: Saying, checked: Collection[str]) -> bool:
    """Whether `I ran the tests` stands beside `all pass`, which is judged for both."""
    return saying.statement.kind == "lookup" and saying.reply.id in checked


_JUDGES: Mapping[StatementKind, Callable[[Saying, Deeds], Judgement]] = {
    "check": judge_check,
    "change": judge_change,
    "state": judge_change,
    "completion": judge_completion,
    "lookup": judge_lookup,
}
