"""Turns of a user that a model wrote into its own message without a marker that a protocol knows.

A model that runs on writes what comes next in its training data: a bare name of a speaker, and what that speaker says.
A heading is no speaker, so what follows must be said to somebody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlab.markers.quotation import shelters

__all__ = ["bare_turns"]

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
_NEAR = re.compile(r"\n\r?\n[ \t]{0,4}[@*#\[]{0,2}(?:user|human|用户)", re.IGNORECASE)
"""A quick look that most texts fail."""
_ADDRESSED = re.compile(
    r"\?|\b(?:please|thanks|thank you|can you|could you|would you|will you|you should|go ahead|let's)\b"
    r"|请|谢谢|麻烦|吗",
    re.IGNORECASE,
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
    if not _NEAR.search(text):
        return
    found = shelters(text)
    hidden = [(fence.start, fence.end) for fence in found.fences]
    hidden += [(line.start, line.end) for line in found.quoted_lines]
    for pattern in (_ALONE, _RUN_ON):
        for match in pattern.finditer(text):
            said = match["said"]
            speaks = match.groupdict().get("verb") not in _TOLD_OF if pattern is _RUN_ON else _ADDRESSED.search(said)
            if speaks and not any(start <= match.start() < end for start, end in hidden):
                yield match.start(), match.end()
