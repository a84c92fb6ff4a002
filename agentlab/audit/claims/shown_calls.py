"""Calls that a reply shows with their results in plain text, in forms that no protocol has.

A model without tools tells of a call as it has seen others shown: a bracket or a label for the call and one for what
came back, or an element for the command and one for its output directly behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlab.markers.quotation import shelters

__all__ = ["shown_results"]

_CALL = (
    r"(?:tool[ _-]?calls?\b|function[ _-]?calls?\b|call(?:ing|ed)[ ](?:the[ ])?tool\b|tool[ _-]use\b|used[ ]tool\b"
    r"|工具调用|调用工具)"
)
_RESULT = (
    r"(?:(?:tool|function)[ _-](?:call[ _-])?(?:results?|outputs?|responses?)\b"
    r"|工具(?:调用)?(?:返回)?(?:结果|输出|返回|响应))"
)
_LABELLED = re.compile(
    rf"^[ \t]*(?P<mark>[\[【(*#]{{0,3}})[ ]?{_CALL}[^\n:：]{{0,40}}[:：](?P<call>[^\n]{{1,400}})\n(?:[ \t\r]*\n){{0,2}}"
    rf"(?P<result>[ \t]*[\[【(*#]{{0,3}}[ ]?{_RESULT}[^\n:：]{{0,40}}[:：][^\n]{{1,2000}})",
    re.IGNORECASE | re.MULTILINE,
)
_TAGGED = re.compile(
    r"^[ \t]*<(?P<tag>bash|shell|sh|terminal|command|cmd|python|execute\w{0,20}|run\w{0,20})>[^<]{1,2000}</(?P=tag)>"
    r"\s{0,4}(?P<result><(?P<out>stdout|output|outputs|result|results|stderr|response)>[^<]{1,4000}</(?P=out)>)",
    re.IGNORECASE | re.MULTILINE,
)
_BRACKETS = ("[", "【", "(")
_CALLED = re.compile(r"[\[\](){}=/\"'\d]|\w\.\w")
"""What a call or a command holds, and an explanation hardly ever."""
_NEAR = ("tool", "function", "工具", "</")


def shown_results(text: str) -> Iterator[tuple[int, int]]:
    """Where such results stand that more text follows; code points, end exclusive.

    Args:
        text: of one reply. What stands in a fence or a quotation is shown to somebody and claims nothing.
    """
    lowered = text.lower()
    if not any(sign in lowered for sign in _NEAR):
        return
    found = shelters(text)
    hidden = [(fence.start, fence.end) for fence in found.fences]
    hidden += [(part.start, part.end) for part in (*found.quoted_lines, *found.reasoning)]
    for pattern in (_LABELLED, _TAGGED):
        for match in pattern.finditer(text):
            if pattern is _LABELLED and not (match["mark"][:1] in _BRACKETS or _CALLED.search(match["call"])):
                continue
            start = match.start("result") + len(match["result"]) - len(match["result"].lstrip())
            follows = text[match.end() :].strip()
            if follows and not any(begin <= match.start() < end for begin, end in hidden):
                yield start, match.end()
