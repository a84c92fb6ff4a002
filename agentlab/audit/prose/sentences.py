"""A masked text cut into sentences, and each sentence into clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Clause", "Sentence", "clauses", "sentences"]

_AROUND = " \t\n,，、"
LONGEST = 1500
"""Longer stretches without an end are data, not sentences."""

_END = re.compile(
    r"[.!?。！？\n](?:(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)"
    r"(?<!\bdr\.)(?<!\bmr\.)(?<!\bno\.)"
    r"(?<!\n\d\.)(?<!\n\d\d\.)(?<!\n \d\.)(?<!\n  \d\.)(?<!\n   \d\.)"
    r"[.!?]{0,8}[\"')\]\ue000]{0,3}(?=\s|$)|(?<=[。！？])|(?<=\n)(?:[ \t]*\n|(?![ \t]*[a-z])))"
)
_ITEM = re.compile(
    r"[ \t]*(?:(?:[-•+–][ \t]+)?[✅✔☑✓💾📄🗑🎉]\ufe0f?|"
    r"[-•+–]|\d{1,3}[.)、]|[（(]?[a-z一二三四五六七八九十\d]{1,2}[)）、])[ \t]+(?P<open>\[ \])?"
)
_PLANNED = re.compile(
    r"\b(?:plan|planned|next|to ?do|steps?|options?|requirements?|criteria|goals?|example"
    r"|examples|expected|instructions?"
    r"|how to|you (?:can|could|should|may|need)|recommend\w*|suggest\w*|will|would|should"
    r"|ways?|checklist|rules?|if|either"
    r"|tasks?|guidelines?|template|prompt|policy|tips?|can|definitions?|consider|choose|might|could)\b"
    r"|计划|步骤|建议|示例|例如|方案|选项|要求|待办|目标|可以|需要|下一步|如何|方法|规则"
)
_QUESTION = re.compile(
    r"\W*(?:(?:and|so|but|or|also|then) )?(?:who|what|when|where|which|why|how|is|are|was"
    r"|were|do|does|did|has|have|had"
    r"|can|could|would|will|shall|should|may|might)\b"
)
_BREAK = re.compile(
    r"[ \n,;:()—；，：（）](?:(?<=[;()—；，（）])|(?<=[,:])(?=\s?[\u4e00-\u9fff])"
    r"|(?<=:)(?=\s(?!\s*\ue000))|(?<=：)(?!\ue000)"
    r"|(?<=,)(?:\s(?:and|or|which|where|who|making|causing|leaving)\b|(?=\s?(?:i|we|it"
    r"|they|you|the|all|every|both|there|please|shall)\b))"
    r"|(?<=[ \n])(?:[—–-]{1,2}\s|(?:but|so|because|while|whereas|although|though|however"
    r"|hence|thus|therefore|since|then)\b,?(?! that\b)"
    r"|and\s(?=(?:i|we|it|they|the|all|both|every|then|also|now|no|everything)\b"
    r"|(?:(?:also|then|now|successfully|have|have now)\s)?(?:[a-z]{3,14}ly\s)?[a-z-]+(?:ed"
    r"|ote|ent|ade|uilt|an|et|ut|ead|aid|ound|ook|ave)\b)))"
)


class Sentence(NamedTuple):
    """A stretch of the masked text, blanks and list marks at its beginning left out."""

    start: int
    end: int
    question: bool


class Clause(NamedTuple):
    """A stretch of a sentence that can state one thing."""

    start: int
    end: int
    joined: bool
    """Whether an `and` ties it to the clause before, whose subject it may share."""
    labelled: bool
    """Whether a colon stands before it."""


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences in order; those left out that stand in a list under a line which announces plans or advice."""
    planned = False
    at = 0
    for end, mark in _ends(text):
        start, at = at, end
        line = text[start:end].rstrip()
        if not line:
            continue
        item = _ITEM.match(text, start, end) if _is_line_start(text, start) else None
        if item is None:
            planned = line.endswith((":", "：")) and _PLANNED.search(line) is not None
        elif planned or item["open"]:
            continue
        begin, stop = item.end() if item else start, start + len(line)
        said = text[begin:stop].lstrip()
        if said and stop - begin <= LONGEST:
            yield Sentence(stop - len(said), stop, "?" in mark or "？" in mark)


def _ends(text: str) -> Iterator[tuple[int, str]]:
    """Where each sentence ends, behind its mark."""
    for match in _END.finditer(text):
        yield match.end(), match[0]
    yield len(text), ""


def _is_line_start(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def clauses(text: str, sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence; of a question only what stands before the part that asks."""
    start, end, question = sentence
    if question and _QUESTION.match(text, start, end):
        return []
    found: list[Clause] = []
    at, joined, labelled = start, False, False
    for match in _BREAK.finditer(text, start, end):
        found.append(_clause(text, at, match.start(), joined=joined, labelled=labelled))
        joined = match[0][0] in ",，" or "and" in match[0] or "then" in match[0]
        labelled = match[0] in (":", "：")
        at = match.end()
    found.append(_clause(text, at, end, joined=joined, labelled=labelled))
    return found[:-1] if question else found


def _clause(text: str, start: int, end: int, *, joined: bool, labelled: bool) -> Clause:
    """A clause without blanks and commas around it."""
    inner = text[start:end].lstrip(_AROUND)
    start = end - len(inner)
    return Clause(start, start + len(inner.rstrip(_AROUND)), joined, labelled)
