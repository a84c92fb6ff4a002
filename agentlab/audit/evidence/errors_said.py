"""The wording of errors: which sentence says that the call it answers did not do its work.

A sentence counts where it opens as an error does (`Error: ...`, `Could not open ...`) or ends as one does (`... does
not exist`). The result of a look may be anybody's prose, so that fewer wordings count there.
"""

from __future__ import annotations

import re

from agentlab.audit.evidence.shown import has_any

__all__ = ["EXCEPTION", "is_error", "may_fail"]

_MARKED = re.compile(
    r"[^\w<]{0,6}(?:<[a-z]{1,12}>)?(?:(?:sorry|oops|unfortunately)[,!.]? (?:but )?(?:i |we )?)?(?:"
    r"(?:[a-z_]{1,20} ){0,2}(?:error|exception|failure|fatal|panic)(?: (?:code )?[0-9]{1,6})?\s?(?::(?!:)|\(|!"
    r"|\]| - | — )"
    r"|error [45][0-9]{2}\b"
    r"|error (?:when|while|executing|running|calling|during|occurred|processing|reading|parsing|fetching|from)\b"
    r"|(?:an? |the )?(?:[a-z]{1,20} ){0,2}(?:error|exception) (?:has )?(?:occurred|happened|was raised)"
    r"|(?:[a-z_]\w{0,60}\.){0,8}\w{0,60}(?:error|exception|interrupt)\s?[:(](?!:)"
    r"|[0-9]{1,4} validation errors? for |net::err_|internal error\W{0,3}$"
    r"|(?:[a-z]{1,12} ){0,2}(?:rate limit|quota|limit) (?:exceeded|reached|hit)\b"
    r"|(?:[a-z]{1,12} ){0,3}temporarily unavailable\b"
    r"|<(?:[a-z]{1,12}_){0,4}error>|uncaught |unhandled |exception in thread"
    r"|(?:permission|access|authorization|authentication) (?:to .{1,60} )?(?:is |was )?(?:denied|refused|failed"
    r"|required)"
    r"(?: to | for |\s?[^\w\s]|\s?$)"
    r"|(?:invalid|illegal|malformed|unknown|unrecogni[sz]ed|unsupported|undefined|no such|missing required|missing) "
    r"(?:(?:api )?(?:action|argument|parameter|input|request|tool|command|option|key|field|value|format|syntax"
    r"|file|path|url"
    r"|id|date|token|credentials|json|query|function|method|type|operation|credential|name|schema|user|session)s?\b"
    r"|[\w`'\"\-]{1,40}(?: [\w`'\"\-]{1,40}){0,2}\s?:)"
    r"|(?:the |your |this )?(?:request|connection|operation|query|call|tool|command|server|fetch"
    r"|lookup|navigation)(?: [a-z]{1,12}){0,2} "
    r"(?:timed out|rejected|denied|aborted|refused|blocked|failed|unsuccessful|(?:was |is )?not (?:permitted|allowed))"
    r"|(?:timeout|timed out|unauthori[sz]ed|forbidden|not found|bad request|rate limit(?:ed| exceeded)?|quota exceeded"
    r"|too many requests|service unavailable|internal server error|access denied|not implemented)\b"
    r"(?:[^\w]{0,3}$|[:.!(]| (?:after|waiting|while|error)\b)"
    r"|(?:retry|rejected|denied|refused|aborted|blocked)\s?[:!]"
    r"|(?:http(?:/[0-9.]{1,3})? ?(?:error|status)?(?: code)?[: ]{1,2})[45][0-9]{2}\b"
    r"|[45][0-9]{2}(?: (?:client|server) error\b|: \w|[ -]{1,3}(?:bad request|unauthori[sz]ed|payment required"
    r"|forbidden"
    r"|not found|method not allowed|request timeout|conflict|gone|too many requests|internal server error"
    r"|not implemented"
    r"|bad gateway|service unavailable|gateway time-?out|unprocessable)\b)"
    r"|(?:request|call|server|fetch|response)[a-z ]{0,30}(?:status(?: code)?|http) ?[:=]? ?[45][0-9]{2}\b"
    r"|status(?: code)?:? [45][0-9]{2}\b"
    r"|traceback \(most recent call last\)|no (?:replacements?|edits?|updates?|modifications?) (?:was"
    r"|were) (?:performed|made|applied|done)|segmentation fault|rate limit exceeded"
    r"|(?:the )?user (?:declined|rejected|denied|refused|cancelled|canceled|doesn'?t want|does not want)\b"
    r"|(?:failed|failure|unable|not able|could ?n[o']t|could not|cannot|can'?t|can not)(?: to)? "
    r"(?:load|open|read|find|fetch|connect|get|access|retrieve|parse|reach|resolve|locate|download|process|complete"
    r"|execute|run|create|write|save|send|apply|update|delete|convert|import|start|decode|list|search|query|view|call"
    r"|validate|perform|determine|stat|cd|install|move|copy|compile|build|attach|upload|edit|book)\b"
    r")",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"[^\w<]{0,6}(?:(?:error|failed|failure|exception|fatal|killed|aborted)[.!]?$"
    r"|(?:failed|unable|not able|could ?n[o']t|could not|cannot|can'?t|can not|refus(?:ed|ing)"
    r"|declined)(?: to [a-z]|[,:]| [a-z])"
    r"|(?:invalid|illegal|malformed|missing|unknown|unexpected|bad|insufficient"
    r"|duplicate) (?:[\w`'\"\-]{1,40} ?){1,3}[^\w]{0,2}$"
    r"|insufficient (?:funds|balance|permissions?|privileges|stock|quota|credit)\b"
    r"|(?:you are |you're |user is |it is )?not (?:authori[sz]ed|permitted|allowed|supported|possible|enough)\b"
    r"|(?:[a-z0-9_\-]{1,20} ){1,4}(?:has |have |was "
    r"|is )?(?<!not )(?<!never )(?<!that )(?<!which )(?<!what )(?<!had )failed"
    r"(?: to [a-z]|[:;.!]|$| with | because | due | after )"
    r"|(?:[a-z0-9_\-]{1,20} ){1,4}(?:was |is |has been )?(?<!not )(?<!never )(?:declined|rejected|denied"
    r"|refused|blocked|aborted)"
    r"(?:[:.!]|$| by | because | due )"
    r"|(?:no changes?|nothing) (?:was|were) (?:made|applied|saved|changed|written|sent)\s?(?:[:,;(]| because"
    r"| as | since)"
    r")",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?:[^\n.:]|[.:](?=\S)){1,160}\b(?:"
    r"(?:is|was|are|were) (?:impossible|not possible|not allowed|not permitted|not supported|denied|rejected|refused"
    r"|invalid|not valid|unavailable|not available|missing|out of range|not recogni[sz]ed|read-only|locked|unreachable"
    r"|not running|not installed|too (?:long|large|big))"
    r"|(?:does|do|did) not (?:exist|match|have|contain|allow|support|work|succeed|respond)|doesn'?t exist"
    r"|not found|no such file or directory|timed out|must (?:be|have|not)|already exists|cannot be|could not be"
    r"|command not found|permission denied|connection refused|not (?:enough|authori[sz]ed|permitted)"
    r"|(?:was|were|has|have) not (?:been )?(?:saved|sent|created|written|updated|found|applied|deleted|changed|executed"
    r"|run|performed|read|booked|moved|added|removed)"
    r"|went wrong|unsuccessful|is required|are required"
    r")\b[^\n]{0,160}",
    re.IGNORECASE,
)
_LOOK_ENDING = re.compile(
    r"(?:[^\n.:]|[.:](?=\S)){1,120}\b(?:(?:is|was) (?:denied|unavailable|not available|unreachable)|(?:does"
    r"|do) not exist"
    r"|doesn'?t exist"
    r"|not found|no such file or directory|permission denied|connection refused|command not found)[.!]?",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"[^\w]{0,4}(?:(?:发生|出现|系统|请求|执行|调用|内部|网络|参数|工具|操作|测试|构建|编译|部署|上传|下载|发送|保存|更新|创建|删除|读取|写入|连接)?"
    r"(?:错误|异常|失败|出错|超时)\s?(?:[:：，,。！!]|$)|无法|不能|未能|未找到|找不到|权限不足|拒绝访问|没有权限)"
    r"|[^\n。：:，,]{1,20}失败[:：，,]|[^\n。]{1,60}(?:失败|不存在|未找到|找不到|超时|无权限|被拒绝|出错了?|不可用|无效)[。！!]?$"
)
_CHINESE_LOOK = re.compile(
    r"[^\w]{0,4}(?:(?:系统|请求|执行|调用|内部|网络|参数|工具|读取|连接)?(?:错误|异常|失败|出错|超时)\s?(?:[:：，,。！!]|$)"
    r"|(?:无法|不能|未能)(?:连接|读取|打开|访问|获取|找到)|权限不足|拒绝访问|没有权限)|[^\n。，]{1,30}(?:不存在|未找到|找不到)[。！!]?$"
)
_INNOCENT = re.compile(
    r"\b(?:0|no|zero|without|any|fixed|resolved|handled?) (?:[a-z]{1,20} )?(?:errors?|failures?|exceptions?"
    r"|problems?|issues?)\b"
    r"|\b(?:errors?|failures?|failed|exceptions?)\s?[:=]\s?(?:0(?:[\s,;.)]|$)|(?:none|null|no|false"
    r"|\[\])(?:[,;.)]|\s*$))"
    r"|\berror (?:rate|budget|margin|bars?)\b|没有错误|无错误|无异常|零错误|0 ?个错误",
    re.IGNORECASE,
)
EXCEPTION = re.compile(r"(?:[a-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt)\b(?:: .*|)", re.ASCII)
"""A line that names an exception as Python and Java do, with or without its message."""

_SIGNS = (
    *("err", "fail", "exception", "fatal", "panic", "abl", "not", "no ", "n't", "denied", "refus", "invalid", "timed"),
    *("timeout", "reject", "unauthor", "forbidden", "40", "50", "42", "41", "abort", "miss", "unknown", "must"),
    *("traceback", "retry", "exceed", "conflict", "bad", "impossible", "wrong", "required", "already", "unsup"),
    *("unexp", "unrec", "illegal", "malformed", "unsucc", "block", "unavail", "declin", "locked", "too l", "too b"),
    *(
        "insuff",
        "uncaught",
        "unhandled",
        "nothing",
        "limit",
        "quota",
        "tempor",
        "internal",
        "killed",
        "segm",
        "undefined",
        "duplicate",
        "cancel",
        "want",
    ),
)
_ENDINGS = (
    *("not ", "n't", "denied", "refused", "invalid", "impossible", "timed out", "missing", "must", "already exists"),
    *("require", "unavailable", "too l", "too b", "wrong", "reject", "locked", "unreach", "out of r", "unsuc"),
    *("read-only", "cannot", "no such"),
)


def may_fail(low: str) -> bool:
    """Whether a text in small letters holds anything that an error is worded with; Chinese apart."""
    return has_any(low, _SIGNS)


def is_error(line: str, *, is_look: bool) -> bool:
    """Whether a line says that the call it answers failed.

    Args:
        line: one line of a short result.
        is_look: whether the call looks something up.
    """
    text = line[:300].lstrip("- ")
    worded = not text.isascii() and _is_chinese(text, is_look=is_look)
    if not worded and may_fail(low := text.lower()):
        worded = bool(_MARKED.match(text) or EXCEPTION.fullmatch(text)) or _is_remark(text, low, is_look=is_look)
    return worded and _INNOCENT.search(text) is None


def _is_remark(text: str, low: str, *, is_look: bool) -> bool:
    if is_look:
        return len(text) < 160 and has_any(low, _ENDINGS) and _LOOK_ENDING.fullmatch(text) is not None
    return bool(_OPENING.match(text) or (len(text) < 240 and has_any(low, _ENDINGS) and _ENDING.match(text)))


def _is_chinese(text: str, *, is_look: bool) -> bool:
    return (_CHINESE_LOOK if is_look else _CHINESE).match(text) is not None
