"""Sentences of any text around a place: prose, lists, tables, text that a tool has wrapped at a width."""

from __future__ import annotations

import re

__all__ = ["passage_around", "sentence_after", "sentence_around", "sentence_before"]

_REACH = 600
"""Code points looked at on each side: a longer stretch without an end is no sentence."""
_BEFORE = 450
"""How far back a passage reaches from a sentence."""
_LOOKS_BACK = re.compile(
    r"(?:after|once|when|then|having|afterwards|only then)\b|(?:完成|做完|之后|然后|此后|随后)", re.IGNORECASE
)
_WRAPPED = 60
"""A line that ends without a stop and is this long goes on in the next."""
_STOP = re.compile(r"[.!?](?=[\s\"'”’)\]*]|\Z)|[。！？；]|\n")
# Where another field of structured text begins: a key of YAML, a member of JSON or of a Python literal.
_ARGUMENTS = r"(?!(?:arguments|args|parameters|input)\b)"  # of a call that is written out, which is one thing
_FIELD = re.compile(
    rf"\n[ \t]*(?:-[ \t]+)?[a-z][a-z0-9_]{{0,30}}:(?=\s)|[\"'],\s{{0,20}}[\"'{{]{_ARGUMENTS}"
    rf"|,\s{{0,20}}[\"']{_ARGUMENTS}[\w -]{{1,40}}[\"']\s{{0,3}}:|\}}\s{{0,20}},\s{{0,20}}\{{"
)


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence that holds a stretch of a text, blanks around it left out."""
    left, right = max(0, start - _REACH), min(len(text), end + _REACH)
    begin, close = left, right
    for stop in _STOP.finditer(text, left, right):
        if not _ends(text, stop):
            continue
        if stop.end() <= start:
            begin = stop.end()
        elif stop.start() >= end:
            close = stop.end()
            break
    for field in _FIELD.finditer(text, begin, close):
        if field.end() <= start:
            begin = field.end()
        elif field.start() >= end:
            close = field.start()
            break
    return _trimmed(text, begin, max(close, end))


def sentence_before(text: str, start: int) -> tuple[int, int]:
    """The sentence before one that starts here; empty at the beginning of a text."""
    at = start - 1
    while at >= 0 and not text[at].isalnum() and text[at] not in "：:":
        at -= 1
        if start - at > _REACH:
            return start, start
    return sentence_around(text, at, at + 1) if at >= 0 else (0, 0)


def sentence_after(text: str, end: int) -> tuple[int, int]:
    """The sentence behind one that ends here; empty at the end of a text."""
    at = end
    while at < len(text) and not text[at].isalnum():
        at += 1
        if at - end > _REACH:
            return end, end
    return sentence_around(text, at, at + 1) if at < len(text) else (end, end)


def passage_around(text: str, start: int, end: int) -> tuple[int, int]:
    """What may be read as one speech with a sentence: what leads up to it, and a next sentence that goes on with it.

    It stays within a field of a record. A line behind it is somebody else's matter unless it looks back.
    """
    left, right = max(0, start - _BEFORE), min(len(text), end + _REACH)
    for field in _FIELD.finditer(text, left, end):
        if field.start() >= start:
            break
        left = field.start() + 1  # the name of a field is part of what it says
    behind = _FIELD.search(text, end, right)
    begin, close = sentence_after(text, end)
    goes_on = "\n" not in text[end:begin] or _LOOKS_BACK.match(text, begin) is not None
    is_near = close <= (behind.start() if behind is not None else right)
    return left, max(end, close) if goes_on and is_near else end


def _ends(text: str, stop: re.Match[str]) -> bool:
    """Whether a sentence ends here; a line may only be wrapped."""
    if stop[0] != "\n":
        return True
    at = stop.start()
    begin = text.rfind("\n", max(0, at - _REACH), at) + 1
    line = text[begin:at].strip()
    follow = text[stop.end() : stop.end() + _REACH].lstrip(" \t")
    if not line or not follow or follow[0] == "\n" or line[-1] in ".!?:;。！？：；":
        return True
    return not (follow[0].islower() or (len(line) >= _WRAPPED and follow[0] not in "-*•#<>|"))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    kept = text[start:end]
    if not kept.strip():
        return start, start
    return start + len(kept) - len(kept.lstrip()), start + len(kept.rstrip())
