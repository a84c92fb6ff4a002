"""What stands in a text without being said: fences, reasoning, quoted lines, quoted words."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


_SIGNS = ("`", "~~~", "<", ">", "◁", "[THINK", "[/THINK", "[think", "[/think", "\n    ", "\n\t")


def shelters(text: str) -> Shelters:
    """Find fences, reasoning and quotation in linear time.

    Quotation is a line behind `>`, an `<example>` or a `<pre>`, and an indented block that is announced.

    Fences are those of CommonMark (section 4.5); they may also open behind a colon and close before a tag. A `<think>`
    counts at the start of a line; a closing one without it, at the end of a line, makes everything before it reasoning.
    Other models write it otherwise: `[THINK]`, `◁think▷`, a channel of their own.
    """
    if not any(sign in text for sign in _SIGNS):
        return Shelters()
    fences: list[Fence] = []
    reasoning: list[Shelter] = []
    at = 0
    while (edge := _EDGE.search(text, at)) is not None:
        if edge["bar"]:
            fences.append(_fence(text, edge))
            at = fences[-1].end
        elif edge["open"]:
            reasoning.append(_reasoning(text, edge))
            at = reasoning[-1].end
        else:
            fences, reasoning = [], [Shelter(0, edge.end(), "reasoning")]
            at = edge.end()
    lines = [Shelter(*line.span(), "quotation") for line in _QUOTED_LINE.finditer(text)]
    lines += [Shelter(*block.span("block"), "quotation") for block in _INDENTED.finditer(text)]
    return Shelters(tuple(fences), tuple(reasoning), tuple(sorted([*lines, *_examples(text)])))


def _examples(text: str) -> Iterator[Shelter]:
    at = 0
    while (opening := _EXAMPLE.search(text, at)) is not None:
        closing = _EXAMPLE_END[opening["tag"].lower()].search(text, opening.end())
        if closing is None:
            return
        at = closing.end()
        yield Shelter(opening.start(), at, "quotation")


def quoted_words(text: str) -> list[Shelter]:
    """What stands between quotation marks or backticks on one line, in order."""
    return [Shelter(*words.span(), "quotation") for words in _QUOTED_WORDS.finditer(text)]


def _fence(text: str, opening: re.Match[str]) -> Fence:
    bar: str = opening["bar"]
    closing = re.compile(rf"^[ \t]*+{bar[0]}{{{len(bar)},}}+{_FENCE_END}", re.MULTILINE).search(text, opening.end())
    body_end, end = closing.span() if closing else (len(text), len(text))
    body_start = min(opening.end() + 1, body_end)
    return Fence(opening.start("bar"), end, body_start, body_end, opening["info"].strip().lower(), closing is not None)


def _reasoning(text: str, opening: re.Match[str]) -> Shelter:
    sign = _REASONING[opening["open"].lower()]
    closing = re.compile(re.escape(sign), re.IGNORECASE).search(text, opening.end())
    return Shelter(opening.start(), closing.end() if closing else len(text), "reasoning")


_CLOSED_ALONE: dict[str, str] = {
    **{f"<{tag}>": f"</{tag}>" for tag in ("think", "thinking", "reasoning", "scratchpad", "seed:think")},
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
    "<|begin_of_thought|>": "<|end_of_thought|>",
}
"""What opens and closes reasoning; the closing sign tells it even where the opening one was in the prompt."""
_REASONING: dict[str, str] = {
    **_CLOSED_ALONE,
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|>",
    "<|channel>thought": "<channel|>",
}
_FENCE_END = r"[ \t\r]*+(?:<[^<>\n]{1,20}>[ \t\r]*+)?$"
_EDGE = re.compile(
    r"^(?:[^\n`~]{0,60}:)?[ \t*_]*+(?P<bar>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)$"
    rf"|^[ \t]*+(?P<open>{'|'.join(map(re.escape, _REASONING))})"
    rf"|(?:{'|'.join(map(re.escape, _CLOSED_ALONE.values()))})(?=[ \t\r]*+$)",
    re.MULTILINE | re.IGNORECASE | re.ASCII,
)
_QUOTED_LINE = re.compile(r"^[ \t]*+>[^\n]*+", re.MULTILINE)
_EXAMPLE = re.compile(r"^[ \t]*+<(?P<tag>example|pre|blockquote)>", re.MULTILINE | re.IGNORECASE)
_EXAMPLE_END = {tag: re.compile(rf"</{tag}>", re.IGNORECASE) for tag in ("example", "pre", "blockquote")}
_INDENTED = re.compile(
    r"^\S[^\n]{9,300}(?<=[:：])[ \t]*+\n(?>(?:[ \t]*+\n)+)"
    r"(?P<block>(?>(?:(?>(?:[ \t]*+\n)*)(?: {4}|\t)[^\n]*+\n)+))(?=\s*+\S)",
    re.MULTILINE,
)
"""An indented block (CommonMark, section 4.4) between a line that announces it and text that goes on."""
_QUOTED_WORDS = re.compile(r'"[^"\n]*+"|“[^“”\n]*+”|「[^「」\n]*+」|『[^『』\n]*+』|«[^«»\n]*+»|`[^`\n]*+`')
