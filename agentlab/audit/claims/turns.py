"""Turns of a user that a model wrote into its own message without a marker that a protocol knows.

A model that runs on writes what comes next in its training data: a bare name of a speaker, and what that speaker says.
A heading is no speaker, so what follows must be said to somebody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from agentlab.markers.quotation import shelters

__all__ = ["bare_turns", "begins_silent", "orders"]

_PARAGRAPH = r"(?:(?<=\n\n)|(?<=\n\r\n))[ \t]{0,4}[@*#\[]{0,2}"
_ALONE = re.compile(
    _PARAGRAPH + r"(?:user|human|用户)(?:[ _-]?(?:[a-z]|\d{1,6}))?[\]*:]{0,3}[ \t]*\r?\n(?P<said>\S[^\n]{0,400})",
    re.IGNORECASE,
)
"""A speaker's name on a line of its own."""
_RUN_ON = re.compile(
    _PARAGRAPH + r"(?:username|user_[a-z0-9]{1,12}|user\d{1,6})[ \t]+(?P<said>(?P<verb>[a-z]+)[^\n]{3,400})"
)
"""A speaker's name before what is said, without a sign between them."""
_ROLE = r"(?:operator|admin(?:istrator)?|owner|moderator|customer|client|root|username|user_[a-z0-9]{1,12}|user\d{1,6})"
_ACCOUNT = r"(?:[a-z]{2,16}_?\d{1,5}|[a-z]{2,16}_[a-z0-9]{1,16})"
_STAMP = r"(?:[\[(]?(?:\d{4}-\d\d-\d\d[ T]?)?\d{1,2}:\d\d(?::\d\d)?[\])]?[ \t]+[-–]?[ \t]{0,2})"
_SIGNED = re.compile(
    _PARAGRAPH + rf"(?:{_STAMP}?{_ROLE}[\]*]{{0,2}}:[*]{{0,2}}|{_STAMP}@?{_ACCOUNT}:)[ \t]+(?P<said>[^\n]{{4,400}})",
    re.IGNORECASE,
)
"""A speaker's name, perhaps with a time, and a colon before what is said, as in the log of a chat."""
_STAMPED = re.compile(
    _PARAGRAPH + rf"(?:(?:username|user_[a-z0-9]{{1,12}}|user\d{{1,6}}):|{_STAMP}@?(?:{_ROLE}|{_ACCOUNT}):)"
    r"[ \t]+(?P<said>[^\n]{4,400})"
)
"""The same of a user, or with a time."""
_SENTINEL = re.compile(
    r"\s{0,20}(?:[\[<]{0,2}[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+[\]>]{0,2}|SILENT|SILENCE|无需回复|不回复)[.。]?[ \t]*\r?\n"
)
_ORDERING = re.compile(
    _PARAGRAPH
    + rf"(?:{_ROLE}[ \t]+|{_ACCOUNT}:?[ \t]*\r?\n)(?P<said>(?:please[ ,]+)?(?P<verb>[a-z]+)[ \t][^\n]{{3,400}})"
)
"""A role's name before an order, or an account's on the line above it."""
_NEAR = re.compile(
    r"\n\r?\n[ \t]{0,4}[@*#\[(]{0,2}(?:user|human|用户|operator|admin|owner|moderator|customer|client|root"
    r"|\d{1,4}[-:]\d\d|[a-z]{2,16}_?\d|[a-z]{2,16}_[a-z])",
    re.IGNORECASE,
)
"""A quick look that most texts fail."""
_ADDRESSED = re.compile(
    r"\?|\b(?:please|thanks|thank you|can you|could you|would you|will you|you should|go ahead|let's)\b"
    r"|请|谢谢|麻烦|吗",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:please[ ,]+\w|(?:set|run|restart|start|stop|clear|delete|remove|drop|move|rename|update|send|mail|deploy|make"
    r"|add|change|reset|reload|open|close|create|install|enable|disable|approve|cancel|switch|turn|put|write|edit|fix|push"
    r"|merge|book|buy|pay|transfer|grant|give|revoke|use)[ \t]+(?:the|a|an|all|my|our|your|this|that|these|it|up|off|on"
    r"|me|us|every|both|everything)\b)"
)
_TOLD_OF = frozenset(
    {
        *("is", "are", "was", "were", "has", "have", "had", "can", "cannot", "may", "must", "should", "will", "would"),
        *("does", "did", "and", "or", "of", "in", "for", "field", "fields", "not", "the", "a", "an", "to", "with"),
    }
)
"""Words after a name by which it is told of, not by which it speaks."""


def bare_turns(text: str) -> Iterator[tuple[int, int]]:
    """Where such turns stand, from the speaker's name to the end of the line that is said; code points, end exclusive.

    Args:
        text: of one message. What stands before the turn is the model's own; a message that begins so has none.
    """
    for start, end, _ in _spoken(text, ((_ALONE, _is_addressed), (_RUN_ON, _runs_on))):
        yield start, end


def orders(text: str) -> Iterator[tuple[int, int, int]]:
    """Where turns stand that nothing but an order tells, as `bare_turns` gives them, and where what is said begins.

    A role's or an account's name may also call somebody, so this reads only two kinds of message: one that begins with
    a sentinel by which a model says that it has nothing to say, and one in which a user's name, or any with a time of
    day, stands before the order.
    """
    forms = ((_SIGNED, _is_ordered), (_ORDERING, _is_ordered))
    if _SENTINEL.match(text):
        yield from _spoken(text, forms)
    else:
        yield from _spoken(text, ((_STAMPED, _is_ordered),))


def begins_silent(text: str) -> bool:
    """Whether a message begins with a line by which a model says that it has nothing to say."""
    return _SENTINEL.match(text) is not None


def _spoken(
    text: str, forms: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]]]
) -> Iterator[tuple[int, int, int]]:
    if not _NEAR.search(text):
        return
    found = shelters(text)
    hidden = [(fence.start, fence.end) for fence in found.fences]
    hidden += [(line.start, line.end) for line in found.quoted_lines]
    for pattern, speaks in forms:
        for match in pattern.finditer(text):
            if speaks(match) and not any(start <= match.start() < end for start, end in hidden):
                yield match.start(), match.end(), match.start("said")


def _is_addressed(match: re.Match[str]) -> bool:
    return _ADDRESSED.search(match["said"]) is not None


def _is_ordered(match: re.Match[str]) -> bool:
    return _ORDER.match(match["said"]) is not None


def _runs_on(match: re.Match[str]) -> bool:
    """Whether the name speaks: a verb in the third person tells of it."""
    verb: str = match["verb"]
    return verb not in _TOLD_OF and (not verb.endswith("s") or verb.endswith("ss"))
