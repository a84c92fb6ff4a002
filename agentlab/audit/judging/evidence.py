"""What an answer could rest on: results that came before it and that the model had not written itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentlab.audit.arguments import written
from agentlab.audit.evidence.echoing import echoes
from agentlab.audit.evidence.fields import whole_json
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.judging.deeds import Deed, Deeds

__all__ = ["bearing", "tells_on"]

_TOKEN = re.compile(r"[^\W\d_]{4,}|[0-9]+(?:\.[0-9]+)?|(?=([\u4e00-\u9fff]{2}))")
"""A word, a number, or any two Chinese signs that follow each other."""
_OF_FAILURE = words(
    "found error errors fail failed failure failures exception exceptions denied unavailable available invalid missing"
    " unknown timeout timed unable could cannot none null true false http https status code message response request"
    " page server service result results data query search returned return tool call with that this from have there"
    " 错误 失败 没有 未找 找到 无法 超时 异常 结果"
)
"""Words that a failure has of itself, and an answer by chance."""
_CODES = range(400, 600)
_EMPTY_KEY = re.compile(
    r"err|fail|miss|not_|invalid|warn|trace|message|detail|reason|status|code|url|query|id$", re.IGNORECASE
)
_READ = 20_000
_SHARED = 2
"""Words in common that are none by chance."""


def bearing(deeds: Deeds, position: int) -> Iterator[Deed]:
    """The deeds before an event that bear anything out: something came back, it was no failure, and it was news.

    Args:
        deeds: of the trace.
        position: place of the event.
    """
    for deed in deeds.before(position):
        if deed.outcome.status == "failed" or deed.outcome.empty or deed.does("finish"):
            continue
        if not echoes(deed.call.arguments, deed.result, tool=deed.call.tool):
            yield deed


def tells_on(deeds: Deeds, position: int, text: str, told: Iterable[str]) -> bool:
    """Whether a text tells something that a result before it holds, though the result may be called a failure.

    A word of failure in a longer result, or beside data, is no failure of the call. Linear in the results.

    Args:
        deeds: of the trace.
        position: place of the event in which the text stands.
        text: what is told.
        told: what users had said; it is no news.
    """
    said = _tokens(text)
    known = set().union(*(_tokens(each) for each in told))
    for deed in deeds.before(position):
        result = (deed.result or "")[:_READ]
        if not result or deed.does("finish"):
            continue
        if _sorts(result):
            return True
        if echoes(deed.call.arguments, deed.result, tool=deed.call.tool):
            continue
        news = _tokens(result) - known - _tokens(written(deed.call.arguments)[:_READ])
        shared = news & said
        if len(shared) >= _SHARED or any(each[0].isdigit() for each in shared) or _holds_data(result):
            return True
    return False


def _tokens(text: str) -> set[str]:
    found = {match[1] or match[0] for match in _TOKEN.finditer(text[:_READ].casefold())} - _OF_FAILURE - {""}
    return {each for each in found if not (each.isdigit() and int(each) in _CODES)}


def _sorts(result: str) -> bool:
    """Whether a result puts what it was handed under several heads, which is news though each part is not."""
    value = whole_json(result)
    return isinstance(value, dict) and sum(isinstance(each, list) for each in value.values()) > 1


def _holds_data(result: str) -> bool:
    """Whether a result is an object with something in it beside what tells of a failure."""
    value = whole_json(result)
    if not isinstance(value, dict):
        return False
    return any(isinstance(each, list | dict) and each and not _EMPTY_KEY.search(key) for key, each in value.items())
