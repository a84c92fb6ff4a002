"""Whether calls that are made again and again with the same result wait for something, as they may rightly do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentlab.audit.arguments import written
from agentlab.audit.evidence.effects import effect_of
from agentlab.audit.reading import Reading
from agentlab.audit.rules.seen import SeenCall

__all__ = ["is_pause", "is_waiting"]

_WORD = 60
"""Longest result, in code points, that is no more than a word on how things stand."""
_NOTE = 400
_PENDING = re.compile(
    r"\b(?:pending|queued|running|in[_ -]?progress|processing|start(?:ing|ed)|waiting|building|provisioning|creating"
    r"|preparing|scheduled|initiali[sz]ing|deploying|uploading|downloading|syncing|open|working|busy|unfinished|incomplete"
    r"|not (?:yet )?(?:ready|done|finished|complete(?:d)?|available|started|up|there)|still|no new \w+)\b|\b\d{1,3} ?%"
    r"|(?:运行|进行|处理|等待|排队|准备|构建|部署|启动|同步|上传|下载)中|正在|未(?:完成|就绪|开始)|尚未|排队",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"[\"']?\b(?:\w{0,20}status|state|phase|stage|conclusion)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<value>[^\"',}\n]{1,40})",
    re.IGNORECASE,
)
_WATCHES = re.compile(
    r"status|state|poll|progress|wait|watch|health|job|queue|inbox|(?<![a-z])time|(?<![a-z])now|(?<![a-z])tail|monitor"
    r"|build|deploy|\brun[_ -]|pods|output|ping|describe|logs?\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:wait(?:ing)?|poll|watch|monitor|keep (?:checking|looking|an eye)|(?:check|look) (?:again|back)"
    r"|every (?:few |\d+ )?(?:seconds?|minutes?|hours?)|repeatedly|periodically"
    r"|until \w[^.,;\n]{0,40} (?:changes?|answers?|is (?:back|up|done|ready)|finish\w*|arrives?|appears?))\b"
    r"|等待|等到|等[^，。\n]{0,8}(?:完成|结束|好|出来|恢复)|直到[^，。\n]{0,12}(?:完成|结束|变|恢复|回)|轮询|监控|盯着"
    r"|每隔|每分钟|定期",
    re.IGNORECASE,
)
_FILE = re.compile(r"[\w-]\.[a-z]\w{0,5}\b", re.IGNORECASE)
_PAUSES = re.compile(r"(?:^|[_.:/-])(?:sleep|wait|pause|delay)(?:$|[_.:/-])", re.IGNORECASE)
_SLEEPS = re.compile(r"\s*(?:sleep|wait|timeout /t|start-sleep)\b", re.IGNORECASE)


def is_pause(seen: SeenCall) -> bool:
    """Whether a call only lets time pass."""
    said = written(seen.call.arguments)
    if _PAUSES.search(seen.tool):
        return True
    return bool(_SLEEPS.match(said) or _SLEEPS.search(said.lstrip('{" ').partition(":")[2].lstrip(' "')[:20]))


def is_waiting(reading: Reading, calls: Sequence[SeenCall]) -> bool:
    """Whether calls that always brought the same look for a change: it is on its way, or the user wants it awaited.

    Args:
        reading: of the trace.
        calls: different ones, such as a look and a pause.
    """
    looks = [each for each in calls if not is_pause(each)]
    if any(each.fault is not None and each.fault.kind != "service" for each in looks):
        return False
    if len(looks) < len(calls) and all(_looks(each) for each in looks):
        return True
    if all(_is_pending(each) for each in looks):
        return True
    moving = all(_looks(each) and (_watches(each) or not _FILE.search(written(each.call.arguments))) for each in looks)
    return moving and any(_WANTED.search(text) for text in reading.asking.texts)


def _looks(seen: SeenCall) -> bool:
    """Whether a call only looks at something that others change."""
    kind = effect_of(seen.tool, seen.call.arguments).kind
    return kind == "read" or (kind in ("unknown", "check", "run") and _watches(seen))


def _watches(seen: SeenCall) -> bool:
    return _WATCHES.search(f"{seen.tool} {written(seen.call.arguments)[:200]}") is not None


def _is_pending(seen: SeenCall) -> bool:
    """Whether what came back says that something goes on."""
    field = _FIELD.search(seen.text[:_NOTE])
    if field is not None:
        return _PENDING.search(field["value"]) is not None
    longest = _NOTE if _watches(seen) else _WORD
    return len(seen.text) <= longest and _PENDING.search(seen.text) is not None
