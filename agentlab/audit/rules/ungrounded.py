"""Answers that rest on nothing: what the reply itself says it drew on, where no result had come that could bear it out.

Three ways to see it, the plainest first: it says that something was looked up or returned, and nothing was; it says
that it assumes, recalls or simulates; or tools were named that would be asked, and the answer came without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentlab.audit.claims.answering import GivenAnswer
from agentlab.audit.claims.saying import Saying
from agentlab.audit.code.runs import CodeRun
from agentlab.audit.judging.evidence import bearing, tells_on
from agentlab.audit.prose.values import StatementKind
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing
from agentlab.trace.events import CompletionEvent
from agentlab.trace.formatting import shorten

__all__ = ["assumed", "looked_up_nothing", "unsought", "worked_out_of_nothing"]

_SHOWN = 80
_NONE = "no call that returned anything had been made"
_CLAIMED: tuple[StatementKind, ...] = ("lookup", "report")
_CERTAIN = ("verify", "confirm", "validate", "check", "cross-check", "find")
_PRINTING = ("print", "output", "return", "run", "execute", "echo", "call")
_OF_WORLD = re.compile(
    r"\b(?:search|database|api|web|page|site|server|service|records?|query)\b|搜索|数据库|网页|接口", re.IGNORECASE
)
"""What a program that only prints does not ask."""
_FAILURE = re.compile(r"\b(?:fail\w*|errors?|exceptions?|crash\w*|abort\w*)\b|失败|错误|报错|异常", re.IGNORECASE)
_OUTSIDE = (
    "open",
    "get",
    "post",
    "request",
    "urlopen",
    "read_csv",
    "read_excel",
    "read_json",
    "run",
    "connect",
    "load",
)
"""Last words of what a program calls to learn something from outside of itself."""
_STEP = re.compile(
    r"^[ \t]*(?:\d{1,2}[.)、]|[-*•])[ \t]*[*_]{0,2}(?P<step>"
    r"(?:(?:use|perform|do|run|conduct|start with)[ ](?:an?|the)[ ](?:\w+[ ]){0,2}(?:search|browser|lookup)"
    r"|search[ ](?:for|the|online|in|on)|look[ ]up|browse|visit|query|download|fetch|consult|google)\b[^\n]{0,200}"
    r"|(?:搜索|查询|检索|查阅|上网查|下载)[^\n]{1,200})",
    re.IGNORECASE | re.MULTILINE,
)
"""A step of a list that no model can take by itself."""


def looked_up_nothing(reading: Reading) -> Iterator[Crossing]:
    """Replies that say what was looked up or returned, when nothing had been."""
    for answer in _ungrounded(reading):
        said = _said(reading, answer, *_CLAIMED)
        if _looked(reading, answer):
            continue
        if _tried(reading, answer):  # what is said to have been looked up may be what was tried in vain
            said = [each for each in said if each.statement.verb in _CERTAIN]
        if any(_FAILURE.search(each.where.text) for each in said) and _failed(reading, answer):
            said = [each for each in said if not _FAILURE.search(each.where.text)]
        said = [each for each in said if not _is_seen(reading, answer, each)]
        if said and not _is_told_on(reading, answer, said[0]):
            came = "nothing had come back but what the model had written itself" if _echoed(reading, answer) else _NONE
            yield Crossing(
                message=f"{_quoted(said[0])} is said, and {came}.",
                where=(said[0].where, answer.where),
                claimed={"text": said[0].where.text},
            )


def assumed(reading: Reading) -> Iterator[Crossing]:
    """Answers that the reply itself derives from what it assumes, recalls or simulates, results or no results."""
    ungrounded = {answer.reply.id for answer in _ungrounded(reading)}
    for answer in _final(reading):
        said = _said(reading, answer, "assumption")
        if not said or (answer.reply.id in ungrounded and _said(reading, answer, *_CLAIMED)):
            continue
        none = "no tool result had come, and " if answer.reply.id in ungrounded else ""
        yield Crossing(
            message=f"When this answer was given {none}it drew on what is assumed or recalled: {_quoted(said[0])}.",
            where=(said[0].where, answer.where),
            claimed={"text": answer.where.text},
            severity=None if none else "note" if _is_told(said[0], answer) else "warning",
        )


def worked_out_of_nothing(reading: Reading) -> Iterator[Crossing]:
    """The first program that works on figures which the reply itself gives from memory, when nothing had come."""
    if not reading.tells_deeds:
        return
    answering = {answer.reply.id for answer in reading.answers}
    for run in reading.runs:
        position = reading.trace.positions[run.reply.id]
        if run.reply.id in answering or run.program.only_shows or run.inner or _asks(reading, run):
            continue
        said = _stated(reading, run.reply.id, run, "assumption", "report")
        if said and next(bearing(reading.deeds, position), None) is None:
            yield Crossing(
                message=f"The program works on what the reply gives from memory, and no result had come: "
                f"{_quoted(said[0])}.",
                where=(said[0].where,),
                claimed={"text": said[0].where.text},
                severity="warning",
            )
            return


def unsought(reading: Reading) -> Iterator[Crossing]:
    """Answers given without any of the tools that were to be asked according to what was said before."""
    for answer in _ungrounded(reading):
        if _said(reading, answer, "assumption", *_CLAIMED) or _works(answer):
            continue
        named = ", ".join(shorten(name, 40) for name in _named(reading, answer)[:3])
        planned = "" if named else _planned(reading, answer)
        if named or planned:
            what = f"{named} was spoken of and never tried" if named else f"{planned!r} was planned and not done"
            yield Crossing(
                message=f"This answer was given before any result had come; {what}.",
                where=(answer.where,),
                claimed={"text": answer.where.text},
            )


def _is_told(saying: Saying, answer: GivenAnswer) -> bool:
    """Whether whoever reads the answer reads of the assumption, too."""
    place = answer.where
    return saying.where.field == place.field and place.start <= saying.where.start < place.end


def _final(reading: Reading) -> Iterator[GivenAnswer]:
    """The main agent's answers, where the record says who wrote what."""
    if reading.tells_deeds:
        yield from (answer for answer in reading.answers if answer.is_final)


def _ungrounded(reading: Reading) -> Iterator[GivenAnswer]:
    """The first answer before which no result had come that could bear it out, if any: later ones say it again."""
    if not reading.tells_deeds or not reading.asked_tools or reading.asking.goes_on:
        return  # nothing can be asked, or may have been before the record begins
    for answer in reading.answers:
        if _learns(reading, answer):
            continue
        if next(bearing(reading.deeds, reading.trace.positions[answer.reply.id]), None) is None:
            yield answer
            return


def _learns(reading: Reading, answer: GivenAnswer) -> bool:
    """Whether the program that gives an answer asks a tool for it, or looks outside of itself."""
    return answer.run is not None and _asks(reading, answer.run)


def _asks(reading: Reading, run: CodeRun) -> bool:
    called = {name.rpartition(".")[2] for name in run.program.calls}
    return not (run.program.is_python and called.isdisjoint(reading.asked_tools) and called.isdisjoint(_OUTSIDE))


def _works(answer: GivenAnswer) -> bool:
    """Whether the program that gives an answer works it out."""
    return answer.run is not None and len(answer.run.program.calls) > 1


def _echoed(reading: Reading, answer: GivenAnswer) -> bool:
    """Whether something had come back after all; as it bears nothing out, it was the model's own text."""
    before = reading.deeds.before(reading.trace.positions[answer.reply.id])
    return any(deed.outcome.status != "failed" and not deed.outcome.empty and deed.result for deed in before)


def _looked(reading: Reading, answer: GivenAnswer) -> bool:
    """Whether something was asked and nothing found: that was looked up, too."""
    before = reading.deeds.before(reading.trace.positions[answer.reply.id])
    return any(deed.outcome.empty and not deed.does("run", "finish") for deed in before)


def _is_seen(reading: Reading, answer: GivenAnswer, saying: Saying) -> bool:
    """Whether no more is said than that a program ran, or printed what it was given to print, or that a check ran."""
    before = list(reading.deeds.before(reading.trace.positions[answer.reply.id]))
    if saying.statement.kind == "lookup" and any(deed.does("check") for deed in before):
        return True
    came = [result for deed in before if deed.outcome.status != "failed" and (result := (deed.result or "").strip())]
    text = saying.where.text
    if saying.statement.verb in _PRINTING and not _OF_WORLD.search(text):
        return bool(came)
    return saying.statement.kind == "report" and any(len(result) < _SHOWN and result in text for result in came)


def _is_told_on(reading: Reading, answer: GivenAnswer, saying: Saying) -> bool:
    """Whether something of what is told stands in a result after all, one that is called a failure, too."""
    position = reading.trace.positions[answer.reply.id]
    return tells_on(reading.deeds, position, saying.context, reading.asking.of(answer.reply))


def _tried(reading: Reading, answer: GivenAnswer) -> bool:
    """Whether something had been tried that failed; what is said to have been looked up may be that."""
    before = reading.deeds.before(reading.trace.positions[answer.reply.id])
    return any(deed.outcome.status == "failed" and not deed.does("run") for deed in before)


def _failed(reading: Reading, answer: GivenAnswer) -> bool:
    """Whether anything had failed, so that a failure is something to tell of."""
    before = reading.deeds.before(reading.trace.positions[answer.reply.id])
    return any(deed.outcome.status == "failed" for deed in before)


def _said(reading: Reading, answer: GivenAnswer, *kinds: StatementKind) -> Sequence[Saying]:
    return _stated(reading, answer.reply.id, answer.run, *kinds)


def _stated(reading: Reading, reply: str, run: CodeRun | None, *kinds: StatementKind) -> Sequence[Saying]:
    """The statements of some kinds in a reply; what a program simulates step by step is worked out, not assumed."""
    works = run is not None and run.program.repeats
    found = [each for each in reading.said_in.get(reply, ()) if each.statement.kind in kinds]
    return [each for each in found if not each.statement.negated and not (works and each.statement.verb == "simulate")]


def _named(reading: Reading, answer: GivenAnswer) -> Sequence[str]:
    """The tools that the agent had spoken of, in its plan say, and that it never tried."""
    tried = {deed.call.tool for deed in reading.deeds.before(reading.trace.positions[answer.reply.id])}
    texts = _written(reading, answer)
    return [tool for tool in sorted(reading.asked_tools - tried) if any(tool in text for text in texts)]


def _planned(reading: Reading, answer: GivenAnswer) -> str:
    """The first step of the agent's plan that needs a source outside of it, where nothing was tried at all."""
    if next(reading.deeds.before(reading.trace.positions[answer.reply.id]), None) is not None:
        return ""
    steps = (step for text in _written(reading, answer) if (step := _STEP.search(text)))
    return next((shorten(step["step"], _SHOWN) for step in steps), "")


def _written(reading: Reading, answer: GivenAnswer) -> Sequence[str]:
    """What the agent that gives an answer had written by then."""
    position = reading.trace.positions[answer.reply.id]
    return [
        reading.trace.completion_text(reply) or ""
        for reply in reading.trace.of(CompletionEvent)
        if reply.agent_name == answer.reply.agent_name and reading.trace.positions[reply.id] <= position
    ]


def _quoted(saying: Saying) -> str:
    return repr(shorten(saying.where.text, _SHOWN))
