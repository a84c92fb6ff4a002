"""What stands in a text without being said: fences, reasoning, quoted lines, quoted words."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

__all__ = ["Fence", "Shelter", "ShelterKind", "Shelters", "quoted_words", "shelters"]

ShelterKind = Literal["quotation", "reasoning"]


class Fence(NamedTuple):
    """A fenced block, its delimiter lines included. Offsets are code points, end exclusive."""

    start: int
    """The opening bar; text that ends in a colon may stand before it on its line."""
    end: int
    body_start: int
    body_end: int
    info: str
    """What follows the opening bar, trimmed and in lower case."""
    closed: bool
    """A fence that nothing closes runs to the end of the text."""


class Shelter(NamedTuple):
    """A stretch in which no marker counts."""

    start: int
    end: int
    kind: ShelterKind


class Shelters(NamedTuple):
    """All that shelters something in one text."""

    fences: tuple[Fence, ...] = ()
    reasoning: tuple[Shelter, ...] = ()
    quoted_lines: tuple[Shelter, ...] = ()


def shelters(text: str) -> Shelters:
    """Find fences, reasoning and quoted lines (`>`), in linear time.

    Fences are those of CommonMark (section 4.5), and may also open behind a colon. A `<think>` counts at the start of a
    line; a closing one without it, at the end of a line, makes everything before it reasoning.
    """
    if not any(sign in text for sign in ("`", "~~~", "<", ">")):
        return Shelters()
    fences: list[Fence] = []
    reasoning: list[Shelter] = []
    fence: re.Match[str] | None = None
    think: re.Match[str] | None = None
    for edge in _EDGE.finditer(text):
        if think is not None:
            if (edge["close"] or "").lower() == think["open"].lower():
                reasoning.append(Shelter(think.start(), edge.end(), "reasoning"))
                think = None
        elif fence is not None:
            if _closes(edge, fence):
                fences.append(_fence(fence, edge.start(), edge.end(), closed=True))
                fence = None
        elif edge["bar"]:
            fence = edge
        elif edge["open"]:
            think = edge
        elif text[edge.end() : edge.end() + 1] in _LINE_END:
            fences, reasoning = [], [Shelter(0, edge.end(), "reasoning")]
    if think is not None:
        reasoning.append(Shelter(think.start(), len(text), "reasoning"))
    if fence is not None:
        fences.append(_fence(fence, len(text), len(text), closed=False))
    lines = tuple(Shelter(*line.span(), "quotation") for line in _QUOTED_LINE.finditer(text))
    return Shelters(tuple(fences), tuple(reasoning), lines)


def quoted_words(text: str) -> list[Shelter]:
    """What stands between quotation marks or backticks on one line, in order."""
    return [Shelter(*words.span(), "quotation") for words in _QUOTED_WORDS.finditer(text)]


def _closes(edge: re.Match[str], opening: re.Match[str]) -> bool:
    bar: str = edge["bar"] or ""
    return bar.startswith(opening["bar"]) and not edge["head"] and not edge["info"].strip()


def _fence(opening: re.Match[str], body_end: int, end: int, *, closed: bool) -> Fence:
    start = opening.start("bar")
    body_start = min(opening.end() + 1, body_end)
    return Fence(start, end, body_start, body_end, opening["info"].strip().lower(), closed)


_EDGE = re.compile(
    r"^(?P<head>[^\n`~]{0,60}:)?[ \t*_]*+(?P<bar>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)$"
    r"|^[ \t]*+<(?P<open>think|thinking|reasoning|scratchpad)>"
    r"|</(?P<close>think|thinking|reasoning|scratchpad)>",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"^[ \t]*+>[^\n]*+", re.MULTILINE)
_QUOTED_WORDS = re.compile(r'"[^"\n]*+"|“[^“”\n]*+”|「[^「」\n]*+」|『[^『』\n]*+』|«[^«»\n]*+»|`[^`\n]*+`')
_LINE_END = ("", "\n", "\r")
