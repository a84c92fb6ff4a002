"""The parts of a result in which a verdict about the call may stand: its beginning and its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Shown", "has_any", "shown"]

_HEAD = 1500
_TAIL = 3000

_FRAMES = ("Code output:", "Output:", "STDOUT:", "STDERR:", "stdout:", "stderr:")


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """The beginning and the end of a text, without the space around it. The end is all of a short text."""

    head: str
    tail: str
    length: int
    """Of the whole text, in code points."""
    edges: str
    """The first and last lines in small letters, the middle of long ones left out."""
    first: tuple[str, ...]
    """Its first lines with something in them, at most three."""
    last: tuple[str, ...]
    """Its last lines with something in them, at most three, the last one first."""

    is_short: bool
    """Whether the text can be one remark rather than content."""


def has_any(text: str, signs: Sequence[str]) -> bool:
    """Whether one of several short texts stands in a text; a loop, because this runs for every result."""
    for sign in signs:  # noqa: SIM110
        if sign in text:
            return True
    return False


def shown(text: str) -> Shown:
    """Look at the beginning and the end of a text; what stands between them is not touched."""
    if len(text) <= _HEAD + _TAIL:
        head = tail = text.strip()
        length = len(head)
    else:
        head, tail, length = text[:_HEAD].lstrip(), text[-_TAIL:].rstrip(), len(text)
    first, last = _lines(head, 3), _last_lines(tail, 3)
    lines = first if head is tail and first[-1:] == last[:1] else first + last
    return Shown(
        head=head,
        tail=tail,
        length=length,
        edges="\n".join([line if len(line) <= 500 else f"{line[:300]} {line[-200:]}" for line in lines]).lower(),
        first=first,
        last=last,
        is_short=length <= 700 and tail.count("\n") <= 12,
    )


def _unframed(line: str) -> str:
    """A line without the words by which a harness says that it was printed."""
    return line.partition(":")[2].lstrip() if line.startswith(_FRAMES) else line


def _lines(text: str, most: int) -> tuple[str, ...]:
    found: list[str] = []
    rest = text
    while rest and len(found) < most:
        line, _, rest = rest.partition("\n")
        if line := _unframed(line.strip()):
            found.append(line)
    return tuple(found)


def _last_lines(text: str, most: int) -> tuple[str, ...]:
    found: list[str] = []
    rest = text
    while rest and len(found) < most:
        rest, _, line = rest.rpartition("\n")
        if line := _unframed(line.strip()):
            found.append(line)
    return tuple(found)
