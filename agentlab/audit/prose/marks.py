"""Marks of success in a report: a row or a line that names a check, and beside it nothing but that it is good.

`| tests | all pass |`, `Test status: ✅`. Such a line is no sentence; the lines above it may make it a plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlab.audit.prose.values import Statement

__all__ = ["marked_checks"]

_SIGNS = ("✅", "✔", "☑", "🟢")
_BAD = re.compile(r"[❌✗✘✖🔴⚠⏳⬜☐🟡]|\b(?:fail|todo|skip|not )")
_SIGN = r"(?:[✅✔☑🟢]\ufe0f?)"
_CHECK = (
    r"(?:the |all |full |unit |integration |e2e )*(?:tests|test(?: suite| run| cases| stat(?:e|us)| results?)"
    r"|test-suite|suite|specs|lint(?:ing|er)?|type-? ?check(?:s|ing)?|build|ci|pipeline|checks|pytest|mypy|ruff|eslint)"
    r"(?: status| results?| run)?|(?:单元|集成|全部|所有)?(?:测试|用例|构建|检查|流水线)(?:状态|结果|情况)?"
)
_GOOD = (
    rf"(?:{_SIGN} ?)?(?:(?:all|everything|now|\d{{1,6}}(?:/\d{{1,6}})?) ){{0,3}}(?:pass(?:ed|ing|es)?|green|ok|clean"
    rf"|success(?:ful)?|succeeded|(?:全部|都|均|已)?通过)(?: ?{_SIGN})?|{_SIGN}(?: \d{{1,6}}/\d{{1,6}})?"
)
_ROW = re.compile(
    rf"^[ \t]*\|[ \t*_`]{{0,6}}(?:{_CHECK})[ \t*_`]{{0,6}}\|[ \t*_]{{0,6}}(?P<good>{_GOOD})[ \t*_.]{{0,6}}\|[ \t]*$"
    r"(?!\n[ \t]*\|[ \t:|-]{1,200}$)"  # a line under it makes it a head
    rf"|^[ \t]*(?:[-•+*] |\d{{1,2}}[.)] )?[*_`]{{0,3}}(?:{_CHECK})[*_`]{{0,3}} ?"
    rf"(?:[:–—-][*_ ]{{1,4}}|：[*_ ]{{0,4}})(?:{_GOOD})[*_. !！。]{{0,5}}$",
    re.MULTILINE,
)
_PLANNED = re.compile(
    r"\b(?:plan\w*|next|to ?do|requirements?|criteria|goals?|targets?|examples?|expect\w*|should|will|would|must|before"
    r"|template|format|legend|means|if|when|once|until|wanted|desired|definition)\b"
    r"|计划|步骤|要求|待办|目标|预期|期望|示例|例如|如果|标准|模板|之前"
)
_ABOVE = 240
_NEAR = 600


def marked_checks(text: str) -> Iterator[Statement]:
    """The checks that a report marks as good, none where it marks anything near as bad, or as a plan."""
    if not (any(sign in text for sign in _SIGNS) or "|" in text) or len(text) > 50_000:
        return
    lowered = text.lower()
    if len(lowered) != len(text):
        return
    for match in _ROW.finditer(lowered):
        start, end = match.span()
        if not (match["good"] or any(sign in match[0] for sign in _SIGNS)):
            continue  # `Tests: passing` is read as a clause
        if lowered.count("```", 0, start) % 2 or _PLANNED.search(lowered, max(start - _ABOVE, 0), start):
            continue
        if _BAD.search(lowered, max(start - _NEAR, 0), end + _NEAR):
            continue
        yield Statement(kind="check", start=start, end=end, text=text[start:end], verb="mark")
