"""A text made ready for reading: folded to small letters, with everything that is not the writer's own prose covered.

Covering keeps every offset. Quoted words become a run of `QUOTED`, so that a pattern can still ask for a quotation in
its place; fences, quoted lines, headings, table rows and lines of code become blanks.
"""

from __future__ import annotations

import re

__all__ = ["QUOTED", "masked"]

QUOTED = "\ue000"
"""A private character. One that stands in a text itself is read as a quotation, which states nothing."""

_LINE = re.compile(
    r"\n[ \t]*(?:"
    r"(?P<fence>`{3,}|~{3,})[^\n]*"
    r"|(?:>|#|\||//|/\*|\$ |@@|\+\+\+ |--- )[^\n]*"
    r"|(?:def|class|import|from|return|print|const|let|var|function|public"
    r"|elif)\b[^\n]{0,200}[:;{})][ \t]*(?=\n|$)"
    r"|[\w.\[\]'\"]{1,60}+(?: [=+]?= |\()[^\n]{0,400}+(?=\n|$)"
    r"|(?=[^\n;{}]{0,200}+[;{}])[^\n]{0,200}[;{}][ \t]*(?=\n|$)"  # most lines have no such sign at all
    r")"
)
_MARKS = '`"“「『《'
_QUOTATION = re.compile(
    r"[`\"“「『《](?:(?<=`)(?:`[^`\n]{1,400}``|[^`\n]{1,400}`)|(?<=\")(?<![\w\"]\")[^\"\n]{1,600}\"(?!\w)"
    r"|(?<=“)[^”\n]{1,600}”|(?<=「)[^」\n]{1,600}」|(?<=『)[^』\n]{1,600}』|(?<=《)[^》\n]{1,200}》)"
)
_SINGLE = re.compile(r"'(?<![\w']')[^'\n]{1,200}'(?!\w)")
_EMPHASIS = re.compile(r"_(?<![\w`]_)_?(?=[^\W_])[^_\n]{1,200}(?<=[^\s_])_?_(?!\w|[.(/]\w)")
_FOLDED = (
    ("’", "'"),
    ("‘", "'"),
    ("‑", "-"),
    ("‐", "-"),
    ("\u00a0", " "),
    ("\u202f", " "),
    ("\x10", "-"),
    ("\x11", "-"),
    ("*", " "),
)


def masked(text: str) -> str:
    """The text as it is read: as long as it was, code point for code point."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capitals have longer small forms
        lowered = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    for written, read in _FOLDED:
        lowered = lowered.replace(written, read)
    lowered = _without_lines(lowered)
    if any(mark in lowered for mark in _MARKS):
        lowered = _QUOTATION.sub(_cover, lowered)
    if "'" in lowered:
        lowered = _SINGLE.sub(_cover, lowered)
    if " _" in lowered or "\n_" in lowered or lowered[:1] == "_":
        lowered = _EMPHASIS.sub(_plain, lowered)
    return lowered


def _cover(match: re.Match[str]) -> str:
    return QUOTED * len(match[0])


def _plain(match: re.Match[str]) -> str:
    """Emphasised words without their signs; `__init__` is a name."""
    return match[0].replace("_", " ") if " " in match[0] or not match[0].startswith("__") else match[0]


def _without_lines(text: str) -> str:
    """The text with fences and with lines that are no prose made blank."""
    text = "\n" + text
    pieces: list[str] = []
    at = 1
    for match in _LINE.finditer(text):
        start, end = match.start() + 1, match.end()
        if start < at:
            continue
        if match["fence"]:
            closing = text.find("\n" + match["fence"], end)
            end = len(text) if closing < 0 else closing + 1 + len(match["fence"])
        blank = "\n".join(" " * len(line) for line in text[start:end].split("\n"))
        pieces += (text[at:start], blank)
        at = end
    return "".join((*pieces, text[at:]))
