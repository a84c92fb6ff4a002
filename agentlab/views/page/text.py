"""Texts of a trace as HTML: escaped, hidden characters made visible, places of findings marked, long ones folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from agentlab.audit.values import Severity
from agentlab.trace.formatting import shorten, visible
from agentlab.views.page.style import SYMBOLS

__all__ = ["Spot", "html_text", "inline_text", "language", "shown_text"]

_FOLDED = 1_500
"""Characters, or lines by forty, above which a text is folded."""
_LINES = 30
_WHOLE = 12_000
"""Characters of a text that are shown at its beginning."""
_AROUND = 600
"""Characters shown on either side of a marked place further down."""
_MARKED = 4_000
"""Characters shown of one marked place, at its beginning."""
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_PEEK = 2_000
"""Characters in which the script of a text is looked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A stretch of a text that a finding is about."""

    start: int
    """Code points; the end is exclusive."""
    end: int
    rule: str
    severity: Severity
    link: str
    """Anchor of the finding on the page."""


def html_text(text: str) -> str:
    """The text escaped, with controls and marks of direction written out; newlines and tabs stay."""
    return escape(visible(text))


def language(text: str) -> str:
    """` lang="zh"` where the text has Chinese characters and no Japanese or Korean ones, so that fonts agree."""
    head = text[:_PEEK]
    return ' lang="zh"' if _HAN.search(head) and not _KANA.search(head) else ""


def shown_text(text: str, spots: Sequence[Spot] = ()) -> str:
    """A block of text; a long one is folded, open where something in it is marked, and cut far from every mark."""
    inner = "".join(_parts(text, spots))
    block = f'<div class="text" dir="auto"{language(text)}>{inner}</div>'
    if len(text) <= _FOLDED and text.count("\n") <= _LINES:
        return block
    opened = " open" if spots else ""
    return f"<details{opened}><summary>{len(text):,} characters: {escape(shorten(text, 90))}</summary>{block}</details>"


def inline_text(text: str, spots: Sequence[Spot] = ()) -> str:
    """A short text within a line, such as a tool's name; a long one is cut."""
    return f'<code dir="auto">{"".join(_parts(text, spots))}</code>'


def _parts(text: str, spots: Sequence[Spot]) -> Iterator[str]:
    at = 0
    for start, end in _windows(len(text), spots):
        if start > at:
            yield _gap(start - at)
        yield from _marked(text, start, end, spots)
        at = end
    if at < len(text):
        yield _gap(len(text) - at)


def _gap(number: int) -> str:
    return f'<span class="cut"> … {number:,} characters are left out of this page … </span>'


def _windows(length: int, spots: Sequence[Spot]) -> list[tuple[int, int]]:
    """The stretches that are shown, in order and apart from each other."""
    wanted = [(0, min(length, _WHOLE))]
    for spot in spots:
        wanted.append((max(0, spot.start - _AROUND), min(length, spot.start + _MARKED)))
        wanted.append((max(0, spot.end - _AROUND), min(length, spot.end + _AROUND)))
    shown: list[tuple[int, int]] = []
    for start, end in sorted(wanted):
        if shown and start <= shown[-1][1]:
            shown[-1] = shown[-1][0], max(end, shown[-1][1])
        else:
            shown.append((start, end))
    return shown


def _marked(text: str, start: int, end: int, spots: Sequence[Spot]) -> Iterator[str]:
    """One stretch; where places overlap, the one that began last is marked, and each ends with its tag."""
    inside = [spot for spot in spots if spot.start < end and spot.end >= start]
    edges = sorted({start, end, *(min(max(edge, start), end) for s in inside for edge in (s.start, s.end))})
    for left, right in zip(edges, [*edges[1:], end], strict=True):
        yield from (_tag(spot) for spot in inside if spot.end == left)
        over = [spot for spot in inside if spot.start <= left and spot.end >= right]
        piece = html_text(text[left:right])
        if piece and over:
            spot = max(over, key=lambda each: (each.start, -each.end))
            yield f'<mark class="{spot.severity}">{piece}</mark>'
        else:
            yield piece


def _tag(spot: Spot) -> str:
    words = f"{SYMBOLS[spot.severity]} {escape(spot.rule)}"
    return f'<a class="tag {spot.severity}" href="#{spot.link}">{words}</a>'
