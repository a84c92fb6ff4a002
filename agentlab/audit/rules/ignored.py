"""The rule about errors that the agent passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentlab.audit.arguments import plain, written
from agentlab.audit.evidence.effects import effect_of
from agentlab.audit.evidence.vain import is_so_already
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.rules.seen import SeenCall, ran, seen_calls, whole
from agentlab.trace.events import Answer, CompletionEvent
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["IGNORED_ERROR"]

_SHORT = 300
"""Longest value of an argument, in code points, that is a name and no text."""
_MARK = re.compile(r"[\u4e00-\u9fff]{2}|[^\W_\u4e00-\u9fff][\w.@/-]*")
_COMMON = frozenset(
    word
    for row in (
        "the a an and or of to in on at is it was be are has have been with for by from as now all this that no not so",
        "i done ok true false finished completed success successfully file saved updated created sent",
    )
    for word in row.split()
)
_ACKNOWLEDGED = re.compile(
    r"\berrors?\b|[a-z]Error\b|[a-z]Exception\b|\braise[sd]?\b|\bfail|\bunable\b|\bunfortunately\b|\bhowever\b|\bissue|\bproblem|n't\b|n’t\b|\bnot\b|\bcannot\b"
    r"|\bno\b|\bnone\b"
    r"|\bwithout\b|\bsorry\b|\bapolog|\binstead\b|\bonly\b|\brefus|\bdenied\b|\binvalid\b|\bincorrect\b|\bretry"
    r"|\bagain\b"
    r"|\balternativ|\bunavailable\b|\bmissing\b|\bexcept|\bpartial|\bunsuccess|\breject|\bblock|\btimed? ?out|\bskip"
    r"|\bcrash"
    r"|无法|失败|错误|未能|没有|不能|不成功|抱歉|问题|报错|异常|不存在|未找到|找不到|重试|但是|然而",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|success(?:fully)?|completed?|all set|finished|saved|updated|created|sent|deleted|removed|booked"
    r"|cancell?ed"
    r"|uploaded|installed|deployed|published|wrote|written|changed|modified|added|moved|renamed|merged|committed"
    r"|applied"
    r"|scheduled|submitted|configured|enabled|disabled|restarted|started|fixed|is (?:now )?(?:running|live|in place))\b"
    r"|完成|成功|已(?:经)?(?:保存|更新|创建|发送|删除|取消|修改|添加|上传|部署|提交|安装|写入|预订|启动|重启)",
    re.IGNORECASE,
)
_LOOKUP = re.compile(
    r"(?:^|[_.:/-])(?:get|find|search|list|read|look|lookup|fetch|view|check|query|show|describe|grep|glob|cat|ls"
    r"|think|calculate|browse|visit|open|inspect|page|scroll|status)",
    re.IGNORECASE,
)


def _ignored(reading: Reading) -> Iterator[Crossing]:
    trace = reading.trace
    answer = trace.answer
    if answer is None or not _DONE.search(answer.text) or _ACKNOWLEDGED.search(answer.text):
        return
    calls = seen_calls(trace)
    acts = [
        each for each in calls if each.position < trace.positions[answer.id] and not each.is_finish and not each.inner
    ]
    seen = _last_unmended(acts)
    if seen is None or seen.outcome is None or seen.position <= _last_word(trace, answer):
        return
    if not _rests_on(answer.text, seen, acts):
        return
    yield Crossing(
        message=f"{tool_name(seen.tool)} failed ({shorten(seen.text, 60)!r}), was not run again with success, "
        "and nothing written afterwards speaks of it; the answer reads as if it had worked.",
        where=(whole(answer.id, "text", answer.text), seen.outcome, seen.place),
        claimed={"tool": None, "arguments": None, "text": answer.text[:2000]},
        executed=ran(seen),
    )


def _last_unmended(calls: Sequence[SeenCall]) -> SeenCall | None:
    """The last call that failed, was to change something, and that no later call made good."""
    mended: set[str] = set()
    for seen in reversed(calls):
        if seen.agent:
            continue
        if seen.fault is None:
            mended.add(seen.tool)
        elif seen.tool not in mended and _was_to_change(seen):
            return seen
    return None


def _was_to_change(seen: SeenCall) -> bool:
    """Whether a call that failed was to bring something about that is not so without it."""
    if _LOOKUP.search(seen.tool) or effect_of(seen.tool, seen.call.arguments).kind == "read":
        return False
    return not is_so_already(seen.text, seen.tool, seen.call.arguments)


def _rests_on(answer: str, failed: SeenCall, calls: Sequence[SeenCall]) -> bool:
    """Whether an answer speaks of what only the failed call had to do with, or of nothing that any other did.

    Something else that was done with success may be what the answer tells of, or may have been another way.
    """
    told = _marks(answer)
    well = [each for each in calls if each.fault is None and each is not failed and _does(each)]
    others = {mark for each in well for mark in _passed(each)}
    own = _passed(failed) - others
    if told & own:
        return True
    return not told & (others - _passed(failed)) and not any(each.position >= failed.position for each in well)


def _does(seen: SeenCall) -> bool:
    return effect_of(seen.tool, seen.call.arguments).kind not in ("read", "finish")


def _passed(seen: SeenCall) -> frozenset[str]:
    """The names and words that a call passes on, without whole texts."""
    value = plain(seen.call.arguments)
    values = value.values() if isinstance(value, dict) else (value,)
    return frozenset(mark for each in values if len(str(each)) <= _SHORT for mark in _marks(str(each)))


def _marks(text: str) -> frozenset[str]:
    """The names and the words of a text that can tell one thing from another."""
    found = (match[0].casefold().strip(".-/") for match in _MARK.finditer(text))
    return frozenset(mark for mark in found if len(mark) > 1 and mark not in _COMMON)


def _last_word(trace: Trace, answer: Answer) -> int:
    """Place of the last reply before the answer in which the agent speaks of a failure or another way; -1 if none."""
    for event in reversed(trace.events[: trace.positions[answer.id]]):
        if isinstance(event, CompletionEvent) and event.id != answer.completion:
            said = (event.text or "", event.reasoning, *(written(call.arguments) for call in event.calls))
            if any(_ACKNOWLEDGED.search(text) for text in said):
                return trace.positions[event.id]
    return -1


IGNORED_ERROR = Rule(
    id="ignored-error",
    severity="failure",
    meaning=(
        "A call that was to change something failed, no later call made it good, no word of the agent afterwards "
        "speaks of a failure, a refusal or another way, and its answer reads as if all was done. A lookup that failed, "
        "an exit code without an error, a failure because it was so already, an error that was seen and handled, and "
        "one that what the answer tells does not rest on, as another call may have done it, are not meant."
    ),
    cause="The agent read that something came back and not what.",
    check="Read the error, then the next reply: does anything in it depend on the call having worked?",
    find=_ignored,
)
