"""A way to state something, and how patterns for it are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from agentlab.audit.prose.values import StatementKind

__all__ = ["Form", "alternatives", "form"]


@dataclass(frozen=True, kw_only=True)
class Form:
    """A way to state something in one clause.

    Groups that its pattern may have: `verb` (its base form is the statement's verb), `no` (it is denied), `src` (whom
    it is attributed to), `odd` (what makes it no statement after all).
    """

    kind: StatementKind
    pattern: re.Pattern[str]
    cues: frozenset[str]
    """Words of which one must stand in the sentence."""
    needs: frozenset[str] = frozenset()
    """Words of which one must stand there too; empty for none."""
    verbs: Mapping[str, str] = field(default_factory=dict)
    """The forms that `verb` must be one of, with their bases; empty for any."""
    verb: str = ""
    """The verb of a pattern that names none."""
    leading: bool = False
    """Whether it must begin its sentence, or be tied by an `and` to a clause in the first person."""
    first_person: bool = False
    generic: bool = False
    """Whether a condition behind it, or a subject that is any of its kind, makes it a rule instead of a statement."""
    subject: bool = False
    """Whether something must stand before it that can be its subject."""
    settled: bool = False
    """Whether it is a plan where the sentence goes on with what shall be."""
    exempt: bool = False
    """Whether it counts behind a hedge, as what is denied and what is assumed does."""
    back: bool = False
    """Whether in brackets it speaks of the clause before."""

    anchored: bool = False
    """Whether it can only stand at the very beginning of a clause."""

    def places(self, clause: str) -> Iterator[re.Match[str]]:
        """Where a clause has it."""
        if not self.anchored:
            return self.pattern.finditer(clause)
        match = self.pattern.match(clause)  # a search would try every place
        return iter((match,) if match else ())


class _Options(TypedDict, total=False):
    needs: frozenset[str]
    verbs: Mapping[str, str]
    verb: str
    leading: bool
    first_person: bool
    generic: bool
    subject: bool
    settled: bool
    exempt: bool
    back: bool


def form(kind: StatementKind, pattern: str, cues: str | Iterable[str] = (), **options: Unpack[_Options]) -> Form:
    """A form. In the pattern `~` stands for blanks, `~?` for any or none, `@` for a verb; blanks stand for nothing.

    Verbs are cues where none are given, and else words that it needs beside.
    """
    words = frozenset(cues.split() if isinstance(cues, str) else cues) or frozenset(options.get("verbs", {}))
    if cues and options.get("verbs"):
        options.setdefault("needs", frozenset(options["verbs"]))
    elif options.get("first_person"):  # the rarer words
        options["needs"], words = words, frozenset({"i", "we"})
    written = (
        "".join(pattern.split(" "))
        .replace("~?", r"[ \n]*")
        .replace("~", r"[ \n]+")
        .replace("@", r"(?P<verb>[a-z][a-z-]*)\b")
    )
    return Form(kind=kind, pattern=re.compile(written), cues=words, anchored=_is_anchored(written), **options)


def _is_anchored(pattern: str) -> bool:
    """Whether a pattern begins with `^` in all its branches."""
    if not pattern.startswith("^"):
        return False
    rest = re.sub(r"\\.|\[\^?\]?[^\]]*\]", "", pattern)
    while (shorter := re.sub(r"\([^()]*\)", "", rest)) != rest:
        rest = shorter
    return "|" not in rest


def alternatives(words: str) -> str:
    """A group of any of the words, longest first; `_` in a word stands for a blank."""
    return "(?:" + "|".join(sorted((word.replace("_", "~") for word in words.split()), key=len, reverse=True)) + ")"
