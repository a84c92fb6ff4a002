"""What takes a statement back: conditions, wishes, doubts, commands and rules before it or behind it."""

from __future__ import annotations

import re

from agentlab.audit.prose.verbs import DOING

__all__ = ["conditional", "hedged", "is_any", "is_plan", "odd_subject"]

_CONDITION = re.compile(
    r"\b(?:if|unless|whether|once|whenever|until|in~case|provided~that|suppose|supposing"
    r"|imagine|were~to)\b".replace("~", r"\s+")
)
_TIME = re.compile(r"\b(?:when|after|before|while|as soon as|where|until|till)\b")
_HEDGE = re.compile(
    (
        r"\b(?:should|would|could|may|might|must|ought|probably|likely|possibly|perhaps|maybe"
        r"|presumably|apparently|seems?|seemed|appears?"
        r"|appeared|supposedly|looks?~like|sounds~like|allegedly|hopefully|ideally|unclear|uncertain|unsure|not~sure"
        r"|no~guarantee|expect(?:s|ed|ing)?"
        r"|hope|hoping|want|wants|wish|need|needs|needed|require[sd]?|ensure|ensures|ensuring"
        r"|make~sure|making~sure|makes~sure"
        r"|guarantee[sd]?|so~that|in~order~to|think|believe|suspect|assume|assuming|doubt"
        r"|guess|suggests?|e\.g|for~example"
        r"|for~instance|such~as|instead~of|rather~than|avoid|prevent[s]?|cannot~(?:say|confirm"
        r"|claim|verify|tell|guarantee|be~sure)"
        r"|can't~(?:say|confirm|claim|verify|tell|guarantee|be~sure)|can~not~(?:say|confirm"
        r"|claim|verify)|(?:do|does|did)~not~(?:mean|know|say|claim|imply|prove|confirm|show)"
        r"|(?:do|does|did)n't~(?:mean|know|say|claim|imply|prove|confirm|show)|unable~to~"
        r"(?:say|confirm|verify)|no~evidence|not~(?:proof|evidence|clear|certain|confirmed"
        r"|verified|yet)"
        r"|pretend(?:s|ing)?|claims?|claiming|asked~(?:me|us)~to|(?:request(?:s|ed)?|ask(?:s"
        r"|ed)?|demand(?:s|ed)?|propose[sd]?)~(?:me~)?(?:that|i)|please|you~(?:can|have~to|to)"
        r"|recommend(?:ed)?|advise|propose|plan(?:s|ning)?~to|going~to"
        r"|will|shall|'ll|wait~(?:for|until)|check~(?:that|whether|if)|verify~(?:that|whether"
        r"|if)|confirm~(?:that|whether|if)|see~(?:if|whether)|test~that|assert~that|know~(?:if"
        r"|whether))\b"
    ).replace("~", r"\s+")
)
_REPORTED = re.compile(
    (
        r"\b(?!(?:i|we|it|that|which|this|outputs?|logs?|results?|responses?|reports?|tests?|suites?|builds?|ci|pipelines?"
        r"|agents?|subagents?|tools?|scripts?|commands?|linters?|compilers?|shell|terminal|server|system|search|query|api"
        r"|reviewers?|researchers?|workers?|runners?|hooks?|jobs?|process|program|service|endpoint|interpreter|harness"
        r"|pytest|mypy|ruff|git|npm|make|cargo|evidence|database|records?|sources?)\b)[\w'-]{2,40}~(?:has~|have~|also~|just~)?"
        r"(?:says?|said|wrote|writes|insists?|insisted|mentions?|mentioned|announced|promised"
        r"|(?:told|tells|assured)~[\w-]{2,20}|(?:reported|reports|states|stated|confirmed|confirms)(?=~that\b))\b"
        r"|\baccording~to~(?!the~(?:[\w-]+~)?(?:outputs?|logs?|results?|tests?|tool|search|records?)\b)"
        r"|\brumou?r~has~it\b|\b(?:heard|was~told|were~told|it~is~said)~that\b"
    ).replace("~", r"\s+")
)
"""Whose word it is, if it is somebody else's and no tool's."""
_SIGNS = (
    *(" sa", " wr", " to", " te", "insist", "mention", "announc", "promis", "assur", "report", "stat", "confirm"),
    *("according", "rumo", "heard", "that"),
)
"""What stands in everything that is so told: cheap to look for."""
_PAST_CHECK = re.compile(r"\b(?:i|we)(?:'ve| have| can)?(?: \w+ly| also| now)? (?:verify|confirm) that\b")
_LABEL = re.compile(
    r"\b(?:expected|goals?|plan|next|to ?do|example|examples|option [\w]+|options?"
    r"|requirements?|criteria|acceptance|note to|tip"
    r"|recommendation|suggestions?|instructions?|policy|rules?|template|title|subject"
    r"|prompt|question|task|user story|if)\b[^:]*$"
)
_GENERIC = re.compile(
    r"\b(?:if|when|once|unless|whenever|until|before|after(?! (?:my|the|this|that|these|your|our|all)\b)"
    r"|as soon as|every|each time|always|usually|typically|only)\b"
)
_BASES = "|".join(sorted({re.escape(base) for base in DOING.values()} - {"set", "use", "see", "put", "read", "run"}))
_PLAN = re.compile(
    r"\b(?:will|can|should|could|would|must|please|might|may|need|let)\b|'ll\b"
    rf"|,\s*(?:then\s+|next\s+)?(?:{_BASES}|derive|filter|sum|sort|choose|select|conclude)\s+(?!of\b|is\b|was\b)"
)
"""What is going to be done: an auxiliary, or a command that follows."""
_ANY = re.compile(r"^\W*(?:an?|any|each|some|one|many|most|such)\b")
_ODD = re.compile(
    (
        r"(?:^|\b)(?:should|would|could|can|may|might|must|will|shall|to|not|cannot|that|which"
        r"|who|whom|whose|when|where|as|what|how|if|than|you|having"
        r"|there|why|whatever|and|or)~*$"
    ).replace("~", r"\s")
)
_CUT = re.compile(r";|:\s|\bbut\b|\bhowever\b|\s[—–]\s")
_REACH = 240
"""Code points before a statement in which a hedge is looked for."""


def conditional(text: str, start: int, at: int) -> bool:
    """Whether a condition stands in a sentence before a place."""
    return _CONDITION.search(text, start, at) is not None


def hedged(text: str, start: int, at: int, *, timed: bool) -> bool:
    """Whether what stands before a place, from the last colon or contrast on, takes it back.

    Args:
        text: the masked text.
        start: where the sentence begins.
        at: where the statement begins.
        timed: whether `when` and `after` make it a rule, as they do where nobody says `I`.
    """
    before = text[max(start, at - _REACH) : at]
    cut = max((match.end() for match in _CUT.finditer(before)), default=0)
    if before[:cut].rstrip().endswith(":") and _LABEL.search(before[:cut].rstrip(": \n")):
        return True
    before = _PAST_CHECK.sub("", before[cut:])
    if _HEDGE.search(before) is not None:
        return True
    if any(sign in before for sign in _SIGNS) and _REPORTED.search(before) is not None:
        return True
    return timed and _TIME.search(before) is not None


def is_any(text: str, start: int, at: int, end: int, stop: int) -> bool:
    """Whether a present tense tells a rule: its subject is any of its kind, or a condition follows."""
    return _ANY.match(text[start:at]) is not None or _GENERIC.search(text, end, stop) is not None


def odd_subject(before: str) -> bool:
    """Whether what stands directly before a passive makes it something else than a statement of its own."""
    return not before.strip() or _ODD.search(before) is not None


def is_plan(text: str, at: int, stop: int) -> bool:
    """Whether a sentence goes on with what shall be or might be."""
    return _PLAN.search(text, at, stop) is not None
