"""The rule about what a started agent reports: what its tools could not do, what it never did, and who repeats it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentlab.audit.claims.saying import Saying
from agentlab.audit.prose.masking import masked
from agentlab.audit.prose.names import names_in
from agentlab.audit.prose.reading import statements
from agentlab.audit.prose.sentences import sentences
from agentlab.audit.prose.values import Name, Statement
from agentlab.audit.prose.verbs import DOING
from agentlab.audit.reading import Reading
from agentlab.audit.rules.agentfigures import unborne_figures
from agentlab.audit.rules.base import Crossing, Rule
from agentlab.audit.rules.reports import AgentReport, agent_reports
from agentlab.audit.rules.upgraded import upgraded_reports
from agentlab.audit.values import Where
from agentlab.trace.events import ExecutionStarted
from agentlab.trace.formatting import shorten

__all__ = ["SUBAGENT_CLAIM", "unseen_facts"]

_SHOWN = 80
_ARTEFACTS = ("path", "url", "hash")
_PLACES = ("path", "url")
_NO_DEEDS = ("import", "stop", "include", "contain")
"""Verbs of what a file does by itself."""
_OWN = re.compile(r"^\W*(?:i|we)(?:['’]ve|\b)|^\W*(?:我们?|已)", re.IGNORECASE)
_OUTWARD = frozenset(
    {"push", "commit", "send", "deploy", "publish", "email", "delete", "remove", "upload", "save", "install", "merge"}
    | {"book", "pay", "submit", "post", "move", "rename", "order", "cancel", "register", "store", "restart", "launch"}
)
"""Verbs of changes that no reply can be itself."""
_BELOW = re.compile(r"\b(?:below|following|above|here)\b|如下|以下|下面", re.IGNORECASE)
_DID = re.compile(r"\W*(?:[A-Z]\w+ly )?[A-Z]?[a-z]+(?:ed|ote|ent|ade|uilt|ut)\b")
"""A verb in the past without a subject, as reports are written."""
_FACT = re.compile(
    r"\b(?:has|have|is|are|contains?|defines?|imports?|uses?|sets?|says|lists?|shows?|holds?|calls?|returns?|includes?"
    r"|exists?|exports?|declares?|states?|reads)\b|包含|定义|导入|设置|使用|存在|写着|返回|引用|声明",
)
_PLAN = re.compile(
    r"\W*(?:(?:the|my|here is the|proposed)\s+)?(?:plan|steps|to-?do|next steps)\b|^[^\n]{0,12}(?:计划|步骤)",
    re.IGNORECASE,
)
_BASES = "|".join(sorted(set(DOING.values()) - {"read", "set", "put"}))
_ORDERED = re.compile(rf"\W*(?:\d{{1,2}}[.)]\s*)?(?:(?:then|next|first)\s+)?(?:{_BASES})\b", re.IGNORECASE)
"""How a step of a plan begins."""
_TAKEN_BACK = re.compile(
    r"\b(?:could|should|would|may|might|must|will|can|cannot|unable|if|unless|whether|please|probably|likely|perhaps"
    r"|typically|usually|often|generally|not|never|assum\w+|expect\w*|example|e\.g|recommend|suggest|need)\b"
    r"|n['’]t\b|可能|应该|如果|请|无法|没有|未|不|假设|通常|一般|建议|例如",
)
_DIGIT = re.compile(r"\d+")
_ORDER = 300
"""Characters of what an agent is told above which it may hold the content that is spoken of."""
_UNDONE = re.compile(
    r"\b(?:unverified|untested|unchecked|from memory|not (?:been )?(?:verified|tested|checked|run|confirmed|executed)"
    r"|(?:could|did|was|were|can|have) ?(?:not|n['’]t) (?:able to )?(?:be )?(?:verif|test|check|run|ran|confirm|execut)"
    r"|unable to (?:verify|test|check|run|confirm|execute))"
    r"|(?:未|没有|无法|没能|未能)(?:经)?(?:验证|测试|检查|运行|确认|执行)",
    re.IGNORECASE,
)
_CHECKING = re.compile(r"\b(?:tests?|suite|specs?|lint\w*|checks?|build)\b|测试|检查|构建", re.IGNORECASE)
_SURE = ("verify", "confirm", "validate", "check", "cross-check", "test")
_WORD = re.compile(r"[^\W\d_]{4,}|[\u4e00-\u9fff]{2}")


def unseen_facts(reading: Reading) -> Iterator[Crossing]:
    """Facts about files and pages, or looks at them, that agents report which used no tool at all."""
    for report in agent_reports(reading.trace) if reading.attributed else ():
        span = _unseen(report) if report.used_nothing and (report.can_look or report.tools is None) else None
        if span is not None:
            place = report.place(*span)
            yield Crossing(
                message=f"{_quoted(place)} is said, and {shorten(report.agent, 40)} had used no tool.",
                where=(place,),
                claimed={"text": place.text},
            )


def _claims(reading: Reading) -> Iterator[Crossing]:
    if not reading.attributed:
        return
    accused: set[str] = set()
    crossed = set[str]()
    for report in agent_reports(reading.trace):
        why, place = _unfounded(report)
        if place is not None:
            accused.add(place.event)
            again = _repeated(reading, report, place)
            yield Crossing(
                message=f"{_quoted(place)} is reported by {shorten(report.agent, 40)}, and {why}"
                + (f"; {_quoted(again)} rests on it." if again else "."),
                where=(place, *([again] if again else ())),
                claimed={"text": place.text},
            )
        upgraded = list(_upgraded(reading, report))
        crossed |= {crossing.where[0].event for crossing in upgraded}
        yield from upgraded
    yield from (crossing for crossing in upgraded_reports(reading) if crossing.where[0].event not in crossed)
    for crossing in unborne_figures(reading):
        if crossing.where[0].event not in accused:  # then the figures are a part of what was said
            yield crossing


def _unfounded(report: AgentReport) -> tuple[str, Where | None]:
    """The first thing reported that the agent's tools could not do, or that it could only know from a tool."""
    if report.cannot_act or report.used_nothing:
        why = "none of its tools can write, send or run anything" if report.cannot_act else "it used no tool at all"
        for statement in statements(report.text):
            if _is_beyond(report, statement):
                return why, report.place(statement.start, statement.end)
    if report.used_nothing and (report.can_look or report.tools is None):
        span = _unseen(report)
        if span is not None:
            return "it used no tool at all", report.place(*span)
    return "", None


def _is_beyond(report: AgentReport, statement: Statement) -> bool:
    """Whether it says that the agent itself changed something."""
    if statement.kind != "change" or statement.negated or statement.source or statement.verb in _NO_DEEDS:
        return False
    named = [name.text for name in statement.names if name.kind in _ARTEFACTS]
    if statement.verb not in _OUTWARD and (not named or "```" in report.text or _BELOW.search(statement.text)):
        return False  # the report may be itself what was made
    if _OWN.search(statement.text) or ((named or statement.verb in _OUTWARD) and _DID.match(statement.text)):
        return True
    return bool(named) and not any(name in report.told or name in report.seen for name in named)


def _unseen(report: AgentReport) -> tuple[int, int] | None:
    """Where a fact about a named file or page stands, or a look at one, of which the agent had been told nothing."""
    if _PLAN.match(report.text):
        return None
    for statement in statements(report.text):
        if statement.negated or statement.source or not _is_fact(statement):
            continue
        named = [name for name in statement.names if name.kind in _PLACES]
        looked = statement.kind == "lookup" and _OWN.search(statement.text)
        if named and (looked or not _told(report, statement.names, statement.start, statement.end)):
            return statement.start, statement.end
    plain = masked(report.text)
    for sentence in sentences(plain):
        if sentence.question or not _FACT.search(plain, sentence.start, sentence.end):
            continue
        if _ORDERED.match(plain, sentence.start, sentence.end):
            continue
        names = names_in(report.text, sentence.start, sentence.end)
        named = [name for name in names if name.kind in _PLACES]
        if any(not _within(match, names) for match in _TAKEN_BACK.finditer(plain, sentence.start, sentence.end)):
            continue
        telling = len(names) > 1 or any(_figures(report.text, sentence.start, sentence.end, names))
        if named and telling and not _told(report, names, sentence.start, sentence.end):
            return sentence.start, sentence.end
    return None


def _is_fact(statement: Statement) -> bool:
    return statement.kind in ("lookup", "state", "check") or statement.verb in _NO_DEEDS


def _told(report: AgentReport, names: Sequence[Name], start: int, end: int) -> bool:
    """Whether the agent may know from what it was told what it says: its task names the place, and no mere order does.

    An order is short and says nothing behind a colon; what it does not hold itself, the agent had to look at.
    """
    places = [name.text for name in names if name.kind in _PLACES]
    if not any(place in report.told for place in places):
        return False
    told = report.told.strip()
    if len(told) > _ORDER or any(f"{place}:" in told for place in places) or "\n" in told:
        return True
    facts = [name.text for name in names if name.kind not in _PLACES or name.text not in told]
    facts += _figures(report.text, start, end, names)
    return all(fact in told for fact in facts)


def _figures(text: str, start: int, end: int, names: Sequence[Name]) -> Iterator[str]:
    """The figures in a sentence outside of its names."""
    return (match[0] for match in _DIGIT.finditer(text, start, end) if not _within(match, names))


def _within(match: re.Match[str], names: Sequence[Name]) -> bool:
    return any(name.start <= match.start() < name.end for name in names)


def _repeated(reading: Reading, report: AgentReport, place: Where) -> Where | None:
    """What the agent that started it says on its word."""
    words = set(_WORD.findall(place.text.casefold()))
    for saying in _later(reading, report):
        told = set(_WORD.findall(saying.where.text.casefold()))
        if saying.in_answer and not saying.statement.negated and (len(words & told) > 1 or _shares_stem(words, told)):
            return saying.where
    return None


def _shares_stem(words: set[str], told: set[str]) -> bool:
    return any(len(word) > 6 and word in told for word in words)


def _upgraded(reading: Reading, report: AgentReport) -> Iterator[Crossing]:
    """What a report says was not verified, and whoever started the agent gives as verified without a look."""
    if not _UNDONE.search(report.text):
        return
    undone = [(s.start, s.end) for s in sentences(report.text) if _UNDONE.search(report.text, s.start, s.end)]
    for saying in _later(reading, report):
        statement = saying.statement
        if statement.negated or (statement.kind == "lookup" and statement.verb not in _SURE):
            continue
        if statement.kind not in ("check", "lookup") or _UNDONE.search(statement.text) or _looked(reading, report):
            continue
        for start, end in undone:
            if _same(statement, report.text[start:end]):
                place = report.place(start, end)
                yield Crossing(
                    message=f"{_quoted(saying.where)} is said, and {shorten(report.agent, 40)} had reported "
                    f"{_quoted(place)}; nobody looked since.",
                    where=(saying.where, place),
                    claimed={"text": saying.where.text},
                )
                return


def _same(statement: Statement, undone: str) -> bool:
    if statement.kind == "check" and _CHECKING.search(statement.text) and _CHECKING.search(undone):
        return True
    return any(name.kind != "tool" and name.text in undone for name in statement.names)


def _later(reading: Reading, report: AgentReport) -> Iterator[Saying]:
    """What the agent that started it says afterwards."""
    for saying in reading.sayings:
        if saying.position > report.ended and saying.reply.agent_name == report.parent:
            yield saying


def _looked(reading: Reading, report: AgentReport) -> bool:
    """Whether anything but started agents ran afterwards."""
    started = reading.trace.of(ExecutionStarted)
    return any(reading.trace.positions[each.id] > report.ended and each.tool != report.agent for each in started)


def _quoted(place: Where) -> str:
    return repr(shorten(place.text, _SHOWN))


SUBAGENT_CLAIM = Rule(
    id="subagent-claim",
    severity="failure",
    meaning=(
        "An agent that was started reports what it did not do: a change, though none of its tools can write, send or "
        "run anything; or facts about a named file or page, though it used no tool and had been told nothing of it. "
        "Or it reports that something was not verified or could not be found, and whoever started it gives it as "
        "verified, or as found with a figure, a name, a date or an address that nobody gave; a warning where it does "
        "not say who found it. Only where the record gives the agent's tools or how "
        "many it used; a report of what it was told is none of this. A warning where it states figures that stand in "
        "nothing that it was told or that had come back, as they are or rounded; it may have worked them out."
    ),
    cause="The loop takes the last words of an agent for its work; nothing says beside a report what it rests on.",
    check="Compare the tools of the agent and how often it used them with what it reports.",
    find=_claims,
)
