"""Looks that show how a check went, and looks for errors: they prove what no check of the record does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentlab.audit.arguments import written
from agentlab.audit.claims.saying import Saying
from agentlab.audit.evidence.effects import shell_line_of, words_of
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.programs import prints_texts
from agentlab.audit.evidence.runners import summary_in
from agentlab.audit.evidence.shown import shown
from agentlab.audit.judging.deeds import Deed

__all__ = ["looked_for_faults", "shows_a_pass"]

_READERS = words("read open cat view grep search find glob ls file files head tail edit write create insert replace")
"""Words in the names of tools whose results are texts that anybody may have written."""
_CHECKING = re.compile(
    r"(?<![a-z])(?:check(?:s|ed|er|ing)?|verif(?:y|ies|ier|ication)|validat\w{1,5}|audit|lint\w{0,5}|tests?|testing|ci"
    r"|pipelines?|workflows?|jobs?|builds?|runs?|suites?|review|grade|grader|judge|status|hooks?)(?![a-z])"
    r"|测试|检查|校验|验证|流水线|构建",
    re.IGNORECASE,
)
"""What the call itself says of a check that it makes or asks after."""
_NONE = re.compile(
    r"\b(?:0|no|zero) (?:[a-z]{1,20} )?(?:fail\w{0,5}|errors?|issues?|problems?|warnings?|broken|vulnerabilities)\b"
    r"|\b(?:fail\w{0,5}|errors?|issues|problems|warnings?)[\"']?\s?[:=]\s{0,2}[\"']?(?:0\b|\[\]|none\b|null\b|false\b)"
    r"|(?:没有|无|0 ?个)(?:任何)?(?:错误|失败|报错|异常|问题)",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\b(?:ok(?:ay)?|pass(?:ed|es|ing)?|success(?:ful|fully|es)?|succeed(?:ed|s)?|valid|green|clean|true|approved|correct"
    r"|accepted|healthy)\b|[✓✔✅🟢]|通过|成功|合格|正确",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\b(?:fail\w{0,5}|errors?|red|broken|invalid|false|reject\w{0,3}|wrong|incorrect|not|cancel\w{0,4}|timed out"
    r"|traceback|pending|queued|running|in[_ ]progress|unable|denied)\b|[✗✘❌✖🔴]"
    r"|失败|错误|未通过|没有?通过|不通过|报错|异常|超时",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"(?<![\d.])[1-9]\d{0,6} (?:[a-z]{1,12} )?(?:pass(?:ed|ing|es)?|ok|success(?:es|ful)?|succeeded|green)\b"
    r"|\btests=[\"'][1-9]|[1-9]\d{0,6} ?[个项条例][^\n]{0,8}通过",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:no|zero|0) (?:[a-z-]+ ){0,2}?(?P<what>error|warning|issue|problem|failure|exception)s?\b"
    r"|(?:没有?|无|未)(?:任何|出现|发现|产生|看到)*(?P<han>报错|错误|失败|异常|警告)",
    re.IGNORECASE,
)
_OF_A_CHECK = re.compile(
    r"\b(?:lint\w*|compil\w*|builds?|built|tests?|suites?|specs?|checks?|type-?check\w*|ci|pipelines?|ran|runs?|execut\w*)\b"
    r"|测试|编译|构建|检查|运行|执行|用例",
    re.IGNORECASE,
)
_LOGS = re.compile(
    r"(?<![a-z])(?:logs?|err(?:or)?s?|warn(?:ing)?s?|issues?|problems?|exceptions?|fail\w{0,5}|traceback|fatal|diagnostics"
    r"|journalctl|dmesg|syslog|events|alerts?|monitor\w{0,3}|health|status)(?![a-z])|日志|错误|报错|异常|警告|告警",
    re.IGNORECASE,
)
"""What a look is about that asks after errors."""
_HEAD = 600


def shows_a_pass(recent: Sequence[Deed]) -> bool:
    """Whether a result tells of a check that passed, whatever the call that brought it: a log, a report, a hook, a CI.

    Texts that anybody may have written show one only by the summary of a runner.
    """
    return any(deed.outcome.status != "failed" and _shows_a_pass(deed) for deed in recent)


def _shows_a_pass(deed: Deed) -> bool:
    seen = shown(deed.result or "")
    passed = written(deed.call.arguments)
    if not seen.last or seen.last[0] in passed:
        return False
    summary = summary_in(seen)
    if summary is not None:
        return summary.failed is False
    if (_is_of_texts(deed) and not seen.tail.lstrip().startswith("<")) or not seen.is_short:
        return False
    rest = _NONE.sub(" ", seen.tail)
    if _BAD.search(rest):
        return False
    if any(match[0] not in passed for match in _COUNT.finditer(rest)):
        return True
    asks = not deed.does("write", "send") and _CHECKING.search(_head(deed)) is not None
    return asks and (_GOOD.search(rest) is not None or rest != seen.tail)


def _is_of_texts(deed: Deed) -> bool:
    if shell_line_of(deed.call.tool, deed.call.arguments) is not None:
        return deed.effect.kind == "read" and all(map(prints_texts, deed.effect.programs))
    return not _READERS.isdisjoint(words_of(deed.call.tool))


def looked_for_faults(saying: Saying, recent: Sequence[Deed]) -> bool:
    """Whether `there are no errors` tells what a look brought: at a log, at the hits of a search, at a count.

    The look that is meant asks after errors, or it is the last thing that was done.
    """
    fault = _FAULT.search(saying.statement.text)
    if fault is None or _OF_A_CHECK.search(saying.statement.text):
        return False
    for place, deed in enumerate(reversed(recent)):
        if deed.does("check"):
            return False
        if deed.outcome.status == "failed" or not deed.does("read", "unknown"):
            continue
        if place == 0 or _LOGS.search(_head(deed)):
            return True
    return False


def _head(deed: Deed) -> str:
    return f"{deed.call.tool} {written(deed.call.arguments)[:_HEAD]}".replace("_", " ")
