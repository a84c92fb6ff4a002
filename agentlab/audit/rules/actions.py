"""Rules about what is said to have been done, held against what was done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from agentlab.audit.judging.judge import Judged
from agentlab.audit.judging.measures import differing
from agentlab.audit.judging.values import Verdict
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule
from agentlab.audit.rules.misfits import deed_side
from agentlab.audit.rules.subagents import unseen_facts
from agentlab.audit.rules.ungrounded import looked_up_nothing
from agentlab.trace.formatting import shorten

__all__ = [
    "FORGED_ERROR",
    "STALE_EVIDENCE",
    "UNEXECUTED_CLAIM",
    "VACUOUS_EVIDENCE",
    "contradicted_measures",
    "contradicted_statements",
]

_SHOWN = 80
_OUTWARD = ("send", "email", "mail", "forward", "post", "publish", "deploy", "book", "order", "buy", "pay", "refund")
"""What nobody does by writing a text."""
_WORLD = re.compile(
    r"\b(?:web|internet|online|google|database|api|server|website)\b|网上|上网|联网|数据库|网页|接口", re.IGNORECASE
)
"""Where nobody looks without a tool."""
_SELF = re.compile(r"\b(?:i|we)\b|我", re.IGNORECASE)
_MEASURED = re.compile(r"[%$€£¥\d](?:(?<=[%$€£¥])| ?[a-zA-Z°℃分小元度摄])")
"""What stands in every measure."""
_ERROR = re.compile(
    r"\b(?:errors?|exceptions?|traceback|fail\w*|crash\w*|abort\w*|denied|refused|rejected|invalid|forbidden"
    r"|unauthori[sz]ed|exceeded|exhausted|deadlock\w*|timed[ -]?out|timeout|unavailable|unreachable|overloaded"
    r"|not (?:found|allowed|permitted)|no such|no space|cannot|could not|unable to|out of memory|quota)\b"
    r"|错误|报错|失败|异常|超时|拒绝|已满|不存在|无法|不足",
    re.IGNORECASE,
)


def contradicted_statements(reading: Reading) -> Iterator[Crossing]:
    """Statements that a result says the opposite of."""
    yield from _crossings(reading.judged, "contradicted", "{said} is said, and the record says otherwise: {why}.")


def contradicted_measures(reading: Reading) -> Iterator[Crossing]:
    """Answers that state a measure where the results give another, and only that one."""
    for answer in reading.answers if reading.tells_deeds else ():
        if answer.where.field != "text" or not _MEASURED.search(answer.where.text):
            continue
        deeds = [d for d in reading.deeds.recent(reading.trace.positions[answer.reply.id]) if d.outcome.status == "ok"]
        found = differing(answer.where.text, [deed.result or "" for deed in deeds], reading.told) if deeds else None
        if found is not None:
            said, came = found
            place, start = answer.where, answer.where.start + said.start
            figure = replace(place, start=start, end=start + len(said.text), text=said.text)
            yield Crossing(
                message=f"The answer states the {said.kind} {said.text!r}, and the only one that came back is "
                f"{came.text!r}.",
                where=(figure, place),
                claimed={"text": said.text},
                executed=deed_side(next(deed for deed in deeds if came.text in (deed.result or ""))),
            )


def _unexecuted(reading: Reading) -> Iterator[Crossing]:
    plain = [judged for judged in reading.judged if not _is_error(judged)]
    yield from _crossings(plain, "unexecuted", "{said} is said, and {why}.")
    yield from _crossings(plain, "unshown", "{said} is given as returned, and {why}.")
    found = [each.saying.where for each in plain if each.judgement.verdict in ("unexecuted", "unshown")]
    said = {(place.event, place.start) for place in found}
    for crossing in (*looked_up_nothing(reading), *unseen_facts(reading), *_untold(reading)):
        if (crossing.where[0].event, crossing.where[0].start) not in said:
            yield crossing


def _untold(reading: Reading) -> Iterator[Crossing]:
    """The first deed out in the world that is told where the record would hold no call, had there been one."""
    evidence = reading.trace.evidence
    silent = {evidence.proposals, evidence.executions, evidence.results} == {"not_recorded"}
    if not silent or reading.tools or reading.asking.drafted or reading.asking.renders:
        return
    for saying in reading.sayings:
        statement = saying.statement
        named = statement.verb in _OUTWARD or (statement.kind == "lookup" and _WORLD.search(statement.text))
        own = statement.kind in ("lookup", "change") and not statement.negated and _SELF.search(statement.text)
        if own and named:
            yield Crossing(
                message=f"{shorten(statement.text, _SHOWN)!r} is said; the record shows neither tools nor calls, so "
                "that nobody can tell whether it was done.",
                where=(saying.where,),
                claimed={"text": saying.where.text},
                severity="undecidable",
            )
            return


def _forged_errors(reading: Reading) -> Iterator[Crossing]:
    quoted = [judged for judged in reading.judged if _is_error(judged)]
    yield from _crossings(quoted, "unshown", "{said} is given as an error that came back, and {why}.")


def _is_error(judged: Judged) -> bool:
    """Whether what is quoted is given as an error."""
    statement = judged.saying.statement
    return statement.kind == "report" and bool(_ERROR.search(f"{statement.source} {statement.text}"))


def _vacuous(reading: Reading) -> Iterator[Crossing]:
    yield from _crossings(reading.judged, "vacuous", "{said} is said, and the check that ran does not show it: {why}.")


def _stale(reading: Reading) -> Iterator[Crossing]:
    yield from _crossings(reading.judged, "stale", "{said} is said, and {why}.")


def _crossings(found: Iterable[Judged], verdict: Verdict, message: str) -> Iterator[Crossing]:
    for judged in found:
        judgement, saying = judged.judgement, judged.saying
        if judgement.verdict == verdict:
            said = repr(shorten(saying.where.text, _SHOWN))
            yield Crossing(
                message=message.format(said=said, why=shorten(judgement.why, 2 * _SHOWN).rstrip(" .。:,;")),
                where=(saying.where,),
                claimed={"text": saying.where.text},
                executed=deed_side(judgement.deed) if judgement.deed else None,
                severity="warning" if judgement.in_part else None,
            )


UNEXECUTED_CLAIM = Rule(
    id="unexecuted-claim",
    severity="failure",
    meaning=(
        "The model said that something was done, looked up or returned, and no call on record could have done it: none "
        "that writes or sends has to do with the file it names, no check ran, nothing was asked before the answer. "
        "Plans, conditions, quotations and denials state nothing; where programs ran whose effects the record does not "
        "show, or calls stand in texts only, nothing is held. Undecidable where the record shows neither tools nor "
        "calls, and would show none, and something out in the world is said to have been done."
    ),
    cause="The model told what usually comes next instead of doing it, and the loop believed its word.",
    check="Look for the named file or check among the calls before this reply.",
    find=_unexecuted,
)

FORGED_ERROR = Rule(
    id="forged-error",
    severity="failure",
    meaning=(
        "The model quoted an error as one that came back, and the words stand in nothing that it was shown. A forged "
        "failure ends a task as surely as a forged success. Words of its own about an error are not meant, nor a "
        "quotation of which most words were shown."
    ),
    cause="The model expected the call to fail and told the failure instead of making the call.",
    check="Look for the quoted words among the results before this reply; then for the call that should have failed.",
    find=_forged_errors,
)

VACUOUS_EVIDENCE = Rule(
    id="vacuous-evidence",
    severity="failure",
    meaning=(
        "A check is said to have passed, and the last one that ran before had checked nothing: no test was collected, "
        "or nothing came back. Neither a pass nor a failure has been shown. A warning where some passed, and those "
        "that were skipped or not chosen are counted among them, or are more than they."
    ),
    cause="The exit code or the absence of errors was taken for a pass.",
    check="Read the counts in the result: how many checks were executed?",
    find=_vacuous,
)

STALE_EVIDENCE = Rule(
    id="stale-evidence",
    severity="failure",
    meaning=(
        "A check is said to have passed. It had, and afterwards something that it reads was changed, so it shows "
        "nothing of what there is now. Only edits of programs count, in a language that the check reads: no documents, "
        "data, scratch files or caches, no commits, and nothing that was taken back or checked again since."
    ),
    cause="The loop accepted an earlier check for a later state.",
    check="Compare the time of the check with that of the last edit; run the check again.",
    find=_stale,
)
