"""The sentences by which a report says that something could not be found, and whether it gives anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlab.audit.evidence.lexicon import words
from agentlab.audit.prose.sentences import Sentence, sentences

__all__ = ["denials", "gives_nothing"]

_UNABLE = re.compile(
    r"\b(?:unable|inability|not (?:been )?able|not possible|impossible|fail(?:ed|s)?) to (?:be )?(?:[a-z]+ly )?"
    r"(?P<a>[a-z]{3,})"
    r"|\b(?:could|can|did)(?: ?not|n['’]t) (?:be )?(?:[a-z]+ly )?(?P<b>[a-z]{3,})"
    r"|(?:无法|未能|没能|没有|没|未)(?P<c>找到|查到|获取|得到|确定|读取|打开|访问|提取|计算)",
    re.IGNORECASE,
)
_FINDING = words(
    "find locate access retrieve determine identify extract obtain read open compute calculate load reach see get"
    " discover provide answer count found located accessed retrieved determined identified extracted obtained opened"
    " computed calculated loaded reached discovered provided answered counted"
    " 找到 查到 获取 得到 确定 读取 打开 访问 提取 计算"
)
_SILENT = re.compile(
    r"\b(?:do|does|did)(?: ?not|n['’]t) (?:[a-z]+ly )?(?:give|list|mention|contain|say|state|show|include|name|provide"
    r"|specify|reveal|disclose|publish|indicate|tell|record)\b"
    r"|\b(?:no|not an?y?) (?:[\w'’-]+ ){1,6}(?:(?:was|were|is|are|has been|have been|could be|can be) )?(?:to be )?"
    r"(?:found|listed|given|mentioned|provided|published|shown|stated|specified|recorded|located|available)\b"
    r"|\b(?:is|are|was|were|been) (?:not|nowhere|never) (?:[a-z]+ly )?"
    r"(?:found|listed|given|mentioned|provided|published|shown|stated|specified|recorded|available|known)\b"
    r"|\b(?:found|turned up|returned|gives?|lists?|mentions?|names?|contains?|shows?) (?:nothing|none|no)\b"
    r"|\bnothing (?:was |is |could be )?(?:found|listed|mentioned|turned up|came up)\b"
    r"|\bcame up (?:empty|with nothing)\b"
    r"|\bthere (?:is|was|are|were) no (?:information|mention|record|entry|listing|indication|result)"
    r"|(?:没有|并未|未)(?:提到|提及|列出|给出|显示|写明|说明|注明|公布|标明|记载)|[找查]不到"
    r"|没有(?:任何|相关)[^，。]{0,8}(?:信息|记录|资料)",
    re.IGNORECASE,
)
"""How a report says that where it looked there is nothing of it."""
_FAULTS = re.compile(
    r"\b(?:bugs?|errors?|issues?|problems?|faults?|defects?|vulnerabilit\w+|warnings?|failures?|regressions?|conflicts?"
    r"|differences?|duplicates?|typos?|violations?|leaks?|changes?|risks?|threats?|objections?|blockers?|missing)\b"
    r"|漏洞|错误|问题|缺陷|警告|冲突|差异|违约|风险",
    re.IGNORECASE,
)
"""What nobody is sorry not to have found: then the denial is what was found."""
_BESIDE = re.compile(
    r"\W*(?:(?:unfortunately|sorry|however|but|so|and|therefore|thus),? )*(?:"
    r"(?:i|we|my|our)(?:['’]ve| have| also)? (?:search|tried|try|look|check|quer|brows|visit|went|suggest|recommend"
    r"|read|sorry|am sorry|apolog|would|could|can|may|might|need|scann)"
    r"|you (?:may|might|could|can|should)|please|try|perhaps|maybe|consider|contact|ask|sorry|it (?:may|might)|let me)"
    r"|\W*(?:我|已|请|建议|抱歉|可以|您|你)",
    re.IGNORECASE,
)
"""How a sentence begins that only tells how it was looked for, or what may be tried."""
_OPENING = 800
"""Code points of a report in which it says what came of its work."""


def denials(report: str) -> Iterator[str]:
    """The sentences at the beginning of a report by which something could not be found, as they stand there."""
    opening = report[:_OPENING]
    for one in sentences(opening):
        said = _said(opening, one)
        if _denies(said):
            yield said


def gives_nothing(report: str) -> bool:
    """Whether a report only says that something could not be found, how it was looked for, and what may be tried."""
    if len(report) > _OPENING:
        return False
    found = [_said(report, one) for one in sentences(report)]
    return any(map(_denies, found)) and all(_denies(said) or _BESIDE.match(said) for said in found if said.strip())


def _said(text: str, one: Sentence) -> str:
    return text[one.start : one.end]


def _denies(said: str) -> bool:
    if any((match["a"] or match["b"] or match["c"]).casefold() in _FINDING for match in _UNABLE.finditer(said)):
        return True
    return _SILENT.search(said) is not None and not _FAULTS.search(said)
