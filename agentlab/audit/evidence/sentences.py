"""Remarks that are the whole of a result: an error, a success, or that there was nothing."""

from __future__ import annotations

import re
from collections.abc import Collection

from agentlab.audit.evidence.errors_said import EXCEPTION, is_error, may_fail
from agentlab.audit.evidence.shown import Shown, has_any

__all__ = ["error_in", "is_nothing", "nothing_found", "shell_error_in", "success_in"]

_SUCCESS = re.compile(
    r"\W{0,6}(?:ok|done|success(?:ful(?:ly)?)?|saved|wrote|written|created|updated|deleted|removed|edited|added"
    r"|sent|applied|inserted|renamed"
    r"|moved|copied|uploaded|published|completed|finished|installed|replaced|modified|changed|set|stored|booked"
    r"|scheduled|cancelled|passed)\b"
    r"|no (?:[a-z]+ )?(?:errors?|failures?|issues?|problems?|warnings?|violations?|vulnerabilities)\b",
    re.IGNORECASE,
)
_SUCCESS_END = re.compile(
    r"\bsuccessful(?:ly)?\b|\bhas been (?!rejected|denied|refused|aborted|blocked|cut"
    r"|truncated)[a-z]{1,20}(?:ed|d|t|n)\b|\bis done\b|\bsent\.|\bcompleted\."
    r"|成功|已完成|已保存|已创建|已发送|已更新|已删除",
    re.IGNORECASE,
)
_ENDS = ("uccess", "has been", "is done", "sent.", "ompleted.", "成功", "已")
_LOGGED = re.compile(
    r"\W{0,3}(?:INFO|WARN(?:ING)?|DEBUG|TRACE|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2}:)(?:\b|[0-9])"
)
"""A line of a log."""
_UNDONE = re.compile(r"\b(?:not|never|no|un\w+)\b|n't\b|不|未|没有", re.IGNORECASE)
_NOTHING = frozenset(
    (
        *(
            "",
            "none",
            "null",
            "nil",
            "undefined",
            "[]",
            "{}",
            '""',
            "''",
            "()",
            "n/a",
            "-",
            "(empty)",
            "empty",
            "无",
            "空",
            "没有结果",
        ),
        *(
            "no output",
            "(no output)",
            "<no output>",
            "[no output]",
            "no result",
            "no results",
            "no matches",
            "nothing",
            "0 results",
        ),
        *(
            "void",
            "<empty>",
            "(none)",
            "none.",
            "no data",
            "[no results]",
            "no content",
            "(no content)",
            "无输出",
            "没有输出",
            "没有任何输出",
            "未产生输出",
            "无结果",
            "未找到结果",
        ),
    )
)
_NOTHING_SAID = re.compile(
    r"\W{0,4}(?:(?:the |your )?(?:command|tool|code|program|script|call|run|function|cell|it|search|query"
    r"|task)(?: run| execution| completed| ran| finished| executed| successfully| was| and| with|,)*"
    r" (?:no|without|produced no|returned no|did not produce|printed no|gave no|had no|returned nothing"
    r"|produced nothing|returned 0)(?: any)?"
    r"(?: output| results?| data| matches| hits| rows)?\b"
    r"|no (?!(?:[a-z-]+ ){0,3}(?:errors?|failures?|issues?|problems?|warnings?|violations?|vulnerabilities"
    r"|differences)\b)"
    r"(?:[a-z-]{1,30} ){1,5}?(?:(?:was|were|is|are|has been|have been|could be) )?"
    r"(?:found|recorded|produced|returned|available|matched|matching|match|captured|to (?:show|display))\b"
    r"|no (?:[a-z-]{1,30} ){0,2}(?:output|results?|matches|hits|rows|records|entries|data|content)(?: (?:for|in"
    r"|with|here|yet|was)\b|$|[.!(])"
    r"|(?:found |total:? |returned )?(?:0|zero) (?:results?|matches|hits|rows|records|items|documents|files|entries)\b"
    r"|nothing (?:was |is )?(?:found|returned|matched|to show|to display|recorded)|your search[^\n]{0,120}did not match"
    r"|could not find [^\n]{1,200}?\b(?:similar|did you mean|closest|suggestions?|related)\b"
    r"|did ?n[o']t find any(?:thing)?\b|there (?:are|is|were|was) no [a-z]+"
    r"|(?:未|没有)(?:找到|查到|搜索到|返回)(?:任何|相关|匹配)?(?:的)?(?:结果|记录|内容|数据|文件|信息)?|暂无|查无)",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^\w{0,40}(?:error|exception): ?", re.IGNORECASE)
_NONE = ("no", "0", "zero", "ould not find", "n't", "未", "没有", "暂无", "查无", "without")
_WRAPPING = re.compile(r"</?(?:output|result|stdout|returncode|response)>|\([0-9.]+ ?m?s\)", re.IGNORECASE)
_SHELL_ERROR = re.compile(
    r"(?:/(?:usr/)?bin/)?(?P<program>[\w.+\-]{1,40})(?:\.exe)?(?:\[[0-9]+\])?: (?:line [0-9]{1,6}: "
    r"|[0-9]{1,6}: )?(?:[^\n]{0,200}: )?"
    r"(?:command not found|not found|no such file or directory|permission denied|cannot [a-z]+ [^\n]{1,200}"
    r"|can'?t (?:cd|open|find|stat) [^\n]{1,200}|is a directory"
    r"|not a directory|syntax error[^\n]{0,100}|unrecognized [a-z]+[^\n]{0,100}|invalid option[^\n]{0,100}"
    r"|missing [a-z]+ operand[^\n]{0,60}"
    r"|fatal: [^\n]{1,200}|\*\*\* [^\n]{1,200}|error: [^\n]{1,200}|unknown (?:option|command)[^\n]{0,100}"
    r"|no module named [^\n]{1,100}|no rule to make target[^\n]{0,100})\.?"
    r"|(?P<curl>curl): \([0-9]{1,3}\) [^\n]{1,200}|E: [^\n]{1,200}|CONFLICT \([^\n]{1,200}"
    r"|Automatic merge failed[^\n]{0,100}"
    r"|fatal: [^\n]{1,200}|zsh: [a-z ]{1,30}: [^\n]{1,120}|npm (?:ERR!|error) [^\n]{1,200}",
    re.IGNORECASE,
)
_SHELL_NAMES = ("bash", "sh", "zsh", "dash", "fish", "ksh")


def error_in(shown: Shown, *, is_look: bool = False) -> str:
    """The error sentence that a result is, or begins or ends with; empty where it is none.

    Args:
        shown: the result.
        is_look: whether the call looks something up, so that the text may be anybody's.
    """
    if shown.edges.isascii() and not may_fail(shown.edges):
        return ""
    if shown.first and shown.first[0].lower().startswith("traceback (most recent call last)"):
        return _last_exception(shown) or shown.first[0]
    if not is_look and "Traceback (most recent call last)" in shown.tail and (raised := _last_exception(shown)):
        return raised
    if not shown.is_short:
        return ""
    if is_look and any(_LOGGED.match(line) for line in shown.last[:2]):
        return ""
    for position, line in enumerate(shown.first[: 1 if is_look else 2]):
        if _is_error(line, is_look=is_look):
            more = shown.first[position + 1 : position + 2] if line.endswith(":") else ()
            return " ".join((line, *more))[:120]
    last = shown.last[0] if shown.last else ""
    return last[:120] if not is_look and len(last) < 300 and _is_error(last, is_look=True) else ""


def _is_error(line: str, *, is_look: bool) -> bool:
    if _SUCCESS.match(line) or (is_look and _NOTHING_SAID.match(line[:300])):
        return False
    return is_error(line, is_look=is_look)


def _last_exception(shown: Shown) -> str:
    return next((line[:120] for line in shown.last if EXCEPTION.fullmatch(line[:400])), "")


def shell_error_in(shown: Shown, programs: Collection[str] | None = None) -> str:
    """The complaint of a shell or of one of its programs in the last lines of what a shell line printed.

    Args:
        shown: what it printed.
        programs: those of the line; where they print what stands in files, only they and the shell complain.
    """
    if ": " not in shown.tail:
        return ""
    for line in shown.last[:2]:
        match = _SHELL_ERROR.fullmatch(line) if len(line) < 400 else None
        if match and (programs is None or _complains(match, programs)):
            return line[:120]
    return ""


def _complains(match: re.Match[str], programs: Collection[str]) -> bool:
    program = (match["program"] or match["curl"] or "fatal").lower()
    return program in programs or program in _SHELL_NAMES or (program == "fatal" and "git" in programs)


def success_in(shown: Shown) -> str:
    """The sentence that says that the call did its work, in the first two lines of a short result."""
    if not shown.is_short:
        return ""
    return next(
        (line[:120] for line in shown.first[:2] if _succeeds(line[:240]) and not is_error(line, is_look=False)), ""
    )


def _succeeds(line: str) -> bool:
    return bool(
        _SUCCESS.match(line) or (has_any(line, _ENDS) and _SUCCESS_END.search(line) and not _UNDONE.search(line))
    )


def is_nothing(text: str, shown: Shown) -> bool:
    """Whether a result holds nothing at all."""
    if shown.length > 60:
        return False
    bare = _WRAPPING.sub("", text).strip().lower()
    return bare in _NOTHING


def nothing_found(shown: Shown) -> str:
    """The remark that nothing was found or printed, where it is the whole result; empty where it is none."""
    if not shown.is_short or not shown.first or not has_any(shown.edges, _NONE):
        return ""
    line = shown.first[0]
    return line[:120] if _NOTHING_SAID.match(_PREFIX.sub("", line[:300])) else ""
