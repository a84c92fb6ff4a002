"""The values around a call: the call, the registered tools, and the stretch of a text in which one may stand."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agentlab.markers.arguments import Problem, Read
from agentlab.markers.elements import ClosingTags
from agentlab.markers.lexicon import FINISH_NAMES, fold, squeeze, words
from agentlab.markers.quotation import Fence
from agentlab.markers.scan import Mark
from agentlab.messages import Arguments

__all__ = ["LONGEST_WORD", "Body", "Call", "Toolset", "is_finish", "visible"]

LONGEST_WORD = 64
"""Longest name, in code points, that is taken for one when it stands alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """What an action or a finish names and passes, as far as it could be read."""

    name: str
    """The registered spelling where the name is registered, else the trimmed text in NFC; empty where none is named."""
    arguments: Arguments
    """An object, or the text as it stood where it is not an object or could not be read."""
    problem: Problem | None = None
    """Why it is not well formed; None where it is."""
    registered: bool = False
    alone: bool = False
    """Whether it is a name, or a sentence, without anything that makes it a call."""
    finish: bool = False
    """Whether the name means the final answer."""


class Toolset:
    """The registered tool names, compared after NFC normalisation and otherwise exactly."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = {unicodedata.normalize("NFC", name): name for name in names}

    def __bool__(self) -> bool:
        return bool(self._names)

    def find(self, written: str) -> str | None:
        """The registered name a text equals, quotation marks and emphasis around it aside."""
        name = unicodedata.normalize("NFC", written.strip())
        return self._names.get(name) or self._names.get(name.strip(_DRESS))

    def shell(self, language: str) -> str | None:
        """The registered tool that runs a fence of this language, if it is a shell's."""
        return self._names.get("bash") or self._names.get("shell") if language in _SHELLS else None

    def call(self, written: str, read: Read, *, alone: bool) -> Call:
        """A call of what was written, with what was read."""
        known = self.find(written)
        name = unicodedata.normalize("NFC", written.strip().strip(_DRESS)) if known is None else known
        return Call(
            name=name,
            arguments=read.arguments,
            problem=read.problem or (None if name else "no_name"),
            registered=known is not None,
            alone=alone,
            finish=is_finish(name),
        )


class Body(NamedTuple):
    """Where a call may stand. Offsets are code points of the text."""

    text: str
    start: int
    """The first character behind the marker that is not blank."""
    hard: int
    """The next marker at the start of a line, or the end: no call goes beyond it."""
    tags: ClosingTags
    soft: Sequence[int] = ()
    """Places of all following markers, those within a line too: no free text and no remark goes beyond one."""
    input: Mark | None = None
    """The first marker of an action's input behind `start`."""
    fences: Mapping[int, Fence] = {}
    """Fenced blocks by the place of their opening bar."""
    depth: int = 0
    """In how many fences, backticks and tags of the same action this stands."""

    def stop(self, start: int) -> int:
        """Where free text from `start` on must end."""
        at = bisect_left(self.soft, start)
        return self.soft[at] if at < len(self.soft) else self.hard

    def line_end(self, start: int) -> int:
        """Where the line of `start` ends, or the next marker on it stands."""
        stop = self.stop(start)
        end = self.text.find("\n", start, stop)
        return stop if end < 0 else end

    def head_end(self) -> int:
        """Where a name must end that no bracket follows."""
        end = min(self.line_end(self.start), self.start + _LONGEST_HEAD)
        return end if self.input is None else min(end, max(self.input.start, self.start))

    def remark(self, start: int) -> str:
        """What else stands on the line from `start` on, emphasis aside."""
        return self.text[start : self.line_end(start)].strip().strip("*_~ ")

    def within(self, start: int, stop: int) -> Body:
        """The same text, seen only between two places."""
        return Body(self.text, visible(self.text, start, stop), stop, self.tags, depth=self.depth + 1)


def is_finish(name: str) -> bool:
    """Whether an action's name means the final answer."""
    return len(name) <= LONGEST_WORD and _means_finish(name)


@lru_cache(maxsize=1024)
def _means_finish(name: str) -> bool:
    return squeeze(fold(name).text) in _FINISH_NAMES


def visible(text: str, start: int, stop: int) -> int:
    """The first place from `start` on that is not blank, at most `stop`."""
    blanks = _BLANKS.match(text, start, stop)
    return blanks.end() if blanks else start


_SHELLS = ("bash", "sh", "shell")
_DRESS = "*`\"'“”"
_LONGEST_HEAD = 300
_BLANKS = re.compile(r"\s*+")
_FINISH_NAMES = frozenset(squeeze(name) for name in words(FINISH_NAMES))
