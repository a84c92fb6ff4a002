"""Whether what a clause states is said not to be so, or, of a check, that it failed."""

from __future__ import annotations

import re

from agentlab.audit.prose.forms import Form

__all__ = ["is_denied"]

_NOTHING = re.compile(r"\W*(?:no|nothing|none|neither)\b")
_NOT_ALL = re.compile(r"\W*(?:not~(?:all|every|each)|none|no|neither|hardly~any)\b".replace("~", r"\s+"))
_NOT_ALL_CHINESE = re.compile(r"(?:没有|并非|不是|无)[^，,]{0,6}$")
_NO_OBJECT = re.compile(r"\s+(?:no|nothing|none|neither)\b(?!\s+(?:longer|doubt|matter))")


def is_denied(one: Form, match: re.Match[str]) -> bool:
    """Whether a form that a clause has is denied there, by the form itself, its subject or its object."""
    denied = bool(match.groupdict().get("no"))
    clause = match.string
    if one.kind == "check":
        before = clause[: match.start()]
        turned = _NOT_ALL.match(before) or _NOT_ALL_CHINESE.search(before)
        return denied != (turned is not None)
    if one.kind == "state":
        return denied or _NOTHING.match(match[0]) is not None
    if one.subject:
        return denied or _NOTHING.match(clause) is not None
    if one.kind in ("change", "lookup"):
        return denied or _NO_OBJECT.match(clause, match.end()) is not None
    return denied
