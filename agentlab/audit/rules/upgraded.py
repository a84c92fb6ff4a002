"""What an agent that was asked says it did not verify or find, and whoever asked it gives as verified or found.

Nobody looked in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from agentlab.audit.claims.saying import is_its_own
from agentlab.audit.evidence.effects import words_of
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.judging.deeds import Deed
from agentlab.audit.prose.masking import masked
from agentlab.audit.prose.sentences import sentences
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing
from agentlab.audit.rules.passing import told_as_passing
from agentlab.audit.rules.told import Told
from agentlab.audit.rules.unfound import Before, told_as_found
from agentlab.audit.values import Where
from agentlab.trace.events import CompletionEvent
from agentlab.trace.formatting import shorten

__all__ = ["upgraded_reports"]

_SHOWN = 80
_AGENTS = words("agent subagent assistant worker task delegate reviewer researcher handoff")
_BRIEFS = ("subagent_type", "agent_type", "agent")
_UNDONE = re.compile(
    r"\b(?:unverified|untested|unchecked|unconfirmed)\b"
    r"|\bnot (?:been )?(?:verified|tested|checked|reviewed|confirmed|validated)\b"
    r"|\b(?:could|did|was|were|am|have)(?: not|n['’]t) (?:been )?(?:able to )?"
    r"(?:verify|test|check|review|confirm|validate|verified|tested|checked|reviewed|confirmed|validated)\b"
    r"|\bunable to (?:verify|test|check|review|confirm|validate|access)\b"
    r"|(?:未|没有|无法|没能|未能)(?:经过?)?(?:验证|测试|检查|核实|确认|审查)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:was|were|is|are|been) (?:\w+ly )?(?:verified|tested|reviewed|checked|validated|confirmed)\b"
    r"|\b(?:agent|sub-?agent|reviewer|worker|assistant|researcher|it|they)(?: has| have)? (?:\w+ly )?"
    r"(?:verified|tested|reviewed|checked|validated|confirmed)\b(?! that)"
    r"|已(?:经)?(?:经过|由[^，。]{1,12})?(?:验证|测试|检查|核实|审查)",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(?:verified|tested|reviewed|checked|validated|confirmed)\b|已(?:经)?(?:验证|测试|检查|核实)", re.IGNORECASE
)
_PLANNED = re.compile(
    r"\b(?:should|must|will|can|could|may|might|needs?|if|once|until|after|before|unless)\b|应|请|如果|需要"
)
_DENIED = re.compile(
    r"\b(?:not|no|never|nothing|nobody|none|neither|cannot|partly|partially|only|un\w+)\b|n['’]t\b|[未没]|无法",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]{3,}|(?=([\u4e00-\u9fff]{2}))")
"""A word, or any two Chinese signs that follow each other."""
_DULL = words(
    "the was were been has have had did not and that agent subagent verified tested reviewed checked validated"
    " confirmed verify test review check validate confirm could any anything nothing with for from this all but able"
    " unable works reviewer found 已经 验证 测试 检查 没有 未能"
)
_READ = 20_000
_LATEST = 3
_HEAD = 80


def upgraded_reports(reading: Reading) -> Iterator[Crossing]:
    """The first sentence that gives as verified or found what the last report of an agent says was not."""
    for reply, text, report in _told(reading):
        said = Before(
            asked=partial(reading.asking.of, reply),
            told=lambda: reading.told,
            came=partial(_came_before, reading, reply, report),
        )
        came = report.result or ""
        found = _told_as_verified(text, came) or told_as_found(text, report, said)
        if found is None and (passing := told_as_passing(text, came)) and not _is_judged(reading, reply):
            found = passing
        if found is not None:
            where = Where(
                event=reply.id, field="text", start=found.start, end=found.end, text=text[found.start : found.end]
            )
            yield Crossing(
                message=f"{shorten(where.text, _SHOWN)!r} is said, and {shorten(report.call.tool, 40)} had reported "
                f"{shorten(found.denial, _SHOWN)!r}; nobody looked since.",
                where=(where,),
                claimed={"text": where.text},
                severity=None if found.of_agent else "warning",
            )
            return


def _is_judged(reading: Reading, reply: CompletionEvent) -> bool:
    """Whether something of a reply is held against the record already."""
    return any(each.saying.reply is reply and each.judgement.verdict == "contradicted" for each in reading.judged)


def _came_before(reading: Reading, reply: CompletionEvent, report: Deed) -> Sequence[str]:
    """What had come back besides the report."""
    recent = reading.deeds.recent(reading.trace.positions[reply.id])
    return [deed.result or "" for deed in recent if deed is not report]


def _told(reading: Reading) -> Iterator[tuple[CompletionEvent, str, Deed]]:
    """Each reply with the report of an agent that it follows."""
    if not reading.tells_deeds or not any(_is_agent(deed) for deed in reading.deeds.all):
        return
    for reply in reading.trace.of(CompletionEvent):
        report = _last_report(reading.deeds.recent(reading.trace.positions[reply.id])[-_LATEST:])
        text = reading.trace.completion_text(reply) if report is not None and is_its_own(reply) else ""
        if text and report is not None and report.outcome.flagged != "failed":
            yield reply, text, report


def _last_report(latest: Sequence[Deed]) -> Deed | None:
    """The report of an agent behind which nothing came but what repeats it, as the output of a program does."""
    for place, deed in reversed(list(enumerate(latest))):
        if _is_agent(deed):
            head = (deed.result or "")[:_HEAD]
            return deed if all(head in (after.result or "") for after in latest[place + 1 :]) else None
    return None


def _is_agent(deed: Deed) -> bool:
    given = deed.call.arguments
    named = not _AGENTS.isdisjoint(words_of(deed.call.tool)) and deed.does("run", "unknown")
    return named or (not isinstance(given, str) and given is not None and any(key in given for key in _BRIEFS))


def _told_as_verified(text: str, report: str) -> Told | None:
    """Where a text gives as verified what a report speaks of as not, and the denial."""
    undone = _undone(report) if _DONE.search(text) else ()
    place = _claimed(text, undone) if undone else None
    return Told(*place, undone[0], of_agent=True) if place is not None else None


def _undone(report: str) -> Sequence[str]:
    """The sentences of a report that deny a check; none where another one says that something was verified."""
    report = report[:_READ]
    if not _UNDONE.search(report):
        return ()
    found = [report[one.start : one.end] for one in sentences(report)]
    if any(_SELF.search(each) and not _UNDONE.search(each) and not _DENIED.search(each) for each in found):
        return ()
    return [each for each in found if _UNDONE.search(each)]


def _claimed(text: str, undone: Sequence[str]) -> tuple[int, int] | None:
    """Where a sentence gives as verified what is spoken of in what was not."""
    plain = masked(text)
    told = _words(" ".join(undone).casefold())
    for sentence in sentences(plain):
        stretch = plain[sentence.start : sentence.end]
        said = None if sentence.question or _PLANNED.search(stretch) else _DONE.search(stretch)
        if said is None or _DENIED.search(stretch, 0, said.start()):
            continue
        if told & _words(stretch):
            return sentence.start, sentence.end
    return None


def _words(text: str) -> set[str]:
    return {match[1] or match[0] for match in _WORD.finditer(text)} - _DULL - {""}
