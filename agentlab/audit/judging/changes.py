"""Statements that something was made, changed or sent, held against the calls that could have done it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentlab.audit.claims.saying import Saying
from agentlab.audit.evidence.effects import shell_line_of
from agentlab.audit.evidence.vain import is_so_already
from agentlab.audit.evidence.values import EffectKind
from agentlab.audit.judging.deeds import Deed, Deeds
from agentlab.audit.judging.outward import judge_outward
from agentlab.audit.judging.values import OPEN, Judgement
from agentlab.audit.prose.values import Name, Statement

__all__ = ["judge_change", "judge_completion"]

_NAMED = re.compile(r"[^\W\d]|\d{6}")
"""What a name of something has and a date or a fraction has not."""
_ARTEFACTS = ("path", "url", "hash")
_OPAQUE: tuple[EffectKind, ...] = ("run", "unknown")
_WORD = re.compile(r"[^\W\d_]{2,}")
_BARE = re.compile(r"\W*(?:i|we)(?:['’]ve)? \w{1,20}\W*", re.IGNORECASE)
"""Something done to nothing, such as `I stopped.`, may be no more than the speaker's own pause."""
_SAME = ("unchanged", "untouched", "intact")
_FILLED_IN = re.compile(r"[$*]|\{[^{}\n]{0,200},[^{}\n]{0,200}\}")
"""Names that a shell makes up when it runs."""
_JUST = re.compile(
    r"^\W*(?:i|we)\b|\b(?:has|have)(?: now| just| already)? been\b|\b(?:succeeded|was successful|went through)\b"
    r"|已|成功",
    re.IGNORECASE,
)
_SPEAKS_OF_FAILURE = re.compile(
    r"\b(?:errors?|exceptions?|fail\w*|raise[sd]?|dead|broken|unable|cannot|not found"
    r"|could ?n[o']t|did ?n[o']t|missing)\b"
    r"|\w{2,40}(?:Error|Exception)\b|失败|错误|无法|未能|异常|报错",
    re.IGNORECASE,
)
_INWARD = re.compile(r"\b(?:my|plan|approach|understanding|strategy|below|above)\b|计划|思路|方案|如下", re.IGNORECASE)
"""What a model changes in its own words."""
_REMOVING = ("delete", "remove", "drop", "erase", "clear")
_TELLING = 6
"""Letters of a word that two texts rarely share by chance."""
_DOING: tuple[EffectKind, ...] = ("write", "send", "run", "unknown", "check")


def judge_change(saying: Saying, deeds: Deeds, asked: Sequence[str] = ()) -> Judgement:
    """Judge a statement such as `saved the summary to s.md` or `both fields updated`.

    Args:
        saying: the statement.
        deeds: of the trace.
        asked: what users had said.
    """
    statement = saying.statement
    before = deeds.recent(saying.position)
    if statement.negated or statement.verb in _SAME:
        return _of_denial(saying, before)
    if statement.source:
        return OPEN
    artefacts = [name for name in statement.names if name.kind in _ARTEFACTS and _NAMED.search(name.text)]
    for name in artefacts:
        judged = _of_artefact(name, statement.verb, deeds, saying.position)
        if judged.verdict == "unexecuted" and statement.verb == "exist":
            return OPEN  # what there is nobody need have made, and a method of a library is written like a file
        if judged.verdict != "supported":
            return judged
    if artefacts:
        return Judgement(verdict="supported")
    judged = _of_batch(before, whole=statement.whole)
    if judged.verdict == "open":
        judged = _of_last(saying, before)
    if judged.verdict == "open":
        judged = _of_nothing(saying, before)
    return judge_outward(saying, deeds, asked) if judged.verdict == "open" else judged


def judge_completion(saying: Saying, deeds: Deeds) -> Judgement:
    """Judge a bare `Done.`: it is false where the last thing that was done failed, and nothing came of it."""
    before = deeds.recent(saying.position)
    acted = [deed for deed in before if not deed.does("finish")]
    if not acted or saying.statement.negated:
        return OPEN
    last = acted[-1]
    if _SPEAKS_OF_FAILURE.search(deeds.text_of(saying.reply)):
        return OPEN
    if not _went_well(last) and not _is_so(last) and not any(_went_well(deed) for deed in acted):
        return Judgement(verdict="contradicted", why=last.outcome.why or "it failed", deed=last)
    return OPEN


def _of_artefact(name: Name, verb: str, deeds: Deeds, position: int) -> Judgement:
    """A named file, address or id: some call that did something must have had to do with it."""
    touching = deeds.holding(name.text, position) or deeds.holding(name.text.rpartition("/")[2] or name.text, position)
    doing = [deed for deed in touching if _acts(deed, verb)]
    if any(deed.outcome.status != "failed" for deed in doing):
        return Judgement(verdict="supported")
    if doing and (_failed(doing[-1]) or verb in _REMOVING):  # what was not there, nobody removed
        return Judgement(verdict="contradicted", why=doing[-1].outcome.why or "the call failed", deed=doing[-1])
    if doing or deeds.any_before(position, *(_DOING if touching else _OPAQUE)):
        return OPEN  # a program may do what its text does not show, and a call may name by id what was looked up before
    if any(_hides(deed) for deed in deeds.recent(position)):
        return OPEN
    return Judgement(verdict="unexecuted", why=f"no call that writes or sends has to do with {name.text}")


def _acts(deed: Deed, verb: str) -> bool:
    """Whether a call did something, be it only what its name says: what is `downloaded` was fetched and kept."""
    named = bool(verb) and verb in deed.call.tool.casefold()
    return (named or deed.does(*_DOING)) and not deed.does("finish")


def _hides(deed: Deed) -> bool:
    """Whether a call that did something does not show to what: its answer is not on record, or its shell fills in."""
    if not deed.does(*_DOING):
        return False
    if deed.result is None and deed.call.error is None:
        return True
    return _FILLED_IN.search(shell_line_of(deed.call.tool, deed.call.arguments) or "") is not None


def _of_batch(before: Sequence[Deed], *, whole: bool) -> Judgement:
    """Something unnamed: the calls of the last kind that write or send decide it together."""
    acting = [deed for deed in before if deed.does("write", "send") and not deed.does("finish")]
    if not acting and whole:
        acting = list(_last_batch(before))
    if not acting:
        return OPEN
    failed = [deed for deed in acting if _failed(deed)]
    if failed and any(deed.at > failed[-1].at and deed.does(*_OPAQUE) and _went_well(deed) for deed in before):
        return OPEN  # that may have been another way
    if len(failed) == len(acting) or (whole and _unmended(failed, acting)):
        deed = failed[-1]
        return Judgement(verdict="contradicted", why=deed.outcome.why or "the call failed", deed=deed)
    return OPEN


def _last_batch(before: Sequence[Deed]) -> Sequence[Deed]:
    """The calls of a tool of unknown effect that were asked for together, if those are the last."""
    last = before[-1] if before else None
    if last is None or last.call.proposed_in is None or not last.does("unknown"):
        return ()
    batch = [deed for deed in before if deed.call.proposed_in == last.call.proposed_in]
    return batch if len(batch) > 1 and len({deed.call.tool for deed in batch}) == 1 else ()


def _of_last(saying: Saying, before: Sequence[Deed]) -> Judgement:
    """Something that no call is known to have done: the last call, and it alone, speaks of the same and failed."""
    telling = {word for word in (*_words(saying.where.text), saying.statement.verb) if len(word) >= _TELLING}
    last = before[-1] if before else None
    if last is None or last.does("finish") or not _failed(last) or telling.isdisjoint(_words(last.text)):
        return OPEN
    if any(not _failed(deed) and not telling.isdisjoint(_words(deed.text)) for deed in before):
        return OPEN  # it may speak of that one
    return Judgement(verdict="contradicted", why=last.outcome.why or "the call failed", deed=last)


def _of_nothing(saying: Saying, before: Sequence[Deed]) -> Judgement:
    """Something that has just been done, where everything that was tried failed."""
    acted = [deed for deed in before if not deed.does("finish", "read", "check")]
    text = saying.where.text
    if saying.statement.kind != "change" or not acted or not _JUST.search(text) or _INWARD.search(text):
        return OPEN
    if _BARE.fullmatch(text) or not all(_failed(deed) for deed in acted):
        return OPEN
    return Judgement(verdict="contradicted", why=acted[-1].outcome.why or "the call failed", deed=acted[-1])


def _failed(deed: Deed) -> bool:
    """Whether a call failed, and not because what it was to bring about was so already."""
    bad = deed.outcome.status == "failed" or deed.outcome.said == "failed"
    return bad and not _is_so(deed)


def _is_so(deed: Deed) -> bool:
    return is_so_already(deed.result or deed.call.error or "", deed.call.tool, deed.call.arguments)


def _went_well(deed: Deed) -> bool:
    """Whether nothing, neither a flag nor the text, says that a call failed."""
    return deed.outcome.status == "ok" or (deed.outcome.status == "unclear" and not deed.outcome.why)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _unmended(failed: Sequence[Deed], acting: Sequence[Deed]) -> bool:
    """Whether something failed that was not done again with success."""
    return any(
        not any(
            later.at > deed.at
            and later.call.tool == deed.call.tool
            and later.outcome.status == "ok"
            and (later.call.proposed_in is None or later.call.proposed_in != deed.call.proposed_in)
            for later in acting
        )
        for deed in failed
    )


def _of_denial(saying: Saying, before: Sequence[Deed]) -> Judgement:
    """What is said not to have changed, and a later look shows changed."""
    for name in _denied(saying.statement):
        for deed in reversed(before):
            if deed.does("read") and _shows_change(name.text, deed.result or ""):
                return Judgement(verdict="contradicted", why=f"a later look shows {name.text} changed", deed=deed)
    return OPEN


def _denied(statement: Statement) -> Sequence[Name]:
    """The files that a denial is about; of those before a word such as `unchanged`, the ones of the same part."""
    names = [name for name in statement.names if name.kind in _ARTEFACTS]
    place = statement.text.find(statement.verb) if statement.verb in _SAME else -1
    if place < 0:
        return names
    part = max(statement.text.rfind(mark, 0, place) for mark in (",", ";", "，", " but ")) + statement.start
    return [name for name in names if part < name.start < statement.start + place]


def _shows_change(name: str, result: str) -> bool:
    """Whether a result is the summary of a diff that counts lines of this file."""
    for line in result.splitlines()[:200]:
        before, bar, behind = line.partition("|")
        if bar and before.strip() == name and behind.strip()[:1].isdigit():
            return not behind.strip().startswith("0 ")
    return False
