"""What an error text says went wrong: the name, the arguments, the service, the sandbox or the tool itself.

Only the beginning and the end of a text are read: an error says what it is in its first lines, a traceback in its last.
A text that merely mentions an error is none; `fault_of` therefore wants the text to be one, by a flag or by how it
begins. What an error says is looked for in this order: a name nobody knows, a reply nobody could read, arguments that
do not fit, a sandbox that forbids, a file that is not there, a service that failed, a tool that broke.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

__all__ = ["Fault", "FaultKind", "fault_of", "is_error_text", "is_parse_error", "template"]

FaultKind = Literal[
    "unknown_tool", "unparsed", "arguments", "input", "forbidden", "service", "sandbox", "absent", "crash", "other"
]
"""unknown_tool: no tool has this name. unparsed: the reply could not be read as a call. arguments: the tool or its
caller refuses what was passed. input: it asks for another input, as a search does that found nothing. forbidden: the
interpreter lets no program call or import this. service: a network, a provider, a quota, a deadline. sandbox: the
interpreter or the machine gave up. absent: a file is not there. crash: the tool's own code broke. other: it failed, and
what it says names none of these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """What a failed call's text says."""

    kind: FaultKind
    words: str
    """The words that say so, as they stand in the text; empty for `other`."""
    start: int = 0
    """Code points into the text."""


_HEAD, _TAIL = 1500, 500
_PAGE = 1200
"""Longest page, in code points, that can be nothing but an error page."""

_BEGINS = re.compile(
    r"\s*(?:call id: ?\S+\s+)?(?:[<\[(\"'*#❌✗⚠️ ]{0,4})"
    r"(?:(?:tool |tool call |execution |runtime |fatal |system |api |http )?(?:error|exception|failure|failed)\b"
    r"|traceback \(most recent|\w{2,40}(?:Error|Exception)\b|(?:could not|cannot|can't|unable to|failed to) \w"
    r"|fatal:|invalid \w|unknown (?:tool|function|action)|no such (?:tool|function)"
    r"|no (?:tool|function) (?:named|called|with)\b"
    r"|(?:the )?(?:tool|function|action) [`'\"][\w.:/-]{1,64}[`'\"] (?:is |was |does |could )?(?:not|n't)\b"
    r"|(?:the )?model (?:tried|attempted|wanted) to (?:call|use)\b|错误|失败|出错|无法|未知(?:的)?(?:工具|函数)"
    r"|没有(?:名为|叫))",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r'"(?:error|errors|exception)"\s*:(?!\s*(?:null|false|""|\[\]|\{\}|0\b))|"(?:ok|success|succeeded)"\s*:\s*false'
    r'|"(?:status|state|result)"\s*:\s*"(?:error|failed|failure|rejected|denied)"',
    re.IGNORECASE,
)
_EXIT = re.compile(r"\bexit(?:ed|\s?code)?(?: with)?(?: code| status)?[ :=]{1,3}(\d{1,3})\b", re.IGNORECASE)

_TOOL = r"(?:tool|function|action|command)"
_UNKNOWN_TOOL = re.compile(
    rf"(?<![^\W_])(?:unknown|unavailable)[ _-]{_TOOL}\b|no[ _-]such[ _-]{_TOOL}\b"
    rf"|\bno {_TOOL} (?:named|called|with (?:the )?name)\b"
    rf"|\b(?:tool|function|action) [`'\"]?[\w.:/-]{{1,64}}[`'\"]? (?:is |was |does |could )?(?:not|n't)(?: be)?"
    r" (?:found|exist|available|registered|recognized|recognised|defined|supported|known|a valid)\b"
    rf"|\b(?:is|was) (?:not|n't) an? (?:valid|available|known|registered|existing) {_TOOL}\b"
    rf"|\b(?:unrecognized|unrecognised|undefined|unregistered|nonexistent|non-existent) {_TOOL}\b"
    rf"|\b(?:invalid|wrong) {_TOOL} name\b|\b{_TOOL}[ _-]not[ _-]found\b"
    rf"|未知(?:的)?(?:工具|函数)|(?:工具|函数)[^\n]{{0,40}}不存在"
    r"|没有(?:名为|叫)[^\n]{0,40}的(?:工具|函数)",
    re.IGNORECASE,
)
_UNPARSED = re.compile(
    r"\binvalid format\b|\bformat error\b|\b(?:could not|couldn't|cannot|can't|failed to|unable to|error(?: while"
    r"| when|"
    r" in)?)[ -](?:parse|parsing)\b(?: (?:the |your |llm |model |tool |agent )*(?:output|response|reply|action|"
    r"tool[ -]call|call|code|blob|message|json)s?\b)"
    r"|\b(?:output|code|action|tool[ -]call|response) pars(?:ing|er) (?:failed|error)\b"
    r"|\bmissing ['\"`]?(?:action|thought|action input):?['\"`]?(?: after| before|$|\n)"
    r"|\bno ['\"`]?(?:action|thought):?['\"`]? (?:after|found|in)\b"
    r"|\b(?:your|the) (?:last |previous )?(?:output|response|reply|code snippet) (?:is|was) (?:invalid|malformed"
    r"|not (?:in|valid))"
    r"|\bregex pattern [^\n]{1,80} was not found\b|\bdid not (?:contain|include) (?:a |any )?(?:valid )?(?:action"
    r"|tool call)"
    r"|格式(?:错误|不正确|无效)|无法解析",
    re.IGNORECASE,
)
_ARGUMENTS = re.compile(
    r"unexpected keyword argument|\bmissing \d+ required|\brequired (?:positional |keyword-only )?arguments?\b"
    r"|\bmissing (?:a |the )?(?:required )?(?:argument|parameter|field|property|key)\b"
    r"|['\"`]\w{1,40}['\"`] is (?:a )?required(?: property| parameter| field)?\b|\bfield required\b"
    r"|\b(?:invalid|illegal|incorrect|wrong|malformed|unexpected|unknown|unsupported|bad) (?:tool |function |input )?"
    r"(?:argument|parameter|input|value|type|date|json|option)s?\b"
    r"|\barguments?\b[^\n]{0,40}\b(?:not valid|invalid|could not be parsed|must be|do(?:es)? not match)\b"
    r"|\bvalidation errors?\b|\bfailed (?:schema )?validation\b|\bmust be (?:of type|an? (?:string|number|integer"
    r"|object|"
    r"array|boolean|list|valid))\b|\bis not of type\b|\b(?:json ?decode ?error|unterminated string|expecting (?:value|"
    r"property name|',' delimiter|':' delimiter))|\btakes \d+ positional arguments?\b"
    r"|\b(?:additional properties are not allowed|extra (?:inputs|fields) (?:are )?not permitted)"
    r"|\b(?:should|must) (?:match|be unique|not be empty)\b"
    r"|参数(?:错误|无效|缺失|类型)|缺少(?:必需|必要|必填)?(?:的)?参数",
    re.IGNORECASE,
)
_INPUT = re.compile(
    r"\b(?:use|try|provide|give|specify)(?: with)? (?:an? |another )?(?:less|more|different|shorter|broader|simpler"
    r"|valid|correct)"
    r" ?(?:specific |precise |general )?(?:query|input|argument|value|keyword|search|term)",
    re.IGNORECASE,
)
_SERVICE = re.compile(
    r"\b(?:http|error|status|code|response)\W{0,4}(?:code\W{0,3})?(?:401|403|407|408|425|429|5\d\d)\b"
    r"|\b(?:401|403|407|408|429|50[0-4]|52\d) (?:client |server )?(?:error|forbidden|unauthorized|too many|bad gateway|"
    r"service unavailable|gateway time|internal server)|\bconnection ?(?:was )?(?:aborted|reset|refused|timed out"
    r"|error|closed)"
    r"|\bremote ?(?:end closed|disconnected)\b|\bmax retries exceeded\b|\b(?:read|request|connect(?:ion)?|operation"
    r"|call|tool|"
    r"execution|command) ?timed? ?out\b|\btime(?:d )?out (?:error|after|of|exceeded|while|waiting)\b"
    r"|\btimeout(?:error|expired)?\b"
    r"|\brate[ -]?limit|\btoo many requests\b|\bquota\b|\b(?:service|server) (?:is )?(?:temporarily )?(?:unavailable"
    r"|overloaded)\b"
    r"|\boverloaded\b|\bname resolution\b|\bgetaddrinfo\b|\bssl(?:error|: )|\bcertificate verify failed\b"
    r"|\binvalid api key\b|\bapi key (?:is )?(?:missing|invalid|not set)\b|\bnetwork is unreachable\b|\bbad gateway\b"
    r"|连接(?:超时|被拒绝|失败)|请求超时|限流|配额|服务不可用",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:not (?:permitted|allowed)|forbidden|disallowed|prohibited)\b[^\n]{0,40}"
    r"\b(?:evaluat|execut|call|use\b|function|import)"
    r"|\b(?:imports?|functions?|modules?|builtins?|calls?) (?:from |of |to )?\S{1,60} (?:is|are) "
    r"(?:not (?:permitted|allowed)|forbidden|disallowed)\b"
    r"|\bis not among the (?:\w+ )?(?:allowed|permitted|available)\b|(?:不允许|禁止)(?:调用|导入|使用)",
    re.IGNORECASE,
)
_SANDBOX = re.compile(
    r"\bInterpreterError\b|\bmax(?:imum)? number of operations\b"
    r"|\bsandbox(?:ed)? (?:error|failed|died|violation|is not running|crashed)"
    r"|\bkernel (?:died|crashed|restarted)\b|\bout of memory\b|\bMemoryError\b|\bOOM[- ]?kill"
    r"|\bno space left on device\b|\bcontainer (?:is not running|exited|died)\b"
    r"|\bcannot connect to the docker daemon\b",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"\bFileNotFoundError\b|\bno such file\b|\bfile (?:was )?not found\b|\bENOENT\b|文件不存在", re.IGNORECASE
)
_CRASH = re.compile(
    r"\bUnboundLocalError\b|cannot access local variable|referenced before assignment|'NoneType' object (?:is|has)\b"
    r"|\bobject (?:has no attribute|is not (?:subscriptable|iterable|callable))|\binternal (?:server |tool )?error\b"
    r"|\bsegmentation fault\b|\bNotImplementedError\b|\bRecursionError\b|内部错误",
    re.IGNORECASE,
)
_KINDS: tuple[tuple[FaultKind, re.Pattern[str]], ...] = (
    ("unknown_tool", _UNKNOWN_TOOL),
    ("unparsed", _UNPARSED),
    ("arguments", _ARGUMENTS),
    ("input", _INPUT),
    ("forbidden", _FORBIDDEN),
    ("sandbox", _SANDBOX),
    ("absent", _ABSENT),
    ("service", _SERVICE),
    ("crash", _CRASH),
)
_ERROR_PAGE = re.compile(
    r"^(?:title:|<title>|#{1,3}|<h1>)?[ \t]*(?:error[ :]*(?:401|403|407|408|429|5\d\d)?|(?:401|403|407|408|429|50\d"
    r"|52\d)"
    r"[ :-]+(?:error|forbidden|unauthorized|access denied|too many requests|bad gateway|service \w+|gateway time-?out"
    r"|internal server error)|http (?:error |status )?(?:401|403|407|408|429|5\d\d)|access denied|too many requests"
    r"|service unavailable)[ \t.]*(?:</\w{1,5}>)?$",
    re.IGNORECASE | re.MULTILINE,
)
_PAGE_WORDS = ("error", "denied", "too many requests", "unavailable", "forbidden", "unauthorized", "gateway")
_PARSE_WORDS = ("pars", "format", "invalid", "malformed", "missing", "no '", 'no "', "no `", "no action", "no thought")
_PARSE_WORDS_TOO = ("pattern", "did not", "not in", "not valid", "格式", "解析")
_QUOTED = re.compile(r"'[^'\n]{0,400}'|\"[^\"\n]{0,400}\"|`[^`\n]{0,400}`|\d+")


def is_error_text(text: str) -> bool:
    """Whether a result reads as an error by how it begins; a text that mentions one further down is none."""
    head = text[:400].lstrip()
    return _BEGINS.match(text) is not None or (head.startswith("{") and _FIELD.search(head) is not None)


def fault_of(text: str, *, failed: bool | None) -> Fault | None:
    """What an outcome's text says went wrong.

    Args:
        text: the error, the result, or what the model was shown.
        failed: what the record says of the call; None where it says nothing.

    Returns:
        None where the call did not fail, as far as the record and the text tell. An exit code of 0 in the first line
        outweighs a flag; a page that holds nothing but a server's refusal is a fault whatever the flag.
    """
    exit_code = _EXIT.search(text, 0, 80)
    if exit_code is not None and exit_code[1] == "0":
        return None
    if failed or (failed is None and len(text) <= _PAGE and is_error_text(text)):
        return _said(text[:_HEAD], text[_HEAD:][-_TAIL:], max(_HEAD, len(text) - _TAIL))
    return _error_page(text)


def _error_page(text: str) -> Fault | None:
    """What a page says that holds nothing but an error, or has a server's refusal for its title."""
    head = text[:_PAGE].casefold()
    page = _ERROR_PAGE.search(text, 0, _PAGE) if any(word in head for word in _PAGE_WORDS) else None
    if page is None:
        return None
    named = _SERVICE.search(text, 0, _PAGE) if len(text) <= _PAGE else None
    titled = page.start() < 400 and re.match(r"title:|<title>|#|<h1>", page[0], re.IGNORECASE)
    if (titled or len(text) <= _PAGE) and (named or re.search(r"\d{3}|denied|requests|unavailable", page[0])):
        return Fault(kind="service", words=(named or page)[0].strip(), start=(named or page).start())
    return None


@lru_cache(maxsize=256)  # an agent that fails mostly fails again in the same words
def _said(head: str, tail: str, behind: int) -> Fault:
    """What the first and the last part of an error say; the last one begins at `behind`."""
    for kind, pattern in _KINDS:
        for begin, part in ((0, head), (behind, tail)):
            if said := pattern.search(part):
                return Fault(kind=kind, words=said[0].strip(), start=begin + said.start())
    return Fault(kind="other", words="")


def is_parse_error(text: str) -> bool:
    """Whether a text, such as a harness sends instead of a result, says that a reply could not be read as a call."""
    head = text[:400].casefold()
    return any(word in head for word in _PARSE_WORDS + _PARSE_WORDS_TOO) and _UNPARSED.search(head) is not None


def template(text: str) -> str:
    """An error without what changes from call to call: quoted values, numbers, blanks."""
    return " ".join(_QUOTED.sub("…", text[:600]).split())
